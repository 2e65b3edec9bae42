// RUN: attn-opt %s | attn-opt | FileCheck %s
// RUN: attn-opt %s --attn-stream-partition | FileCheck %s --check-prefix=KERNEL

// CHECK-LABEL: func @pages
// CHECK: attn.append_cache %{{.*}}, %{{.*}} to %{{.*}}, %{{.*}} at %{{.*}} block_table(%{{.*}}) rotary(%{{.*}}, %{{.*}}) interleaved layout(bshd) cache_layout(bhsd) :

// The launch has the caches as what it writes over, and makes room for lengths alone.
// KERNEL-LABEL: func @pages
// KERNEL-NOT: append_cache
// KERNEL: %[[ROOM:.*]] = tensor.empty
// KERNEL: attn.launch @pages_append_cache ins(%arg0, %arg1, %arg4, %arg5, %arg6, %arg7 :
// KERNEL-SAME: outs(%arg2, %arg3, %[[ROOM]] :

// Both tiles are under way before the first is stored; what has no place is stored behind the last page.
// KERNEL-LABEL: attn.kernel @pages_append_cache(
// KERNEL-SAME: step = "append"
// KERNEL: attn.grid (%{{.*}}, %{{.*}}, %{{.*}}) visit %{{.*}} in (batch = %{{.*}}, token = %{{.*}}, block = %{{.*}})
// KERNEL: attn.read %lengths[
// KERNEL: arith.divui
// KERNEL: attn.read %block_table[
// KERNEL: arith.minui
// KERNEL: attn.write %{{.*}}, %new_lengths[
// KERNEL: attn.load %k[
// KERNEL: attn.gather %k[
// KERNEL: attn.gather %cos[
// KERNEL: attn.gather %sin[
// KERNEL: attn.load %v[
// KERNEL: attn.store %{{.*}}, %k_cache[
// KERNEL: attn.store %{{.*}}, %v_cache[
func.func @pages(%k: tensor<?x?x8x128xbf16>, %v: tensor<?x?x8x64xbf16>, %kc: tensor<?x8x64x128xbf16>, %vc: tensor<?x8x64x64xbf16>,
                 %n: tensor<?xi32>, %t: tensor<?x?xi32>, %cos: tensor<?x32xbf16>, %sin: tensor<?x32xbf16>)
    -> (tensor<?x8x64x128xbf16>, tensor<?x8x64x64xbf16>, tensor<?xi32>) {
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n block_table(%t) rotary(%cos, %sin) interleaved layout(bshd) cache_layout(bhsd)
    : (tensor<?x?x8x128xbf16>, tensor<?x?x8x64xbf16>, tensor<?x8x64x128xbf16>, tensor<?x8x64x64xbf16>, tensor<?xi32>, tensor<?x?xi32>,
       tensor<?x32xbf16>, tensor<?x32xbf16>) -> (tensor<?x8x64x128xbf16>, tensor<?x8x64x64xbf16>, tensor<?xi32>)
  return %a, %b, %m : tensor<?x8x64x128xbf16>, tensor<?x8x64x64xbf16>, tensor<?xi32>
}

// CHECK-LABEL: func @packed
// CHECK: attn.append_cache %{{.*}} cu_seqlens(%{{.*}}) :

// A CTA finds the sequence of its token by halving.
// KERNEL-LABEL: attn.kernel @packed_append_cache(
// KERNEL: attn.grid (%{{.*}}, %{{.*}}) visit %{{.*}} in (token = %{{.*}}, block = %{{.*}})
// KERNEL: scf.for
// KERNEL: attn.read %cu_seqlens[
// KERNEL: attn.write %{{.*}}, %new_lengths[
func.func @packed(%k: tensor<1x2x?x64xf16>, %v: tensor<1x2x?x64xf16>, %kc: tensor<?x2x?x64xf16>, %vc: tensor<?x2x?x64xf16>,
                  %n: tensor<?xi64>, %c: tensor<?xi32>)
    -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi64>) {
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n cu_seqlens(%c)
    : (tensor<1x2x?x64xf16>, tensor<1x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi64>, tensor<?xi32>) -> (tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi64>)
  return %a, %b, %m : tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?xi64>
}

// CHECK-LABEL: func @rotate
// CHECK: attn.rotate %{{.*}} at %{{.*}} by %{{.*}}, %{{.*}} together layout(bshd) :

// Columns behind those that are turned stay.
// KERNEL-LABEL: attn.kernel @rotate_rotate(
// KERNEL: %[[TURNED:.*]] = arith.addf
// KERNEL: arith.select %{{.*}}, %[[TURNED]], %{{.*}} : tensor<16x48xi1>
// KERNEL: attn.store %{{.*}}, %turned[
func.func @rotate(%x: tensor<?x?x32x40xf16>, %n: tensor<?xi32>, %cos: tensor<?x8xf16>, %sin: tensor<?x8xf16>) -> tensor<?x?x32x40xf16> {
  %y = attn.rotate %x at %n by %cos, %sin together layout(bshd)
    : (tensor<?x?x32x40xf16>, tensor<?xi32>, tensor<?x8xf16>, tensor<?x8xf16>) -> tensor<?x?x32x40xf16>
  return %y : tensor<?x?x32x40xf16>
}

// CHECK-LABEL: func @narrow
// CHECK: attn.append_cache %{{.*}} rotary(%{{.*}}, %{{.*}}) k_scale(%{{.*}}) v_scale(%{{.*}}) :

// Both tiles are under way before one is turned. Each head has its divisor, or all have one; a turned key is rounded once.
// KERNEL-LABEL: func @narrow
// KERNEL: attn.launch @narrow_append_cache ins(%arg0, %arg1, %arg4, %arg5, %arg6, %arg7, %arg8 :
// KERNEL-LABEL: attn.kernel @narrow_append_cache(
// KERNEL: attn.load %k[
// KERNEL: attn.load %v[
// KERNEL: %[[TURNED:.*]] = arith.select %{{.*}} : tensor<16x64xi1>, tensor<16x64xf32>
// KERNEL: %[[HEADS:.*]] = attn.iota 0 from %{{.*}} : tensor<16xindex>
// KERNEL: %[[OWN:.*]] = attn.gather %k_scale[%{{.*}}, %[[HEADS]]] : !attn.view<?x2xf32> at(index, tensor<16xindex>) -> tensor<16xf32>
// KERNEL: %[[DIVISOR:.*]] = attn.broadcast %[[OWN]]
// KERNEL: %[[KEYS:.*]] = arith.divf %{{.*}}, %[[DIVISOR]] : tensor<16x64xf32>
// KERNEL: %[[ONE:.*]] = attn.gather %v_scale[%c0{{.*}}, %c0{{.*}}] : !attn.view<1x1xf32> -> f32
// KERNEL: %[[SPLAT:.*]] = tensor.splat %[[ONE]] : tensor<16x64xf32>
// KERNEL: %[[VALUES:.*]] = arith.divf %{{.*}}, %[[SPLAT]] : tensor<16x64xf32>
// KERNEL: %[[K8:.*]] = arith.truncf %[[KEYS]] : tensor<16x64xf32> to tensor<16x64xf8E4M3FN>
// KERNEL: %[[V8:.*]] = arith.truncf %[[VALUES]] : tensor<16x64xf32> to tensor<16x64xf8E4M3FN>
// KERNEL: attn.store %[[K8]], %k_cache[
// KERNEL: attn.store %[[V8]], %v_cache[
func.func @narrow(%k: tensor<?x2x?x64xbf16>, %v: tensor<?x2x?x64xbf16>, %kc: tensor<?x2x?x64xf8E4M3FN>, %vc: tensor<?x2x?x64xf8E4M3FN>,
                  %n: tensor<?xi32>, %cos: tensor<?x8xbf16>, %sin: tensor<?x8xbf16>, %s: tensor<?x2xf32>, %t: tensor<1x1xf32>)
    -> (tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?xi32>) {
  %a, %b, %m = attn.append_cache %k, %v to %kc, %vc at %n rotary(%cos, %sin) k_scale(%s) v_scale(%t)
    : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?xi32>, tensor<?x8xbf16>, tensor<?x8xbf16>,
       tensor<?x2xf32>, tensor<1x1xf32>) -> (tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?xi32>)
  return %a, %b, %m : tensor<?x2x?x64xf8E4M3FN>, tensor<?x2x?x64xf8E4M3FN>, tensor<?xi32>
}
