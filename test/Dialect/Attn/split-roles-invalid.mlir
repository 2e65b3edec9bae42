// attn-split-roles: kernels that it leaves as they are. It is said where a producer is decided
// on (attn-specialize-warps): here are no remarks.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200})' -o %t.before
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' -o %t.after --remarks-filter='attn.*' 2>&1 | count 0
// RUN: diff %t.before %t.after

// Registers are shared out among warpgroups.
// RUN: for t in 0 64 192 -128; do \
// RUN:   sed "s/threads = 256/threads = $t/" %S/split-roles.mlir | not attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' 2>&1 | FileCheck %s --check-prefix=GROUPS -DT=$t || exit 1; done
// RUN: sed "s/threads = 256 : i64/threads = 256 : i128/" %S/split-roles.mlir | not attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' 2>&1 | FileCheck %s --check-prefix=GROUPS -DT='256 : i128'
// GROUPS: error: 'attn.kernel' op expected whole warpgroups of 128 threads beside a producer, in its attribute 'threads', but got [[T]]{{$}}

// RUN: for r in 20 28 72 -24; do \
// RUN:   sed "s/producer_warps = 4 : i64, threads = 256/producer_registers = $r : i64, producer_warps = 4 : i64, threads = 256/" %S/split-roles.mlir | not attn-opt --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-split-roles))' 2>&1 | FileCheck %s --check-prefix=REGISTERS -DR=$r || exit 1; done
// REGISTERS: error: expected a multiple of 8 from 24 to 64 registers of a thread that copies, or 0 for the default, but got [[R]]{{$}}

// Nobody decided on a producer.
!k = tensor<32x64xbf16, #attn.shared<128>>
attn.kernel @none(%x: !attn.view<?x64xbf16>, %n: index) attributes {threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
    %t = attn.ring.wait %r : <2 x !k> -> !k
    attn.ring.release %r : <2 x !k>
  }
}

// The number of consumers is unknown.
attn.kernel @unknown(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.ctas %cta in %n {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%cta, %cta] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
  }
}

// A grid is not the body of a CTA yet.
attn.kernel @grid(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.grid (%i) visit %v in (query = %n) {
    %s = attn.ring.acquire %r : <2 x !k> -> <!k>
    %p = attn.ring.issue %s, %x[%i, %i] : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %p : <!k>
  }
}

// A stream is no loop yet.
attn.kernel @stream(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  %c0 = arith.constant 0 : index
  attn.ctas %cta in %n {
    attn.stream %j step 32 over [%c0 to %n] {
      %s = attn.ring.acquire %r : <2 x !k> -> <!k>
      %p = attn.ring.issue %s, %x[%j, %c0] : <!k>, <?x64xbf16> -> <!k>
      attn.ring.land %p : <!k>
      attn.yield
    }
  }
}

// Split already.
attn.kernel @split(%x: !attn.view<?x64xbf16>, %n: index) attributes {producer_warps = 4 : i64, threads = 256 : i64} {
  %r = attn.ring.create : <2 x !k>
  attn.ctas %cta in %n {
    attn.specialize producer 4 warps (24) {
      %s = attn.ring.acquire %r : <2 x !k> -> <!k>
      %p = attn.ring.issue %s, %x[%cta, %cta] : <!k>, <?x64xbf16> -> <!k>
      attn.ring.land %p : <!k>
    } consumers (240) {
      %t = attn.ring.wait %r : <2 x !k> -> !k
      attn.ring.release %r : <2 x !k>
    }
  }
}

// It is a pass on kernels.
// RUN: not attn-opt %s --pass-pipeline='builtin.module(attn-split-roles)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// ANCHOR: error: Can't add pass 'AttnSplitRoles' restricted to 'attn.kernel' on a PassManager intended to run on 'builtin.module'
