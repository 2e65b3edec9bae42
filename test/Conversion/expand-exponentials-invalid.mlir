// attn-expand-exponentials: other types, vectors and other functions stay as they are.
// RUN: attn-opt %s -o %t.before
// RUN: attn-opt %s --attn-expand-exponentials -o %t.after
// RUN: diff %t.before %t.after

func.func @others(%x: f64, %y: f16, %z: f32, %v: vector<4xf32>) -> (f64, f16, f32, vector<4xf32>) {
  %a = math.exp2 %x : f64
  %b = math.exp2 %y : f16
  %c = math.exp %z : f32
  %d = math.exp2 %v : vector<4xf32>
  return %a, %b, %c, %d : f64, f16, f32, vector<4xf32>
}
