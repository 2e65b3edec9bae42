//===- SoftmaxLoop.cpp - Loops with products of two stages ----------------===//

#include "SoftmaxLoop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

bool attn::holdsFirst(Value condition) {
  if (auto either = condition.getDefiningOp<arith::OrIOp>())
    return holdsFirst(either.getLhs()) || holdsFirst(either.getRhs());
  auto any = condition.getDefiningOp<AnyOp>();
  return any && any.getHoldsFirst();
}

namespace {

std::optional<LoopPart> partOf(Operation *op) {
  auto word = op->getAttrOfType<StringAttr>(kLoopPart);
  return word ? symbolizeLoopPart(word) : std::nullopt;
}

bool isPart(Operation *op, LoopPart part) { return op && partOf(op) == part; }

/// Reads the parts that attn-plan-overlap has marked, or fails with what a mark
/// says that is not so.
class MarkReader {
public:
  explicit MarkReader(scf::ForOp loop) { parts.loop = loop; }

  LogicalResult read() {
    auto word = parts.loop->getAttrOfType<StringAttr>(kOverlapLoop);
    std::optional<Beside> beside =
        word ? symbolizeBeside(word) : std::optional<Beside>();
    if (!beside)
      return parts.loop.emitOpError("expected 'own' or 'others' as its ")
             << kOverlapLoop << ", but got "
             << parts.loop->getAttr(kOverlapLoop);
    parts.atOnce = *beside == Beside::Others;
    for (Operation &op : parts.loop.getBody()->without_terminator())
      if (failed(sort(&op)))
        return failure();
    if (parts.scores.empty() || parts.scoresWaits.size() != parts.scores.size())
      return parts.loop.emitOpError(
                 "expected products of scores, and a wait for each, among its "
                 "parts, but got ")
             << parts.scores.size() << " and " << parts.scoresWaits.size();
    if (parts.values.empty())
      return parts.loop.emitOpError(
          "expected a product with values among its parts, but got none");
    if (static_cast<bool>(parts.keysRelease) !=
        static_cast<bool>(parts.maximum))
      return parts.loop.emitOpError("expected a release and the reference that "
                                    "it waits for, but got one of them");
    return success(llvm::all_of(parts.values, [&](ValuesProduct &product) {
      return succeeded(connect(product));
    }));
  }

  SoftmaxLoop parts;

private:
  LogicalResult sort(Operation *op) {
    Attribute mark = op->getAttr(kLoopPart);
    if (!mark)
      return success();
    std::optional<LoopPart> part = partOf(op);
    if (!part)
      return op->emitOpError("expected a part of a loop, ")
             << "'scores', 'values', 'late' or 'pin', but got " << mark;
    if (*part == LoopPart::Late) {
      if (!isMemoryEffectFree(op))
        return op->emitOpError("expected no effects of what is late, but got "
                               "an operation that has some");
      parts.late.insert(op);
      return success();
    }
    bool known = llvm::TypeSwitch<Operation *, bool>(op)
                     .Case([&](DotIssueOp issue) {
                       if (*part == LoopPart::Scores)
                         parts.scores.push_back(issue);
                       else if (*part == LoopPart::Values)
                         addValues(parts, issue);
                       return *part != LoopPart::Pin;
                     })
                     .Case([&](DotWaitOp wait) {
                       if (*part == LoopPart::Scores)
                         parts.scoresWaits.push_back(wait);
                       return *part != LoopPart::Pin;
                     })
                     .Case([&](RingReleaseOp release) {
                       if (*part == LoopPart::Pin)
                         parts.keysRelease = release;
                       return *part != LoopPart::Scores;
                     })
                     .Case([&](AdvanceOp advance) {
                       parts.maximum = advance.getReference();
                       return *part == LoopPart::Pin;
                     })
                     .Case<RingWaitOp, arith::AddFOp, math::FmaOp>(
                         [&](Operation *) { return *part == LoopPart::Values; })
                     .Default(false);
    if (known)
      return success();
    return op->emitOpError("expected an operation that may be of the part ")
           << mark << " of a loop, but got another one";
  }

  /// Finds what belongs to a product with values, all of which is marked.
  LogicalResult connect(ValuesProduct &product) {
    for (Operation *user : product.issue.getProduct().getUsers())
      if (auto wait = dyn_cast<DotWaitOp>(user); isPart(user, LoopPart::Values))
        product.wait = wait;
    if (auto tile = product.issue.getRhs().getDefiningOp<RingWaitOp>();
        isPart(tile, LoopPart::Values))
      product.tile = tile;
    if (product.tile)
      for (auto release : parts.loop.getBody()->getOps<RingReleaseOp>())
        if (release.getRing() == product.tile.getRing() &&
            isPart(release, LoopPart::Values))
          product.release = release;
    if (!product.wait || !product.release)
      return product.issue.emitOpError(
          "expected its wait, its tile and the tile's release among the values "
          "of its loop, but got a product without");
    Value sum = product.wait.getTile();
    for (Operation *user : sum.getUsers())
      if (isPart(user, LoopPart::Values) &&
          isa<arith::AddFOp, math::FmaOp>(user))
        product.addition = user;
    if (product.addition)
      sum = product.addition->getResult(0);
    if (product.addition && isa<math::FmaOp>(product.addition) &&
        !product.getSplat())
      return product.issue.emitOpError(
          "expected a product that is added times a scalar, but got another "
          "factor");
    auto yielded = parts.loop.getYieldedValues();
    auto found = llvm::find(yielded, sum);
    if (found == yielded.end())
      return product.issue.emitOpError(
          "expected a sum that its loop carries, but got another product");
    product.sum = found - yielded.begin();
    return success();
  }
};

} // namespace

FailureOr<SoftmaxLoop> attn::readSoftmaxLoop(scf::ForOp loop) {
  MarkReader reader(loop);
  if (failed(reader.read()))
    return failure();
  return reader.parts;
}
