// What is no traversal, and operands that a traversal does not take.
// RUN: attn-opt %s --split-input-file --verify-diagnostics

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected a traversal, but got 3 : i64}}
  attn.stream %j step 8 traversal 3 over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected 2 types of operands of the traversal, but got 1}}
  attn.stream %j step 8 traversal #attn.rotated(%a, %odd : index) over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected a traversal of no operands, but got ('i1')}}
  attn.stream %j step 8 traversal #attn.forward(%odd : i1) over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected a traversal of operands ('i1'), but got ()}}
  attn.stream %j step 8 traversal #attn.reversed over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected a traversal of operands ('i1'), but got ('index')}}
  attn.stream %j step 8 traversal #attn.reversed(%a : index) over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected a traversal of no operands, and maybe one of type i1, but got ('index')}}
  attn.stream %j step 8 traversal #attn.inside_out(%a : index) over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected a traversal of operands ('index'), and maybe one of type i1, but got ()}}
  attn.stream %j step 8 traversal #attn.rotated over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected a traversal of operands ('index'), and maybe one of type i1, but got ('index', 'i1', 'i1')}}
  attn.stream %j step 8 traversal #attn.rotated(%a, %odd, %odd : index, i1, i1) over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %odd: i1) {
  // expected-error @below {{expected a traversal by a list in a view of i32 or i64, but got ()}}
  attn.stream %j step 8 traversal #attn.listed over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %x: !attn.view<?xf32>) {
  // expected-error @below {{expected a traversal by a list in a view of i32 or i64, but got ('!attn.view<?xf32>', 'index')}}
  attn.stream %j step 8 traversal #attn.listed(%x, %a : !attn.view<?xf32>, index) over [%a to %a] {
  }
}

// -----

// An index for each dimension of the list.
attn.kernel @k(%a: index, %x: !attn.view<?x?xi32>) {
  // expected-error @below {{expected a traversal of operands ('!attn.view<?x?xi32>', 'index', 'index'), and maybe one of type i1, but got ('!attn.view<?x?xi32>', 'index')}}
  attn.stream %j step 8 traversal #attn.listed(%x, %a : !attn.view<?x?xi32>, index) over [%a to %a] {
  }
}
