// RUN: attn-opt %s -split-input-file -verify-diagnostics '--pass-pipeline=builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,convert-attn-to-rocdl)'

// Copies of another target.
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
      // expected-error @below {{expected copies by 'registers' on "mi300x", but got 'tensor'}}
      %p0 = attn.ring.issue %s0, %a[%row, %q] by tensor : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by tensor : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
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

// Copies of another target.
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
      // expected-error @below {{expected copies by 'registers' on "mi300x", but got 'async'}}
      %p0 = attn.ring.issue %s0, %a[%row, %q] by async : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by async : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
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

// Asynchronous products.
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
      // expected-error @below {{expected a target with asynchronous products and roles of warps (the capability 'wgmma'), but got "mi300x"}}
      %t = attn.dot.issue %x, %y, %c : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>>, tensor<32x32xf32, #acc> -> <tensor<32x32xf32, #acc>>
      %d = attn.dot.wait %t : <tensor<32x32xf32, #acc>> -> tensor<32x32xf32, #acc>
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

// A left-hand side by columns.
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x32xbf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<64, transposed, folded>>>
  %rb = attn.ring.create : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xbf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<64, transposed, folded>>> -> !attn.slot<tensor<32x16xbf16, #attn.shared<64, transposed, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xbf16, #attn.shared<64, transposed, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<64, transposed, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<64, transposed, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<64, transposed, folded>>> -> tensor<32x16xbf16, #attn.shared<64, transposed, folded>>
      %y = attn.ring.wait %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xbf16, #attn.shared<32, transposed, folded>>
      // expected-error @+2 {{expected a left-hand side in LDS by rows, or in the layout of an MFMA operand}}
      // expected-error @below {{failed to legalize operation 'attn.dot'}}
      %d = attn.dot %x, %y, %c : tensor<32x16xbf16, #attn.shared<64, transposed, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<64, transposed, folded>>>
      attn.ring.release %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}

// -----

// Elements that MFMA has no such product of.
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xf32>, %b: !attn.view<64x32xf32>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<2 x tensor<32x16xf32, #attn.shared<64, folded>>>
  %rb = attn.ring.create : !attn.ring<2 x tensor<16x32xf32, #attn.shared<64, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xf32>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<2 x tensor<32x16xf32, #attn.shared<64, folded>>> -> !attn.slot<tensor<32x16xf32, #attn.shared<64, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xf32, #attn.shared<64, folded>>>, !attn.view<?x64xf32> -> !attn.pending<tensor<32x16xf32, #attn.shared<64, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xf32, #attn.shared<64, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xf32, #attn.shared<64, transposed, folded>>> -> !attn.slot<tensor<16x32xf32, #attn.shared<64, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xf32, #attn.shared<64, transposed, folded>>>, !attn.view<64x32xf32> -> !attn.pending<tensor<16x32xf32, #attn.shared<64, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xf32, #attn.shared<64, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<2 x tensor<32x16xf32, #attn.shared<64, folded>>> -> tensor<32x16xf32, #attn.shared<64, folded>>
      %y = attn.ring.wait %rb : !attn.ring<2 x tensor<16x32xf32, #attn.shared<64, transposed, folded>>> -> tensor<16x32xf32, #attn.shared<64, transposed, folded>>
      // expected-error @+2 {{expected operands of f16, bf16 or f8E4M3FNUZ for MFMA of "mi300x", but got 'f32'}}
      // expected-error @below {{failed to legalize operation 'attn.dot'}}
      %d = attn.dot %x, %y, %c : tensor<32x16xf32, #attn.shared<64, folded>>, tensor<16x32xf32, #attn.shared<64, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<2 x tensor<32x16xf32, #attn.shared<64, folded>>>
      attn.ring.release %rb : !attn.ring<2 x tensor<16x32xf32, #attn.shared<64, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}

// -----

// An accumulator of another instruction.
#mma = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 2:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x32xbf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #mma>
  %ra = attn.ring.create : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
  %rb = attn.ring.create : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xbf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #mma>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> tensor<32x16xbf16, #attn.shared<32, folded>>
      %y = attn.ring.wait %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xbf16, #attn.shared<32, transposed, folded>>
      // expected-error @+2 {{expected a result in the layout of an MFMA accumulator over 1 waves}}
      // expected-error @below {{failed to legalize operation 'attn.dot'}}
      %d = attn.dot %x, %y, %c : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #mma>
      attn.ring.release %ra : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.release %rb : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #mma>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #mma> -> !attn.view<?x32xf32>
  }
  attn.return
}
}

// -----

// More LDS than there is.
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
// expected-error @below {{kernel expects 131072 bytes of LDS; target "mi300x" has 65536 a CTA; expected smaller tiles or fewer stages}}
attn.kernel @k(%a: !attn.view<?x64xbf16>, %b: !attn.view<64x32xbf16>, %o: !attn.view<?x32xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %ra = attn.ring.create : !attn.ring<64 x tensor<32x16xbf16, #attn.shared<32, folded>>>
  %rb = attn.ring.create : !attn.ring<64 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
  %m = attn.dim %a, 0 : !attn.view<?x64xbf16>
  %n = arith.ceildivui %m, %c32 : index
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    %row = arith.muli %i, %c32 : index
    %sum = attn.stream %p step 16 over [%c0 to %c64] carry (%c = %zero : tensor<32x32xf32, #acc>) produce (%q) {
      %s0 = attn.ring.acquire %ra : !attn.ring<64 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %p0 = attn.ring.issue %s0, %a[%row, %q] by registers : !attn.slot<tensor<32x16xbf16, #attn.shared<32, folded>>>, !attn.view<?x64xbf16> -> !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.land %p0 : !attn.pending<tensor<32x16xbf16, #attn.shared<32, folded>>>
      %s1 = attn.ring.acquire %rb : !attn.ring<64 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      %p1 = attn.ring.issue %s1, %b[%q, %c0] by registers : !attn.slot<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>, !attn.view<64x32xbf16> -> !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.ring.land %p1 : !attn.pending<tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
    } {
      %x = attn.ring.wait %ra : !attn.ring<64 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> tensor<32x16xbf16, #attn.shared<32, folded>>
      %y = attn.ring.wait %rb : !attn.ring<64 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xbf16, #attn.shared<32, transposed, folded>>
      %d = attn.dot %x, %y, %c : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %ra : !attn.ring<64 x tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.release %rb : !attn.ring<64 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
    attn.store %sum, %o[%row, %c0] : tensor<32x32xf32, #acc> -> !attn.view<?x32xf32>
  }
  attn.return
}
}

// -----

// Threads of a CTA are whole waves.
module attributes {attn.target = #attn.target<"mi300x">} {
// expected-error @below {{expected whole warps of 64 threads, up to 1024 in all, in its attribute 'threads', but got 32}}
attn.kernel @k() attributes {threads = 32} {
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
  }
}
}

// -----

// A target without these instructions.
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
// expected-error @below {{expected a target with the capability 'rocdl', but got "h200"}}
module attributes {attn.target = #attn.target<"h200">} {
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

// Turns that warps of a producer give.
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%n: index) attributes {threads = 64 : i64} {
  attn.grid (%i) visit %v in (m = %n) sharing [] {
    // expected-error @below {{'attn.add_turn' op expected a target with asynchronous products and roles of warps (the capability 'wgmma'), but got "mi300x"}}
    attn.add_turn take
  }
  attn.return
}
}

// -----

// Lanes of MI300X load 4 bytes to LDS.
!t = tensor<32x32xf16, #attn.shared<64, paired>>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%a: !v) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : !attn.ring<2 x !t> -> !attn.slot<!t>
    // expected-error @below {{expected a target whose lanes load 16 bytes to LDS (the capability 'lds-loads-16'), but got "mi300x"}}
    %p = attn.ring.issue %s, %a[%c0, %c0] by lds : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p : !attn.pending<!t>
  }
}
}

// -----

// A row may end within 16 bytes.
!t = tensor<32x32xf16, #attn.shared<64, paired>>
!v = !attn.view<?x?xf16>
module attributes {attn.target = #attn.target<"mi355x">} {
attn.kernel @k(%a: !v) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : !attn.ring<2 x !t> -> !attn.slot<!t>
    // expected-error @below {{expected rows of whole chunks of 16 bytes to copy by 'lds', but got '!attn.view<?x?xf16>' by chunks of 16}}
    %p = attn.ring.issue %s, %a[%c0, %c0] by lds : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p : !attn.pending<!t>
  }
}
}

// -----

// Rows begin anywhere.
!t = tensor<32x32xf16, #attn.shared<64, paired>>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi355x">} {
attn.kernel @k(%a: !v) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : !attn.ring<2 x !t> -> !attn.slot<!t>
    // expected-error @below {{expected rows of whole chunks of 16 bytes to copy by 'lds', but got '!attn.view<?x32xf16>' by chunks of 8}}
    %p = attn.ring.issue %s, %a[%c0, %c0] by lds chunk 8 : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p : !attn.pending<!t>
  }
}
}

// -----

// A tile for two rings.
!t = tensor<32x32xf16, #attn.shared<64, paired>>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi355x">} {
attn.kernel @k(%a: !v) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : !attn.ring<2 x !t> -> !attn.slot<!t>
    // expected-error @below {{expected one block of rows for one ring to copy by 'lds'}}
    %p = attn.ring.issue %s, %a[%c0, %c0] by lds in_blocks : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p : !attn.pending<!t>
  }
}
}

// -----

// What is transposed lies element by element.
!t = tensor<32x32xf16, #attn.shared<64, transposed, paired>>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi355x">} {
attn.kernel @k(%a: !v) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : !attn.ring<2 x !t> -> !attn.slot<!t>
    // expected-error @below {{expected a tile in chunks of 16 bytes, whose panels waves fill, to copy by 'lds', but got 'tensor<32x32xf16, #attn.shared<64, transposed, paired>>'}}
    %p = attn.ring.issue %s, %a[%c0, %c0] by lds : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p : !attn.pending<!t>
  }
}
}

// -----

// Additions to what other CTAs add to.
!t = tensor<16x16xf32, #attn.fragment<threads [16:(0, 1), 4:(4, 0)], registers [4:(1, 0)]>>
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k(%sum: !attn.view<?x16xf32>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  attn.ctas %w in %c1 {
    %t = arith.constant dense<1.0> : !t
    // expected-error @below {{expected a target whose CTAs add to, or wait for, what others have (the capability 'nvvm'), but got "mi300x"}}
    attn.accumulate %t, %sum[%w, %c0] atomic : !t -> <?x16xf32>
  }
}
}

// -----

// No roles of warps take parts of a slot.
module attributes {attn.target = #attn.target<"mi300x">} {
attn.kernel @k() attributes {threads = 64 : i64} {
  %c1 = arith.constant 1 : index
  // expected-error @below {{'attn.ring.create' op expected slots without parts on "mi300x", but got 2}}
  %r = attn.ring.create own_rows parts 2 : <1 x tensor<32x16xbf16, #attn.shared<32>>>
  attn.ctas %w in %c1 {
  }
}
}
