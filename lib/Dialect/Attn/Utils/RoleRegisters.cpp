//===- RoleRegisters.cpp - Registers of a producer and of consumers -------===//

#include "attn-mlir/Dialect/Attn/Utils/RoleRegisters.h"
#include "attn-mlir/Target/Facts.h"
#include "llvm/Support/MathExtras.h"

using namespace attn;

int64_t attn::residentWithRoles(TargetAttr target, int64_t threads,
                                int64_t sharedBytes) {
  int64_t perSm = target.get(Fact::SmemPerSM);
  // What the system keeps for itself of each CTA's share (1 KiB on NVIDIA
  // GPUs).
  int64_t reserved = perSm - target.get(Fact::SmemPerBlock);
  bool fits = 2 * (sharedBytes + reserved) <= perSm;
  return fits && threads == RoleRegisters::kGroupThreads ? 2 : 1;
}

RoleRegisters attn::roleRegisters(TargetAttr target, int64_t threads,
                                  int64_t resident) {
  constexpr int64_t kGroup = RoleRegisters::kGroupThreads;
  // The index arithmetic of a producer spills with fewer than it gets here.
  constexpr int64_t kFewest = 32, kProducer = 40, kMost = 240, kUnit = 8;
  int64_t groups = llvm::divideCeil(threads, kGroup),
          forCta = target.get(Fact::RegistersPerSM) / resident;
  int64_t atLaunch = forCta / (threads + kGroup) / kUnit * kUnit * (groups + 1);
  int64_t consumer =
      std::min((atLaunch - kFewest) / groups / kUnit * kUnit, kMost);
  return {std::min(atLaunch - groups * consumer, kProducer), consumer};
}
