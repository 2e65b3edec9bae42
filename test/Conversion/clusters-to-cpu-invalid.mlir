// What convert-attn-to-cpu cannot run in turns.
// RUN: attn-opt %s --split-input-file --convert-attn-to-cpu -verify-diagnostics

attn.kernel @twice(%o: !attn.view<?x8xf32>, %n: index) {
  attn.ctas %cta in %n cluster %n {
    %t = arith.constant dense<1.0> : tensor<16x8xf32>
    %v = attn.exchange %cta gives %t : tensor<16x8xf32> -> !attn.view<?x16x8xf32>
    // expected-error @below {{'attn.exchange' op expected one exchange of a cluster on the CPU, but got 2}}
    %w = attn.exchange %cta gives %t : tensor<16x8xf32> -> !attn.view<?x16x8xf32>
  }
}

// -----

attn.kernel @kept(%o: !attn.view<?x8xf32>, %n: index) {
  attn.ctas %cta in %n cluster %n {
    // expected-error @below {{'attn.load' op expected index arithmetic alone to be used behind the exchange of a cluster}}
    %t = attn.load %o[%cta, %cta] : !attn.view<?x8xf32> -> tensor<16x8xf32>
    %v = attn.exchange %cta gives %t : tensor<16x8xf32> -> !attn.view<?x16x8xf32>
    attn.store %t, %o[%cta, %cta] : tensor<16x8xf32> -> !attn.view<?x8xf32>
  }
}

// -----

// A number that the kernel writes may be another one behind the exchange.
attn.kernel @written(%o: !attn.view<?x8xf32>, %list: !attn.view<?xi32>, %n: index) {
  attn.ctas %cta in %n cluster %n {
    %c0 = arith.constant 0 : index
    // expected-error @below {{'attn.read' op expected index arithmetic alone to be used behind the exchange of a cluster}}
    %first = attn.read %list[%cta] : !attn.view<?xi32>
    %t = arith.constant dense<1.0> : tensor<16x8xf32>
    %v = attn.exchange %cta gives %t : tensor<16x8xf32> -> !attn.view<?x16x8xf32>
    attn.store %t, %o[%first, %c0] : tensor<16x8xf32> -> !attn.view<?x8xf32>
    attn.write %n, %list[%cta] : !attn.view<?xi32>
  }
}
