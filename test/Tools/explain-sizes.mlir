// Sizes of a page that a function computes of those of its arguments (lib/Tuning/HostSizes.cpp): what is given or
// assumed of an argument goes through the arithmetic, reshapes and launches between it and a kernel.
// RUN: split-file %s %t
// RUN: attn-compile %t/arithmetic.mlir --target=h200 --explain --size=row=100,column=7 | FileCheck %t/arithmetic.mlir
// RUN: attn-compile %t/arithmetic.mlir --target=h200 --explain | FileCheck %t/arithmetic.mlir --check-prefix=ASSUMED
// RUN: attn-compile %t/unknown.mlir --target=h200 --explain --size=row=100,overflow=12 | FileCheck %t/unknown.mlir
// RUN: attn-compile %t/shapes.mlir --target=h200 --explain --size=row=100,batch=3 | FileCheck %t/shapes.mlir
// RUN: attn-compile %t/shapes.mlir --target=h200 --explain --size=row=100,whole=9 | FileCheck %t/shapes.mlir --check-prefix=STATED
// RUN: attn-compile %t/alone.mlir --target=h200 --explain --size=row=100 | FileCheck %t/alone.mlir

//--- arithmetic.mlir
// Each operation once: 100 rows and 7 columns are 107, 93, 700, 14, 15, 7 and 100.
// CHECK: sizes: row=100 column=7 sum=107 (computed) difference=93 (computed) product=700 (computed) quotient=14 (computed) quotient_up=15 (computed) least=7 (computed) most=100 (computed)
// Where nothing is given, an argument has 4096.
// ASSUMED: sizes: row=4096 (assumed) column=4096 (assumed) sum=8192 (computed) difference=0 (computed) product=16777216 (computed) quotient=1 (computed) quotient_up=1 (computed) least=4096 (assumed) most=4096 (assumed)
#id = affine_map<(d0) -> (d0)>
attn.kernel @k(%x: !attn.view<?xf32>, %y: !attn.view<?xf32>, %a: !attn.view<?xf32>, %b: !attn.view<?xf32>, %c: !attn.view<?xf32>,
               %d: !attn.view<?xf32>, %e: !attn.view<?xf32>, %f: !attn.view<?xf32>, %g: !attn.view<?xf32>)
    attributes {dim_names = [["row"], ["column"], ["sum"], ["difference"], ["product"], ["quotient"], ["quotient_up"], ["least"], ["most"]], outputs = 7 : i64} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0] : <?xf32> -> tensor<16xf32>
    attn.store %t, %a[%c0] : tensor<16xf32> -> <?xf32>
  }
}
func.func @f(%x: tensor<?xf32>, %y: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %row = tensor.dim %x, %c0 : tensor<?xf32>
  %column = tensor.dim %y, %c0 : tensor<?xf32>
  %sum = arith.addi %row, %column : index
  %difference = arith.subi %row, %column : index
  %product = arith.muli %row, %column : index
  %quotient = arith.divui %row, %column : index
  %up = arith.ceildivui %row, %column : index
  %least = arith.minui %row, %column : index
  %most = arith.maxsi %row, %column : index
  %a = tensor.empty(%sum) : tensor<?xf32>
  %b = tensor.empty(%difference) : tensor<?xf32>
  %c = tensor.empty(%product) : tensor<?xf32>
  %d = tensor.empty(%quotient) : tensor<?xf32>
  %e = tensor.empty(%up) : tensor<?xf32>
  %g = tensor.empty(%least) : tensor<?xf32>
  %h = tensor.empty(%most) : tensor<?xf32>
  %r:7 = attn.launch @k ins(%x, %y : tensor<?xf32>, tensor<?xf32>) outs(%a, %b, %c, %d, %e, %g, %h : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      views [#id, #id, #id, #id, #id, #id, #id, #id, #id] -> tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4, %r#5, %r#6 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

//--- unknown.mlir
// What is not understood (a selection, an argument that is a number), what leaves 64 bits and what divides by
// zero is assumed, or as stated.
// CHECK: sizes: row=100 selected=4096 (assumed) passed=4096 (assumed) overflow=12 divided=4096 (assumed)
#id = affine_map<(d0) -> (d0)>
attn.kernel @k(%x: !attn.view<?xf32>, %a: !attn.view<?xf32>, %b: !attn.view<?xf32>, %c: !attn.view<?xf32>, %d: !attn.view<?xf32>)
    attributes {dim_names = [["row"], ["selected"], ["passed"], ["overflow"], ["divided"]], outputs = 4 : i64} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0] : <?xf32> -> tensor<16xf32>
    attn.store %t, %a[%c0] : tensor<16xf32> -> <?xf32>
  }
}
func.func @f(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %huge = arith.constant 4611686018427387904 : index
  %row = tensor.dim %x, %c0 : tensor<?xf32>
  %large = arith.cmpi ugt, %row, %c0 : index
  %selected = arith.select %large, %row, %c0 : index
  %overflow = arith.muli %row, %huge : index
  %divided = arith.divui %huge, %c0 : index
  %a = tensor.empty(%selected) : tensor<?xf32>
  %b = tensor.empty(%n) : tensor<?xf32>
  %c = tensor.empty(%overflow) : tensor<?xf32>
  %d = tensor.empty(%divided) : tensor<?xf32>
  %r:4 = attn.launch @k ins(%x : tensor<?xf32>) outs(%a, %b, %c, %d : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>)
      views [#id, #id, #id, #id, #id] -> tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<?xf32>, tensor<?xf32>, tensor<?xf32>, tensor<?xf32>
}

//--- shapes.mlir
// Through reshapes, permuted views and another launch: of 3 x 100 rows, in groups of four, 12 x 25 and 300.
// CHECK: kernel @first
// CHECK: sizes: batch=3 row=100 outer=25 (computed) whole=300 (computed)
// CHECK: kernel @second
// CHECK: sizes: whole=300 (computed)
// What is stated counts for what is computed of several sizes, where no argument alone makes it dynamic.
// STATED: sizes: batch=4 (assumed) row=100 outer=25 (computed) whole=9
// STATED: sizes: whole=9
#id = affine_map<(d0) -> (d0)>
#swap = affine_map<(d0, d1) -> (d1, d0)>
#id3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
attn.kernel @first(%x: !attn.view<?x?xf32>, %g: !attn.view<?x?x4xf32>, %y: !attn.view<?xf32>)
    attributes {dim_names = [["batch", "row"], ["batch", "outer", ""], ["whole"]], outputs = 1 : i64} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x?xf32> -> tensor<16xf32>
    attn.store %t, %y[%c0] : tensor<16xf32> -> <?xf32>
  }
}
attn.kernel @second(%y: !attn.view<?xf32>, %z: !attn.view<?xf32>) attributes {dim_names = [["whole"], ["whole"]], outputs = 1 : i64} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %y[%c0] : <?xf32> -> tensor<16xf32>
    attn.store %t, %z[%c0] : tensor<16xf32> -> <?xf32>
  }
}
func.func @f(%x: tensor<?x?xf32>, %u: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %row = tensor.dim %x, %c0 : tensor<?x?xf32>
  %batch = tensor.dim %x, %c1 : tensor<?x?xf32>
  %outer = arith.divui %row, %c4 : index
  %g = tensor.expand_shape %u [[0], [1, 2]] output_shape [%batch, %outer, 4] : tensor<?x?xf32> into tensor<?x?x4xf32>
  %whole = arith.muli %row, %batch : index
  %e = tensor.empty(%whole) : tensor<?xf32>
  %y = attn.launch @first ins(%x, %g : tensor<?x?xf32>, tensor<?x?x4xf32>) outs(%e : tensor<?xf32>) views [#swap, #id3, #id] -> tensor<?xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %size = tensor.dim %c, %c0 : tensor<?xf32>
  %o = tensor.empty(%size) : tensor<?xf32>
  %z = attn.launch @second ins(%y : tensor<?xf32>) outs(%o : tensor<?xf32>) views [#id, #id] -> tensor<?xf32>
  return %z : tensor<?xf32>
}

//--- alone.mlir
// A kernel that no function launches has what is given, or what is assumed of its axes' names.
// CHECK: sizes: batch=4 (assumed) row=100 other=4096 (assumed)
attn.kernel @k(%x: !attn.view<?x?xf32>, %y: !attn.view<?xf32>) attributes {dim_names = [["batch", "row"], ["other"]], outputs = 1 : i64} {
  %c1 = arith.constant 1 : index
  %c0 = arith.constant 0 : index
  attn.grid (%i) visit %v in (i = %c1) {
    %t = attn.load %x[%c0, %c0] : <?x?xf32> -> tensor<16xf32>
    attn.store %t, %y[%c0] : tensor<16xf32> -> <?xf32>
  }
}
