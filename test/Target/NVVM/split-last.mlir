// Parts of which the CTA that is done last merges them: one kernel and a workspace, which nothing clears, with roles and
// without, for both chips.
// RUN: attn-compile %s --target=h200 --schedule='split-last splits=16 tiles=query=64,key=64' \
// RUN:   --lower='wgmma=all specialize overlap stages=2' --emit=ptx | FileCheck %s --implicit-check-not=griddepcontrol
// RUN: attn-compile %s --target=gb10 --schedule='split-last splits=3 tiles=query=16,key=64' --emit=ptx \
// RUN:   | FileCheck %s --implicit-check-not=griddepcontrol
// RUN: rm -rf %t && attn-compile %s --target=h200 --schedule='split-last splits=16 tiles=query=64,key=64' --ptxas=none --emit=bundle -o %t
// RUN: %python -c "import json; print(*[([(a['name'], a['element']) for a in v['workspace']], [s['kernel'] for s in v['steps']]) for v in json.load(open('%t/manifest.json'))['programs'][0]['variants']])" \
// RUN:   | FileCheck %s --check-prefix=BUNDLE

// What a CTA that begins finds is kept until it is done. States are stored before all of a CTA's threads meet, and loaded behind
// where they hear what the first of them found.
// CHECK: atom.relaxed.gpu.global.or.b64
// CHECK: st.global
// CHECK: bar.sync
// CHECK: atom.acq_rel.gpu.global.xor.b64
// CHECK: st.shared.b64
// CHECK: bar.sync
// CHECK: ld.shared.b64
// CHECK: ld.volatile.global
// CHECK: st.global

// BUNDLE: ([('factor', 'f32'), ('reference', 'f32'), ('sum', 'f32'), ('acc', 'f32'), ('words', 'i64')], ['decode_attention'])

func.func @decode(%q: tensor<?x8x4x128xbf16>, %k: tensor<?x8x?x128xbf16>, %v: tensor<?x8x?x128xbf16>) -> tensor<?x8x4x128xbf16> {
  %o = attn.attention %q, %k, %v scale(0.0883883461)
      : (tensor<?x8x4x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>) -> tensor<?x8x4x128xbf16>
  return %o : tensor<?x8x4x128xbf16>
}
