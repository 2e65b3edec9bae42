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

// -----

attn.kernel @k(%a: index, %list: !attn.view<?xi32>) {
  // expected-error @below {{expected a step that divides the 12 rows of a block of its traversal, but got 8}}
  attn.stream %j step 8 traversal #attn.blocks<12>(%a, %list, %a : index, !attn.view<?xi32>, index) over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %list: !attn.view<?xbf16>) {
  // expected-error @below {{expected a traversal by a number of blocks and a list of them in a view of i32 or i64, but got ('index', '!attn.view<?xbf16>', 'index')}}
  attn.stream %j step 8 traversal #attn.blocks<8>(%a, %list, %a : index, !attn.view<?xbf16>, index) over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %list: !attn.view<?xi32>) {
  // expected-error @below {{expected a traversal of operands ('index', '!attn.view<?xi32>', 'index', 'index', '!attn.view<?xi32>', 'index'), and maybe one of type i1, but got ('index', '!attn.view<?xi32>', 'index', 'index', '!attn.view<?xi32>')}}
  attn.stream %j step 8 traversal #attn.blocks<8>(%a, %list, %a, %a, %list : index, !attn.view<?xi32>, index, index, !attn.view<?xi32>) over [%a to %a] {
  }
}

// -----

attn.kernel @k(%a: index, %list: !attn.view<?xi32>) {
  // expected-error @below {{expected blocks of 1 to 65536 rows, but got 0}}
  attn.stream %j step 8 traversal #attn.blocks<0>(%a, %list, %a : index, !attn.view<?xi32>, index) over [%a to %a] {
  }
}
