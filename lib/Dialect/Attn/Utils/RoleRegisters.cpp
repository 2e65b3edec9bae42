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
                                  int64_t resident, int64_t producer) {
  constexpr int64_t kGroup = RoleRegisters::kGroupThreads;
  // The index arithmetic of a producer may spill with fewer than it gets here.
  constexpr int64_t kFewest = 32, kProducer = 40, kMost = 240, kUnit = 8;
  int64_t groups = llvm::divideCeil(threads, kGroup),
          forCta = target.get(Fact::RegistersPerSM) / resident;
  int64_t atLaunch = forCta / (threads + kGroup) / kUnit * kUnit * (groups + 1);
  int64_t consumer = std::min((atLaunch - (producer ? producer : kFewest)) /
                                  groups / kUnit * kUnit,
                              kMost);
  if (producer)
    return {producer, consumer};
  return {std::min(atLaunch - groups * consumer, kProducer), consumer};
}

bool attn::isProducerRegisters(int64_t registers) {
  constexpr int64_t kFewest = 24, kMost = 64, kUnit = 8;
  return registers == 0 ||
         (registers >= kFewest && registers <= kMost && registers % kUnit == 0);
}

LogicalResult attn::checkProducerRegisters(KernelOp kernel, int64_t registers) {
  if (isProducerRegisters(registers))
    return success();
  return emitError(kernel.getLoc())
         << "expected a multiple of 8 from 24 to 64 registers of a thread that "
            "copies, or 0 for the default, but got "
         << registers;
}
