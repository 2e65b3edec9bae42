// attn-traverse: the attribute, its offset, and what alternates goes on to.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-traverse{order=inside-out}))' --remarks-filter='attn.*' 2>%t.remarks | FileCheck %s --check-prefix=INSIDE
// RUN: FileCheck %s --input-file=%t.remarks --check-prefix=REMARK
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-traverse{order=rotated stride=3 shift=2}))' | FileCheck %s --check-prefix=ROTATED
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-traverse))' | FileCheck %s --check-prefix=FORWARD
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{force},attn-traverse{order=inside-out}))' | FileCheck %s --check-prefix=BOTH

// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-traverse{order=backward}))' | FileCheck %s --check-prefix=BACKWARD
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-sawtooth{force},attn-traverse{order=backward}))' | FileCheck %s --check-prefix=TURNED

// A schedule names it, and the options of the pipeline override it.
// RUN: attn-opt %s --attn-schedule | FileCheck %s --check-prefix=SCHEDULE
// RUN: attn-opt %s --attn-schedule='traversal=forward' | FileCheck %s --check-prefix=FORWARD

// REMARK: remark: [Passed] traversal | Category:attn-traverse | Function=plain | Remark="the stream is traversed", order=inside_out
// REMARK: remark: [Missed] ordered | Category:attn-traverse | Function=plain | Remark="the stream must run in its order"

// INSIDE-LABEL: attn.kernel @plain
// INSIDE: attn.stream %{{[^ ]+}} step 64 traversal #attn.inside_out over
// INSIDE: attn.stream %{{[^ ]+}} step 64 ordered over

// The number of a tile among those of its sharing set: 4 i + g.
// ROTATED-LABEL: attn.kernel @plain
// ROTATED: attn.grid (%{{[^ ]+}}, %[[I:[^ ]+]], %[[G:[^ ]+]]) visit %[[VISIT:[^ ]+]] in
// ROTATED: %[[FOUR:[^ ]+]] = arith.muli %[[I]], %c4{{[_0-9]*}} : index
// ROTATED: %[[NUMBER:[^ ]+]] = arith.addi %[[FOUR]], %[[G]] : index
// ROTATED: %[[STRIDE:[^ ]+]] = arith.muli %[[NUMBER]], %c3{{[_0-9]*}} : index
// ROTATED: %[[SHIFT:[^ ]+]] = arith.muli %[[VISIT]], %c2{{[_0-9]*}} : index
// ROTATED: %[[BACK:[^ ]+]] = arith.addi %[[STRIDE]], %[[SHIFT]] : index
// ROTATED: %[[OFFSET:[^ ]+]] = arith.subi %c0{{[_0-9]*}}, %[[BACK]] : index
// ROTATED: attn.stream %{{[^ ]+}} step 64 traversal #attn.rotated(%[[OFFSET]] : index) over

// FORWARD-LABEL: attn.kernel @plain
// FORWARD: attn.stream %{{[^ ]+}} step 64 over
// FORWARD: attn.stream %{{[^ ]+}} step 64 ordered over

// BOTH-LABEL: attn.kernel @plain
// BOTH: %[[ODD:[^ ]+]] = arith.cmpi eq
// BOTH: attn.stream %{{[^ ]+}} step 64 traversal #attn.inside_out(%[[ODD]] : i1) over

// BACKWARD-LABEL: attn.kernel @plain
// BACKWARD: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%true{{[_0-9]*}} : i1) over
// BACKWARD: attn.stream %{{[^ ]+}} step 64 ordered over

// What would have gone forwards goes backwards.
// TURNED-LABEL: attn.kernel @plain
// TURNED: %[[ODD:[^ ]+]] = arith.cmpi eq
// TURNED: %[[EVEN:[^ ]+]] = arith.xori %[[ODD]], %true{{[_0-9]*}} : i1
// TURNED: attn.stream %{{[^ ]+}} step 64 traversal #attn.reversed(%[[EVEN]] : i1) over

// SCHEDULE-LABEL: attn.kernel @plain
// SCHEDULE-NOT: traversal =
// SCHEDULE: attn.stream %{{[^ ]+}} step 64 traversal #attn.rotated(%{{[^ ]+}} : index) over
module attributes {attn.target = #attn.target<"gb10">} {
  attn.kernel @plain(%k: !attn.view<8x163904x64xf16>, %o: !attn.view<8x163904x64xf16>) attributes {attn.schedule = #attn.schedule<traversal = rotated, stride = 2>} {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c8 = arith.constant 8 : index
    %c2048 = arith.constant 2048 : index
    %keys = arith.constant 163904 : index
    attn.grid (%h, %i, %g) visit %n in (head = %c8, query = %c2048, group = %c4) sharing [head] persistent 96 {
      attn.stream %j step 64 over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
      attn.stream %j step 64 ordered over [%c0 to %keys] {
        %t = attn.load %k[%h, %j, %c0] : !attn.view<8x163904x64xf16> -> tensor<64x64xf16>
        attn.store %t, %o[%h, %j, %c0] : tensor<64x64xf16> -> !attn.view<8x163904x64xf16>
      }
    }
  }
}
