// attn-prioritize-products: around every product, or around the scores alone. A second run changes nothing.
// DEFINE: %{products} = all
// DEFINE: %{run} = attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn.kernel(attn-prioritize-products{products=%{products}}))' --remarks-filter='attn-prio.*'
// RUN: %{run} -o %t.all 2>&1 | FileCheck %s --check-prefix=REMARK2
// RUN: FileCheck %s --check-prefixes=CHECK,ALL --input-file=%t.all
// RUN: attn-opt %t.all --pass-pipeline='builtin.module(attn.kernel(attn-prioritize-products))' --remarks-filter='attn-prio.*' -o %t.again 2>&1 | FileCheck %s --check-prefix=AGAIN
// RUN: diff %t.all %t.again
// REDEFINE: %{products} = scores
// RUN: %{run} -o %t.scores 2>&1 | FileCheck %s --check-prefix=REMARK1
// RUN: FileCheck %s --check-prefixes=CHECK,SCORES --input-file=%t.scores

// REMARK2: remark: [Passed] priority | Category:attn-prioritize-products | Function=k | Remark="waves go first while they have products:", products=2
// REMARK1: {{.*}}products=1
// AGAIN: remark: [Missed] priority | {{.*}}Function=k | Remark="no such product without priority"

// In the pipeline, and behind it an s_setprio in machine code; none by default.
// DEFINE: %{isa} = attn-compile %examples/llama3-8b-prefill.mlir --target=mi300x --emit=isa
// RUN: %{isa} --also-lower=priority=scores | FileCheck %s --check-prefix=ISA
// RUN: %{isa} | FileCheck %s --check-prefix=DEFAULT
// ISA: s_setprio 1
// ISA: v_mfma
// ISA: s_setprio 0
// DEFAULT: v_mfma
// DEFAULT-NOT: s_setprio

// On the CPU it is nothing.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=mi300x --lower=priority=all --run --sequential --size=batch=1,query=20,key=40 | FileCheck %s --check-prefix=CPU
// CPU: PASS

#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8)], registers [8:(0, 1), 2:(0, 16)]>
module attributes {attn.target = #attn.target<"mi300x">} {
// CHECK-LABEL: attn.kernel @k
// CHECK: attn.stream
// CHECK: attn.dot {{.*}} transpose_rhs prioritized :
// ALL: attn.dot %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} prioritized :
// SCORES: attn.dot %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} :
// CHECK: attn.yield
attn.kernel @k(%a: !attn.view<?x16xbf16>) attributes {threads = 64 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #acc>
  %x = attn.ring.create : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
  %y = attn.ring.create : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
  attn.grid (%i) visit %v in (i = %c1) {
    %r = attn.stream %j step 32 over [%c0 to %i] carry (%c = %zero : tensor<32x32xf32, #acc>) {
      %p = attn.ring.wait %x : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>> -> tensor<32x16xbf16, #attn.shared<32, folded>>
      %q = attn.ring.wait %y : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>> -> tensor<16x32xbf16, #attn.shared<32, transposed, folded>>
      %s = attn.dot %p, %p, %c transpose_rhs : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<32x16xbf16, #attn.shared<32, folded>> into tensor<32x32xf32, #acc>
      %d = attn.dot %p, %q, %s : tensor<32x16xbf16, #attn.shared<32, folded>>, tensor<16x32xbf16, #attn.shared<32, transposed, folded>> into tensor<32x32xf32, #acc>
      attn.ring.release %x : !attn.ring<2 x tensor<32x16xbf16, #attn.shared<32, folded>>>
      attn.ring.release %y : !attn.ring<2 x tensor<16x32xbf16, #attn.shared<32, transposed, folded>>>
      attn.yield %d : tensor<32x32xf32, #acc>
    }
  }
}
}
