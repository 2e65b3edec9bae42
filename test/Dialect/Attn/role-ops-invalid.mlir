// Every constraint of roles of warps and of turns.
//
// RUN: attn-opt %s -split-input-file -verify-diagnostics

//===----------------------------------------------------------------------===//
// attn.specialize
//===----------------------------------------------------------------------===//

// Registers move between groups of four warps.
func.func @f() {
  // expected-error @below {{'attn.specialize' op expected producers in groups of 4 warps, but got 2}}
  attn.specialize producer 2 warps (24) {
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.specialize' op expected producers in groups of 4 warps, but got 6}}
  attn.specialize producer 6 warps (24) {
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.specialize' op expected producers in groups of 4 warps, but got 0}}
  attn.specialize producer 0 warps (24) {
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.specialize' op expected producers in groups of 4 warps, but got -4}}
  attn.specialize producer -4 warps (24) {
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.specialize' op expected 24 to 256 registers, a multiple of 8, but got 16}}
  attn.specialize producer 4 warps (16) {
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.specialize' op expected 24 to 256 registers, a multiple of 8, but got 264}}
  attn.specialize producer 4 warps (24) {
  } consumers (264) {
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.specialize' op expected 24 to 256 registers, a multiple of 8, but got 28}}
  attn.specialize producer 4 warps (28) {
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.specialize' op expected 24 to 256 registers, a multiple of 8, but got 236}}
  attn.specialize producer 4 warps (24) {
  } consumers (236) {
  }
  return
}

// -----

// A role has one block.
func.func @f() {
  // expected-error @below {{'attn.specialize' op region #0 ('producer') failed to verify constraint: region with 1 blocks}}
  "attn.specialize"() <{consumer_registers = 240 : i64, producer_registers = 24 : i64, producer_warps = 4 : i64}> ({
  }, {
    attn.yield
  }) : () -> ()
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.turn
//===----------------------------------------------------------------------===//

// One group has nobody to wait for.
func.func @f() {
  // expected-error @below {{'attn.turn' op expected 2 to 14 groups, but got 1}}
  attn.turn take of 1
  return
}

// -----

// 16 named barriers, of which two are taken.
func.func @f() {
  // expected-error @below {{'attn.turn' op expected 2 to 14 groups, but got 15}}
  attn.turn pass of 15
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.turn' op expected 2 to 14 groups, but got -1}}
  attn.turn start of -1
  return
}

// -----

func.func @f() {
  // expected-error @below {{custom op 'attn.turn' expected string or keyword containing one of the following enum values for attribute 'step' [start, take, pass]}}
  attn.turn skip of 2
  return
}

// -----

//===----------------------------------------------------------------------===//
// attn.beside and attn.add_turn
//===----------------------------------------------------------------------===//

// Warp 0 copies.
func.func @f() {
  attn.specialize producer 4 warps (24) {
    // expected-error @below {{'attn.beside' op expected a warp from 1 to 3 of the producer, but got 0}}
    attn.beside 0 {
    }
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  attn.specialize producer 4 warps (24) {
    // expected-error @below {{'attn.beside' op expected a warp from 1 to 3 of the producer, but got 4}}
    attn.beside 4 {
    }
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  attn.specialize producer 4 warps (24) {
    // expected-error @below {{'attn.beside' op expected 1 to 2 warps, but got 3}}
    attn.beside 2 count 3 {
    }
  } consumers (240) {
  }
  return
}

// -----

func.func @f() {
  attn.specialize producer 4 warps (24) {
  } consumers (240) {
    // expected-error @below {{'attn.beside' op expected to stand with the producer, but got another region}}
    attn.beside 1 {
    }
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.beside' op expects parent op 'attn.specialize'}}
  attn.beside 1 {
  }
  return
}

// -----

func.func @f() {
  // expected-error @below {{'attn.add_turn' op expected 'take' or 'pass', but got 'start'}}
  attn.add_turn start
  return
}
