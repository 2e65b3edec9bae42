// attn-issue-dots: products of warpgroups, issued in one place and waited for in another.
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-issue-dots))' --remarks-filter='attn-issue.*' -o %t.all 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.all
// RUN: attn-opt %s --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{products=all},attn-issue-dots))' | sed 's/ by(#attn.mma_sync)//' | diff %t.all -
// RUN: attn-opt %s --mlir-disable-threading --pass-pipeline='builtin.module(attn-set-target{target=h200},attn.kernel(attn-assign-units{products=scores},attn-issue-dots))' --remarks-filter='attn-issue.*' -o %t.scores 2>&1 | FileCheck %s --check-prefix=SREMARK --implicit-check-not=remark:
// RUN: FileCheck %s --input-file=%t.scores --check-prefix=SCORES
// The scores first and the others then are all of them; of these nothing is left to do.
// RUN: attn-opt %t.all --pass-pipeline='builtin.module(attn.kernel(attn-issue-dots))' | diff %t.all -

// A remark for each product: those that stay say where they are.
// REMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=attention | Remark="product is asynchronous"
// REMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=attention | Remark="product is asynchronous"
// REMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=matmul | Remark="product is asynchronous"
// REMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=mixed | Remark="product is asynchronous"
// REMARK: remark: [Missed] issued | Category:attn-issue-dots | Function=mixed | Remark="operands are not copied by tensor maps"
// REMARK-NEXT: %o = attn.dot %p, %t, %zero :
// REMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=fetch | Remark="product is asynchronous"
// REMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=fetch | Remark="product is asynchronous"
// SREMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=attention | Remark="product is asynchronous"
// SREMARK: remark: [Missed] issued | Category:attn-issue-dots | Function=attention | Remark="its matrix unit is not asynchronous"
// SREMARK-NEXT: %o = attn.dot %p, %t, %a :
// SREMARK: remark: [Missed] issued | Category:attn-issue-dots | Function=matmul | Remark="its matrix unit is not asynchronous"
// SREMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=mixed | Remark="product is asynchronous"
// SREMARK: remark: [Missed] issued | Category:attn-issue-dots | Function=mixed | Remark="its matrix unit is not asynchronous"
// SREMARK: remark: [Passed] issued | Category:attn-issue-dots | Function=fetch | Remark="product is asynchronous"
// SREMARK: remark: [Missed] issued | Category:attn-issue-dots | Function=fetch | Remark="its matrix unit is not asynchronous"

#acc = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 4:(0, 8)]>
#wide = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 4:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
!q = tensor<64x64xbf16, #attn.shared<128>>
!k = tensor<32x64xbf16, #attn.shared<128>>
!s = tensor<64x32xf32, #acc>
!p = tensor<64x32xbf16, #acc>
!o = tensor<64x64xf32, #wide>

// Scores from shared memory; P V with P in the registers of the scores. Everything else
// stays, in its order: the wait stands between the issue and the release of what the
// product reads.

// CHECK-DAG: #[[SHARED128:shared[0-9]*]] = #attn.shared<128>
// CHECK-DAG: #[[SHARED64:shared[0-9]*]] = #attn.shared<64>
// CHECK-LABEL: attn.kernel @attention
// CHECK-SAME: attributes {threads = 128 : i64}
// CHECK-DAG: %[[NONE:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<64x32xf32, #{{acc[0-9]*}}>
// CHECK-DAG: %[[ZERO:[^ ]+]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #{{acc[0-9]*}}>
// CHECK: %[[Q:[^ ]+]] = attn.ring.wait %[[RQ:[^ ]+]] : <1 x
// CHECK-NEXT: attn.stream %{{[^ ]+}} step 32 over {{.*}} carry (%[[A:[^ ]+]] = %[[ZERO]] :
// CHECK-NEXT: %[[K:[^ ]+]] = attn.ring.wait %[[RK:[^ ]+]] :
// CHECK-NEXT: %[[QK:product[^ ]*]] = attn.dot.issue %[[Q]], %[[K]], %[[NONE]] transpose_rhs by(#attn.wgmma) : tensor<64x64xbf16, #[[SHARED128]]>, tensor<32x64xbf16, #[[SHARED128]]>, tensor<64x32xf32, #[[ACC:acc[0-9]*]]> -> <tensor<64x32xf32, #[[ACC]]>>{{$}}
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] : <tensor<64x32xf32, #[[ACC]]>> -> tensor<64x32xf32, #[[ACC]]>{{$}}
// CHECK-NEXT: attn.ring.release %[[RK]] :
// CHECK-NEXT: %[[P:[^ ]+]] = arith.truncf %[[S]] :
// CHECK-NEXT: %[[V:[^ ]+]] = attn.ring.wait %[[RV:[^ ]+]] :
// CHECK-NEXT: %[[PV:product[^ ]*]] = attn.dot.issue %[[P]], %[[V]], %[[A]] by(#attn.wgmma) : tensor<64x32xbf16, #[[ACC]]>, tensor<32x64xbf16, #[[SHARED128]]>, tensor<64x64xf32, #[[WIDE:acc[0-9]*]]> -> <tensor<64x64xf32, #[[WIDE]]>>{{$}}
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot.wait %[[PV]] : <tensor<64x64xf32, #[[WIDE]]>> -> tensor<64x64xf32, #[[WIDE]]>{{$}}
// CHECK-NEXT: attn.ring.release %[[RV]] :
// CHECK-NEXT: attn.yield %[[O]] :
// SCORES-LABEL: attn.kernel @attention
// SCORES: %[[QK:product[^ ]*]] = attn.dot.issue {{.*}} transpose_rhs by(#attn.wgmma) : tensor<64x64xbf16,
// SCORES-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]] :
// SCORES-NEXT: attn.ring.release
// SCORES-NEXT: %[[P:[^ ]+]] = arith.truncf %[[S]] :
// SCORES-NEXT: %[[V:[^ ]+]] = attn.ring.wait
// SCORES-NEXT: %[[O:[^ ]+]] = attn.dot %[[P]], %[[V]], %{{[^ ]+}} by(#attn.mma_sync) : tensor<64x32xbf16,
// SCORES-NEXT: attn.ring.release
// SCORES-NEXT: attn.yield %[[O]] :
attn.kernel @attention(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  attn.grid (%i) visit %v in (query = %n) {
    %sq = attn.ring.acquire %rq : <1 x !q> -> <!q>
    %pq = attn.ring.issue %sq, %x[%i, %i] : <!q>, <?x64xbf16> -> <!q>
    attn.ring.land %pq : <!q>
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %r = attn.stream %j step 32 over [%i to %n] carry (%a = %zero : !o) {
      %k = attn.ring.wait %rk : <2 x !k> -> !k
      %s = attn.dot %q, %k, %none transpose_rhs : !q, !k into !s
      attn.ring.release %rk : <2 x !k>
      %p = arith.truncf %s : !s to !p
      %t = attn.ring.wait %rv : <2 x !k> -> !k
      %o = attn.dot %p, %t, %a : !p, !k into !o
      attn.ring.release %rv : <2 x !k>
      attn.yield %o : !o
    }
    attn.store %r, %y[%i, %i] : !o -> <?x64xf32>
  }
}

// As large as it gets: two warpgroups of 64 rows, 256 columns, both operands in shared
// memory, of f16.

// CHECK-LABEL: attn.kernel @matmul
// CHECK: %[[P:product[^ ]*]] = attn.dot.issue %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} by(#attn.wgmma) : tensor<128x32xf16, #[[SHARED64]]>, tensor<32x256xf16, #[[SHARED128]]>, tensor<128x256xf32, #[[ACC:acc[0-9]*]]> -> <tensor<128x256xf32, #[[ACC]]>>
// CHECK-NEXT: %[[D:[^ ]+]] = attn.dot.wait %[[P]] : <tensor<128x256xf32, #[[ACC]]>> -> tensor<128x256xf32, #[[ACC]]>
// CHECK-NEXT: attn.yield %[[D]]
// SCORES-LABEL: attn.kernel @matmul
// SCORES: %[[D:[^ ]+]] = attn.dot %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} by(#attn.mma_sync) : tensor<128x32xf16,
// SCORES-NEXT: attn.yield %[[D]]
#large = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 32:(0, 8)]>
!a = tensor<128x32xf16, #attn.shared<64>>
!b = tensor<32x256xf16, #attn.shared<128>>
!c = tensor<128x256xf32, #large>
attn.kernel @matmul(%y: !attn.view<?x?xf32>, %n: index) attributes {threads = 256 : i64} {
  %ra = attn.ring.create : <2 x !a>
  %rb = attn.ring.create : <2 x !b>
  %zero = arith.constant dense<0.0> : !c
  attn.grid (%i, %j) visit %v in (i = %n, j = %n) {
    %r = attn.stream %p step 32 over [%i to %n] carry (%x = %zero : !c) {
      %s = attn.ring.wait %ra : <2 x !a> -> !a
      %t = attn.ring.wait %rb : <2 x !b> -> !b
      %d = attn.dot %s, %t, %x : !a, !b into !c
      attn.yield %d : !c
    }
    attn.store %r, %y[%i, %j] : !c -> <?x?xf32>
  }
}

// Each product by itself: threads copy V, so that one waits for its operands in registers.

// CHECK-LABEL: attn.kernel @mixed
// CHECK: %[[QK:product[^ ]*]] = attn.dot.issue
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]]
// CHECK: %[[P:[^ ]+]] = arith.truncf %[[S]] :
// CHECK-NEXT: %[[O:[^ ]+]] = attn.dot %[[P]], %{{[^ ]+}}, %{{[^ ]+}} : tensor<64x32xbf16,
// CHECK-NEXT: attn.store %[[O]],
attn.kernel @mixed(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %n: index) attributes {threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  attn.grid (%i) visit %v in (query = %n) {
    %sk = attn.ring.acquire %rk : <2 x !k> -> <!k>
    %pk = attn.ring.issue %sk, %x[%i, %i] by tensor : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %pk : <!k>
    %sv = attn.ring.acquire %rv : <2 x !k> -> <!k>
    %pv = attn.ring.issue %sv, %x[%i, %i] by async : <!k>, <?x64xbf16> -> <!k>
    attn.ring.land %pv : <!k>
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %t = attn.ring.wait %rv : <2 x !k> -> !k
    %s = attn.dot %q, %k, %none transpose_rhs : !q, !k into !s
    %p = arith.truncf %s : !s to !p
    %o = attn.dot %p, %t, %zero : !p, !k into !o
    attn.store %o, %y[%i, %i] : !o -> <?x64xf32>
  }
}

// What meets the product in registers is read while that is under way: the tile of a ring
// that nothing else uses. One that clears rows, one that a product uses too and one that
// is released elsewhere stay where they are, and so does what stands behind another
// product.

// CHECK-LABEL: attn.kernel @fetch
// CHECK: %[[QK:product[^ ]*]] = attn.dot.issue
// CHECK-NEXT: %[[TILE:[^ ]+]] = attn.ring.wait %[[RB:ring[^ ]*]] :
// CHECK-NEXT: attn.convert_layout %[[TILE]]
// CHECK-NEXT: attn.ring.release %[[RB]]
// CHECK-NEXT: %[[S:[^ ]+]] = attn.dot.wait %[[QK]]
// CHECK: attn.ring.wait %{{[^ ]+}} first
// CHECK-NEXT: attn.convert_layout
// CHECK: %[[SHARED_TILE:[^ ]+]] = attn.ring.wait
// CHECK-NEXT: attn.convert_layout %[[SHARED_TILE]]
// CHECK: %[[PV:product[^ ]*]] = attn.dot.issue %{{[^ ]+}}, %[[SHARED_TILE]],
// CHECK-NEXT: attn.dot.wait %[[PV]]
// CHECK-NEXT: attn.ring.release
// CHECK-NEXT: %[[LATE:[^ ]+]] = attn.ring.wait
// CHECK-NEXT: attn.convert_layout %[[LATE]]
// CHECK-NEXT: attn.store
!e = tensor<64x32xbf16, #attn.shared<64>>
attn.kernel @fetch(%x: !attn.view<?x64xbf16>, %y: !attn.view<?x64xf32>, %z: !attn.view<?x32xbf16>, %n: index) attributes {threads = 128 : i64} {
  %rq = attn.ring.create : <1 x !q>
  %rk = attn.ring.create : <2 x !k>
  %rv = attn.ring.create : <2 x !k>
  %rb = attn.ring.create : <2 x !e>
  %rc = attn.ring.create : <2 x !e>
  %rd = attn.ring.create : <1 x !e>
  %none = arith.constant dense<0.0> : !s
  %zero = arith.constant dense<0.0> : !o
  attn.grid (%i) visit %v in (query = %n) {
    %q = attn.ring.wait %rq : <1 x !q> -> !q
    %k = attn.ring.wait %rk : <2 x !k> -> !k
    %s = attn.dot %q, %k, %none transpose_rhs : !q, !k into !s
    attn.ring.release %rk : <2 x !k>
    %b = attn.ring.wait %rb : <2 x !e> -> !e
    %bias = attn.convert_layout %b : !e to !p
    attn.ring.release %rb : <2 x !e>
    %c = attn.ring.wait %rc first %n : <2 x !e> -> !e
    %cleared = attn.convert_layout %c : !e to !p
    attn.ring.release %rc : <2 x !e>
    %t = attn.ring.wait %rv : <2 x !k> -> !k
    %read = attn.convert_layout %t : !k to tensor<32x64xbf16>
    %narrow = arith.truncf %s : !s to !p
    %sum = arith.addf %narrow, %bias : !p
    %p = arith.addf %sum, %cleared : !p
    %o = attn.dot %p, %t, %zero : !p, !k into !o
    attn.ring.release %rv : <2 x !k>
    %d = attn.ring.wait %rd : <1 x !e> -> !e
    %late = attn.convert_layout %d : !e to !p
    attn.store %late, %z[%i, %i] : !p -> <?x32xbf16>
    attn.store %o, %y[%i, %i] : !o -> <?x64xf32>
  }
}

// In the pipeline, wgmma=all and wgmma=scores: layouts with 16 rows a warp to begin with.
// Without, nothing of this.
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64' --lower=wgmma=all --emit=target | FileCheck %s --check-prefix=PIPE --implicit-check-not="attn.dot "
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64' --lower=wgmma=scores --emit=target | FileCheck %s --check-prefix=PIPESCORES
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64' --emit=target -o %t.plain
// RUN: FileCheck %s --check-prefix=PLAIN --implicit-check-not=attn.dot. --input-file=%t.plain
// RUN: attn-compile %examples/llama3-8b-prefill.mlir --target=h200 --schedule='tiles=query=128,key=64' --lower=wgmma=none --emit=target | diff %t.plain -
// PIPE-DAG: #[[ACC64:acc[0-9]*]] = #attn.fragment<threads [4:(0, 2), 8:(1, 0), 8:(16, 0)], registers [2:(0, 1), 2:(8, 0), 8:(0, 8)]>
// PIPE-DAG: #[[SHARED:shared[0-9]*]] = #attn.shared<128>
// PIPE: attn.kernel @prefill_attention{{.*}} threads = 256
// PIPE: attn.dot.issue {{.*}} transpose_rhs by(#attn.wgmma) : tensor<128x128xbf16, #[[SHARED]]>, tensor<64x128xbf16, #[[SHARED]]>, tensor<128x64xf32, #[[ACC64]]>
// PIPE: attn.dot.wait
// PIPE: attn.dot.issue {{.*}} by(#attn.wgmma) : tensor<128x64xbf16, #[[ACC64]]>, tensor<64x128xbf16, #[[SHARED]]>, tensor<128x128xf32,
// PIPE: attn.dot.wait
// PIPESCORES: attn.kernel @prefill_attention{{.*}} threads = 256
// PIPESCORES: attn.dot.issue {{.*}} transpose_rhs
// PIPESCORES: attn.dot.wait
// PIPESCORES-NOT: attn.dot.issue
// PIPESCORES: attn.dot %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} by(#attn.mma_sync) : tensor<128x64xbf16,
// PIPESCORES-NOT: attn.dot.issue
// PLAIN: attn.kernel @prefill_attention{{.*}} threads = 128
// PLAIN: attn.dot {{.*}} transpose_rhs
// PLAIN: attn.dot %{{[^ ]+}}, %{{[^ ]+}}, %{{[^ ]+}} by(#attn.mma_sync) : tensor<128x64xbf16,
