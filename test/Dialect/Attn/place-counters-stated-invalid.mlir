// attn-place-counters: what a text says of a kernel's counters.
// RUN: attn-opt %s --split-input-file --attn-place-counters --verify-diagnostics

// expected-error @+1 {{expected 'counters' to be how many of its 1 views are counters, but got 2 : i64}}
attn.kernel @many(%x: !attn.view<?xi32>) attributes {counters = 2 : i64} {
}

// -----

// expected-error @+1 {{expected 'counters' to be how many of its 1 views are counters, but got -1 : i64}}
attn.kernel @negative(%x: !attn.view<?xi32>) attributes {counters = -1 : i64} {
}

// -----

// expected-error @+1 {{expected 'counters' to be how many of its 1 views are counters, but got "one"}}
attn.kernel @text(%x: !attn.view<?xi32>) attributes {counters = "one"} {
}

// -----

// expected-error @+1 {{expected 'cleared_by' to be a list of at most 1 names, as it has so many counters, but got ["a", "b"]}}
attn.kernel @names(%x: !attn.view<?xi32>) attributes {cleared_by = ["a", "b"], counters = 1 : i64} {
}

// -----

// expected-error @+1 {{expected 'cleared_by' to be a list of at most 0 names, as it has so many counters, but got ["a"]}}
attn.kernel @none(%x: !attn.view<?xi32>) attributes {cleared_by = ["a"]} {
}

// -----

// expected-error @+1 {{expected 'cleared_by' to be a list of at most 1 names, as it has so many counters, but got "a"}}
attn.kernel @no_list(%x: !attn.view<?xi32>) attributes {cleared_by = "a", counters = 1 : i64} {
}
