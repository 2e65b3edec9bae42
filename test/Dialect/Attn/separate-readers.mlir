// attn-separate-readers: Q and dO, which products read by rows and by columns, are loaded twice for MFMA of gfx942.
// DEFINE: %{tiles} = tiles=query=64,key=128
// DEFINE: %{target} = mi300x
// DEFINE: %{run} = attn-opt %s --mlir-disable-threading --attn-schedule='target=%{target} %{tiles}' --remarks-filter='attn-separate.*'
// RUN: %{run} --attn-to-target -o %t.mlir 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --check-prefixes=CHECK,BOTH --input-file=%t.mlir
// REMARK: remark: [Passed] separated | Category:attn-separate-readers | Function=f_attention_backward_key | Remark="loads are made twice, for products by rows and by columns:", bytes=32768, loads=2

// No column is read element by element.
// RUN: attn-compile %s --target=mi300x --schedule='%{tiles}' --emit=isa | FileCheck %s --check-prefix=ISA
// ISA-NOT: ds_read_u16
// ISA: s_endpgm
// ISA-NOT: ds_read_u16

// Where LDS has no room for one tile more, it stays as it is.
// REDEFINE: %{tiles} = tiles=query=96,key=128
// RUN: %{run} --attn-to-target='stages=6' -o %t.mlir 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: FileCheck %s --check-prefixes=CHECK,ONE --input-file=%t.mlir
// ROOM: remark: [Missed] separated | {{.*}}Remark="shared memory has no room for a tile twice:", bytes=221184, limit=65536

// Nothing is done, and nothing said, where an instruction transposes what it reads, or copies are not by registers.
// REDEFINE: %{tiles} = tiles=query=64,key=64
// REDEFINE: %{target} = mi355x
// RUN: %{run} --attn-to-target -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: FileCheck %s --check-prefixes=CHECK,ONE --input-file=%t.mlir
// REDEFINE: %{target} = h200
// RUN: %{run} --attn-to-target -o %t.mlir 2>&1 | FileCheck %s --check-prefix=SILENT --allow-empty
// RUN: FileCheck %s --check-prefixes=CHECK,ONE --input-file=%t.mlir
// SILENT-NOT: separated
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-schedule{target=h200},attn.kernel(attn-separate-readers{stages=65}))' 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: expected 1 to 64 stages, or 0 for the default, but got 65

// CHECK-LABEL: attn.kernel @f_attention_backward_key
// BOTH-DAG: attn.ring.create slots 1 : <2 x tensor<64x64xbf16, #shared{{[0-9]*}}>>
// BOTH-DAG: attn.ring.issue %{{.*}}, %q[{{.*}}] by registers in_blocks
// BOTH-DAG: attn.ring.issue %{{.*}}, %q[{{.*}}] by registers in_blocks
// BOTH-DAG: attn.ring.issue %{{.*}}, %do[{{.*}}] by registers in_blocks
// BOTH-DAG: attn.ring.issue %{{.*}}, %do[{{.*}}] by registers in_blocks
// ONE-NOT: in_blocks
// BOTH: attn.dot %{{[^ ]*}}, %[[ROWS:[^ ]*]], %{{[^ ]*}} transpose_rhs
// BOTH: attn.dot %{{[^ ]*}}, %[[COLUMNS:[^ ]*]], %{{[^ ]*}} by{{.*}}, #[[TURNED:.*]]> into
// CHECK: attn.return
func.func @f(%q: tensor<?x2x?x64xbf16>, %k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>,
             %do: tensor<?x2x?x64xbf16>, %lse: tensor<?x2x?xf32>, %delta: tensor<?x2x?xf32>)
    -> (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>) {
  %dk, %dv = attn.attention_backward_key %q, %k, %v, %do, %lse, %delta scale(0.125)
      : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>,
         tensor<?x2x?x64xbf16>, tensor<?x2x?xf32>, tensor<?x2x?xf32>)
        -> (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
  return %dk, %dv : tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>
}
