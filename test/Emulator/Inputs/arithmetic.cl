// Arithmetic that is exact, or rounded once, on every machine: compiled by LLVM for
// gfx942 and run in the emulator, and compiled for the host, it gives the same bits.

#ifdef __OPENCL_C_VERSION__
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define KERNEL(NAME, ...)                                                      \
  __attribute__((amdgpu_flat_work_group_size(64, 64))) kernel void NAME(__VA_ARGS__)
#define ITEM()                                                                 \
  (int)(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#else
#define KERNEL(NAME, ...) void NAME(__VA_ARGS__)
#define global
#define half _Float16
extern int item;
#define ITEM() item
// To nearest, ties to even: clang calls this, and older libgcc do not have it.
__bf16 __truncsfbf2(float x) {
  union {
    float f;
    unsigned u;
  } from = {x};
  union {
    unsigned short u;
    __bf16 b;
  } to = {(unsigned short)((from.u + 0x7fff + (from.u >> 16 & 1)) >> 16)};
  return to.b;
}
#endif

#define VECTOR(N) __attribute__((ext_vector_type(N)))
typedef half f16x4 VECTOR(4);
typedef float f32x2 VECTOR(2);
typedef float f32x4 VECTOR(4);
typedef short i16x2 VECTOR(2);
typedef __bf16 bf16x4 VECTOR(4);
typedef long int64;
typedef unsigned long uint64;
typedef unsigned int uint32;
typedef unsigned char byte;

KERNEL(f32, global float *o, global const float *a, int n) {
  int i = ITEM();
  float x = a[2 * i], y = a[2 * i + 1];
  float r = x / y + __builtin_floorf(y) * __builtin_truncf(x);
  r = __builtin_fmaf(r, x, -y) + __builtin_rintf(x) - __builtin_fabsf(y);
  r += __builtin_copysignf(0.5f, y) * __builtin_ceilf(x);
  o[i] = x > y ? r : __builtin_elementwise_max(r, x) - (float)(int)(y * n);
}

KERNEL(f32_packed, global f32x2 *o, global const f32x4 *a, int n) {
  int i = ITEM();
  f32x4 x = a[i];
  f32x2 p = x.xy * x.zw + (f32x2)((float)n);
  p = p * (f32x2)(0.25f) - x.yx;
  o[i] = __builtin_elementwise_min(p, (f32x2)(3.0f)) * x.ww;
}

KERNEL(f64, global double *o, global const double *a, int n) {
  int i = ITEM();
  double x = a[2 * i], y = a[2 * i + 1];
  o[i] = x / y + (double)(int)x * n + __builtin_fma(x, y, 1.0);
}

KERNEL(f16, global half *o, global const half *a, int n) {
  int i = ITEM();
  half x = a[2 * i], y = a[2 * i + 1];
  half r = x * y - (half)n + __builtin_elementwise_max(x, y);
  o[i] = x > y ? r : -r + (half)(int)x;
}

KERNEL(f16_packed, global f16x4 *o, global const f16x4 *a, int n) {
  int i = ITEM();
  f16x4 x = a[2 * i], y = a[2 * i + 1];
  o[i] = x * y + (f16x4)((half)n) - y * (f16x4)((half)0.5f);
}

KERNEL(f32_to_f16, global f16x4 *o, global const f32x4 *a, int n) {
  o[ITEM()] = __builtin_convertvector(a[ITEM()] * (f32x4)((float)n), f16x4);
}

KERNEL(f32_to_bf16, global bf16x4 *o, global const f32x4 *a, int n) {
  o[ITEM()] = __builtin_convertvector(a[ITEM()], bf16x4);
}

KERNEL(bf16_to_f32, global f32x4 *o, global const bf16x4 *a, int n) {
  o[ITEM()] = __builtin_convertvector(a[ITEM()], f32x4) * (f32x4)((float)n);
}

KERNEL(u64, global uint64 *o, global const uint64 *a, int n) {
  int i = ITEM();
  uint64 x = a[2 * i], y = a[2 * i + 1];
  uint64 r = x / (uint64)n + x % 7 + (x >> (y & 63)) + (x << (n & 63));
  r += (uint64)((int64)y >> (x & 63)) + x * y + (x < y ? x : ~y);
  o[i] = r ^ (uint64)__builtin_popcountll(x) ^ (uint64)__builtin_ctzll(y | 1);
}

KERNEL(i64, global int64 *o, global const int *a, int n) {
  int i = ITEM();
  int64 x = a[2 * i], y = a[2 * i + 1];
  o[i] = x * n + x * y + (x / (y | 1)) + (x - y < 0 ? x : -y);
}

KERNEL(u32, global uint32 *o, global const uint32 *a, int n) {
  int i = ITEM();
  uint32 x = a[2 * i], y = a[2 * i + 1];
  uint32 r = x / (y | 1) + y % (uint32)n + ((x >> 5) & 0x3ff) + (x << 7 | x >> 25);
  r += (x & y) | (~x & 0xff00ff), r ^= __builtin_popcount(x) + __builtin_clz(y | 1);
  r += (uint32)(((uint64)x * y) >> 32) + __builtin_bitreverse32(y);
  o[i] = r + __builtin_bswap32(x) + (x > y ? x - y : y - x);
}

KERNEL(i32, global int *o, global const int *a, int n) {
  int i = ITEM();
  int x = a[2 * i], y = a[2 * i + 1];
  int r = x / (y | 1) + y % n + (x >> 9) + (int)((int64)x * y >> 32);
  r += x < y ? (x < n ? n : x) : (int)(signed char)y + (short)x;
  o[i] = r + (int)(float)(x >> 10);
}

KERNEL(i16, global short *o, global const short *a, int n) {
  int i = ITEM();
  short x = a[2 * i], y = a[2 * i + 1];
  i16x2 p = {x, y}, q = {y, (short)n};
  p = p * q + (i16x2)(5), q = p - (q << 3);
  p = __builtin_elementwise_max(p, q) ^ (q >> 2);
  o[i] = (short)(p.x * 3 + p.y + x / (y | 1));
}

KERNEL(i8, global byte *o, global const byte *a, int n) {
  int i = ITEM();
  o[i] = (byte)(a[2 * i] * n + (signed char)a[2 * i + 1] / 5);
}

// Divergent loops and branches.
KERNEL(control, global uint32 *o, global const uint32 *a, int n) {
  int i = ITEM();
  uint32 x = a[i], sum = 0;
  for (uint32 j = 0; j < x % 37; ++j) {
    if ((x + j) % 3 == 0)
      continue;
    if (sum > 0xf0000000u)
      break;
    sum += j * x;
    for (uint32 k = x & 7; k; k >>= 1)
      sum ^= k << (j & 15);
  }
  switch (x % 5) {
  case 0:
    sum += (uint32)n;
    break;
  case 1:
    sum = ~sum;
    break;
  case 3:
    sum *= 3;
  }
  o[i] = sum;
}
