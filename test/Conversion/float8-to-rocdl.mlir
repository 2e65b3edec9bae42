// Four numbers make a word of FP8, by two conversions, of what is within the largest number; NaN passes.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=mi300x},attn-lower-to-rocdl)' --mlir-print-ir-after=convert-attn-to-rocdl -o /dev/null 2>&1 | FileCheck %s
// RUN: sed s/f8E4M3FNUZ/f8E5M2/g %s | attn-opt --pass-pipeline='builtin.module(attn-set-target{target=mi355x},attn-lower-to-rocdl)' --mlir-print-ir-after=convert-attn-to-rocdl -o /dev/null 2>&1 | FileCheck %s --check-prefix=OCP

#rows = #attn.fragment<threads [8:(0, 4), 8:(1, 0)], registers [4:(0, 1), 2:(8, 0)]>

// CHECK-LABEL: llvm.func @store
// CHECK: %[[MOST:.*]] = arith.constant 2.400000e+02 : f32
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[X:.*]], %[[MOST]] : f32
// CHECK: %[[CUT:.*]] = arith.select %[[ABOVE]], %[[MOST]], %[[X]] : f32
// CHECK: %[[LEAST:.*]] = arith.constant -2.400000e+02 : f32
// CHECK: %[[BELOW:.*]] = arith.cmpf olt, %[[CUT]], %[[LEAST]] : f32
// CHECK: %[[LOW:.*]] = rocdl.cvt.pk.fp8.f32 %{{.*}}, %{{.*}} -> %{{.*}}[false] : i32
// CHECK: rocdl.cvt.pk.fp8.f32 %{{.*}}, %{{.*}} -> %[[LOW]][true] : i32
// CHECK: vector.bitcast %{{.*}} : vector<2xi32> to vector<8xi8>
// CHECK: llvm.store %{{.*}} {alignment = 4 : i64} : vector<4xi8>
// OCP: arith.constant 5.734400e+04 : f32
// OCP: rocdl.cvt.pk.bf8.f32
attn.kernel @store(%x: !attn.view<?x32xf32>, %y: !attn.view<?x32xf8E4M3FNUZ>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x32xf32> -> tensor<16x32xf32, #rows>
    %u = arith.truncf %t : tensor<16x32xf32, #rows> to tensor<16x32xf8E4M3FNUZ, #rows>
    attn.store %u, %y[%c0, %c0] : tensor<16x32xf8E4M3FNUZ, #rows> -> <?x32xf8E4M3FNUZ>
  }
}
