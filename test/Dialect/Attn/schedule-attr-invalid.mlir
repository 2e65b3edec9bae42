// What is no schedule.
//
// RUN: attn-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{expected a field of a schedule, but got 'persistant'; did you mean 'persistent'? (known: form, pack_group, tiles,}}
module attributes {test.attr = #attn.schedule<persistant>} {}

// -----

// expected-error @below {{expected each field once, but got 'persistent' twice}}
module attributes {test.attr = #attn.schedule<persistent, persistent>} {}

// -----

// expected-error @below {{expected valid keyword}}
module attributes {test.attr = #attn.schedule<persistent = 3>} {}

// -----

// expected-error @below {{expected true or false, but got 'maybe'}}
module attributes {test.attr = #attn.schedule<persistent = maybe>} {}

// -----

// expected-error @below {{field 'resident': expected 0 to 16777216, but got -1}}
module attributes {test.attr = #attn.schedule<resident = -1>} {}

// -----

// expected-error @below {{field 'warps': expected 0 to 16777216, but got 16777217}}
module attributes {test.attr = #attn.schedule<warps = 16777217>} {}

// -----

// expected-error @below {{field 'sawtooth': expected one of off, auto, force, but got "often"}}
module attributes {test.attr = #attn.schedule<sawtooth = often>} {}

// -----

// expected-error @below {{expected valid keyword}}
module attributes {test.attr = #attn.schedule<grid_order = "naive">} {}

// -----

// expected-error @below {{field 'tiles': expected a tile of 1 to 1048576 positions, but got query = 0}}
module attributes {test.attr = #attn.schedule<tiles = [query = 0]>} {}

// -----

// expected-error @below {{field 'tiles': expected each axis of the tiles once, but got 'query' twice}}
module attributes {test.attr = #attn.schedule<tiles = [query = 16, query = 32]>} {}

// -----

// expected-error @below {{expected '['}}
module attributes {test.attr = #attn.schedule<tiles = 16>} {}

// -----

// expected-error @below {{attribute 'attn.schedule' belongs on a streamable operation or a kernel}}
module attributes {attn.schedule = #attn.schedule<>} {}

// -----

func.func @f(%q: tensor<1x1x16x16xf16>) -> tensor<1x1x16x16xf16> {
  // expected-error @below {{attribute 'attn.schedule' expected an #attn.schedule, but got "tiles=query=64"}}
  %o = attn.attention %q, %q, %q scale(1.0) {attn.schedule = "tiles=query=64"} : (tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>) -> tensor<1x1x16x16xf16>
  return %o : tensor<1x1x16x16xf16>
}

// -----

// expected-error @below {{expected a guard such as "query<=2048", or several joined by '&', but got "query"}}
module attributes {test.attr = #attn.variant<"query", <>>} {}

// -----

// expected-error @below {{expected a guard such as "query<=2048", or several joined by '&', but got "query<2"}}
module attributes {test.attr = #attn.variant<"query<2", <>>} {}

// -----

// expected-error @below {{expected a guard such as "query<=2048", or several joined by '&', but got "<=3"}}
module attributes {test.attr = #attn.variant<"<=3", <>>} {}

// -----

// expected-error @below {{expected a guard such as "query<=2048", or several joined by '&', but got "query<=-1"}}
module attributes {test.attr = #attn.variant<"query<=-1", <>>} {}

// -----

// expected-error @below {{expected a guard such as "query<=2048", or several joined by '&', but got "que ry<=1"}}
module attributes {test.attr = #attn.variant<"que ry<=1", <>>} {}

// -----

// A multiple of one axis, and of one alone.
module attributes {test.attr = #attn.variant<"query<=2*batch", <>>} {}

// -----

// expected-error @below {{expected a guard such as "query<=2048", or several joined by '&', but got "query<=2*"}}
module attributes {test.attr = #attn.variant<"query<=2*", <>>} {}

// -----

// expected-error @below {{expected a guard such as "query<=2048", or several joined by '&', but got "query<=batch*2"}}
module attributes {test.attr = #attn.variant<"query<=batch*2", <>>} {}

// -----

func.func @f(%q: tensor<1x1x16x16xf16>) -> tensor<1x1x16x16xf16> {
  // expected-error @below {{attribute 'attn.schedule' expected no field 'form', but got #attn.schedule<form = fused>}}
  %o = attn.attention %q, %q, %q scale(1.0) {attn.schedule = #attn.schedule<form = fused>} : (tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>) -> tensor<1x1x16x16xf16>
  return %o : tensor<1x1x16x16xf16>
}

// -----

func.func @f(%q: tensor<1x1x16x16xf16>, %lse: tensor<1x1x16xf32>) -> tensor<1x1x16x16xf16> {
  // expected-error @below {{attribute 'attn.schedule' expected the field 'form' alone, but got #attn.schedule<form = fused, splits = 2>}}
  %r:3 = attn.attention_backward %q, %q, %q, %q, %q, %lse scale(1.0) {attn.schedule = #attn.schedule<form = fused, splits = 2>} : (tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>, tensor<1x1x16xf32>) -> (tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>, tensor<1x1x16x16xf16>)
  return %r#0 : tensor<1x1x16x16xf16>
}

// -----

// expected-error @below {{field 'form': expected one of two_kernels, fused, ordered, but got "both"}}
module attributes {test.attr = #attn.schedule<form = both>} {}
