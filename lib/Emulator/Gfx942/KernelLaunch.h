//===- KernelLaunch.h - One launch: registers, waves ------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_EMULATOR_GFX942_KERNELLAUNCH_H
#define ATTN_MLIR_LIB_EMULATOR_GFX942_KERNELLAUNCH_H

#include "Wave.h"
#include <random>

namespace attn::gfx942 {

class Launch {
public:
  Launch(GlobalMemory &memory, const CodeObject &object,
         const KernelInfo &kernel, const Program &program,
         const LaunchOptions &options);
  ~Launch();

  llvm::Expected<Counters> run(Dim3 grid, Dim3 block,
                               llvm::ArrayRef<uint8_t> kernargs,
                               uint32_t dynamicLds);

private:
  llvm::Error check(Dim3 grid, Dim3 block, llvm::ArrayRef<uint8_t> kernargs,
                    uint32_t dynamicLds) const;
  void placeKernargs(llvm::ArrayRef<uint8_t> explicitArgs, uint32_t dynamicLds);
  void placeDispatchPacket(uint32_t ldsBytes);
  void setUp(Wave &wave);
  void setUpScalars(Wave &wave);
  void setUpVectors(Wave &wave);
  void runWorkgroup(Dim3 id, uint32_t ldsBytes);
  Wave *pick();
  void releaseBarrier();

  GlobalMemory &memory;
  const KernelInfo &kernel;
  const Program &program;
  const LaunchOptions &options;
  const CodeObject &object;
  Dim3 gridSize, blockSize;
  std::vector<uint8_t> kernargBytes;
  uint64_t codeAddress = 0, kernargAddress = 0, packetAddress = 0;
  Workgroup group;
  std::vector<std::unique_ptr<Wave>> waves;
  uint64_t executed = 0;
  std::mt19937_64 random;
};

} // namespace attn::gfx942

#endif // ATTN_MLIR_LIB_EMULATOR_GFX942_KERNELLAUNCH_H
