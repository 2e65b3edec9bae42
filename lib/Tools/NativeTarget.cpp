//===- NativeTarget.cpp - The GPU of this machine as a target -------------===//

#include "NativeTarget.h"
#include "attn-mlir-c/Launcher.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace attn;

namespace {

/// What a device states, fact by fact; 0 where it does not.
using Stated = SmallVector<std::pair<Fact, int64_t>>;

Stated statedFacts(const AttnDeviceFacts &device) {
  return {{Fact::SMs, device.sms},
          {Fact::MaxResidentCTAs, device.max_resident_ctas},
          {Fact::SmemPerSM, device.smem_per_sm},
          {Fact::SmemPerBlock, device.smem_per_block},
          {Fact::RegistersPerSM, device.registers_per_sm},
          {Fact::L2Bytes, device.l2_bytes},
          {Fact::DramGBps, device.dram_gbps}};
}

/// Whether a stated fact is the table's: memory clocks differ a little from
/// data sheet to device, and parts of caches are set aside.
bool agrees(int64_t stated, int64_t known) {
  constexpr double kTolerance = 0.05;
  return stated == 0 || std::abs(stated - known) <= kTolerance * known;
}

unsigned countAgreeing(TargetAttr known, const Stated &stated) {
  return llvm::count_if(stated, [&](auto fact) {
    return agrees(fact.second, known.get(fact.first));
  });
}

/// The known target of an architecture that agrees with most of what is stated.
TargetAttr nearest(MLIRContext *context, StringRef arch, const Stated &stated,
                   function_ref<InFlightDiagnostic()> emitError) {
  TargetAttr best;
  for (const KnownTarget &known : knownTargets()) {
    // Targets have the features of their architecture: sm_90a is sm_90.
    if (known.arch != arch && known.arch != (arch + "a").str())
      continue;
    TargetAttr target = TargetAttr::lookup(context, known.name, emitError);
    if (!best || countAgreeing(target, stated) > countAgreeing(best, stated))
      best = target;
  }
  return best;
}

int64_t scaled(int64_t value, int64_t by, int64_t over) {
  return std::max<int64_t>(1, llvm::divideNearest(value * by, over));
}

/// `known` with what the device states, and what follows from that.
TargetAttr withStated(TargetAttr known, const Stated &stated) {
  Builder b(known.getContext());
  TargetAttr target = TargetAttr::get(
      known.getContext(), b.getStringAttr("native"), known.getArch(),
      known.getFacts(), known.getCapabilities());
  for (auto [fact, value] : stated)
    if (!agrees(value, known.get(fact)))
      target = target.with(fact, value);
  int64_t sms = target.get(Fact::SMs), knownSms = known.get(Fact::SMs);
  for (Fact fact : {Fact::TensorGflops, Fact::L2GBps, Fact::L2Domains})
    target = target.with(fact, scaled(known.get(fact), sms, knownSms));
  return target.with(Fact::L2EffectiveBytes,
                     scaled(known.get(Fact::L2EffectiveBytes),
                            target.get(Fact::L2Bytes),
                            known.get(Fact::L2Bytes)));
}

} // namespace

TargetAttr attn::nativeTarget(MLIRContext *context,
                              function_ref<InFlightDiagnostic()> emitError) {
  AttnDeviceFacts device;
  std::string reasons;
  bool found = false;
  for (const char *platform : {"cuda", "hip"}) {
    found = attnDeviceFacts(platform, /*device=*/0, &device) == ATTN_SUCCESS;
    if (found)
      break;
    reasons += (reasons.empty() ? "" : "; ") + std::string(attnLastError());
  }
  if (!found) {
    emitError() << "target 'native': expected a GPU, but got none: " << reasons;
    return {};
  }
  Stated stated = statedFacts(device);
  TargetAttr known = nearest(context, device.arch, stated, emitError);
  if (!known) {
    SmallVector<StringRef> archs;
    for (const KnownTarget &target : knownTargets())
      if (target.arch != "host" && !llvm::is_contained(archs, target.arch))
        archs.push_back(target.arch);
    emitError() << "target 'native': expected a device of an architecture that "
                   "is known ("
                << llvm::join(archs, ", ") << "), but got " << device.arch
                << " (" << device.name << ")";
    return {};
  }
  return countAgreeing(known, stated) == stated.size()
             ? known
             : withStated(known, stated);
}
