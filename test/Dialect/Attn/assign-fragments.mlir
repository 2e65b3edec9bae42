// attn-assign-fragments: layouts of tiles and rows, how many warps, what is fetched
// from shared memory.
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-assign-fragments))' --remarks-filter='attn-assign.*' -o %t.default 2>&1 | FileCheck %s --check-prefixes=REMARK
// RUN: FileCheck %s --input-file=%t.default
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=1},attn-assign-fragments))' --remarks-filter='attn-assign.*' -o %t.one 2>&1 | FileCheck %s --check-prefixes=ONEREMARK
// RUN: FileCheck %s --input-file=%t.one --check-prefix=ONE
// The number of warps, where it is given, decides.
// What has layouts keeps them.
// RUN: attn-opt %t.default --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-assign-units{warps=1},attn-assign-fragments))' | diff %t.default -

// About 32 rows a warp, four warps where there are rows enough for them.
// REMARK: remark: [Passed] warps | Category:attn-assign-fragments | Function=attention | Remark="tiles lie in the registers of", rows=128, warps=4
// REMARK: Function=matmul | Remark="tiles lie in the registers of", rows=32, warps=2
// REMARK: Function=rows16 | {{.*}} rows=16, warps=1
// REMARK: Function=rows48 | {{.*}} rows=48, warps=3
// REMARK: Function=rows80 | {{.*}} rows=80, warps=5
// REMARK: Function=rows256 | {{.*}} rows=256, warps={{4|8}}
// REMARK: Function=rows512 | {{.*}} rows=512, warps={{8|16}}
// REMARK: Function=kinds | {{.*}} rows=64, warps=4
// REMARK: Function=fetch | {{.*}} rows=64, warps=4
// ONEREMARK: Function=attention | Remark="tiles lie in the registers of", rows=128, warps=1
// ONEREMARK: Function=matmul | Remark="tiles lie in the registers of", rows=32, warps=1
// 16 rows a warp, as warpgroups want: as many warps as that makes, up to 32.

// A warp has consecutive rows: 32 of 128, as two blocks of 16. The rows have the
// tile's layout, less its columns. Products take tiles in shared memory as they are.

// CHECK-DAG: #[[ACC48:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(32, 0)], registers [2:(0, 1), 2:(8, 0), 6:(0, 8), 2:(16, 0)]>
// CHECK-DAG: #[[ACC64:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(32, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8), 2:(16, 0)]>
// CHECK-DAG: #[[ROW:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 4:(32)], registers [4:(8)]>
// CHECK-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// CHECK-LABEL: attn.kernel @attention
// CHECK-SAME: attributes {threads = 128 : i64}
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<128x48xf32, #[[ACC48]]>
// CHECK-DAG: arith.constant dense<0.000000e+00> : tensor<128x64xf32, #[[ACC64]]>
// CHECK-DAG: arith.constant dense<0xFF800000> : tensor<128xf32, #[[ROW]]>
// CHECK: attn.stream
// CHECK-SAME: : tensor<128xf32, #[[ROW]]>, tensor<128x64xf32, #[[ACC64]]>)
// CHECK: attn.dot {{.*}} transpose_rhs : tensor<128x64xbf16, #[[SHARED]]>, tensor<48x64xbf16, #[[SHARED]]> into tensor<128x48xf32, #[[ACC48]]>
// CHECK: attn.reduce max %{{[^ ]+}} : tensor<128x48xf32, #[[ACC48]]>
// CHECK: arith.truncf {{.*}} to tensor<128x48xbf16, #[[ACC48]]>
// CHECK: attn.dot {{.*}} : tensor<128x48xbf16, #[[ACC48]]>, tensor<48x64xbf16, #[[SHARED]]> into tensor<128x64xf32, #[[ACC64]]>
// CHECK-NOT: attn.convert_layout
// CHECK: attn.store {{.*}} through %{{[^ ]+}}(tensor<128x64xbf16, #[[SHARED]]>) : tensor<128x64xbf16, #[[ACC64]]>
// CHECK-NOT: attn.convert_layout
// ONE-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 6:(0, 8), 8:(16, 0)]>
// ONE-DAG: #[[ROW:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1)], registers [16:(8)]>
// ONE-LABEL: attn.kernel @attention
// ONE-SAME: attributes {threads = 32 : i64}
// ONE-DAG: arith.constant dense<0.000000e+00> : tensor<128x48xf32, #[[ACC]]>
// ONE-DAG: arith.constant dense<0xFF800000> : tensor<128xf32, #[[ROW]]>
attn.kernel @attention(%q: !attn.view<?x64xbf16>, %k: !attn.view<?x64xbf16>, %o: !attn.view<?x64xbf16>, %n: index) {
  %rq = attn.ring.create : <1 x tensor<128x64xbf16, #attn.shared<128>>>
  %rk = attn.ring.create : <2 x tensor<48x64xbf16, #attn.shared<128>>>
  %scores = arith.constant dense<0.0> : tensor<128x48xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %inf = arith.constant dense<0xFF800000> : tensor<128xf32>
  attn.grid (%i) visit %v in (query = %n) {
    %qt = attn.ring.wait %rq : <1 x tensor<128x64xbf16, #attn.shared<128>>> -> tensor<128x64xbf16, #attn.shared<128>>
    %r:2 = attn.stream %j step 48 over [%i to %n] carry (%m = %inf, %a = %zero : tensor<128xf32>, tensor<128x64xf32>) {
      %kt = attn.ring.wait %rk : <2 x tensor<48x64xbf16, #attn.shared<128>>> -> tensor<48x64xbf16, #attn.shared<128>>
      %s = attn.dot %qt, %kt, %scores transpose_rhs : tensor<128x64xbf16, #attn.shared<128>>, tensor<48x64xbf16, #attn.shared<128>> into tensor<128x48xf32>
      %x = attn.reduce max %s : tensor<128x48xf32>
      %y = arith.maximumf %m, %x : tensor<128xf32>
      %b = attn.broadcast %y : tensor<128xf32> to tensor<128x48xf32>
      %e = arith.subf %s, %b : tensor<128x48xf32>
      %p = arith.truncf %e : tensor<128x48xf32> to tensor<128x48xbf16>
      %c = attn.dot %p, %kt, %a : tensor<128x48xbf16>, tensor<48x64xbf16, #attn.shared<128>> into tensor<128x64xf32>
      attn.ring.release %rk : <2 x tensor<48x64xbf16, #attn.shared<128>>>
      attn.yield %y, %c : tensor<128xf32>, tensor<128x64xf32>
    }
    %t = arith.truncf %r#1 : tensor<128x64xf32> to tensor<128x64xbf16>
    attn.store %t, %o[%i, %i] through %qt(tensor<128x64xbf16, #attn.shared<128>>) : tensor<128x64xbf16> -> <?x64xbf16>
    attn.ring.release %rq : <1 x tensor<128x64xbf16, #attn.shared<128>>>
  }
}

// -----

// A plain product.

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(16, 0)], registers [2:(0, 1), 2:(8, 0), 10:(0, 8)]>
// CHECK-DAG: #[[SHARED128:shared[0-9]*]] = #attn.shared<128>
// CHECK-DAG: #[[SHARED32:shared[0-9]*]] = #attn.shared<32>
// CHECK-LABEL: attn.kernel @matmul
// CHECK-SAME: attributes {threads = 64 : i64}
// CHECK: attn.dot {{.*}} : tensor<32x64xbf16, #[[SHARED128]]>, tensor<64x80xbf16, #[[SHARED32]]> into tensor<32x80xf32, #[[ACC]]>
// CHECK: attn.store {{.*}} : tensor<32x80xf32, #[[ACC]]> -> <?x?xf32>
// ONE-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 10:(0, 8), 2:(16, 0)]>
// ONE-LABEL: attn.kernel @matmul
// ONE-SAME: attributes {threads = 32 : i64}
// ONE: attn.dot {{.*}} into tensor<32x80xf32, #[[ACC]]>
attn.kernel @matmul(%o: !attn.view<?x?xf32>, %n: index) {
  %ra = attn.ring.create : <2 x tensor<32x64xbf16, #attn.shared<128>>>
  %rb = attn.ring.create : <2 x tensor<64x80xbf16, #attn.shared<32>>>
  %zero = arith.constant dense<0.0> : tensor<32x80xf32>
  attn.grid (%i, %j) visit %v in (i = %n, j = %n) {
    %r = attn.stream %p step 64 over [%i to %n] carry (%x = %zero : tensor<32x80xf32>) {
      %s = attn.ring.wait %ra : <2 x tensor<32x64xbf16, #attn.shared<128>>> -> tensor<32x64xbf16, #attn.shared<128>>
      %t = attn.ring.wait %rb : <2 x tensor<64x80xbf16, #attn.shared<32>>> -> tensor<64x80xbf16, #attn.shared<32>>
      %d = attn.dot %s, %t, %x : tensor<32x64xbf16, #attn.shared<128>>, tensor<64x80xbf16, #attn.shared<32>> into tensor<32x80xf32>
      attn.ring.release %rb : <2 x tensor<64x80xbf16, #attn.shared<32>>>
      attn.ring.release %ra : <2 x tensor<32x64xbf16, #attn.shared<128>>>
      attn.yield %d : tensor<32x80xf32>
    }
    attn.store %r, %o[%i, %j] : tensor<32x80xf32> -> <?x?xf32>
  }
}

// -----

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>
// CHECK-LABEL: attn.kernel @rows16
// CHECK-SAME: threads = 32
// CHECK: tensor<16x8xf32, #[[ACC]]>
attn.kernel @rows16(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<16x8xf32>
  attn.store %t, %o[%i, %i] : tensor<16x8xf32> -> <?x?xf32>
}

// -----

// Three warps of 16 rows, three columns of matrices: neither is a power of two.
// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 3:(16, 0)], registers [2:(0, 1), 2:(8, 0), 3:(0, 8)]>
// CHECK-LABEL: attn.kernel @rows48
// CHECK-SAME: threads = 96
// CHECK: tensor<48x24xf32, #[[ACC]]>
attn.kernel @rows48(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<48x24xf32>
  attn.store %t, %o[%i, %i] : tensor<48x24xf32> -> <?x?xf32>
}

// -----

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 5:(16, 0)], registers [2:(0, 1), 2:(8, 0)]>
// CHECK-LABEL: attn.kernel @rows80
// CHECK-SAME: threads = 160
// CHECK: tensor<80x8xf32, #[[ACC]]>
// ONE-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 10:(8, 0)]>
// ONE-LABEL: attn.kernel @rows80
// ONE: tensor<80x8xf32, #[[ACC]]>
attn.kernel @rows80(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<80x8xf32>
  attn.store %t, %o[%i, %i] : tensor<80x8xf32> -> <?x?xf32>
}

// -----

// CHECK-LABEL: attn.kernel @rows256
// CHECK-SAME: threads = {{128|256}}
attn.kernel @rows256(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<256x8xf32>
  attn.store %t, %o[%i, %i] : tensor<256x8xf32> -> <?x?xf32>
}

// -----

// CHECK-LABEL: attn.kernel @rows512
// CHECK-SAME: threads = {{256|512}}
attn.kernel @rows512(%o: !attn.view<?x?xf32>, %i: index) {
  %t = arith.constant dense<1.0> : tensor<512x8xf32>
  attn.store %t, %o[%i, %i] : tensor<512x8xf32> -> <?x?xf32>
}

// -----

// Tiles of every kind: what a loop of the user carries, results of branches, indices,
// conditions, splats. Scalars stay as they are.

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
// CHECK-LABEL: attn.kernel @kinds
// CHECK: %[[F:[^ ]+]] = arith.constant 2.000000e+00 : f32
// CHECK: tensor.splat %[[F]] : tensor<64x16xf32, #[[ACC]]>
// CHECK: attn.iota 1 from %{{[^ ]+}} : tensor<64x16xindex, #[[ACC]]>
// CHECK: tensor.splat %{{[^ ]+}} : tensor<64x16xindex, #[[ACC]]>
// CHECK: arith.cmpi slt, {{.*}} : tensor<64x16xindex, #[[ACC]]>
// CHECK: arith.select {{.*}} : tensor<64x16xi1, #[[ACC]]>, tensor<64x16xf32, #[[ACC]]>
// CHECK: scf.for {{.*}} -> (tensor<64x16xf32, #[[ACC]]>)
// CHECK: scf.if {{.*}} -> (tensor<64x16xf32, #[[ACC]]>
// CHECK: arith.addf {{.*}} : tensor<64x16xf32, #[[ACC]]>
attn.kernel @kinds(%o: !attn.view<?x?xf32>, %i: index, %b: i1) {
  %f = arith.constant 2.0 : f32
  %s = tensor.splat %f : tensor<64x16xf32>
  %cols = attn.iota 1 from %i : tensor<64x16xindex>
  %end = tensor.splat %i : tensor<64x16xindex>
  %c = arith.cmpi slt, %cols, %end : tensor<64x16xindex>
  %t = arith.select %c, %s, %s : tensor<64x16xi1>, tensor<64x16xf32>
  %r = scf.for %j = %i to %i step %i iter_args(%x = %t) -> tensor<64x16xf32> {
    %y = scf.if %b -> tensor<64x16xf32> {
      %z = arith.addf %x, %x : tensor<64x16xf32>
      scf.yield %z : tensor<64x16xf32>
    } else {
      scf.yield %x : tensor<64x16xf32>
    }
    scf.yield %y : tensor<64x16xf32>
  }
  attn.store %r, %o[%i, %i] : tensor<64x16xf32> -> <?x?xf32>
}

// -----

// Tiles in shared memory stay there; what is read out of them gets a layout.

// CHECK-DAG: #[[ACC:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
// CHECK-DAG: #[[ROW:rows[0-9]*]] = #attn.fragment<threads [4:(0), 8:(1), 4:(16)], registers [2:(8)]>
// CHECK-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// CHECK-LABEL: attn.kernel @fetch
// CHECK-SAME: threads = 128
// CHECK: %[[T:tile[^ ]*]] = attn.ring.wait %{{[^ ]+}} : <1 x tensor<64x32xf32, #[[SHARED]]>> -> tensor<64x32xf32, #[[SHARED]]>
// CHECK-NEXT: %[[R:[^ ]+]] = attn.convert_layout %[[T]] : tensor<64x32xf32, #[[SHARED]]> to tensor<64x32xf32, #[[ACC]]>
// CHECK-NEXT: %[[S:[^ ]+]] = attn.reduce max %[[R]]
// CHECK-NEXT: attn.store %[[S]], %{{[^ ]+}}[%{{[^ ]+}}] : tensor<64xf32, #[[ROW]]>
// CHECK-NEXT: attn.store %[[R]], {{.*}} : tensor<64x32xf32, #[[ACC]]>
attn.kernel @fetch(%o: !attn.view<?x?xf32>, %l: !attn.view<?xf32>, %i: index) {
  %q = attn.ring.create : <1 x tensor<64x32xf32, #attn.shared<128>>>
  %t = attn.ring.wait %q : <1 x tensor<64x32xf32, #attn.shared<128>>> -> tensor<64x32xf32, #attn.shared<128>>
  %r = attn.convert_layout %t : tensor<64x32xf32, #attn.shared<128>> to tensor<64x32xf32>
  %s = attn.reduce max %r : tensor<64x32xf32>
  attn.store %s, %l[%i] : tensor<64xf32> -> <?xf32>
  attn.store %r, %o[%i, %i] : tensor<64x32xf32> -> <?x?xf32>
}
