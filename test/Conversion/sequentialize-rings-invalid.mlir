// attn-sequentialize-rings: what wants to be lowered first, and what it cannot follow.
// RUN: attn-opt %s --split-input-file --verify-diagnostics --attn-sequentialize-rings

!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @grid(%n: index) {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  // expected-error @below {{'attn.grid' op expected to be lowered by attn-materialize-grid first}}
  attn.grid (%i) visit %v in (i = %n) {
  }
}

// -----

!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @stream(%n: index) {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  attn.ctas %w in %n {
    // expected-error @below {{'attn.stream' op expected to be lowered by convert-attn-stream-to-scf first}}
    attn.stream %j step 4 over [%w to %n] {
    }
  }
}

// -----

!tile = tensor<16x16xf16, #attn.shared<32>>
// expected-error @below {{'attn.kernel' op expected one attn.ctas, but got 0}}
attn.kernel @none(%n: index) {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
}

// -----

!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @outside(%n: index) {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  // expected-error @below {{'attn.ring.release' op expected to stand in attn.ctas}}
  attn.ring.release %ring : !attn.ring<2 x !tile>
  attn.ctas %w in %n {
  }
}

// -----

!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @chosen(%n: index, %c: i1) {
  %r = attn.ring.create : !attn.ring<2 x !tile>
  %s = attn.ring.create : !attn.ring<2 x !tile>
  attn.ctas %w in %n {
    %ring = arith.select %c, %r, %s : !attn.ring<2 x !tile>
    // expected-error @below {{'attn.ring.release' op expected '!attn.ring<2 x tensor<16x16xf16, #attn.shared<32>>>' straight from the operation that made it}}
    attn.ring.release %ring : !attn.ring<2 x !tile>
  }
}

// -----

// A slot that is filled twice, or never, and a copy that is not announced.

!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @twice(%a: !attn.view<?x?xf16>, %n: index) {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  attn.ctas %w in %n {
    // expected-error @below {{'attn.ring.acquire' op expected one use of its result, but got 2}}
    %slot = attn.ring.acquire %ring : !attn.ring<2 x !tile> -> !attn.slot<!tile>
    %p = attn.ring.issue %slot, %a[%w, %n] : !attn.slot<!tile>, !attn.view<?x?xf16> -> !attn.pending<!tile>
    attn.ring.land %p : !attn.pending<!tile>
    %q = attn.ring.issue %slot, %a[%w, %n] : !attn.slot<!tile>, !attn.view<?x?xf16> -> !attn.pending<!tile>
    attn.ring.land %q : !attn.pending<!tile>
  }
}

// -----

!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @unannounced(%a: !attn.view<?x?xf16>, %n: index) {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  attn.ctas %w in %n {
    %slot = attn.ring.acquire %ring : !attn.ring<2 x !tile> -> !attn.slot<!tile>
    // expected-error @below {{'attn.ring.issue' op expected one use of its result, but got 0}}
    %p = attn.ring.issue %slot, %a[%w, %n] : !attn.slot<!tile>, !attn.view<?x?xf16> -> !attn.pending<!tile>
  }
}

// -----

// Tiles in shared memory are read by products and conversions, nothing else.

!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @arithmetic(%n: index) {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  attn.ctas %w in %n {
    %tile = attn.ring.wait %ring : !attn.ring<2 x !tile> -> !tile
    // expected-error @below {{'arith.addf' op expected a tile in registers, but got 'tensor<16x16xf16, #attn.shared<32>>'}}
    %sum = arith.addf %tile, %tile : !tile
  }
}

// -----

!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @stored(%a: !attn.view<?x?xf16>, %n: index) {
  %ring = attn.ring.create : !attn.ring<2 x !tile>
  attn.ctas %w in %n {
    %tile = attn.ring.wait %ring : !attn.ring<2 x !tile> -> !tile
    // expected-error @below {{'attn.store' op expected a tile in registers, but got 'tensor<16x16xf16, #attn.shared<32>>'}}
    attn.store %tile, %a[%w, %n] : !tile -> !attn.view<?x?xf16>
  }
}

// -----

!tile = tensor<16x16xf16, #attn.shared<32>>
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
attn.kernel @constant(%n: index) {
  %tile = arith.constant dense<0.0> : !tile
  attn.ctas %w in %n {
    // expected-error @below {{'attn.convert_layout' op expected a tile in shared memory straight from attn.ring.wait}}
    %t = attn.convert_layout %tile : !tile to tensor<16x16xf16, #acc>
  }
}

// -----

!tile = tensor<16x16xf16, #attn.shared<32>>
#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0), 2:(0, 8)]>
attn.kernel @back(%n: index) {
  %t = arith.constant dense<0.0> : tensor<16x16xf16, #acc>
  attn.ctas %w in %n {
    // expected-error @below {{'attn.convert_layout' op expected a result in registers, but got 'tensor<16x16xf16, #attn.shared<32>>'}}
    %tile = attn.convert_layout %t : tensor<16x16xf16, #acc> to !tile
  }
}

// -----

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0)], registers [2:(0, 1), 2:(8, 0)]>
attn.kernel @max(%n: index) {
  %t = arith.constant dense<0.0> : tensor<16x8xf32, #acc>
  attn.ctas %w in %n {
    // expected-error @below {{'attn.reduce_registers' op expected 'sum' to run on the CPU, but got 'max'}}
    %m = attn.reduce_registers max %t : tensor<16x8xf32, #acc>
  }
}

// -----

// Roles are what takes parts of a slot.
!tile = tensor<16x16xf16, #attn.shared<32>>
attn.kernel @parts(%n: index) {
  // expected-error @below {{'attn.ring.create' op expected slots without parts, which roles have, but got 2}}
  %ring = attn.ring.create own_rows parts 2 : !attn.ring<2 x !tile>
  attn.ctas %w in %n {
  }
}
