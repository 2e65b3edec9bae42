// convert-attn-to-nvvm: products that only some rows take are instructions under predicates.
// RUN: split-file %s %t
// DEFINE: %{target} = h200
// DEFINE: %{convert} = attn-opt --pass-pipeline='builtin.module(attn-set-target{target=%{target}},convert-attn-to-nvvm,canonicalize,cse)'
// DEFINE: %{lower} = attn-opt --pass-pipeline='builtin.module(attn-set-target{target=%{target}},attn-lower-to-nvvm)'
// DEFINE: %{predicates} = FileCheck %t/predicates.mlir --implicit-check-not=arith.mulf --implicit-check-not=arith.select --implicit-check-not=mul.rn
// DEFINE: %{plain} = FileCheck %t/plain.mlir --implicit-check-not=mul.rn
// RUN: %{convert} %t/predicates.mlir | %{predicates}
// RUN: %{convert} %t/plain.mlir | %{plain}
// Were it the factor itself elsewhere in the first of those, it would be such a product.
// RUN: sed 's/%%xa, %%z :/%%xa, %%x :/' %t/plain.mlir | %{convert} | FileCheck %s --check-prefix=TWIN --implicit-check-not=mul.rn
// TWIN-LABEL: llvm.func @other(
// TWIN-COUNT-4: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b"
// TWIN-LABEL: llvm.func @elsewhere(
// To the LLVM dialect, where no product is left that nobody takes.
// RUN: %{lower} %t/predicates.mlir | FileCheck %t/predicates.mlir --check-prefix=LLVM --implicit-check-not=llvm.fmul --implicit-check-not=llvm.select --implicit-check-not=mul.rn
// RUN: %{lower} %t/plain.mlir | FileCheck %t/plain.mlir --check-prefix=LLVM --implicit-check-not=mul.rn
// The same for the other target of this family.
// REDEFINE: %{target} = gb10
// RUN: %{convert} %t/predicates.mlir | %{predicates}
// RUN: %{convert} %t/plain.mlir | %{plain}

// A whole kernel: of 128 columns a thread has parts of two rows, 32 registers each, in the loop of whole tiles and in that of those that
// end. Each row has one predicate. Where attn-optimistic-max has a branch, there are none.
// DEFINE: %{maxima} = optimistic-max=false
// DEFINE: %{compile} = attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=128' --lower='wgmma=all specialize overlap ping-pong %{maxima}' --emit=ptx
// RUN: %{compile} -o %t/exact.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t/exact.ptx
// PTX: setp.neu.f32 %[[P:p[0-9]+]], %[[A:r[0-9]+]], 0f3F800000;
// PTX-NEXT: setp.neu.f32 %[[Q:p[0-9]+]], %[[B:r[0-9]+]], 0f3F800000;
// PTX-DAG: @%[[P]] mul.rn.f32 %[[X:r[0-9]+]], %[[X]], %[[A]];
// PTX-DAG: @%[[Q]] mul.rn.f32 %[[Y:r[0-9]+]], %[[Y]], %[[B]];
// PTX: wgmma.mma_async
// RUN: grep -oE '@%%p[0-9]+ mul[.]rn[.]f32 ' %t/exact.ptx | sort | uniq -c | FileCheck %s --check-prefix=ROWS
// ROWS-COUNT-4: {{^ *}}32 @%p{{[0-9]+}} mul.rn.f32
// ROWS-NOT: mul
// REDEFINE: %{maxima} = optimistic-max
// RUN: %{compile} -o %t/optimistic.ptx
// RUN: not grep -E '@%%p[0-9]+ mul' %t/optimistic.ptx

//--- predicates.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>
#rows = #attn.fragment<threads [4:(0), 8:(1)], registers [2:(8)]>
!t = tensor<16x8xf32, #acc>
!c = tensor<16x8xi1, #acc>
!r = tensor<16xf32, #rows>
!e = tensor<16xi1, #rows>

// A thread has two registers of each of two rows: one product for each, under the predicate of its row. What it multiplies is
// what it writes, so that elsewhere it stays.

// CHECK-LABEL: llvm.func @rows(
// CHECK: %[[X:[^ ]+]] = arith.addf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK: %[[A:[^ ]+]] = arith.addf %{{[^ ]+}}, %{{[^ ]+}} : vector<2xf32>
// CHECK-NEXT: %[[RISES:[^ ]+]] = arith.cmpf une, %[[A]], %{{[^ ]+}} : vector<2xf32>
// CHECK-NEXT: %[[EACH:[^ ]+]] = vector.shuffle %[[RISES]], %[[RISES]] [0, 0, 1, 1] :
// CHECK-NEXT: %[[BY:[^ ]+]] = vector.shuffle %[[A]], %[[A]] [0, 0, 1, 1] :
// CHECK-NEXT: %[[PS:[^ ]+]]:4 = vector.to_elements %[[EACH]] : vector<4xi1>
// CHECK-NEXT: %[[XS:[^ ]+]]:4 = vector.to_elements %[[X]] : vector<4xf32>
// CHECK-NEXT: %[[FS:[^ ]+]]:4 = vector.to_elements %[[BY]] : vector<4xf32>
// CHECK-NEXT: %[[Y0:[^ ]+]] = llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %[[XS]]#0, %[[FS]]#0, %[[PS]]#0 : (f32, f32, i1) -> f32
// CHECK-NEXT: %[[Y1:[^ ]+]] = llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %[[XS]]#1, %[[FS]]#1, %[[PS]]#1 : (f32, f32, i1) -> f32
// CHECK-NEXT: %[[Y2:[^ ]+]] = llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %[[XS]]#2, %[[FS]]#2, %[[PS]]#2 : (f32, f32, i1) -> f32
// CHECK-NEXT: %[[Y3:[^ ]+]] = llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %[[XS]]#3, %[[FS]]#3, %[[PS]]#3 : (f32, f32, i1) -> f32
// CHECK: vector.from_elements %[[Y0]], %[[Y1]] : vector<2xf32>
// CHECK: vector.from_elements %[[Y2]], %[[Y3]] : vector<2xf32>
// LLVM-LABEL: llvm.func @rows(
// LLVM: %[[RISES:[^ ]+]] = llvm.fcmp "une" %{{[^ ]+}}, %{{[^ ]+}} : vector<2xf32>
// LLVM-NEXT: llvm.shufflevector %[[RISES]], %[[RISES]] [0, 0, 1, 1] : vector<2xi1>
// LLVM-COUNT-4: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : (f32, f32, i1) -> f32
attn.kernel @rows(%o: !attn.view<16x8xf32>, %n: index) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant dense<1.0> : !r
  attn.ctas %cta in %c1 {
    %j = attn.iota 1 from %n : tensor<16x8xindex, #acc>
    %j32 = arith.index_cast %j : tensor<16x8xindex, #acc> to tensor<16x8xi32, #acc>
    %x = arith.sitofp %j32 : tensor<16x8xi32, #acc> to !t
    %i = attn.iota 0 from %n : tensor<16xindex, #rows>
    %i32 = arith.index_cast %i : tensor<16xindex, #rows> to tensor<16xi32, #rows>
    %a = arith.sitofp %i32 : tensor<16xi32, #rows> to !r
    %rises = arith.cmpf une, %a, %one : !r
    %each = attn.broadcast %rises : !e to !c
    %by = attn.broadcast %a : !r to !t
    %xa = arith.mulf %x, %by : !t
    %y = arith.select %each, %xa, %x : !c, !t
    attn.store %y, %o[%c0, %c0] : !t -> <16x8xf32>
  }
}

// The factor stands first, and elements have predicates of their own.

// CHECK-LABEL: llvm.func @factor_first(
// CHECK-SAME: %[[A:[^ :]+]]: f32, %{{[^ :]+}}: i64)
// CHECK: %[[X:[^ ]+]] = arith.addf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK-NEXT: %[[OVER:[^ ]+]] = arith.cmpf ogt, %[[X]], %{{[^ ]+}} : vector<4xf32>
// CHECK-NEXT: %[[PS:[^ ]+]]:4 = vector.to_elements %[[OVER]] : vector<4xi1>
// CHECK-NEXT: %[[XS:[^ ]+]]:4 = vector.to_elements %[[X]] : vector<4xf32>
// CHECK-NEXT: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %[[XS]]#0, %[[A]], %[[PS]]#0 :
// CHECK-NEXT: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %[[XS]]#1, %[[A]], %[[PS]]#1 :
// CHECK-NEXT: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %[[XS]]#2, %[[A]], %[[PS]]#2 :
// CHECK-NEXT: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %[[XS]]#3, %[[A]], %[[PS]]#3 :
// LLVM-LABEL: llvm.func @factor_first(
// LLVM-COUNT-4: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : (f32, f32, i1) -> f32
attn.kernel @factor_first(%o: !attn.view<16x8xf32>, %f: f32, %n: index) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !t
  attn.ctas %cta in %c1 {
    %j = attn.iota 1 from %n : tensor<16x8xindex, #acc>
    %j32 = arith.index_cast %j : tensor<16x8xindex, #acc> to tensor<16x8xi32, #acc>
    %x = arith.sitofp %j32 : tensor<16x8xi32, #acc> to !t
    %by = tensor.splat %f : !t
    %over = arith.cmpf ogt, %x, %two : !t
    %xa = arith.mulf %by, %x : !t
    %y = arith.select %over, %xa, %x : !c, !t
    attn.store %y, %o[%c0, %c0] : !t -> <16x8xf32>
  }
}

// Tiles of one number for each row, of which a thread has two.

// CHECK-LABEL: llvm.func @numbers(
// CHECK-COUNT-2: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : (f32, f32, i1) -> f32
// LLVM-LABEL: llvm.func @numbers(
// LLVM-COUNT-2: llvm.inline_asm asm_dialect = att "@$3 mul.rn.f32 $0, $0, $2;", "=f,0,f,b" %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : (f32, f32, i1) -> f32
attn.kernel @numbers(%l: !attn.view<16xf32>, %n: index) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !r
  attn.ctas %cta in %c1 {
    %i = attn.iota 0 from %n : tensor<16xindex, #rows>
    %i32 = arith.index_cast %i : tensor<16xindex, #rows> to tensor<16xi32, #rows>
    %x = arith.sitofp %i32 : tensor<16xi32, #rows> to !r
    %over = arith.cmpf ogt, %x, %two : !r
    %xa = arith.mulf %x, %two : !r
    %y = arith.select %over, %xa, %x : !e, !r
    attn.store %y, %l[%c0] : !r -> <16xf32>
  }
}

//--- plain.mlir
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>
!t = tensor<16x8xf32, #acc>
!c = tensor<16x8xi1, #acc>
!h = tensor<16x8xf16, #acc>
!b = tensor<16x8xbf16, #acc>

// Elsewhere it is another value than either factor.

// CHECK-LABEL: llvm.func @other(
// CHECK: %[[X:[^ ]+]] = arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK: arith.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xf32>
// LLVM-LABEL: llvm.func @other(
// LLVM: %[[X:[^ ]+]] = llvm.fmul %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// LLVM: llvm.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xf32>
attn.kernel @other(%o: !attn.view<16x8xf32>, %f: f32, %g: f32, %b: i1) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !t
  attn.ctas %cta in %c1 {
    %x = tensor.splat %f : !t
    %z = tensor.splat %g : !t
    %c = tensor.splat %b : !c
    %xa = arith.mulf %x, %two : !t
    %y = arith.select %c, %xa, %z : !c, !t
    attn.store %y, %o[%c0, %c0] : !t -> <16x8xf32>
  }
}

// The product is what stands elsewhere.

// CHECK-LABEL: llvm.func @elsewhere(
// CHECK: %[[X:[^ ]+]] = arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK: arith.select %{{[^ ]+}}, %{{[^ ]+}}, %[[X]] : vector<4xi1>, vector<4xf32>
// LLVM-LABEL: llvm.func @elsewhere(
// LLVM: %[[X:[^ ]+]] = llvm.fmul %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// LLVM: llvm.select %{{[^ ]+}}, %{{[^ ]+}}, %[[X]] : vector<4xi1>, vector<4xf32>
attn.kernel @elsewhere(%o: !attn.view<16x8xf32>, %f: f32, %b: i1) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !t
  attn.ctas %cta in %c1 {
    %x = tensor.splat %f : !t
    %c = tensor.splat %b : !c
    %xa = arith.mulf %x, %two : !t
    %y = arith.select %c, %x, %xa : !c, !t
    attn.store %y, %o[%c0, %c0] : !t -> <16x8xf32>
  }
}

// The product is needed everywhere, by somebody else.

// CHECK-LABEL: llvm.func @used(
// CHECK: %[[X:[^ ]+]] = arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK: %[[Y:[^ ]+]] = arith.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xf32>
// CHECK: arith.addf %[[Y]], %[[X]] :
// LLVM-LABEL: llvm.func @used(
// LLVM: %[[X:[^ ]+]] = llvm.fmul %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// LLVM: %[[Y:[^ ]+]] = llvm.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xf32>
// LLVM: llvm.fadd %[[Y]], %[[X]] :
attn.kernel @used(%o: !attn.view<16x8xf32>, %f: f32, %b: i1) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !t
  attn.ctas %cta in %c1 {
    %x = tensor.splat %f : !t
    %c = tensor.splat %b : !c
    %xa = arith.mulf %x, %two : !t
    %y = arith.select %c, %xa, %x : !c, !t
    %z = arith.addf %y, %xa : !t
    attn.store %z, %o[%c0, %c0] : !t -> <16x8xf32>
  }
}

// One condition for the whole tile.

// CHECK-LABEL: llvm.func @whole(
// CHECK: %[[X:[^ ]+]] = arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK: arith.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xf32>
// LLVM-LABEL: llvm.func @whole(
// LLVM: %[[X:[^ ]+]] = llvm.fmul %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// LLVM: llvm.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : i1, vector<4xf32>
attn.kernel @whole(%o: !attn.view<16x8xf32>, %f: f32, %b: i1) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !t
  attn.ctas %cta in %c1 {
    %x = tensor.splat %f : !t
    %xa = arith.mulf %x, %two : !t
    %y = arith.select %b, %xa, %x : !t
    attn.store %y, %o[%c0, %c0] : !t -> <16x8xf32>
  }
}

// A sum, not a product.

// CHECK-LABEL: llvm.func @sum(
// CHECK: %[[X:[^ ]+]] = arith.addf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// CHECK: arith.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xf32>
// LLVM-LABEL: llvm.func @sum(
// LLVM: %[[X:[^ ]+]] = llvm.fadd %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf32>
// LLVM: llvm.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xf32>
attn.kernel @sum(%o: !attn.view<16x8xf32>, %f: f32, %b: i1) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !t
  attn.ctas %cta in %c1 {
    %x = tensor.splat %f : !t
    %c = tensor.splat %b : !c
    %xa = arith.addf %x, %two : !t
    %y = arith.select %c, %xa, %x : !c, !t
    attn.store %y, %o[%c0, %c0] : !t -> <16x8xf32>
  }
}

// Elements of 16 bits, of either type.

// CHECK-LABEL: llvm.func @f16(
// CHECK: %[[X:[^ ]+]] = arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf16>
// CHECK: arith.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xf16>
// LLVM-LABEL: llvm.func @f16(
// LLVM: %[[X:[^ ]+]] = llvm.fmul %{{[^ ]+}}, %{{[^ ]+}} : vector<4xf16>
// LLVM: llvm.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xf16>
attn.kernel @f16(%o: !attn.view<16x8xf16>, %f: f16, %b: i1) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !h
  attn.ctas %cta in %c1 {
    %x = tensor.splat %f : !h
    %c = tensor.splat %b : !c
    %xa = arith.mulf %x, %two : !h
    %y = arith.select %c, %xa, %x : !c, !h
    attn.store %y, %o[%c0, %c0] : !h -> <16x8xf16>
  }
}

// CHECK-LABEL: llvm.func @bf16(
// CHECK: %[[X:[^ ]+]] = arith.mulf %{{[^ ]+}}, %{{[^ ]+}} : vector<4xbf16>
// CHECK: arith.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xbf16>
// LLVM-LABEL: llvm.func @bf16(
// LLVM: %[[X:[^ ]+]] = llvm.fmul %{{[^ ]+}}, %{{[^ ]+}} : vector<4xbf16>
// LLVM: llvm.select %{{[^ ]+}}, %[[X]], %{{[^ ]+}} : vector<4xi1>, vector<4xbf16>
attn.kernel @bf16(%o: !attn.view<16x8xbf16>, %f: bf16, %b: i1) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %two = arith.constant dense<2.0> : !b
  attn.ctas %cta in %c1 {
    %x = tensor.splat %f : !b
    %c = tensor.splat %b : !c
    %xa = arith.mulf %x, %two : !b
    %y = arith.select %c, %xa, %x : !c, !b
    attn.store %y, %o[%c0, %c0] : !b -> <16x8xbf16>
  }
}
