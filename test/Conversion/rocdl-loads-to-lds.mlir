// convert-attn-to-rocdl: loads straight to LDS. Each wave fills 1024 bytes, lane by lane; the layout follows from what lanes load, a
// wait stands where the copy lands, and reads of LDS are not said to depend on such loads.
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn.kernel(attn-place-barriers),convert-attn-to-rocdl,canonicalize,cse)' | FileCheck %s

// CHECK-DAG: #[[COPIES:.*]] = #llvm.alias_scope<id = distinct[1]<>, domain = #[[DOMAIN:.*]]>
// CHECK-DAG: #[[OTHERS:.*]] = #llvm.alias_scope<id = distinct[2]<>, domain = #[[DOMAIN]]>
// Rows begin at multiples of 16 bytes.
// CHECK-LABEL: llvm.func @copy(
// CHECK-SAME: align = [{bytes = 16 : i64, view = 0 : i64}
// CHECK: rocdl.readfirstlane
// Two waves fill the 4096 bytes of the tile twice.
// CHECK-COUNT-2: rocdl.raw.ptr.buffer.load.lds {{.*}}alias_scopes = [#[[COPIES]]]
// CHECK-NOT: buffer.load
// CHECK: rocdl.sched.barrier 0
// CHECK-NEXT: rocdl.s.waitcnt 3952
// CHECK: rocdl.s.barrier
// CHECK-NOT: llvm.store {{.*}} !llvm.ptr<3>
// CHECK: llvm.load {{.*}}alias_scopes = [#[[OTHERS]]], alignment = {{[0-9]+}} : i64, noalias_scopes = [#[[COPIES]]]{{.*}} !llvm.ptr<3>
#acc = #attn.fragment<threads [32:(1, 0), 2:(0, 8), 2:(32, 0)], registers [8:(0, 1), 2:(0, 16)]>
!t = tensor<64x32xf16, #attn.shared<64, paired>>
!v = !attn.view<?x32xf16>
module attributes {attn.target = #attn.target<"mi355x">} {
attn.kernel @copy(%a: !v, %o: !attn.view<?x32xf16>) attributes {threads = 128 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = attn.ring.create : !attn.ring<2 x !t>
  attn.ctas %w in %c1 {
    %s = attn.ring.acquire %r : !attn.ring<2 x !t> -> !attn.slot<!t>
    %p = attn.ring.issue %s, %a[%c0, %c0] by lds : !attn.slot<!t>, !v -> !attn.pending<!t>
    attn.ring.land %p : !attn.pending<!t>
    %x = attn.ring.wait %r : !attn.ring<2 x !t> -> !t
    %y = attn.convert_layout %x : !t to tensor<64x32xf16, #acc>
    attn.ring.release %r : !attn.ring<2 x !t>
    attn.store %y, %o[%c0, %c0] : tensor<64x32xf16, #acc> -> !attn.view<?x32xf16>
  }
}
}
