//===- StagesInRegisters.cpp - Copies under way in registers --------------===//

#include "StagesInRegisters.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include <utility>

using namespace mlir;
using namespace attn;

bool attn::hasStagesInRegisters(Value ring) {
  auto create = ring.getDefiningOp<RingCreateOp>();
  return create && create.hasStagesInRegisters();
}

/// How often the body of a stream waits for a ring, and releases a slot of it
/// behind the first wait.
static std::pair<unsigned, unsigned> countReads(Value ring, StreamOp stream) {
  unsigned waits = 0, releases = 0;
  for (Operation &op : stream.getBody().front()) {
    auto wait = dyn_cast<RingWaitOp>(op);
    auto release = dyn_cast<RingReleaseOp>(op);
    waits += wait && wait.getRing() == ring;
    releases += waits && release && release.getRing() == ring;
  }
  return {waits, releases};
}

bool attn::isIssuedEarly(Value ring, StreamOp stream) {
  if (hasStagesInRegisters(ring))
    return true;
  auto create = ring.getDefiningOp<RingCreateOp>();
  return create && create.getCopier() == CopyKind::Lds &&
         create.getNumSlots() > 1 &&
         countReads(ring, stream) == std::pair(1U, 1U);
}

LogicalResult attn::checkStagesInRegisters(StreamOp stream) {
  if (!stream.getProducerBlock())
    return success();
  for (auto acquire : stream.getProducerBlock()->getOps<RingAcquireOp>()) {
    if (!hasStagesInRegisters(acquire.getRing()))
      continue;
    auto ring = acquire.getRing().getDefiningOp<RingCreateOp>();
    auto fail = [&](const Twine &what) {
      InFlightDiagnostic error = stream.emitOpError(what);
      error.attachNote(ring.getLoc()) << "the ring is created here";
      return error;
    };
    int64_t stages = ring.getRing().getType().getStages();
    if (ring.getNumSlots() != stages - 1)
      return fail("expected one stage in registers of a ring that it fills, "
                  "but got ")
             << stages - ring.getNumSlots();
    auto [waits, releases] = countReads(ring.getRing(), stream);
    if (waits != 1 || releases != 1)
      return fail("expected one wait for a ring with a stage in registers, and "
                  "one release behind it, but got ")
             << waits << " and " << releases;
  }
  return success();
}
