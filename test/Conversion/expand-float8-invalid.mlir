// attn-expand-float8: types that it does not know stay, and nothing else changes.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --attn-expand-float8 -o %t.after
// RUN: diff %t.before %t.after

func.func @others(%x: f32, %y: f8E5M2FNUZ, %z: f16) -> (f8E5M2FNUZ, f32, f32) {
  %a = arith.truncf %x : f32 to f8E5M2FNUZ
  %b = arith.extf %y : f8E5M2FNUZ to f32
  %c = arith.extf %z : f16 to f32
  return %a, %b, %c : f8E5M2FNUZ, f32, f32
}
