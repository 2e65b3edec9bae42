// attn-stage-loads: rows that no tensor map can have, and chunks by option.
// RUN: split-file %s %t
// RUN: attn-opt %t/rows.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads))' | FileCheck %s --check-prefixes=CHECK,ROWS
// RUN: attn-opt %t/rows.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{copy=async chunk=4}))' | FileCheck %s --check-prefixes=CHECK,FOUR
// What is printed is read back.
// RUN: attn-opt %t/rows.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads))' | attn-opt --split-input-file | FileCheck %s --check-prefixes=CHECK,ROWS

// RUN: not attn-opt %t/rows.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{chunk=2}))' 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: expected chunks of 4, 8 or 16 bytes, or 0 for the default, but got 2
// RUN: not attn-opt %t/rows.mlir --split-input-file --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads{copy=async chunk=16}))' 2>&1 | FileCheck %s --check-prefix=SIXTEEN
// SIXTEEN: error: 'attn.load' op expected rows of a multiple of 16 bytes to stage, but got '!attn.view<?x60xbf16>'
// RUN: attn-opt %t/bad.mlir --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(attn.kernel(attn-stage-loads))'

// Rows of 112 bytes are 7 chunks of 16, of 120 bytes 15 of 8, of 116 bytes 29 of 4;
// a store lines up with small chunks by going out in elements.
// CHECK-LABEL: attn.kernel @by16
// ROWS: attn.ring.issue %{{.*}}] : <tensor<16x64xbf16,
// ROWS: attn.store %{{.*}} through
// FOUR: attn.ring.issue %{{.*}}] by async chunk 4 : <tensor<16x64xbf16,
// FOUR-NOT: through
// CHECK-LABEL: attn.kernel @by8
// ROWS: attn.ring.issue %{{.*}}] by async chunk 8 :
// FOUR: attn.ring.issue %{{.*}}] by async chunk 4 :
// CHECK-LABEL: attn.kernel @by4
// ROWS: attn.ring.issue %{{.*}}] by async chunk 4 :
// FOUR: attn.ring.issue %{{.*}}] by async chunk 4 :

//--- rows.mlir
attn.kernel @by16(%x: !attn.view<?x56xbf16>, %o: !attn.view<?x56xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.load %x[%c0, %c0] : <?x56xbf16> -> tensor<16x64xbf16>
    attn.store %t, %o[%c0, %c0] : tensor<16x64xbf16> -> <?x56xbf16>
  }
}

// -----

attn.kernel @by8(%x: !attn.view<?x60xbf16>, %o: !attn.view<?x60xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.load %x[%c0, %c0] : <?x60xbf16> -> tensor<16x64xbf16>
    attn.store %t, %o[%c0, %c0] : tensor<16x64xbf16> -> <?x60xbf16>
  }
}

// -----

attn.kernel @by4(%x: !attn.view<?x29xf32>, %o: !attn.view<?x29xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = attn.load %x[%c0, %c0] : <?x29xf32> -> tensor<16x32xf32>
    attn.store %t, %o[%c0, %c0] : tensor<16x32xf32> -> <?x29xf32>
  }
}

//--- bad.mlir
attn.kernel @odd(%x: !attn.view<?x57xbf16>, %o: !attn.view<?x57xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    // expected-error @below {{'attn.load' op expected rows of a multiple of 4 bytes to stage, but got '!attn.view<?x57xbf16>'}}
    %t = attn.load %x[%c0, %c0] : <?x57xbf16> -> tensor<16x64xbf16>
    attn.store %t, %o[%c0, %c0] : tensor<16x64xbf16> -> <?x57xbf16>
  }
}

// -----

attn.kernel @op(%x: !attn.view<?x16xbf16>, %i: index) {
  %r = attn.ring.create : <2 x tensor<16x16xbf16, #attn.shared<32>>>
  %s = attn.ring.acquire %r : <2 x tensor<16x16xbf16, #attn.shared<32>>> -> <tensor<16x16xbf16, #attn.shared<32>>>
  // expected-error @below {{'attn.ring.issue' op expected chunks of 4, 8 or 16 bytes, but got 6}}
  %p = attn.ring.issue %s, %x[%i, %i] by async chunk 6 : <tensor<16x16xbf16, #attn.shared<32>>>, <?x16xbf16> -> <tensor<16x16xbf16, #attn.shared<32>>>
}
