// The manifest's limits: for which sizes and strides the 32 bits that indices, and offsets within a
// buffer of gfx942, have are enough. (What is refused at compile time: the -invalid tests; what a
// launcher makes of limits: test/Launcher.)
// RUN: split-file %s %t
// RUN: attn-opt %t/sizes.mlir --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm)' | FileCheck %t/sizes.mlir
// RUN: attn-opt %t/sizes.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi300x},convert-attn-to-rocdl)' 2>&1 | FileCheck %t/sizes.mlir
// RUN: attn-opt %t/strides.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi300x},convert-attn-to-rocdl)' | FileCheck %t/strides.mlir
// RUN: attn-opt %t/static.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi300x},convert-attn-to-rocdl)' | FileCheck %t/static.mlir
// RUN: attn-opt %t/none.mlir --pass-pipeline='builtin.module(attn-set-target{target=mi300x},convert-attn-to-rocdl)' | FileCheck %t/none.mlir

// Tiles of keys that a persistent CTA passes through a ring: visits x keys / 64 at most 2^30. One that is not
// persistent has one visit.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=mi300x --schedule='tiles=query=128,key=64 persistent' --emit=llvm | FileCheck %s --check-prefix=RING
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=mi300x --schedule='tiles=query=128,key=64' --emit=llvm | FileCheck %s --check-prefix=ONCE --implicit-check-not=68719476736
// RING: limits = [{{.*}}["le", ["mul", ["ceildiv", ["mul", ["mul", ["size", 0, 0], 32], ["ceildiv", ["size", 0, 2], 128]], 304], ["size", 1, 2]], 68719476736]
// ONCE: limits = [

// Visits are all tiles where a counter deals them, and not where a loop stands around the stream alone, as of maxima by integers.
// RUN: attn-compile %S/../Target/NVVM/Inputs/float8-causal.mlir --target=h200 --schedule='tiles=query=128,key=64 persistent' --lower='wgmma=all' --emit=llvm | FileCheck %s --check-prefix=TURNS --implicit-check-not='["mul", ["mul", ["mul",'
// TURNS: limits = [{{.*}}["le", ["mul", ["ceildiv", ["mul", ["mul", ["size", 0, 0], 16], ["ceildiv", ["size", 0, 2], 128]], 264], ["size", 1, 2]], 68719476736]
// RUN: attn-compile %S/../Target/NVVM/Inputs/float8-causal.mlir --target=h200 --schedule='tiles=query=128,key=64 persistent dynamic' --lower='wgmma=all' --emit=llvm | FileCheck %s --check-prefix=DEALT
// DEALT: limits = [{{.*}}["le", ["mul", ["mul", ["mul", ["size", 0, 0], 16], ["ceildiv", ["size", 0, 2], 128]], ["size", 1, 2]], 68719476736]

//--- sizes.mlir
// Each axis once, by its name; unnamed dimensions each. Of what is computed from sizes, what could
// be beyond 2^29 (a product of two sizes; their sum) and not what cannot (a remainder, a minimum, a
// part, a difference); numbers that depend on the CTA have no limit of their own.
// CHECK: limits = {{\[\[}}"le", ["size", 0, 0], 536870912], ["le", ["size", 0, 1], 536870912], ["le", ["size", 1, 1], 536870912], ["le", ["mul", ["size", 0, 0], ["size", 0, 1]], 536870912], ["le", ["mul", ["size", 0, 1], 3], 536870912], ["le", ["add", ["size", 0, 0], ["size", 0, 1]], 536870912], ["ge", ["sub", -536870912, ["size", 0, 0]], -536870912]], names
#t = #attn.fragment<threads [64:(1)], registers []>
#id = affine_map<(d0, d1) -> (d0, d1)>
attn.kernel @sizes(%x: !attn.view<?x?xf32>, %y: !attn.view<?x?xf32>)
    attributes {threads = 64 : i64, dim_names = [["a", "b"], ["a", ""]], permutations = [#id, #id]} {
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c64 = arith.constant 64 : index
  %least = arith.constant -536870912 : index
  %a = attn.dim %x, 0 : !attn.view<?x?xf32>
  %b = attn.dim %x, 1 : !attn.view<?x?xf32>
  %product = arith.muli %a, %b : index
  %again = arith.muli %a, %b : index
  %thrice = arith.muli %b, %c3 : index
  %sum = arith.addi %a, %b : index
  %below = arith.subi %least, %a : index
  %difference = arith.subi %a, %b : index
  %rest = arith.remui %product, %c3 : index
  %few = arith.minui %sum, %c3 : index
  %small = arith.muli %rest, %few : index
  %part = arith.ceildivui %a, %c64 : index
  %most = arith.muli %part, %c64 : index
  attn.ctas %w in %part {
    %row = arith.muli %w, %c64 : index
    %t = arith.constant dense<1.0> : tensor<64xf32, #t>
    attn.store %t, %x[%row, %c1] : tensor<64xf32, #t> -> !attn.view<?x?xf32>
    %i0 = arith.addi %row, %small : index
    %i1 = arith.addi %i0, %most : index
    %i2 = arith.addi %i1, %difference : index
    %i3 = arith.addi %i2, %thrice : index
    %i4 = arith.addi %i3, %below : index
    %i5 = arith.addi %i4, %again : index
    attn.store %t, %y[%i5, %c1] : tensor<64xf32, #t> -> !attn.view<?x?xf32>
  }
}

//--- strides.mlir
// Rows do not overlap, and the last of a tile ends below 2^31 - 16 bytes: (2147483632 - 32) / (31 * 2)
// elements from row to row of 32 x 16. Nothing is asked of one row, nor of what is stored. A view with
// one row takes the length of its rows for their stride.
// CHECK: limits = {{\[\[}}"le", ["size", 0, 0], 536870912], ["le", ["size", 2, 0], 536870912], ["or", ["le", ["size", 0, 0], 1], ["ge", ["stride", 0, 0], 16]], ["or", ["le", ["size", 0, 0], 1], ["le", ["stride", 0, 0], 34636832]], ["ge", ["stride", 1, 0], 16], ["le", ["stride", 1, 0], 34636832]], {{(names|parameters)}}
// CHECK: %[[SEVERAL:[^ ]+]] = arith.cmpi sgt, %arg1, %{{[^ ]+}} : i64
// CHECK-NEXT: arith.select %[[SEVERAL]], %arg2, %c16_i64 : i64
#lhs = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1)]>
!a = tensor<32x16xf16, #lhs>
attn.kernel @strides(%x: !attn.view<?x16xf16>, %y: !attn.view<40x16xf16>, %o: !attn.view<?x16xf16>)
    attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %a = attn.load %x[%c0, %c0] : !attn.view<?x16xf16> -> !a
    %b = attn.load %y[%c0, %c0] : !attn.view<40x16xf16> -> !a
    %c = arith.addf %a, %b : !a
    attn.store %c, %o[%c0, %c0] : !a -> !attn.view<?x16xf16>
  }
}

//--- static.mlir
// Static sizes within the limits leave none.
// CHECK: attn.manifest
// CHECK-NOT: limits
// CHECK: llvm.return
#t = #attn.fragment<threads [64:(1)], registers []>
attn.kernel @static(%x: !attn.view<536870912xf32>) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = arith.constant dense<1.0> : tensor<64xf32, #t>
    attn.store %t, %x[%w] : tensor<64xf32, #t> -> !attn.view<536870912xf32>
  }
}

//--- none.mlir
// Without a CTA nothing is computed: what a CTA would compute from sizes alone has no limit.
// CHECK: limits = {{\[\[}}"le", ["size", 0, 0], 536870912]], {{(names|parameters)}}
#t = #attn.fragment<threads [64:(1)], registers []>
attn.kernel @none(%x: !attn.view<?xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %n = attn.dim %x, 0 : !attn.view<?xf32>
  attn.ctas %w in %c0 {
    %twice = arith.addi %n, %n : index
    %t = arith.constant dense<1.0> : tensor<64xf32, #t>
    attn.store %t, %x[%twice] : tensor<64xf32, #t> -> !attn.view<?xf32>
  }
}
