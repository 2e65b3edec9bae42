// convert-attn-to-nvvm: attn.dot.issue and attn.dot.wait to wgmma. The numbers are those of
// the PTX ISA ("Matrix Descriptor"), counted in units of 16 bytes.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not="attn.dot" --implicit-check-not=unrealized_conversion_cast --implicit-check-not=nvvm.ldmatrix --implicit-check-not=nvvm.mma.sync
// And to the LLVM dialect.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not="arith." --implicit-check-not="vector." --implicit-check-not="scf."

// Scores: Q from shared memory, K too, both with the summed dimension along their rows. A
// warpgroup begins 64 rows of 128 bytes (512 units) after the one before. Steps of 16 columns
// are 32 bytes (2) apart; after four the next panel begins, 128 rows of 128 bytes (1024) on
// in Q, 16 of them (128) in K. Upper half of a descriptor: eight rows on is 1024 bytes (64),
// and the swizzle of 128 bytes is 1 << 30; the lower has no leading offset. The sum starts
// from zero: the first step takes no accumulators, so that nothing is tied to the results.

// CHECK-LABEL: llvm.func @scores(
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : i32
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : i32
// CHECK-DAG: %[[C512:[^ ]+]] = arith.constant 512 : i32
// CHECK-DAG: %[[BASE:[^ ]+]] = llvm.mlir.addressof @attn_shared
// CHECK-DAG: %[[TID:[^ ]+]] = gpu.thread_id x
// CHECK-DAG: %[[T:[^ ]+]] = arith.index_cast %[[TID]] : index to i32
// CHECK-COUNT-2: nvvm.mbarrier.try_wait.parity
// CHECK: %[[RK:[^ ]+]] = llvm.getelementptr %[[BASE]][32768]
// CHECK: %[[K:[^ ]+]] = llvm.getelementptr %[[RK]][%{{[^ ]+}}] : (!llvm.ptr<3>, i32)
// CHECK-NEXT: %[[GROUP:[^ ]+]] = arith.divui %[[T]], %[[C128]] : i32
// CHECK-NEXT: %[[ROWS:[^ ]+]] = arith.muli %[[GROUP]], %[[C512]] : i32
// CHECK-NEXT: %[[QI:[^ ]+]] = llvm.ptrtoint %[[BASE]] : !llvm.ptr<3> to i32
// CHECK-NEXT: %[[QU:[^ ]+]] = arith.divui %[[QI]], %[[C16]] : i32
// CHECK-NEXT: %[[QL:[^ ]+]] = arith.addi %[[QU]], %[[ROWS]] {{.*}}: i32
// CHECK-NEXT: %[[KI:[^ ]+]] = llvm.ptrtoint %[[K]] : !llvm.ptr<3> to i32
// CHECK-NEXT: %[[KL:[^ ]+]] = arith.divui %[[KI]], %[[C16]] : i32
// CHECK-NEXT: %[[P:[^ ]+]] = llvm.inline_asm has_side_effects asm_dialect = att "{\0A.reg .pred no, yes; .reg .b32 al, bl; .reg .b64 a, b;\0Asetp.ne.b32 no, 0, 0; setp.eq.b32 yes, 0, 0;\0Awgmma.fence.sync.aligned;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 0; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $9, 0; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, no, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 2; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $9, 2; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 4; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $9, 4; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 6; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $9, 6; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 1024; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $9, 128; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 1026; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $9, 130; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 1028; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $9, 132; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 1030; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $9, 134; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}wgmma.commit_group.sync.aligned;\0A}", "=f,=f,=f,=f,=f,=f,=f,=f,r,r,~{memory}" %[[QL]], %[[KL]] : (i32, i32) -> !llvm.struct<(f32, f32, f32, f32, f32, f32, f32, f32)>

// The wait stands where it stood, behind what does not concern it; all that is computed of
// the product comes after, since the accumulators go through it.

// CHECK-NEXT: %[[P0:[^ ]+]] = llvm.extractvalue %[[P]][0]
// CHECK: %[[P7:[^ ]+]] = llvm.extractvalue %[[P]][7]
// CHECK: nvvm.mbarrier.arrive
// CHECK: %[[W:[^ ]+]] = llvm.inline_asm has_side_effects asm_dialect = att "wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,~{memory}" %[[P0]], {{.*}}, %[[P7]] : (
// CHECK-NEXT: %[[S0:[^ ]+]] = llvm.extractvalue %[[W]][0]
// CHECK: %[[S7:[^ ]+]] = llvm.extractvalue %[[W]][7]
// CHECK-NOT: %[[P0]]{{[^0-9]}}
// CHECK: llvm.store %[[S0]], %{{[^ ]+}} {{.*}}: f32
// CHECK: llvm.store %[[S7]], %{{[^ ]+}} {{.*}}: f32
// LLVM-LABEL: llvm.func @scores(
// LLVM: wgmma.mma_async
// LLVM-SAME: "=f,=f,=f,=f,=f,=f,=f,=f,r,r,~{memory}" %{{[^ ]+}}, %{{[^ ]+}} : (i32, i32)
// LLVM: wgmma.wait_group.sync.aligned 0;
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<128x128xbf16, #attn.shared<128>>
!k = tensor<16x128xbf16, #attn.shared<128>>
!s = tensor<128x16xf32, #acc>
attn.kernel @scores(%y: !attn.view<?x?xf32>, %i: index) attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %c1 {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %p = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
    attn.ring.release %rq : <1 x !q>
    %s = attn.dot.wait %p : <!s> -> !s
    attn.store %s, %y[%i, %i] : !s -> <?x?xf32>
  }
}

// -----

// Panels of 64 bytes: two steps each, 64 rows of 64 bytes (256 units) of Q, 16 (64) of K.
// Eight rows are 512 bytes (32), and the swizzle is 2 << 30.

// CHECK-LABEL: llvm.func @span64(
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : i32
// CHECK-DAG: %[[C256:[^ ]+]] = arith.constant 256 : i32
// CHECK: %[[GROUP:[^ ]+]] = arith.divui %{{[^ ]+}}, %[[C128]] : i32
// CHECK-NEXT: arith.muli %[[GROUP]], %[[C256]] : i32
// CHECK: wgmma.fence.sync.aligned;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 0; mov.b64 a, {al, 2147483680};\0Aadd.s32 bl, $9, 0; mov.b64 b, {bl, 2147483680};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {{[^;]*}}, a, b, no, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 2; mov.b64 a, {al, 2147483680};\0Aadd.s32 bl, $9, 2; mov.b64 b, {bl, 2147483680};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {{[^;]*}}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 256; mov.b64 a, {al, 2147483680};\0Aadd.s32 bl, $9, 64; mov.b64 b, {bl, 2147483680};\0Awgmma.mma_async{{[^;]*}}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 258; mov.b64 a, {al, 2147483680};\0Aadd.s32 bl, $9, 66; mov.b64 b, {bl, 2147483680};\0Awgmma.mma_async{{[^;]*}}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}wgmma.commit_group.sync.aligned;
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x64xf16, #attn.shared<64>>
!k = tensor<16x64xf16, #attn.shared<64>>
!s = tensor<64x16xf32, #acc>
attn.kernel @span64(%y: !attn.view<?x?xf32>, %i: index) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <1 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %c1 {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <1 x !k> -> !k
    %p = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
    %s = attn.dot.wait %p : <!s> -> !s
    attn.store %s, %y[%i, %i] : !s -> <?x?xf32>
  }
}

// -----

// How deep a product is: steps whose columns of A are zeros are left out behind the first, of which a warp takes what its first
// lane knows. With a diagonal 63 more count for the first 64 rows, and 64 more for the next ones; what is above or below all that is
// cut off first. Registers are handed over anew behind each branch.

// CHECK-LABEL: llvm.func @depth(
// CHECK-DAG: %[[C63:[^ ]+]] = arith.constant 63 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C64:[^ ]+]] = arith.constant 64 : i32
// CHECK-DAG: %[[MOST:[^ ]+]] = arith.constant 32 : index
// CHECK-DAG: %[[LEAST:[^ ]+]] = arith.constant -128 : index
// CHECK: %[[CUT:[^ ]+]] = arith.minsi %{{[^ ]+}}, %[[MOST]] : index
// CHECK-NEXT: %[[BOTH:[^ ]+]] = arith.maxsi %[[CUT]], %[[LEAST]] : index
// CHECK-NEXT: %[[NARROW:[^ ]+]] = arith.index_cast %[[BOTH]] : index to i32
// CHECK-NEXT: %[[GROUP:[^ ]+]] = arith.remui %{{[^ ]+}}, %[[C2]] : i32
// CHECK-NEXT: %[[ROW:[^ ]+]] = arith.muli %[[GROUP]], %[[C64]] {{.*}}: i32
// CHECK-NEXT: %[[LAST:[^ ]+]] = arith.addi %[[ROW]], %[[C63]] {{.*}}: i32
// CHECK-NEXT: %[[SUM:[^ ]+]] = arith.addi %[[NARROW]], %[[LAST]] {{.*}}: i32
// CHECK: "{\0A.reg .pred none; .reg .b32 depth;\0Ashfl.sync.idx.b32 depth, $10, 0, 31, -1;\0A
// CHECK-SAME: {{^}}.reg .pred no, yes;
// CHECK-SAME: wgmma.fence.sync.aligned;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 0; {{[^\\]*}}\0A{{[^\\]*}}\0Awgmma.mma_async{{[^\\]*}}, a, b, no, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $8, 2; {{[^\\]*}}\0A{{[^\\]*}}\0Asetp.le.s32 none, depth, 16; @none bra.uni TAKEN; wgmma.fence.sync.aligned;\0Awgmma.mma_async{{[^\\]*}}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}TAKEN:\0Awgmma.fence.sync.aligned;\0Awgmma.commit_group.sync.aligned;\0A}", "=f,=f,=f,=f,=f,=f,=f,=f,r,r,r,~{memory}" %{{[^ ]+}}, %{{[^ ]+}}, %[[SUM]] :
// Without a diagonal all rows are alike.
// CHECK: llvm.inline_asm {{.*}}TAKEN:{{.*}} %{{[^ ]+}}, %{{[^ ]+}}, %[[NARROW]] :
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<128x32xbf16, #attn.shared<64>>
!k = tensor<16x32xbf16, #attn.shared<64>>
!s = tensor<128x16xf32, #acc>
attn.kernel @depth(%y: !attn.view<?x?xf32>, %i: index, %depth: index) attributes {threads = 256 : i64} {
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <1 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %c1 {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <1 x !k> -> !k
    %p = attn.dot.issue %q, %k, %zero transpose_rhs depth %depth diagonal : !q, !k, !s -> <!s>
    %r = attn.dot.issue %q, %k, %zero transpose_rhs depth %depth : !q, !k, !s -> <!s>
    %s = attn.dot.wait %p outstanding 1 : <!s> -> !s
    %t = attn.dot.wait %r : <!s> -> !s
    attn.store %s, %y[%i, %i] : !s -> <?x?xf32>
    attn.store %t, %y[%i, %i] : !s -> <?x?xf32>
  }
}

// -----

// Panels of 32 bytes: a step each, 64 rows of 32 bytes (128 units) of Q, 16 (32) of K. Eight
// rows are 256 bytes (16), and the swizzle is 3 << 30. An accumulator other than zero goes
// in, though it is a constant: all steps add.

// CHECK-LABEL: llvm.func @span32(
// CHECK-DAG: %[[C128:[^ ]+]] = arith.constant 128 : i32
// CHECK-DAG: %[[ONES:[^ ]+]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK: %[[E:[^ ]+]]:8 = vector.to_elements %[[ONES]] : vector<8xf32>
// CHECK-NEXT: %[[GROUP:[^ ]+]] = arith.divui %{{[^ ]+}}, %[[C128]] : i32
// CHECK-NEXT: arith.muli %[[GROUP]], %[[C128]] : i32
// CHECK: wgmma.fence.sync.aligned;\0A
// CHECK-SAME: {{^}}add.s32 al, $16, 0; mov.b64 a, {al, 3221225488};\0Aadd.s32 bl, $17, 0; mov.b64 b, {bl, 3221225488};\0Awgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}add.s32 al, $16, 128; mov.b64 a, {al, 3221225488};\0Aadd.s32 bl, $17, 32; mov.b64 b, {bl, 3221225488};\0Awgmma.mma_async{{[^;]*}}, a, b, yes, 1, 1, 0, 0;\0A
// CHECK-SAME: {{^}}wgmma.commit_group.sync.aligned;\0A}", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7,r,r,~{memory}" %[[E]]#0, %[[E]]#1, %[[E]]#2, %[[E]]#3, %[[E]]#4, %[[E]]#5, %[[E]]#6, %[[E]]#7, %{{[^ ]+}}, %{{[^ ]+}} : (
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x32xbf16, #attn.shared<32>>
!k = tensor<16x32xbf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
attn.kernel @span32(%y: !attn.view<?x?xf32>, %i: index) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <1 x !k>
  %ones = arith.constant dense<1.0> : !s
  attn.ctas %w in %c1 {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <1 x !k> -> !k
    %p = attn.dot.issue %q, %k, %ones transpose_rhs : !q, !k, !s -> <!s>
    %s = attn.dot.wait %p : <!s> -> !s
    attn.store %s, %y[%i, %i] : !s -> <?x?xf32>
  }
}

// -----

// Both from shared memory, the right-hand side as it lies, with the summed dimension down
// its rows (the last 1): steps are 16 rows of 32 bytes (32 units) apart, and the leading
// offset is from panel to panel, 64 rows of 32 bytes: 128 units << 16 in the lower half.
// The operands have spans of their own.

// CHECK-LABEL: llvm.func @matmul(
// CHECK-DAG: %[[C16:[^ ]+]] = arith.constant 16 : i32
// CHECK-DAG: %[[LEAD:[^ ]+]] = arith.constant 8388608 : i32
// CHECK-DAG: %[[BASE:[^ ]+]] = llvm.mlir.addressof @attn_shared
// CHECK: %[[B:[^ ]+]] = llvm.getelementptr %[[BASE]][8192]
// CHECK: %[[BI:[^ ]+]] = llvm.ptrtoint %[[B]] : !llvm.ptr<3> to i32
// CHECK-NEXT: %[[BU:[^ ]+]] = arith.divui %[[BI]], %[[C16]] : i32
// CHECK-NEXT: %[[BL:[^ ]+]] = arith.addi %[[BU]], %[[LEAD]] {{.*}}: i32
// CHECK-NEXT: llvm.inline_asm {{.*}}wgmma.fence.sync.aligned;\0A
// CHECK-SAME: {{^}}add.s32 al, $24, 0; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $25, 0; mov.b64 b, {bl, 3221225488};\0Awgmma.mma_async.sync.aligned.m64n48k16.f32.bf16.bf16 {{[^;]*}}, $23}, a, b, no, 1, 1, 0, 1;\0A
// CHECK-SAME: {{^}}add.s32 al, $24, 2; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $25, 32; mov.b64 b, {bl, 3221225488};\0Awgmma.mma_async{{[^;]*}}, a, b, yes, 1, 1, 0, 1;\0A
// CHECK-SAME: {{^}}add.s32 al, $24, 4; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $25, 64; mov.b64 b, {bl, 3221225488};\0Awgmma.mma_async{{[^;]*}}, a, b, yes, 1, 1, 0, 1;\0A
// CHECK-SAME: {{^}}add.s32 al, $24, 6; mov.b64 a, {al, 1073741888};\0Aadd.s32 bl, $25, 96; mov.b64 b, {bl, 3221225488};\0Awgmma.mma_async{{[^;]*}}, a, b, yes, 1, 1, 0, 1;\0A
// CHECK-SAME: {{^}}wgmma.commit_group.sync.aligned;\0A}", "{{((=f,){24})}}r,r,~{memory}" %{{[^ ]+}}, %[[BL]] :
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 6:(0, 8)]>
!a = tensor<64x64xbf16, #attn.shared<128>>
!b = tensor<64x48xbf16, #attn.shared<32>>
!c = tensor<64x48xf32, #acc>
attn.kernel @matmul(%y: !attn.view<?x?xf32>, %i: index) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %ra = attn.ring.create : <1 x !a>
  %rb = attn.ring.create : <1 x !b>
  %zero = arith.constant dense<0.0> : !c
  attn.ctas %w in %c1 {
    %a = attn.ring.wait %ra : <1 x !a> -> !a
    %b = attn.ring.wait %rb : <1 x !b> -> !b
    %p = attn.dot.issue %a, %b, %zero : !a, !b, !c -> <!c>
    %s = attn.dot.wait %p : <!c> -> !c
    attn.store %s, %y[%i, %i] : !c -> <?x?xf32>
  }
}

// -----

// P out of the scores' registers, four words of two elements a step, with no bit for a
// transposed left-hand side. V as it lies: leading offsets of 32 rows of 64 bytes (128 units
// << 16) and of 128 bytes (256 << 16), steps of 16 rows (64 and 128). Accumulators that a
// loop carries are tied to the results: operand i is register i, then come the words, then
// the descriptor. The first of the two waits for its own product only.

// CHECK-LABEL: llvm.func @values(
// CHECK-DAG: %[[LEADV:[^ ]+]] = arith.constant 8388608 : i32
// CHECK-DAG: %[[LEADW:[^ ]+]] = arith.constant 16777216 : i32
// CHECK: scf.for {{.*}} iter_args(%[[A:[^ ]+]] = %{{[^ ]+}}, %[[B:[^ ]+]] = %{{[^ ]+}}) -> (vector<32xf32>, vector<32xf32>) {
// CHECK: llvm.inline_asm {{.*}}wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {{[^;]*}}, $15}, a, b, no, 1, 1, 0, 0;\0Awgmma.commit_group
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: %[[P:[^ ]+]] = arith.truncf %{{[^ ]+}} : vector<16xf32> to vector<16xf16>
// CHECK: %[[AS:[^ ]+]]:32 = vector.to_elements %[[A]] : vector<32xf32>
// CHECK: %[[PACKED:[^ ]+]] = vector.bitcast %[[P]] : vector<16xf16> to vector<8xi32>
// CHECK: %[[WORDS:[^ ]+]]:8 = vector.to_elements %[[PACKED]] : vector<8xi32>
// CHECK: %[[VL:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[LEADV]] {{.*}}: i32
// CHECK-NEXT: %[[PV:[^ ]+]] = llvm.inline_asm {{.*}}wgmma.fence.sync.aligned;\0A
// CHECK-SAME: {{^}}add.s32 bl, $72, 0; mov.b64 b, {bl, 2147483680};\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{[^;]*}}, $31}, {$64, $65, $66, $67}, b, yes, 1, 1, 1;\0A
// CHECK-SAME: {{^}}add.s32 bl, $72, 64; mov.b64 b, {bl, 2147483680};\0Awgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {$0, {{[^;]*}}, $31}, {$68, $69, $70, $71}, b, yes, 1, 1, 1;\0A
// CHECK-SAME: {{^}}wgmma.commit_group.sync.aligned;\0A}", "{{((=f,){32})}}0,1,2,{{[0-9,]*}},30,31,r,r,r,r,r,r,r,r,r,~{memory}" %[[AS]]#0, %[[AS]]#1, {{.*}}, %[[AS]]#31, %[[WORDS]]#0, %[[WORDS]]#1, %[[WORDS]]#2, %[[WORDS]]#3, %[[WORDS]]#4, %[[WORDS]]#5, %[[WORDS]]#6, %[[WORDS]]#7, %[[VL]] : (
// CHECK: %[[PV0:[^ ]+]] = llvm.extractvalue %[[PV]][0]
// CHECK: %[[PV31:[^ ]+]] = llvm.extractvalue %[[PV]][31]
// CHECK: %[[BS:[^ ]+]]:32 = vector.to_elements %[[B]] : vector<32xf32>
// CHECK: %[[WL:[^ ]+]] = arith.addi %{{[^ ]+}}, %[[LEADW]] {{.*}}: i32
// CHECK-NEXT: %[[PW:[^ ]+]] = llvm.inline_asm {{.*}}wgmma.fence.sync.aligned;\0A
// CHECK-SAME: {{^}}add.s32 bl, $72, 0; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async{{[^;]*}}, {$64, $65, $66, $67}, b, yes, 1, 1, 1;\0A
// CHECK-SAME: {{^}}add.s32 bl, $72, 128; mov.b64 b, {bl, 1073741888};\0Awgmma.mma_async{{[^;]*}}, {$68, $69, $70, $71}, b, yes, 1, 1, 1;\0A
// CHECK-SAME: {{^}}wgmma.commit_group.sync.aligned;\0A}", {{.*}} %[[BS]]#0, {{.*}}, %[[BS]]#31, %[[WORDS]]#0, {{.*}}, %[[WORDS]]#7, %[[WL]] : (
// CHECK: %[[PW0:[^ ]+]] = llvm.extractvalue %[[PW]][0]
// CHECK: llvm.inline_asm has_side_effects {{.*}} "wgmma.wait_group.sync.aligned 1;", "{{((=f,){32})}}0,1,2,{{[0-9,]*}},30,31,~{memory}" %[[PV0]], {{.*}}, %[[PV31]] : (
// CHECK: %[[C:[^ ]+]] = vector.from_elements
// CHECK-NEXT: llvm.inline_asm has_side_effects {{.*}} "wgmma.wait_group.sync.aligned 0;", {{.*}} %[[PW0]], {{.*}} : (
// CHECK: %[[D:[^ ]+]] = vector.from_elements
// CHECK: scf.yield %[[C]], %[[D]] :
// LLVM-LABEL: llvm.func @values(
// LLVM: wgmma.mma_async.sync.aligned.m64n32k16
// LLVM: wgmma.wait_group.sync.aligned 0;
// LLVM: wgmma.mma_async.sync.aligned.m64n64k16
// LLVM: wgmma.mma_async.sync.aligned.m64n64k16
// LLVM: wgmma.wait_group.sync.aligned 1;
// LLVM: wgmma.wait_group.sync.aligned 0;
#q = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#o = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!q = tensor<64x16xf16, #attn.shared<32>>
!k = tensor<32x16xf16, #attn.shared<32>>
!s = tensor<64x32xf32, #q>
!p = tensor<64x32xf16, #q>
!v = tensor<32x64xf16, #attn.shared<64>>
!w = tensor<32x64xf16, #attn.shared<128>>
!o = tensor<64x64xf32, #o>
attn.kernel @values(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <1 x !k>
  %rv = attn.ring.create : <1 x !v>
  %rw = attn.ring.create : <1 x !w>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  attn.ctas %cta in %c1 {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <1 x !k> -> !k
    %v = attn.ring.wait %rv : <1 x !v> -> !v
    %w = attn.ring.wait %rw : <1 x !w> -> !w
    %r:2 = scf.for %j = %c1 to %n step %c1 iter_args(%a = %zero, %b = %zero) -> (!o, !o) {
      %qk = attn.dot.issue %q, %k, %none transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %qk : <!s> -> !s
      %p = arith.truncf %s : !s to !p
      %pv = attn.dot.issue %p, %v, %a : !p, !v, !o -> <!o>
      %pw = attn.dot.issue %p, %w, %b : !p, !w, !o -> <!o>
      %c = attn.dot.wait %pv outstanding 1 : <!o> -> !o
      %d = attn.dot.wait %pw : <!o> -> !o
      scf.yield %c, %d : !o, !o
    }
    attn.store %r#0, %y[%n, %n] : !o -> <?x?xf32>
    attn.store %r#1, %y[%n, %n] : !o -> <?x?xf32>
  }
}

// -----

// A product under way from one round of a loop to the next: what carries it are its
// registers.

// CHECK-LABEL: llvm.func @carried(
// CHECK: %[[FIRST:[^ ]+]] = llvm.inline_asm {{.*}}wgmma.mma_async
// CHECK: %[[F0:[^ ]+]] = llvm.extractvalue %[[FIRST]][0]
// CHECK: %[[START:[^ ]+]] = vector.from_elements %[[F0]],
// CHECK: %[[LAST:[^ ]+]] = scf.for {{.*}} iter_args(%[[X:[^ ]+]] = %[[START]]) -> (vector<8xf32>) {
// CHECK: llvm.inline_asm {{.*}}wgmma.mma_async
// CHECK: %[[NEXT:[^ ]+]] = vector.from_elements
// CHECK: %[[XS:[^ ]+]]:8 = vector.to_elements %[[X]] : vector<8xf32>
// CHECK-NEXT: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 1;"{{.*}} %[[XS]]#0, {{.*}}, %[[XS]]#7 : (
// CHECK: scf.yield %[[NEXT]] : vector<8xf32>
// CHECK: %[[LS:[^ ]+]]:8 = vector.to_elements %[[LAST]] : vector<8xf32>
// CHECK-NEXT: llvm.inline_asm {{.*}}"wgmma.wait_group.sync.aligned 0;"{{.*}} %[[LS]]#0, {{.*}}, %[[LS]]#7 : (
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
!q = tensor<64x16xbf16, #attn.shared<32>>
!k = tensor<16x16xbf16, #attn.shared<32>>
!s = tensor<64x16xf32, #acc>
attn.kernel @carried(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 128 : i64} {
  %c1 = arith.constant 1 : index
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <1 x !k>
  %zero = arith.constant dense<0.0> : !s
  attn.ctas %w in %c1 {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <1 x !k> -> !k
    %first = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
    %last = scf.for %j = %c1 to %n step %c1 iter_args(%x = %first) -> !attn.product<!s> {
      %next = attn.dot.issue %q, %k, %zero transpose_rhs : !q, !k, !s -> <!s>
      %s = attn.dot.wait %x outstanding 1 : <!s> -> !s
      attn.store %s, %y[%j, %n] : !s -> <?x?xf32>
      scf.yield %next : !attn.product<!s>
    }
    %t = attn.dot.wait %last : <!s> -> !s
    attn.store %t, %y[%n, %n] : !s -> <?x?xf32>
  }
}
