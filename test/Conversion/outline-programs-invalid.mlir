// RUN: attn-opt %s --attn-outline-programs=bundle= --verify-diagnostics

// expected-error@+1 {{expected a name for the module of programs, but got an empty one}}
module {
}
