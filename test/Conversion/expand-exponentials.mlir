// attn-expand-exponentials: 2^x as arithmetic, compared with the C library's in f64: off by at most 2^-23 of it from -126 to 127, exact at
// integers, and 0, subnormal numbers, infinities and NaN where they should be.
// RUN: attn-opt %s --attn-expand-exponentials | FileCheck %s --check-prefix=EXPANDED
// RUN: attn-opt %s --attn-lower-to-llvm | %llvm_tools/mlir-runner -e main -entry-point-result=i32 | FileCheck %s

// EXPANDED-LABEL: func.func private @power
// EXPANDED-NOT: math.exp2
// EXPANDED-LABEL: func.func private @exact
// EXPANDED: math.exp2 %{{.*}} : f64

// Numbers that are further off than they may be.
// CHECK: {{^}}0{{$}}

func.func private @power(%x: f32) -> f32 {
  %y = math.exp2 %x : f32
  return %y : f32
}

// The C library's.
func.func private @exact(%x: f32) -> f64 {
  %w = arith.extf %x : f32 to f64
  %y = math.exp2 %w : f64
  return %y : f64
}

// 1 where 2^x is off by more than `part` of itself.
func.func private @isOff(%x: f32, %part: f64) -> i32 {
  %y = func.call @power(%x) : (f32) -> f32
  %exact = func.call @exact(%x) : (f32) -> f64
  %w = arith.extf %y : f32 to f64
  %d = arith.subf %w, %exact : f64
  %distance = math.absf %d : f64
  %most = arith.mulf %exact, %part : f64
  %off = arith.cmpf ugt, %distance, %most : f64
  %r = arith.extui %off : i1 to i32
  return %r : i32
}

// 1 where 2^x has not these bits.
func.func private @isOther(%x: f32, %bits: i32) -> i32 {
  %y = func.call @power(%x) : (f32) -> f32
  %b = arith.bitcast %y : f32 to i32
  %other = arith.cmpi ne, %b, %bits : i32
  %r = arith.extui %other : i1 to i32
  return %r : i32
}

func.func @main() -> i32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  // Steps of 2^-10 and a little, so that all places between integers come.
  %steps = arith.constant 259000 : index
  %step = arith.constant 9.768e-4 : f32
  %least = arith.constant -126.0 : f32
  %ulp = arith.constant 1.1920928955078125e-7 : f64
  %none = arith.constant 0.0 : f64
  %far = scf.for %i = %c0 to %steps step %c1 iter_args(%sum = %zero) -> i32 {
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %x = math.fma %f, %step, %least : f32
    %off = func.call @isOff(%x, %ulp) : (f32, f64) -> i32
    %next = arith.addi %sum, %off : i32
    scf.yield %next : i32
  }
  // From 2^-149, the least of all, to 2^127.
  %integers = arith.constant 277 : index
  %first = arith.constant -149 : i32
  %near = scf.for %i = %c0 to %integers step %c1 iter_args(%sum = %far) -> i32 {
    %n = arith.index_cast %i : index to i32
    %e = arith.addi %n, %first : i32
    %x = arith.sitofp %e : i32 to f32
    %off = func.call @isOff(%x, %none) : (f32, f64) -> i32
    %next = arith.addi %sum, %off : i32
    scf.yield %next : i32
  }
  %infinite = arith.constant 0x7F800000 : i32
  %infinity = arith.constant 0x7F800000 : f32
  %minus = arith.constant 0xFF800000 : f32
  %big = arith.constant 128.0 : f32
  %bigger = arith.constant 3.0e+38 : f32
  %small = arith.constant -151.0 : f32
  %smaller = arith.constant -3.0e+38 : f32
  %a = func.call @isOther(%infinity, %infinite) : (f32, i32) -> i32
  %b = func.call @isOther(%big, %infinite) : (f32, i32) -> i32
  %c = func.call @isOther(%bigger, %infinite) : (f32, i32) -> i32
  %d = func.call @isOther(%minus, %zero) : (f32, i32) -> i32
  %e = func.call @isOther(%small, %zero) : (f32, i32) -> i32
  %f = func.call @isOther(%smaller, %zero) : (f32, i32) -> i32
  %nan = arith.constant 0x7FC00000 : f32
  %y = func.call @power(%nan) : (f32) -> f32
  %ordered = arith.cmpf oeq, %y, %y : f32
  %g = arith.extui %ordered : i1 to i32
  %s0 = arith.addi %near, %a : i32
  %s1 = arith.addi %s0, %b : i32
  %s2 = arith.addi %s1, %c : i32
  %s3 = arith.addi %s2, %d : i32
  %s4 = arith.addi %s3, %e : i32
  %s5 = arith.addi %s4, %f : i32
  %s6 = arith.addi %s5, %g : i32
  return %s6 : i32
}
