// A kernel of clusters with roles: all threads arrive at the cluster's barrier, and wait there once, a producer before it
// ends. No fence waits for memory, and nobody waits behind the merge. A tile of many rows is shown, as it would take too
// much of the memory of who merges it.
// RUN: attn-compile %s --target=h200 --schedule='split-cluster splits=8 tiles=query=64,key=64' \
// RUN:   --lower='wgmma=all specialize overlap stages=4' --emit=ptx \
// RUN:   | FileCheck %s --implicit-check-not=barrier.cluster --implicit-check-not=fence.release --implicit-check-not=ld.volatile.shared::cluster
// RUN: sed 's/x4x128/x64x128/g' %s | attn-compile - --target=h200 --schedule='split-cluster splits=8 tiles=query=64,key=64' \
// RUN:   --lower='wgmma=all specialize overlap stages=2' --emit=ptx | FileCheck %s --check-prefix=SHOWN --implicit-check-not=st.async

// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: bar.sync 0;
// CHECK: barrier.cluster.arrive.relaxed.aligned;
// CHECK: barrier.cluster.wait;
// CHECK: barrier.cluster.wait.aligned;
// CHECK: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.f32
// CHECK: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64
// CHECK: ld.volatile.shared

// SHOWN: fence.release.sync_restrict::shared::cta.cluster;
// SHOWN: ld.volatile.shared::cluster

func.func @decode(%q: tensor<?x8x4x128xbf16>, %k: tensor<?x8x?x128xbf16>, %v: tensor<?x8x?x128xbf16>) -> tensor<?x8x4x128xbf16> {
  %o = attn.attention %q, %k, %v scale(0.0883883461)
      : (tensor<?x8x4x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>) -> tensor<?x8x4x128xbf16>
  return %o : tensor<?x8x4x128xbf16>
}
