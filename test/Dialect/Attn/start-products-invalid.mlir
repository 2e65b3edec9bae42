// attn-start-products: kernels that stay as they are, with a remark.
// RUN: attn-opt %s --split-input-file -o %t.before
// RUN: attn-opt %s --split-input-file --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-start-products))' -o %t.after --remarks-filter='attn.*' 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: diff %t.before %t.after

// A product that is added to others already.
// CHECK: remark: [Missed] started | Category:attn-start-products | Function=added | Remark="no row is taken from a product alone"
attn.kernel @added(%n: index, %a: !attn.view<?x?xbf16>, %row: !attn.view<?x?xf32>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<64x64xf32>) {
      %x = attn.load %a[%i, %pos] : <?x?xbf16> -> tensor<64x64xbf16>
      %r = attn.load %row[%i, %pos] : <?x?xf32> -> tensor<1x64xf32>
      %dot = attn.dot %x, %x, %acc transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
      %b = attn.broadcast %r : tensor<1x64xf32> to tensor<64x64xf32>
      %d = arith.subf %dot, %b : tensor<64x64xf32>
      %next = arith.addf %acc, %d : tensor<64x64xf32>
      attn.yield %next : tensor<64x64xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}

// -----

// A product that is used elsewhere, too.
// CHECK: remark: [Missed] started | Category:attn-start-products | Function=used | Remark="no row is taken from a product alone"
attn.kernel @used(%n: index, %a: !attn.view<?x?xbf16>, %row: !attn.view<?x?xf32>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<64x64xf32>) {
      %x = attn.load %a[%i, %pos] : <?x?xbf16> -> tensor<64x64xbf16>
      %r = attn.load %row[%i, %pos] : <?x?xf32> -> tensor<1x64xf32>
      %dot = attn.dot %x, %x, %zero transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
      %b = attn.broadcast %r : tensor<1x64xf32> to tensor<64x64xf32>
      %d = arith.subf %dot, %b : tensor<64x64xf32>
      %next = arith.addf %dot, %d : tensor<64x64xf32>
      attn.yield %next : tensor<64x64xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}

// -----

// Sums of 8-bit elements have fewer bits than the row.
// CHECK: remark: [Missed] started | Category:attn-start-products | Function=narrow | Remark="no row is taken from a product alone"
attn.kernel @narrow(%n: index, %a: !attn.view<?x?xf8E4M3FN>, %row: !attn.view<?x?xf32>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<64x64xf32>) {
      %x = attn.load %a[%i, %pos] : <?x?xf8E4M3FN> -> tensor<64x64xf8E4M3FN>
      %r = attn.load %row[%i, %pos] : <?x?xf32> -> tensor<1x64xf32>
      %dot = attn.dot %x, %x, %zero transpose_rhs : tensor<64x64xf8E4M3FN>, tensor<64x64xf8E4M3FN> into tensor<64x64xf32>
      %b = attn.broadcast %r : tensor<1x64xf32> to tensor<64x64xf32>
      %d = arith.subf %dot, %b : tensor<64x64xf32>
      %next = arith.addf %acc, %d : tensor<64x64xf32>
      attn.yield %next : tensor<64x64xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}

// -----

// A row that is the same in each visit is held anyway.
// CHECK: remark: [Missed] started | Category:attn-start-products | Function=same | Remark="no row is taken from a product alone"
attn.kernel @same(%n: index, %a: !attn.view<?x?xbf16>, %row: !attn.view<?x?xf32>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %r = attn.load %row[%i, %c0] : <?x?xf32> -> tensor<1x64xf32>
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<64x64xf32>) {
      %x = attn.load %a[%i, %pos] : <?x?xbf16> -> tensor<64x64xbf16>
      %dot = attn.dot %x, %x, %zero transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
      %b = attn.broadcast %r : tensor<1x64xf32> to tensor<64x64xf32>
      %d = arith.subf %dot, %b : tensor<64x64xf32>
      %next = arith.addf %acc, %d : tensor<64x64xf32>
      attn.yield %next : tensor<64x64xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}

// -----

// One value a row is two registers a thread.
// CHECK: remark: [Missed] started | Category:attn-start-products | Function=rows | Remark="no row is taken from a product alone"
attn.kernel @rows(%n: index, %a: !attn.view<?x?xbf16>, %row: !attn.view<?x?xf32>, %c: !attn.view<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  attn.grid (%i) visit %visit in (i = %n) {
    %sum = attn.stream %pos step 64 over [%c0 to %n] carry (%acc = %zero : tensor<64x64xf32>) {
      %x = attn.load %a[%i, %pos] : <?x?xbf16> -> tensor<64x64xbf16>
      %r = attn.load %row[%i, %pos] : <?x?xf32> -> tensor<64xf32>
      %dot = attn.dot %x, %x, %zero transpose_rhs : tensor<64x64xbf16>, tensor<64x64xbf16> into tensor<64x64xf32>
      %b = attn.broadcast %r : tensor<64xf32> to tensor<64x64xf32>
      %d = arith.subf %dot, %b : tensor<64x64xf32>
      %next = arith.addf %acc, %d : tensor<64x64xf32>
      attn.yield %next : tensor<64x64xf32>
    }
    attn.store %sum, %c[%i, %c0] : tensor<64x64xf32> -> <?x?xf32>
  }
}
