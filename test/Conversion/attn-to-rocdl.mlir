// A product through two rings, by its layout in blocks of 32 x 32 or of 16 x 16, and level 3 of
// attention (test/Target/ROCDL has machine code).
// RUN: attn-opt %s -split-input-file '--pass-pipeline=builtin.module(attn.kernel(attn-materialize-grid,attn-prefetch-to-registers,attn-guide-scheduler),convert-attn-stream-to-scf,canonicalize,attn.kernel(attn-place-barriers),convert-attn-to-rocdl,canonicalize)' | FileCheck %s

// One slot of each ring lies in LDS; the second stage is in registers.
// CHECK-LABEL: gpu.module @k_device
// CHECK: llvm.mlir.global internal @attn_shared() {{.*}}alignment = 1024 : i64} : !llvm.array<2048 x i8>
// CHECK: llvm.func @k(
// CHECK-SAME: rocdl.flat_work_group_size = "64,64", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 64, 1, 1>
// The first tiles go to LDS before the loop.
// CHECK: rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// Of the transposed tile a thread has four rows, of which it writes columns of four elements.
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 8 : i64} : vector<4xi16>, !llvm.ptr<3>
// CHECK: scf.for
// The next tiles are loaded before this one is computed on, and land behind it.
// The first tile that is waited for goes first.
// CHECK: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load {{.*}} : i32{{$}}
// CHECK-NOT: llvm.store
// They stay there: all but loads and products may cross.
// CHECK: rocdl.sched.barrier 1926
// CHECK-NOT: rocdl.raw.ptr.buffer.load
// CHECK: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[LOCAL:.+]]}
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[LOCAL]]}
// The operands' lanes have 8 elements of the 16 that are summed: two products, of four each.
// CHECK-COUNT-2: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xbf16>
// CHECK-COUNT-2: rocdl.mfma.f32.32x32x8bf16.1k {{.*}} -> vector<16xf32>
// CHECK-NOT: rocdl.mfma
// CHECK: rocdl.s.barrier
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: scf.yield
// Four columns at a time leave.
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return

#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x32xbf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
  %rb = attn.ring.create : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xbf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> tensor<32x16xbf16, #attn.shared<32, folded>>
      %y = attn.ring.wait %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xbf16, #attn.shared<32, transposed, folded>>
      %d = attn.dot %x, %y, %c : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.release %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}

// -----

// One slot of each ring lies in LDS; the second stage is in registers.
// CHECK-LABEL: gpu.module @k_device
// CHECK: llvm.mlir.global internal @attn_shared() {{.*}}alignment = 1024 : i64} : !llvm.array<2048 x i8>
// CHECK: llvm.func @k(
// CHECK-SAME: rocdl.flat_work_group_size = "64,64", rocdl.kernel, rocdl.reqd_work_group_size = array<i32: 64, 1, 1>
// The first tiles go to LDS before the loop.
// CHECK: rocdl.make.buffer.rsrc
// CHECK: rocdl.raw.ptr.buffer.load {{.*}} : vector<4xi32>
// CHECK: llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
// Of the transposed tile a thread has four rows, of which it writes columns of four elements.
// CHECK-COUNT-4: rocdl.raw.ptr.buffer.load
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 8 : i64} : vector<4xi16>, !llvm.ptr<3>
// CHECK: scf.for
// The next tiles are loaded before this one is computed on, and land behind it.
// CHECK-COUNT-5: rocdl.raw.ptr.buffer.load
// CHECK-NOT: llvm.store
// CHECK: llvm.fence syncscope("workgroup") release {llvm.mmra = #[[LOCAL:.+]]}
// CHECK-NEXT: rocdl.s.barrier
// CHECK-NEXT: llvm.fence syncscope("workgroup") acquire {llvm.mmra = #[[LOCAL]]}
// The operands' lanes have 8 elements of the 16 that are summed: two products, of four each.
// CHECK-COUNT-2: llvm.load {{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<8xf16>
// CHECK-COUNT-2: rocdl.mfma.f32.32x32x8f16 {{.*}}(vector<4xf16>, vector<4xf16>, vector<16xf32>
// CHECK-NOT: rocdl.mfma
// CHECK: rocdl.s.barrier
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: scf.yield
// Four columns at a time leave.
// CHECK-COUNT-4: llvm.store {{.*}} {alignment = 4 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return

#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xf16>, %b: !attn.view<64x32xf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<2 x tensor<32x16xf16, #attn.shared<32, folded>>>
  %rb = attn.ring.create : !attn.ring<2 x tensor<16x32xf16, #attn.shared<32, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<2 x tensor<32x16xf16, #attn.shared<32, folded>>> -> !attn.slot<tensor<32x16xf16, #attn.shared<32, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xf16, #attn.shared<32, folded>>>, !attn.view<?x64xf16> -> !attn.pending<tensor<32x16xf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xf16> -> !attn.pending<tensor<16x32xf16, #attn.shared<32, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xf16, #attn.shared<32, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<2 x tensor<32x16xf16, #attn.shared<32, folded>>> -> tensor<32x16xf16, #attn.shared<32, folded>>
      %y = attn.ring.wait %rb : !attn.ring<2 x tensor<16x32xf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xf16, #attn.shared<32, transposed, folded>>
      %d = attn.dot %x, %y, %c : tensor<32x16xf16, #attn.shared<32, folded>>, tensor<16x32xf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<2 x tensor<32x16xf16, #attn.shared<32, folded>>>
      attn.ring.release %rb : !attn.ring<2 x tensor<16x32xf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}

// -----

// The lanes of a wave agree: a vote of all 64.
// CHECK-LABEL: gpu.module @any_device
// CHECK: %[[OVER:[^ ]+]] = arith.cmpf ugt, %{{[^ ]+}}, %{{[^ ]+}} : vector<16xf32>
// CHECK-COUNT-14: arith.ori
// CHECK-NEXT: %[[OWN:[^ ]+]] = arith.ori %{{[^ ]+}}, %{{[^ ]+}} : i1
// CHECK-NEXT: %[[LANES:[^ ]+]] = rocdl.ballot %[[OWN]] : i64
// CHECK-NEXT: %[[ANY:[^ ]+]] = arith.cmpi ne, %[[LANES]], %c0_i64 : i64
// CHECK-NEXT: scf.if %[[ANY]]
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @any(%o: !attn.view<32x32xf32>) attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  %bound = arith.constant dense<2.0> : tensor<32x32xf32, #acc>
  attn.grid (%i) visit %v in (m = %c1) {
    %t = attn.iota 1 from %i : tensor<32x32xindex, #acc>
    %t32 = arith.index_cast %t : tensor<32x32xindex, #acc> to tensor<32x32xi32, #acc>
    %f = arith.sitofp %t32 : tensor<32x32xi32, #acc> to tensor<32x32xf32, #acc>
    %c = arith.cmpf ugt, %f, %bound : tensor<32x32xf32, #acc>
    %any = attn.any %c : tensor<32x32xi1, #acc>
    scf.if %any {
      attn.store %f, %o[%i, %i] : tensor<32x32xf32, #acc> -> !attn.view<32x32xf32>
    }
  }
  attn.return
}
}

// -----

// Blocks of 16 x 16: lanes have 4 of the 16 elements that are summed, in loads of 8 bytes; two blocks
// of rows and two of columns.
// CHECK-LABEL: gpu.module @k_device
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load {{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<4xbf16>
// CHECK-COUNT-4: rocdl.mfma.f32.16x16x16bf16.1k {{.*}} -> vector<4xf32>
// CHECK-NOT: rocdl.mfma
#acc = #attn.fragment<threads [16:(1, 0), 4:(0, 8)], registers [8:(0, 1), 2:(16, 0)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x32xbf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
  %rb = attn.ring.create : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xbf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> tensor<32x16xbf16, #attn.shared<32, folded>>
      %y = attn.ring.wait %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xbf16, #attn.shared<32, transposed, folded>>
      %d = attn.dot %x, %y, %c : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.release %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}

// -----

// One stage: a copy lands before the tile that it brings is read, behind a barrier of its own.
// CHECK-LABEL: gpu.module @k_device
// CHECK: !llvm.array<2048 x i8>
// CHECK: scf.for
// CHECK: rocdl.raw.ptr.buffer.load
// CHECK: rocdl.s.barrier
// CHECK: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: rocdl.s.barrier
// CHECK: rocdl.mfma
// CHECK-NOT: rocdl.s.barrier
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x32xbf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<1 x tensor<32x16xbf16, #attn.shared<32, folded>>>
  %rb = attn.ring.create : !attn.ring<1 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xbf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<1 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<1 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<1 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> tensor<32x16xbf16, #attn.shared<32, folded>>
      %y = attn.ring.wait %rb : !attn.ring<1 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xbf16, #attn.shared<32, transposed, folded>>
      %d = attn.dot %x, %y, %c : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<1 x tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.release %rb : !attn.ring<1 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}

// -----

// Three stages: three slots of 1024 bytes each, counted.
// CHECK-LABEL: gpu.module @k_device
// CHECK: !llvm.array<6144 x i8>
// CHECK: llvm.alloca {{.*}} : (i32) -> !llvm.ptr<5>
// CHECK: arith.remui {{.*}} : i32
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x32xbf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<3 x tensor<32x16xbf16, #attn.shared<32, folded>>>
  %rb = attn.ring.create : !attn.ring<3 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xbf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<3 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<3 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<3 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> tensor<32x16xbf16, #attn.shared<32, folded>>
      %y = attn.ring.wait %rb : !attn.ring<3 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xbf16, #attn.shared<32, transposed, folded>>
      %d = attn.dot %x, %y, %c : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<3 x tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.release %rb : !attn.ring<3 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}
