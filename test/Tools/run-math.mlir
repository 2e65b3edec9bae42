// Functions of math that the reference of --run knows, in a modification of numbers below 1.
// RUN: attn-compile %s --target=cpu --run --size=query=40,key=50 | FileCheck %s
// CHECK: kernel @{{.*}}: PASS
// What it knows it also refuses where it is wrong.
// RUN: sed 's/%%f9 = math.erfc/%%f9 = math.erf/' %s > %t.mlir && not attn-compile %s --target=cpu --run --size=query=40,key=50 --reference=%t.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: FAIL

func.func @f(%q: tensor<1x2x?x64xf32>, %k: tensor<1x2x?x64xf32>, %v: tensor<1x2x?x64xf32>) -> tensor<1x2x?x64xf32> {
  %o = attn.attention %q, %k, %v scale(0.125)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
    %zero = arith.constant 0.0 : f32
    %near = arith.constant 0.9 : f32
    %three = arith.constant 3.0 : f32
    %one = arith.constant 1.0 : f32
    %t = math.tanh %s : f32
    %x = arith.mulf %t, %near : f32
    %f0 = math.tan %x : f32
    %s0 = arith.addf %zero, %f0 : f32
    %f1 = math.asin %x : f32
    %s1 = arith.addf %s0, %f1 : f32
    %f2 = math.acos %x : f32
    %s2 = arith.addf %s1, %f2 : f32
    %f3 = math.atan %x : f32
    %s3 = arith.addf %s2, %f3 : f32
    %f4 = math.sinh %x : f32
    %s4 = arith.addf %s3, %f4 : f32
    %f5 = math.cosh %x : f32
    %s5 = arith.addf %s4, %f5 : f32
    %f6 = math.asinh %x : f32
    %s6 = arith.addf %s5, %f6 : f32
    %f7 = math.atanh %x : f32
    %s7 = arith.addf %s6, %f7 : f32
    %f8 = math.cbrt %x : f32
    %s8 = arith.addf %s7, %f8 : f32
    %f9 = math.erfc %x : f32
    %s9 = arith.addf %s8, %f9 : f32
    %f10 = math.roundeven %x : f32
    %s10 = arith.addf %s9, %f10 : f32
    %f11 = math.trunc %x : f32
    %s11 = arith.addf %s10, %f11 : f32
    %wide = math.fma %x, %x, %one : f32
    %h0 = math.acosh %wide : f32
    %h1 = math.atan2 %x, %near : f32
    %h2 = math.copysign %three, %x : f32
    %nan = math.isnan %x : f32
    %finite = math.isfinite %h0 : f32
    %h3 = arith.select %finite, %h0, %three : f32
    %h4 = arith.select %nan, %three, %h1 : f32
    %a0 = arith.addf %s11, %h2 : f32
    %a1 = arith.addf %a0, %h3 : f32
    %a2 = arith.addf %a1, %h4 : f32
    // Halves are where the two roundings differ.
    %half = arith.constant 0.5 : f32
    %two = arith.constant 2 : i32
    %key = arith.index_cast %j : index to i32
    %float = arith.sitofp %key : i32 to f32
    %halves = arith.mulf %float, %half : f32
    %even = math.roundeven %halves : f32
    %rest = arith.subf %even, %halves : f32
    %square = math.fpowi %x, %two : f32, i32
    %a3 = arith.addf %a2, %rest : f32
    %a4 = arith.addf %a3, %square : f32
    attn.yield %a4 : f32
  } : (tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>, tensor<1x2x?x64xf32>) -> tensor<1x2x?x64xf32>
  return %o : tensor<1x2x?x64xf32>
}
