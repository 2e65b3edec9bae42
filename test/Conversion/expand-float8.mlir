// attn-expand-float8: conversions become integer arithmetic, which folds here: rounding to nearest, ties to even, subnormal numbers, the largest
// number for what is beyond it, NaN. Other types stay.
// RUN: attn-opt %s --attn-expand-float8 | FileCheck %s --check-prefix=EXPANDED
// RUN: attn-opt %s --attn-expand-float8 --canonicalize | FileCheck %s

// EXPANDED-NOT: arith.truncf {{.*}} to f8
// EXPANDED-NOT: arith.extf %{{.*}} : f8
// EXPANDED: arith.truncf %{{.*}} : f32 to bf16

// CHECK-LABEL: func.func @e4m3fn
// CHECK-DAG: %[[CST:.*]] = arith.constant 1.000000e+00 : f8E4M3FN
// CHECK-DAG: %[[CST0:.*]] = arith.constant 4.480000e+02 : f8E4M3FN
// CHECK-DAG: %[[CST1:.*]] = arith.constant -4.480000e+02 : f8E4M3FN
// CHECK-DAG: %[[CST2:.*]] = arith.constant 0.000000e+00 : f8E4M3FN
// CHECK-DAG: %[[CST3:.*]] = arith.constant 1.953130e-03 : f8E4M3FN
// CHECK-DAG: %[[CST4:.*]] = arith.constant 1.250000e+00 : f8E4M3FN
// CHECK-DAG: %[[CST5:.*]] = arith.constant -0.000000e+00 : f8E4M3FN
// CHECK-DAG: %[[CST6:.*]] = arith.constant 1.562500e-02 : f8E4M3FN
// CHECK-DAG: %[[CST7:.*]] = arith.constant 0x7F : f8E4M3FN
// CHECK: return %[[CST]], %[[CST0]], %[[CST0]], %[[CST0]], %[[CST1]], %[[CST2]], %[[CST3]], %[[CST]], %[[CST4]], %[[CST5]], %[[CST3]], %[[CST6]], %[[CST7]] :
func.func @e4m3fn() -> (f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN) {
  %c0 = arith.constant 0x3F800000 : f32
  %r0 = arith.truncf %c0 : f32 to f8E4M3FN
  %c1 = arith.constant 0x43E00000 : f32
  %r1 = arith.truncf %c1 : f32 to f8E4M3FN
  %c2 = arith.constant 0x43FA0000 : f32
  %r2 = arith.truncf %c2 : f32 to f8E4M3FN
  %c3 = arith.constant 0x7F800000 : f32
  %r3 = arith.truncf %c3 : f32 to f8E4M3FN
  %c4 = arith.constant 0xCE6E6B28 : f32
  %r4 = arith.truncf %c4 : f32 to f8E4M3FN
  %c5 = arith.constant 0x3A800000 : f32
  %r5 = arith.truncf %c5 : f32 to f8E4M3FN
  %c6 = arith.constant 0x3B000000 : f32
  %r6 = arith.truncf %c6 : f32 to f8E4M3FN
  %c7 = arith.constant 0x3F880000 : f32
  %r7 = arith.truncf %c7 : f32 to f8E4M3FN
  %c8 = arith.constant 0x3F980000 : f32
  %r8 = arith.truncf %c8 : f32 to f8E4M3FN
  %c9 = arith.constant 0x80000000 : f32
  %r9 = arith.truncf %c9 : f32 to f8E4M3FN
  %c10 = arith.constant 0x3AC00000 : f32
  %r10 = arith.truncf %c10 : f32 to f8E4M3FN
  %c11 = arith.constant 0x3C7FFFFF : f32
  %r11 = arith.truncf %c11 : f32 to f8E4M3FN
  %c12 = arith.constant 0x7FC00000 : f32
  %r12 = arith.truncf %c12 : f32 to f8E4M3FN
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12 : f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN, f8E4M3FN
}

// CHECK-LABEL: func.func @e5m2
// CHECK-DAG: %[[CST:.*]] = arith.constant 5.734400e+04 : f8E5M2
// CHECK-DAG: %[[CST0:.*]] = arith.constant 1.000000e+00 : f8E5M2
// CHECK-DAG: %[[CST1:.*]] = arith.constant 1.525880e-05 : f8E5M2
// CHECK-DAG: %[[CST2:.*]] = arith.constant 3.051760e-05 : f8E5M2
// CHECK-DAG: %[[CST3:.*]] = arith.constant 0x7F : f8E5M2
// CHECK: return %[[CST]], %[[CST]], %[[CST]], %[[CST0]], %[[CST1]], %[[CST2]], %[[CST3]] :
func.func @e5m2() -> (f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2) {
  %c0 = arith.constant 0x47600000 : f32
  %r0 = arith.truncf %c0 : f32 to f8E5M2
  %c1 = arith.constant 0x47700000 : f32
  %r1 = arith.truncf %c1 : f32 to f8E5M2
  %c2 = arith.constant 0x7F800000 : f32
  %r2 = arith.truncf %c2 : f32 to f8E5M2
  %c3 = arith.constant 0x3F900000 : f32
  %r3 = arith.truncf %c3 : f32 to f8E5M2
  %c4 = arith.constant 0x37800000 : f32
  %r4 = arith.truncf %c4 : f32 to f8E5M2
  %c5 = arith.constant 0x38000000 : f32
  %r5 = arith.truncf %c5 : f32 to f8E5M2
  %c6 = arith.constant 0x7FC00000 : f32
  %r6 = arith.truncf %c6 : f32 to f8E5M2
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2, f8E5M2
}

// CHECK-LABEL: func.func @e4m3fnuz
// CHECK-DAG: %[[CST:.*]] = arith.constant 2.400000e+02 : f8E4M3FNUZ
// CHECK-DAG: %[[CST0:.*]] = arith.constant 0.000000e+00 : f8E4M3FNUZ
// CHECK-DAG: %[[CST1:.*]] = arith.constant -1.000000e+00 : f8E4M3FNUZ
// CHECK-DAG: %[[CST2:.*]] = arith.constant 9.765620e-04 : f8E4M3FNUZ
// CHECK-DAG: %[[CST3:.*]] = arith.constant 0x80 : f8E4M3FNUZ
// CHECK: return %[[CST]], %[[CST]], %[[CST0]], %[[CST1]], %[[CST2]], %[[CST3]] :
func.func @e4m3fnuz() -> (f8E4M3FNUZ, f8E4M3FNUZ, f8E4M3FNUZ, f8E4M3FNUZ, f8E4M3FNUZ, f8E4M3FNUZ) {
  %c0 = arith.constant 0x43700000 : f32
  %r0 = arith.truncf %c0 : f32 to f8E4M3FNUZ
  %c1 = arith.constant 0x447A0000 : f32
  %r1 = arith.truncf %c1 : f32 to f8E4M3FNUZ
  %c2 = arith.constant 0x80000000 : f32
  %r2 = arith.truncf %c2 : f32 to f8E4M3FNUZ
  %c3 = arith.constant 0xBF800000 : f32
  %r3 = arith.truncf %c3 : f32 to f8E4M3FNUZ
  %c4 = arith.constant 0x3A800000 : f32
  %r4 = arith.truncf %c4 : f32 to f8E4M3FNUZ
  %c5 = arith.constant 0x7FC00000 : f32
  %r5 = arith.truncf %c5 : f32 to f8E4M3FNUZ
  return %r0, %r1, %r2, %r3, %r4, %r5 : f8E4M3FNUZ, f8E4M3FNUZ, f8E4M3FNUZ, f8E4M3FNUZ, f8E4M3FNUZ, f8E4M3FNUZ
}

// CHECK-LABEL: func.func @wider_e4m3fn
// CHECK-DAG: %[[CST:.*]] = arith.constant 0x7FC00000 : f32
// CHECK-DAG: %[[CST0:.*]] = arith.constant 0.001953125 : f32
// CHECK-DAG: %[[CST1:.*]] = arith.constant 0.013671875 : f32
// CHECK-DAG: %[[CST2:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[CST3:.*]] = arith.constant 4.480000e+02 : f32
// CHECK-DAG: %[[CST4:.*]] = arith.constant -4.480000e+02 : f32
// CHECK-DAG: %[[CST5:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: return %[[CST0]], %[[CST1]], %[[CST2]], %[[CST3]], %[[CST4]], %[[CST5]], %[[CST]] :
func.func @wider_e4m3fn() -> (f32, f32, f32, f32, f32, f32, f32) {
  %c0 = arith.constant 0x01 : f8E4M3FN
  %r0 = arith.extf %c0 : f8E4M3FN to f32
  %c1 = arith.constant 0x07 : f8E4M3FN
  %r1 = arith.extf %c1 : f8E4M3FN to f32
  %c2 = arith.constant 0x38 : f8E4M3FN
  %r2 = arith.extf %c2 : f8E4M3FN to f32
  %c3 = arith.constant 0x7E : f8E4M3FN
  %r3 = arith.extf %c3 : f8E4M3FN to f32
  %c4 = arith.constant 0xFE : f8E4M3FN
  %r4 = arith.extf %c4 : f8E4M3FN to f32
  %c5 = arith.constant 0x80 : f8E4M3FN
  %r5 = arith.extf %c5 : f8E4M3FN to f32
  %c6 = arith.constant 0x7F : f8E4M3FN
  %r6 = arith.extf %c6 : f8E4M3FN to f32
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6 : f32, f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @wider_e5m2
// CHECK-DAG: %[[CST:.*]] = arith.constant 1.52587891E-5 : f32
// CHECK-DAG: %[[CST0:.*]] = arith.constant 1.000000e+00 : f32
// CHECK-DAG: %[[CST1:.*]] = arith.constant 5.734400e+04 : f32
// CHECK-DAG: %[[CST2:.*]] = arith.constant 0x7F800000 : f32
// CHECK-DAG: %[[CST3:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[CST4:.*]] = arith.constant 0x7FC00000 : f32
// CHECK: return %[[CST]], %[[CST0]], %[[CST1]], %[[CST2]], %[[CST3]], %[[CST4]] :
func.func @wider_e5m2() -> (f32, f32, f32, f32, f32, f32) {
  %c0 = arith.constant 0x01 : f8E5M2
  %r0 = arith.extf %c0 : f8E5M2 to f32
  %c1 = arith.constant 0x3C : f8E5M2
  %r1 = arith.extf %c1 : f8E5M2 to f32
  %c2 = arith.constant 0x7B : f8E5M2
  %r2 = arith.extf %c2 : f8E5M2 to f32
  %c3 = arith.constant 0x7C : f8E5M2
  %r3 = arith.extf %c3 : f8E5M2 to f32
  %c4 = arith.constant 0xFC : f8E5M2
  %r4 = arith.extf %c4 : f8E5M2 to f32
  %c5 = arith.constant 0x7E : f8E5M2
  %r5 = arith.extf %c5 : f8E5M2 to f32
  return %r0, %r1, %r2, %r3, %r4, %r5 : f32, f32, f32, f32, f32, f32
}

// CHECK-LABEL: func.func @wider_e4m3fnuz
// CHECK-DAG: %[[CST:.*]] = arith.constant 9.765620e-04 : bf16
// CHECK-DAG: %[[CST0:.*]] = arith.constant 1.000000e+00 : bf16
// CHECK-DAG: %[[CST1:.*]] = arith.constant 2.400000e+02 : bf16
// CHECK-DAG: %[[CST2:.*]] = arith.constant 0x7FC0 : bf16
// CHECK-DAG: %[[CST3:.*]] = arith.constant -1.000000e+00 : bf16
// CHECK: return %[[CST]], %[[CST0]], %[[CST1]], %[[CST2]], %[[CST3]] :
func.func @wider_e4m3fnuz() -> (bf16, bf16, bf16, bf16, bf16) {
  %c0 = arith.constant 0x01 : f8E4M3FNUZ
  %r0 = arith.extf %c0 : f8E4M3FNUZ to bf16
  %c1 = arith.constant 0x40 : f8E4M3FNUZ
  %r1 = arith.extf %c1 : f8E4M3FNUZ to bf16
  %c2 = arith.constant 0x7F : f8E4M3FNUZ
  %r2 = arith.extf %c2 : f8E4M3FNUZ to bf16
  %c3 = arith.constant 0x80 : f8E4M3FNUZ
  %r3 = arith.extf %c3 : f8E4M3FNUZ to bf16
  %c4 = arith.constant 0xC0 : f8E4M3FNUZ
  %r4 = arith.extf %c4 : f8E4M3FNUZ to bf16
  return %r0, %r1, %r2, %r3, %r4 : bf16, bf16, bf16, bf16, bf16
}

// CHECK-LABEL: func.func @others
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @others(%x: f32) -> bf16 {
  %y = arith.truncf %x : f32 to bf16
  return %y : bf16
}
