#!/usr/bin/env python3
"""What instructions of a softmax take beside products of Hopper's tensor cores, and what the products take beside them.

    beside_products.py run [--strict]     on a GPU of Hopper with nvcc; without one it says SKIPPED, and with --strict exits with 77

On each SM two warpgroups issue asynchronous products without a pause (`wgmma`), and one or two others an instruction again and again, of 16 independent
chains. Cycles of an instruction of one warp, as `clock64` counts them: alone, and while products run all the time; and the time of products while
instructions run all the time, over that of products alone.
"""

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from common import markdown

# Type, columns, left-hand side in registers.
PRODUCTS = {
    "bf16 m64n128k16": ("bf16", 128, False), "bf16, P in registers": ("bf16", 128, True),
    "e4m3 m64n192k32": ("e4m3", 192, False), "e4m3 m64n128k32, P in registers": ("e4m3", 128, True)}
# Names are those of machine code. Other operands than one register and what does not change in the loop are said: other registers, which change.
INSTRUCTIONS = {
    "FFMA": 'asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[j]) : "f"(c0), "f"(c1));',
    "FFMA, three registers": 'asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[j]) : "f"(x[(j + 5) & 15]), "f"(x[(j + 10) & 15]));',
    "FADD, two registers": 'asm volatile("add.rn.f32 %0, %0, %1;" : "+f"(x[j]) : "f"(x[(j + 5) & 15]));',
    "HFMA2.BF16, three registers": 'asm volatile("fma.rn.bf16x2 %0, %0, %1, %2;" : "+r"(y[j]) : "r"(y[(j + 5) & 15]), "r"(y[(j + 10) & 15]));',
    "HMNMX2.BF16, two registers": 'asm volatile("max.bf16x2 %0, %0, %1;" : "+r"(y[j]) : "r"(y[(j + 5) & 15]));',
    "IMAD": 'asm volatile("mad.lo.u32 %0, %0, 77777, %1;" : "+r"(y[j]) : "r"(i0));',
    "FMNMX, two registers": 'asm volatile("max.NaN.f32 %0, %0, %1;" : "+f"(x[j]) : "f"(x[(j + 5) & 15]));',
    "LOP3": 'asm volatile("lop3.b32 %0, %0, %1, 0x12345678, 0x6a;" : "+r"(y[j]) : "r"(i0));',
    "LOP3, two registers": 'asm volatile("lop3.b32 %0, %0, %1, %2, 0x96;" : "+r"(y[j]) : "r"(y[(j + 5) & 15]), "r"(i1));',
    "PRMT": 'asm volatile("prmt.b32 %0, %0, 0x12345678, 0x2103;" : "+r"(y[j]));',
    "SHF": 'asm volatile("shf.l.wrap.b32 %0, %0, %0, 7;" : "+r"(y[j]));',
    "F2FP, two registers": 'asm volatile("{ .reg .b32 t; cvt.rn.bf16x2.f32 t, %0, %1; mov.b32 %0, t; }" : "+f"(x[j]) : "f"(x[(j + 5) & 15]));',
    "MUFU.EX2": 'asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[j]));',
}
# Products of a warpgroup between two waits, products and rounds of 96 instructions where they are what is timed, and where they run beside it.
BATCH, TIMED, BESIDE = 6, 2000, (200000, 60000)

HEADER = """#include <cstdint>
#include <cstdio>
#include <cuda_runtime.h>
extern __shared__ __align__(1024) char memory[];
"""

KERNEL = """
__global__ void __launch_bounds__(512) k%(number)d(int products, int rounds, int groups, long long *out, float c0, float c1, int i0, int i1) {
  int group = threadIdx.x / 128;
  for (int i = threadIdx.x; i < 12288; i += 512) ((int *)memory)[i] = 0;
  __syncthreads();
  uint32_t base = (uint32_t)__cvta_generic_to_shared(memory);
  uint64_t shape = (1ull << 16) | (64ull << 32) | (1ull << 62), rhs = shape | (((base + 16384) & 0x3ffff) >> 4);
  [[maybe_unused]] uint64_t lhs = shape | ((base & 0x3ffff) >> 4);
  long long begin = 0, end = 0;
  if (group < 2) {
    float d[%(registers)d];
    [[maybe_unused]] uint32_t p[4] = {0, 0, 0, 0};
    for (float &x : d) x = 0;
    asm volatile("mov.u64 %%0, %%clock64;" : "=l"(begin)::"memory");
    for (int i = 0; i < products; i++) {
      asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
      %(batch)s
      asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    }
    asm volatile("mov.u64 %%0, %%clock64;" : "=l"(end)::"memory");
    float sum = 0;
    for (float x : d) sum += x;
    if (sum == 1.5f) out[100] = 1;
  } else if (group - 2 < groups) {
    float x[16];
    int y[16];
    for (int i = 0; i < 16; i++) x[i] = threadIdx.x * c0, y[i] = threadIdx.x + i;
    asm volatile("mov.u64 %%0, %%clock64;" : "=l"(begin)::"memory");
    for (int i = 0; i < rounds; i++)
#pragma unroll
      for (int u = 0; u < 6; u++)
#pragma unroll
        for (int j = 0; j < 16; j++) { %(instruction)s }
    asm volatile("mov.u64 %%0, %%clock64;" : "=l"(end)::"memory");
    float sum = 0;
    for (int i = 0; i < 16; i++) sum += x[i] + y[i];
    if (sum == 1.5f) out[100] = 1;
  }
  if (threadIdx.x %% 128 == 0 && blockIdx.x == 0) out[group] = end - begin;
}
"""

MAIN = """
template <class Kernel> void time(Kernel kernel, int products, int rounds, int groups, long long &ofProducts, long long &ofInstructions) {
  static long long *out = [] { long long *p; cudaMalloc(&p, 1024); return p; }();
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152);
  int count; cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, 0);
  kernel<<<count, 512, 49152>>>(products, rounds, groups, out, 0.5f, 0.25f, 3, 5);
  long long found[4]; cudaMemcpy(found, out, sizeof found, cudaMemcpyDeviceToHost);
  ofProducts = found[0]; ofInstructions = found[2];
}
template <class Kernel> void row(Kernel kernel) {
  long long alone, none, instructions[2], beside[2], products[2];
  time(kernel, TIMED, 0, 0, alone, none); time(kernel, TIMED, 0, 0, alone, none);
  for (int groups = 1; groups <= 2; groups++) {
    time(kernel, 0, TIMED, groups, none, instructions[groups - 1]);
    time(kernel, BESIDE_PRODUCTS, TIMED, groups, none, beside[groups - 1]);
    time(kernel, TIMED, BESIDE_ROUNDS, groups, products[groups - 1], none);
  }
  double each = 96.0 * TIMED;
  printf("%.1f %.2f %.2f %.2f %.2f %.2f %.2f\\n", alone / (2.0 * BATCH * TIMED), instructions[0] / each, beside[0] / each, double(products[0]) / alone,
         instructions[1] / each, beside[1] / each, double(products[1]) / alone);
}
"""


def product(kind, columns, in_registers):
    """One product, as inline assembly."""
    registers = columns // 2
    types, depth, tail = ("bf16", 16, "1, 1, 1, 0" + ("" if in_registers else ", 0")) if kind == "bf16" else ("e4m3", 32, "1, 1, 1")
    sums = ", ".join(f"%{i}" for i in range(registers))
    lhs = f"{{{', '.join(f'%{registers + i}' for i in range(4))}}}" if in_registers else f"%{registers}"
    rhs = f"%{registers + (4 if in_registers else 1)}"
    given = ", ".join(f'"r"(p[{i}])' for i in range(4)) if in_registers else '"l"(lhs)'
    outs = ", ".join(f'"+f"(d[{i}])' for i in range(registers))
    return (f'asm volatile("wgmma.mma_async.sync.aligned.m64n{columns}k{depth}.f32.{types}.{types} {{{sums}}}, {lhs}, {rhs}, {tail};" '
            f': {outs} : {given}, "l"(rhs));')


def source():
    pairs = [(kind, instruction) for kind in PRODUCTS.values() for instruction in INSTRUCTIONS.values()]
    kernels = [
        KERNEL % {"number": number, "registers": kind[1] // 2, "batch": product(*kind) * BATCH, "instruction": instruction}
        for number, (kind, instruction) in enumerate(pairs)]
    numbers = re.sub("TIMED", str(TIMED), MAIN).replace("BESIDE_PRODUCTS", str(BESIDE[0])).replace("BESIDE_ROUNDS", str(BESIDE[1]))
    calls = "\n".join(f"  row(k{number});" for number in range(len(pairs)))
    return f"{HEADER}{''.join(kernels)}{numbers.replace('BATCH', str(BATCH))}int main() {{\n{calls}\n  return cudaDeviceSynchronize();\n}}\n"


def is_hopper():
    try:
        import torch
    except ImportError:
        return False
    return torch.cuda.is_available() and torch.cuda.get_device_capability() == (9, 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run",))
    parser.add_argument("--strict", action="store_true", help="exit with 77 where it is skipped")
    options = parser.parse_args()
    compiler = shutil.which("nvcc") or (path if Path(path := "/usr/local/cuda/bin/nvcc").exists() else None)
    if not compiler or not is_hopper():
        print("SKIPPED: a GPU of Hopper and nvcc are wanted")
        return 77 if options.strict else 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "beside.cu"
        path.write_text(source())
        subprocess.run([compiler, "-std=c++17", "-O3", "-gencode", "arch=compute_90a,code=sm_90a", path, "-o", path.with_suffix("")], check=True)
        found = subprocess.run([path.with_suffix("")], check=True, capture_output=True, text=True).stdout.split("\n")
    names = [f"{name}: {kind}" for kind in PRODUCTS for name in INSTRUCTIONS]
    rows = [[name, *line.split()] for name, line in zip(names, found)]
    print(markdown(["instruction: products", "a product, cycles", "one group: alone", "beside products", "products' time", "two groups: alone",
                    "beside products", "products' time"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
