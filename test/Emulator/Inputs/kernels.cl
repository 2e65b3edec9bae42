// Kernels that LLVM compiles for the tests of the emulator: what its instruction
// selection emits is not what a test's author thinks of.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef half half4 __attribute__((ext_vector_type(4)));
typedef short short4 __attribute__((ext_vector_type(4)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef float float16 __attribute__((ext_vector_type(16)));

#define LANES 64
#define BARRIER()                                                              \
  do {                                                                         \
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");                     \
    __builtin_amdgcn_s_barrier();                                              \
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");                     \
  } while (0)

static float dpp_max(float x, float y) { return __builtin_fmaxf(x, y); }

// Over a row of 16 lanes by DPP, over the rows by ds_swizzle and ds_bpermute.
#define REDUCE(NAME, OP)                                                       \
  static float NAME(float x) {                                                 \
    int lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); \
    x = OP(x, __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(              \
                  __builtin_bit_cast(int, x), 0xb1, 0xf, 0xf, true)));         \
    x = OP(x, __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(              \
                  __builtin_bit_cast(int, x), 0x4e, 0xf, 0xf, true)));         \
    x = OP(x, __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(              \
                  __builtin_bit_cast(int, x), 0x141, 0xf, 0xf, true)));        \
    x = OP(x, __builtin_bit_cast(float, __builtin_amdgcn_mov_dpp(              \
                  __builtin_bit_cast(int, x), 0x140, 0xf, 0xf, true)));        \
    x = OP(x, __builtin_bit_cast(float, __builtin_amdgcn_ds_swizzle(           \
                  __builtin_bit_cast(int, x), 0x401f)));                       \
    return OP(x, __builtin_bit_cast(float, __builtin_amdgcn_ds_bpermute(       \
                     4 * (lane ^ 32), __builtin_bit_cast(int, x))));           \
  }
static float add(float x, float y) { return x + y; }
REDUCE(wave_max, dpp_max)
REDUCE(wave_sum, add)

// One workgroup of 256 work-items takes a row of n numbers.
__attribute__((amdgpu_flat_work_group_size(256, 256))) kernel void
softmax(global const float *in, global float *out, int n) {
  local float partial[8];
  int item = __builtin_amdgcn_workitem_id_x();
  global const float *row = in + __builtin_amdgcn_workgroup_id_x() * n;
  global float *to = out + __builtin_amdgcn_workgroup_id_x() * n;
  float m = -__builtin_inff();
  for (int i = item; i < n; i += 256)
    m = dpp_max(m, row[i]);
  m = wave_max(m);
  if (item % LANES == 0)
    partial[item / LANES] = m;
  BARRIER();
  for (int i = 0; i < 4; ++i)
    m = dpp_max(m, partial[i]);
  float sum = 0;
  for (int i = item; i < n; i += 256)
    sum += __builtin_amdgcn_exp2f((row[i] - m) * 1.442695041f);
  sum = wave_sum(sum);
  if (item % LANES == 0)
    partial[4 + item / LANES] = sum;
  BARRIER();
  sum = partial[4] + partial[5] + partial[6] + partial[7];
  for (int i = item; i < n; i += 256)
    to[i] = __builtin_amdgcn_exp2f((row[i] - m) * 1.442695041f) / sum;
}

// C (f32, m x n) = A (m x k) * B (n x k, transposed); tiles of 64 x 64 by four waves,
// 16 columns of A and B at a time through LDS. The tile of a workgroup takes an integer
// division by a number that is not constant; edges are masked.
#define STEP 16
#define ROW (STEP + 4)
#define MATMUL(NAME, T, MULTIPLY)                                              \
  __attribute__((amdgpu_flat_work_group_size(256, 256))) kernel void NAME(     \
      global const T *a, global const T *b, global float *c, int m, int n,     \
      int k) {                                                                 \
    local T tileA[64 * ROW], tileB[64 * ROW];                                  \
    int item = __builtin_amdgcn_workitem_id_x(), lane = item % LANES;          \
    int group = __builtin_amdgcn_workgroup_id_x(), across = (n + 63) / 64;     \
    int row0 = group / across * 64, column0 = group % across * 64;             \
    int wave = __builtin_amdgcn_readfirstlane(item / LANES);                   \
    int loadRow = item / 4, loadColumn = item % 4 * 4;                         \
    MULTIPLY##_INIT;                                                           \
    for (int k0 = 0; k0 < k; k0 += STEP) {                                     \
      BARRIER();                                                               \
      for (int j = 0; j < 4; ++j) {                                            \
        int column = k0 + loadColumn + j;                                      \
        tileA[loadRow * ROW + loadColumn + j] =                                \
            row0 + loadRow < m && column < k ? a[(row0 + loadRow) * k + column] \
                                             : 0;                              \
        tileB[loadRow * ROW + loadColumn + j] =                                \
            column0 + loadRow < n && column < k                                \
                ? b[(column0 + loadRow) * k + column]                          \
                : 0;                                                           \
      }                                                                        \
      BARRIER();                                                               \
      MULTIPLY;                                                                \
    }                                                                          \
    MULTIPLY##_STORE;                                                          \
  }

// A wave owns 32 x 32 of the tile: one accumulator of 16 registers.
#define WIDE_INIT                                                              \
  float16 sum = 0;                                                             \
  int rowOfWave = wave / 2 * 32, columnOfWave = wave % 2 * 32
#define WIDE                                                                   \
  for (int s = 0; s < STEP; s += 8) {                                          \
    half4 x = *(local half4 *)&tileA[(rowOfWave + lane % 32) * ROW + s +       \
                                     lane / 32 * 4];                           \
    half4 y = *(local half4 *)&tileB[(columnOfWave + lane % 32) * ROW + s +    \
                                     lane / 32 * 4];                           \
    sum = __builtin_amdgcn_mfma_f32_32x32x8f16(x, y, sum, 0, 0, 0);            \
  }
#define WIDE_STORE                                                             \
  for (int r = 0; r < 16; ++r) {                                               \
    int row = row0 + rowOfWave + r / 4 * 8 + lane / 32 * 4 + r % 4;            \
    int column = column0 + columnOfWave + lane % 32;                           \
    if (row < m && column < n)                                                 \
      c[row * n + column] = sum[r];                                            \
  }

// A wave owns 16 rows: four accumulators of 16 x 16.
#define NARROW_INIT float4 sum[4] = {0, 0, 0, 0}
#define NARROW                                                                 \
  for (int t = 0; t < 4; ++t) {                                                \
    short4 x =                                                                 \
        *(local short4 *)&tileA[(wave * 16 + lane % 16) * ROW + lane / 16 * 4]; \
    short4 y =                                                                 \
        *(local short4 *)&tileB[(t * 16 + lane % 16) * ROW + lane / 16 * 4];   \
    sum[t] = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(x, y, sum[t], 0, 0, 0); \
  }
#define NARROW_STORE                                                           \
  for (int t = 0; t < 4; ++t)                                                  \
    for (int r = 0; r < 4; ++r) {                                              \
      int row = row0 + wave * 16 + lane / 16 * 4 + r;                          \
      int column = column0 + t * 16 + lane % 16;                               \
      if (row < m && column < n)                                               \
        c[row * n + column] = sum[t][r];                                       \
    }

MATMUL(matmul_f16, half, WIDE)
MATMUL(matmul_bf16, short, NARROW)
