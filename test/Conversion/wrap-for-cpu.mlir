// attn-wrap-for-cpu: kernels in the LLVM dialect, called with a range of CTAs and an array of pointers.
// RUN: attn-opt %s --split-input-file --attn-wrap-for-cpu | FileCheck %s

// A view has a base, a base again, an offset, sizes and strides: what is static is constant, the rest is
// read from the place that its pointer is for. Of a bool one byte is read.

// CHECK-LABEL: llvm.func @k(
// CHECK-SAME: %[[BEGIN:[^ ]+]]: i64, %[[END:[^ ]+]]: i64, %[[LIST:[^ ]+]]: !llvm.ptr)
// CHECK-SAME: attributes {attn.manifest = {scalars = [f32, i1], views = [!attn.view<?x8xf16>]}}
// CHECK: %[[P0:[^ ]+]] = llvm.getelementptr %[[LIST]][0] : (!llvm.ptr) -> !llvm.ptr, !llvm.ptr
// CHECK-NEXT: %[[A0:[^ ]+]] = llvm.load %[[P0]] : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT: %[[BASE:[^ ]+]] = llvm.load %[[A0]] : !llvm.ptr -> !llvm.ptr
// CHECK-NEXT: %[[OFFSET:[^ ]+]] = llvm.mlir.constant(0 : i64) : i64
// CHECK-NEXT: %[[P1:[^ ]+]] = llvm.getelementptr %[[LIST]][1]
// CHECK-NEXT: %[[A1:[^ ]+]] = llvm.load %[[P1]]
// CHECK-NEXT: %[[SIZE:[^ ]+]] = llvm.load %[[A1]] : !llvm.ptr -> i64
// CHECK-NEXT: %[[C8:[^ ]+]] = llvm.mlir.constant(8 : i64) : i64
// CHECK-NEXT: %[[P2:[^ ]+]] = llvm.getelementptr %[[LIST]][2]
// CHECK-NEXT: %[[A2:[^ ]+]] = llvm.load %[[P2]]
// CHECK-NEXT: %[[STRIDE:[^ ]+]] = llvm.load %[[A2]] : !llvm.ptr -> i64
// CHECK-NEXT: %[[C1:[^ ]+]] = llvm.mlir.constant(1 : i64) : i64
// CHECK-NEXT: %[[P3:[^ ]+]] = llvm.getelementptr %[[LIST]][3]
// CHECK-NEXT: %[[A3:[^ ]+]] = llvm.load %[[P3]]
// CHECK-NEXT: %[[FACTOR:[^ ]+]] = llvm.load %[[A3]] : !llvm.ptr -> f32
// CHECK-NEXT: %[[P4:[^ ]+]] = llvm.getelementptr %[[LIST]][4]
// CHECK-NEXT: %[[A4:[^ ]+]] = llvm.load %[[P4]]
// CHECK-NEXT: %[[BYTE:[^ ]+]] = llvm.load %[[A4]] : !llvm.ptr -> i8
// CHECK-NEXT: %[[BOOL:[^ ]+]] = llvm.trunc %[[BYTE]] : i8 to i1
// CHECK-NEXT: llvm.call @k_ctas(%[[BEGIN]], %[[END]], %[[BASE]], %[[BASE]], %[[OFFSET]], %[[SIZE]], %[[C8]], %[[STRIDE]], %[[C1]], %[[FACTOR]], %[[BOOL]])
// CHECK-NEXT: llvm.return

// The kernel is internal, and no launcher's; the function of that name, which counted CTAs, and those for
// callers on this machine are gone.

// CHECK: llvm.func internal @k_ctas(%{{.*}}: i64, %{{.*}}: i64, %{{.*}}: !llvm.ptr,
// CHECK-NOT: attn.manifest
// CHECK-SAME: {
// CHECK-NEXT: llvm.return
// CHECK-NOT: llvm.func @_mlir_ciface
// CHECK-NOT: @k_ctas
// CHECK: llvm.func @helper()
// CHECK-NOT: llvm.func
llvm.func @k_ctas(%base: !llvm.ptr, %aligned: !llvm.ptr, %offset: i64, %size: i64, %columns: i64, %stride: i64, %one: i64, %f: f32, %b: i1) -> i64 {
  llvm.return %size : i64
}
llvm.func @_mlir_ciface_k_ctas(%view: !llvm.ptr, %f: f32, %b: i1) -> i64 {
  %0 = llvm.mlir.constant(0 : i64) : i64
  llvm.return %0 : i64
}
llvm.func @k(%begin: i64, %end: i64, %base: !llvm.ptr, %aligned: !llvm.ptr, %offset: i64, %size: i64, %columns: i64, %stride: i64, %one: i64, %f: f32, %b: i1) attributes {attn.manifest = {scalars = [f32, i1], views = [!attn.view<?x8xf16>]}} {
  llvm.return
}
llvm.func @_mlir_ciface_k(%begin: i64, %end: i64, %view: !llvm.ptr, %f: f32, %b: i1) attributes {attn.manifest = {scalars = [f32, i1], views = [!attn.view<?x8xf16>]}} {
  llvm.return
}
llvm.func @helper() {
  llvm.return
}

// -----

// Without a manifest nothing is a kernel.

// CHECK-LABEL: llvm.func @plain_ctas
// CHECK: llvm.func @plain(%{{.*}}: i64, %{{.*}}: i64)
// CHECK-NOT: llvm.func
llvm.func @plain_ctas() {
  llvm.return
}
llvm.func @plain(%begin: i64, %end: i64) {
  llvm.return
}
