// convert-attn-to-nvvm: lanes of a row exchange columns of an accumulator (attn-exchange-columns).
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},convert-attn-to-nvvm,canonicalize,cse)' | FileCheck %s --implicit-check-not=attn.convert_layout --implicit-check-not=unrealized_conversion_cast --implicit-check-not="llvm.ptr<3>, i" --implicit-check-not=barrier
// And to the LLVM dialect.
// RUN: attn-opt %s --split-input-file --pass-pipeline='builtin.module(attn-set-target{target=h200},attn-lower-to-nvvm)' | FileCheck %s --check-prefix=LLVM --implicit-check-not="arith." --implicit-check-not="scf." --implicit-check-not=gpu.shuffle
// A whole kernel: of 128 columns and 64 rows a thread has 32 words, for 32 exchanges and 8 chunks.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=64,key=64 persistent' --lower='stages=2 exchange-columns' --emit=llvm | FileCheck %s --check-prefix=KERNEL
// KERNEL-COUNT-32: nvvm.shfl.sync bfly {{.*}} : i32 -> i32
// KERNEL-NOT: nvvm.shfl.sync
// KERNEL-COUNT-8: llvm.store %{{[^ ]+}}, %{{[^ ]+}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// KERNEL-NOT: llvm.store
// KERNEL: llvm.return

// A lane holds words of four blocks of eight columns in each of two rows: first columns 2 and 3 of
// its own in both rows of the first block. The lanes of a row become those of one block each: first
// neighbours give each other a word of every two, then pairs of neighbours. Four words take four
// exchanges, and there are two such fours.

// A thread then stores eight columns of each row at once, which says that the view's rows begin at
// a multiple of 16 bytes. No thread waits for another, nothing goes through shared memory.

// CHECK-LABEL: llvm.func @exchange(
// CHECK-SAME: {bytes = 16 : i64, view = 1 : i64}
// CHECK-DAG: %[[C1:[^ ]+]] = arith.constant 1 : i32
// CHECK-DAG: %[[C2:[^ ]+]] = arith.constant 2 : i32
// CHECK-DAG: %[[C4:[^ ]+]] = arith.constant 4 : i32
// CHECK-DAG: %[[C8:[^ ]+]] = arith.constant 8 : i32
// CHECK-DAG: %[[C32:[^ ]+]] = arith.constant 32 : i32
// CHECK: %[[W:[^ ]+]]:8 = vector.to_elements %{{[^ ]+}} : vector<8xi32>
// CHECK-NEXT: %[[TID:[^ ]+]] = llvm.inline_asm has_side_effects {{.*}}%tid.x
// CHECK-NEXT: %[[LANE:[^ ]+]] = arith.remui %[[TID]], %[[C4]]
// CHECK-NEXT: %[[HALF:[^ ]+]] = arith.remui %[[LANE]], %[[C2]]
// CHECK-NEXT: %[[ODD:[^ ]+]] = arith.cmpi eq, %[[HALF]], %[[C1]]
// CHECK-NEXT: %[[UPPER:[^ ]+]] = arith.cmpi sge, %[[LANE]], %[[C2]]
// CHECK-NEXT: %[[SEND0:[^ ]+]] = arith.select %[[ODD]], %[[W]]#0, %[[W]]#2
// CHECK-NEXT: %[[GOT0:[^ ,]+]], %{{[^ ]+}} = gpu.shuffle xor %[[SEND0]], %[[C1]], %[[C32]]
// CHECK-NEXT: %[[A0:[^ ]+]] = arith.select %[[ODD]], %[[GOT0]], %[[W]]#0
// CHECK-NEXT: %[[A1:[^ ]+]] = arith.select %[[ODD]], %[[W]]#2, %[[GOT0]]
// CHECK-NEXT: %[[SEND1:[^ ]+]] = arith.select %[[ODD]], %[[W]]#4, %[[W]]#6
// CHECK-NEXT: %[[GOT1:[^ ,]+]], %{{[^ ]+}} = gpu.shuffle xor %[[SEND1]], %[[C1]], %[[C32]]
// CHECK-NEXT: %[[A2:[^ ]+]] = arith.select %[[ODD]], %[[GOT1]], %[[W]]#4
// CHECK-NEXT: %[[A3:[^ ]+]] = arith.select %[[ODD]], %[[W]]#6, %[[GOT1]]
// CHECK-NEXT: %[[SEND2:[^ ]+]] = arith.select %[[UPPER]], %[[A0]], %[[A2]]
// CHECK-NEXT: %[[GOT2:[^ ,]+]], %{{[^ ]+}} = gpu.shuffle xor %[[SEND2]], %[[C2]], %[[C32]]
// CHECK-NEXT: %[[B0:[^ ]+]] = arith.select %[[UPPER]], %[[GOT2]], %[[A0]]
// CHECK-NEXT: %[[B2:[^ ]+]] = arith.select %[[UPPER]], %[[A2]], %[[GOT2]]
// CHECK-NEXT: %[[SEND3:[^ ]+]] = arith.select %[[UPPER]], %[[A1]], %[[A3]]
// CHECK-NEXT: %[[GOT3:[^ ,]+]], %{{[^ ]+}} = gpu.shuffle xor %[[SEND3]], %[[C2]], %[[C32]]
// CHECK-NEXT: %[[B1:[^ ]+]] = arith.select %[[UPPER]], %[[GOT3]], %[[A1]]
// CHECK-NEXT: %[[B3:[^ ]+]] = arith.select %[[UPPER]], %[[A3]], %[[GOT3]]
// CHECK-NEXT: arith.select %[[ODD]], %[[W]]#1, %[[W]]#3
// CHECK-COUNT-4: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: %[[ALL:[^ ]+]] = vector.from_elements %[[B0]], %[[B1]], %[[B2]], %[[B3]], %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} : vector<8xi32>
// CHECK-NEXT: %[[BACK:[^ ]+]] = vector.bitcast %[[ALL]] : vector<8xi32> to vector<16xbf16>
// CHECK: %[[COLUMN:[^ ]+]] = arith.muli %{{[^ ]+}}, %[[C8]] : i32
// CHECK-NEXT: %[[E:[^ ]+]]:16 = vector.to_elements %[[BACK]]
// CHECK: scf.if
// CHECK-NEXT: %[[CHUNK:[^ ]+]] = vector.from_elements %[[E]]#0, %[[E]]#1, %[[E]]#2, %[[E]]#3, %[[E]]#4, %[[E]]#5, %[[E]]#6, %[[E]]#7 : vector<8xbf16>
// CHECK: llvm.store %[[CHUNK]], %{{[^ ]+}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK: scf.if
// CHECK-NEXT: %[[LOWER:[^ ]+]] = vector.from_elements %[[E]]#8, %[[E]]#9, %[[E]]#10, %[[E]]#11, %[[E]]#12, %[[E]]#13, %[[E]]#14, %[[E]]#15 : vector<8xbf16>
// CHECK: llvm.store %[[LOWER]], %{{[^ ]+}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
// LLVM-LABEL: llvm.func @exchange(
// LLVM-COUNT-8: nvvm.shfl.sync bfly
// LLVM-NOT: nvvm.shfl.sync
// LLVM-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<1>
// LLVM-NOT: llvm.store
// LLVM: llvm.return
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#chunks = #attn.fragment<threads [4:(0, 8), 8:(1, 0), 4:(16, 0)], registers [8:(0, 1), 2:(8, 0)]>
attn.kernel @exchange(%x: !attn.view<?x32xbf16>, %o: !attn.view<?x32xbf16>) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %n = attn.dim %o, 0 : <?x32xbf16>
  attn.ctas %i in %n {
    %t = attn.load %x[%i, %c0] : <?x32xbf16> -> tensor<64x32xbf16, #acc>
    %e = attn.convert_layout %t : tensor<64x32xbf16, #acc> to tensor<64x32xbf16, #chunks>
    attn.store %e, %o[%i, %c0] : tensor<64x32xbf16, #chunks> -> <?x32xbf16>
  }
}

// -----

// 64 columns in two rows of matrices: words of columns 32 on are exchanged among themselves, and so
// are those of rows 16 on. Of the view's 56 columns the last chunk has none, so it is asked for each
// chunk whether it begins in the view, which it ends in then, too.

// CHECK-LABEL: llvm.func @edge(
// CHECK-DAG: %[[C56:[^ ]+]] = arith.constant 56 : i32
// CHECK: %[[W:[^ ]+]]:32 = vector.to_elements %{{[^ ]+}} : vector<32xi32>
// CHECK: arith.select %[[ODD:[^ ]+]], %[[W]]#0, %[[W]]#2
// CHECK: arith.select %[[ODD]], %[[W]]#4, %[[W]]#6
// CHECK: arith.select %[[ODD]], %[[W]]#1, %[[W]]#3
// CHECK: arith.select %[[ODD]], %[[W]]#5, %[[W]]#7
// CHECK: arith.select %[[ODD]], %[[W]]#8, %[[W]]#10
// CHECK: arith.select %[[ODD]], %[[W]]#12, %[[W]]#14
// CHECK: arith.select %[[ODD]], %[[W]]#9, %[[W]]#11
// CHECK: arith.select %[[ODD]], %[[W]]#13, %[[W]]#15
// CHECK: arith.select %[[ODD]], %[[W]]#16, %[[W]]#18
// CHECK: arith.select %[[ODD]], %[[W]]#29, %[[W]]#31
// CHECK: vector.from_elements {{.*}} : vector<32xi32>
// CHECK: %[[IN0:[^ ]+]] = arith.cmpi slt, %[[COLUMN:[^ ]+]], %[[C56]]
// CHECK-COUNT-2: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK: arith.cmpi slt, %{{[^ ]+}}, %[[C56]]
// CHECK-COUNT-6: llvm.store {{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
// CHECK-NOT: llvm.store
// CHECK: llvm.return
// LLVM-LABEL: llvm.func @edge(
// LLVM-COUNT-32: nvvm.shfl.sync bfly
// LLVM-NOT: nvvm.shfl.sync
// LLVM: llvm.return
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8), 2:(16, 0)]>
#chunks = #attn.fragment<threads [4:(0, 8), 8:(1, 0)], registers [8:(0, 1), 2:(8, 0), 2:(0, 32), 2:(16, 0)]>
attn.kernel @edge(%x: !attn.view<?x64xf16>, %o: !attn.view<?x56xf16>) attributes {threads = 32 : i64} {
  %c0 = arith.constant 0 : index
  %n = attn.dim %o, 0 : <?x56xf16>
  attn.ctas %i in %n {
    %t = attn.load %x[%i, %c0] : <?x64xf16> -> tensor<32x64xf16, #acc>
    %e = attn.convert_layout %t : tensor<32x64xf16, #acc> to tensor<32x64xf16, #chunks>
    attn.store %e, %o[%i, %c0] : tensor<32x64xf16, #chunks> -> <?x56xf16>
  }
}
