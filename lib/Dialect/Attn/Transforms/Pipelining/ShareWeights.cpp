//===- ShareWeights.cpp - Panels of a product for a second role -----------===//
//
// Products of the same weights whose accumulators are more than a warpgroup has
// registers for: the last ones go to another role, which takes the weights, and
// what rows are scaled by, out of rings.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "attn-mlir/Dialect/Attn/Utils/RoleRegisters.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include <optional>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSHAREWEIGHTS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

int64_t countElements(Value tile) {
  return cast<ShapedType>(tile.getType()).getNumElements();
}

/// Products of one stream that have the same computed left-hand side, in the
/// order in which they stand.
using Panels = SmallVector<DotOp>;

/// What a kernel's products are, and what accumulators ask for.
class WeightedProducts {
public:
  explicit WeightedProducts(KernelOp kernel) : kernel(kernel) {
    llvm::MapVector<Value, Panels> byWeights;
    kernel.walk([&](DotOp dot) {
      all.push_back(dot);
      auto *body = dot->getParentOp();
      if (isa<StreamOp>(body) && !dot.getTransposeRhs() &&
          !dot.getTransposeLhs() && !dot.getLhs().getDefiningOp<LoadOp>())
        byWeights[dot.getLhs()].push_back(dot);
    });
    for (auto &[weights, panels] : byWeights)
      if (panels.size() > 1)
        groups.push_back(panels);
  }

  bool areAsynchronous() const {
    return llvm::all_of(all, [](DotOp dot) {
      return dot.getUnitAttr() &&
             unitOf(dot).getCompletion() != Completion::Sequential;
    });
  }

  /// Registers of a thread for the accumulators of panels from `first` up to
  /// `last`; with the first one, for scores and the weights made of them, too.
  int64_t registersFor(const Panels &panels, size_t first, size_t last,
                       int64_t threads) const {
    int64_t elements = 0;
    for (size_t i = first; i < last; ++i)
      elements += countElements(DotOp(panels[i]).getResult());
    if (first == 0) {
      int64_t scores = 0;
      for (DotOp dot : all)
        if (!llvm::is_contained(panels, dot))
          scores = std::max(scores, countElements(DotOp(dot).getResult()));
      elements += scores + countElements(DotOp(panels[0]).getLhs()) / 2;
    }
    return elements / threads + RoleRegisters::kBesideTiles;
  }

  KernelOp kernel;
  SmallVector<DotOp> all;
  SmallVector<Panels> groups;
};

/// What follows from some panels alone, and what others give for it.
class SecondRole {
public:
  /// An operand that is computed by the first role.
  struct Crossing {
    OpOperand *operand;
    /// A broadcast of one value a row; null: the weights.
    BroadcastOp rows;
  };

  SecondRole(StreamOp stream, ArrayRef<DotOp> panels) : stream(stream) {
    for (DotOp dot : panels) {
      add(dot.getResult());
      Operation *yield = stream.getBody().front().getTerminator();
      for (OpOperand &operand : yield->getOpOperands())
        if (operand.get() == dot.getResult())
          carried.insert(operand.getOperandNumber());
    }
    for (unsigned i : carried) {
      add(stream.getCarried()[i]);
      add(stream.getResult(i));
    }
    while (!work.empty())
      follow(work.pop_back_val());
  }

  /// Finds what crosses; the operand that cannot, if there is one.
  OpOperand *findCrossings() {
    for (Operation *op : own)
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        Operation *from = value.getDefiningOp();
        if (values.contains(value) || !isa<RankedTensorType>(value.getType()) ||
            matchPattern(value, m_Constant()) ||
            isa_and_nonnull<LoadOp, tensor::SplatOp>(from))
          continue;
        auto rows = dyn_cast_or_null<BroadcastOp>(from);
        if (rows && !rows.isOfColumns())
          crossings.push_back({&operand, rows});
        else if (isa<DotOp>(op) && operand.getOperandNumber() == 0)
          crossings.push_back({&operand, {}});
        else
          return &operand;
      }
    return nullptr;
  }

  SmallVector<Crossing> crossings;

private:
  void add(Value value) {
    if (isa<RankedTensorType>(value.getType()) && values.insert(value).second)
      work.push_back(value);
  }

  void follow(Value value) {
    for (Operation *user : value.getUsers()) {
      if (isa<YieldOp>(user))
        continue;
      own.insert(user);
      for (Value result : user->getResults())
        add(result);
    }
    // A product, too, that starts from nothing.
    if (Operation *op = value.getDefiningOp(); op && op != stream)
      own.insert(op);
  }

  StreamOp stream;
  llvm::SmallSetVector<unsigned, 4> carried;
  llvm::DenseSet<Value> values;
  llvm::SetVector<Operation *> own;
  SmallVector<Value> work;
};

/// Puts what crosses into rings.
class Sharer {
public:
  Sharer(KernelOp kernel, DotOp product) : b(kernel.getContext()) {
    auto weights = cast<RankedTensorType>(product.getLhs().getType());
    SharedAttr layout = unitOf(product).getStaged(
        TargetAttr::of(kernel), weights, /*summedOverRows=*/false);
    weightsType = ringOf(weights.cloneWithEncoding(layout));
    // One value a row, as often as makes a row of shared memory.
    constexpr int64_t kRowBytes = 32, kRepeats = kRowBytes / 4;
    auto rows = RankedTensorType::get({weights.getDimSize(0), kRepeats},
                                      b.getF32Type());
    rowsType = ringOf(rows.cloneWithEncoding(plainlyStaged(rows)));
    entry = &kernel.getBody().front();
  }

  int64_t bytes() const {
    return slotBytes(weightsType) + barrierBytes(weightsType) +
           slotBytes(rowsType) + barrierBytes(rowsType);
  }

  void share(ArrayRef<SecondRole::Crossing> crossings) {
    b.setInsertionPointToStart(entry);
    Location loc = crossings.front().operand->getOwner()->getLoc();
    Value weights = RingCreateOp::create(b, loc, weightsType),
          rows = RingCreateOp::create(b, loc, rowsType);
    llvm::MapVector<Value, SmallVector<SecondRole::Crossing>> bySource;
    for (const SecondRole::Crossing &crossing : crossings) {
      auto broadcast = crossing.rows;
      Value source = broadcast ? broadcast.getRows() : crossing.operand->get();
      bySource[source].push_back(crossing);
    }
    for (auto &[source, users] : bySource)
      users.front().rows ? shareRows(source, users, rows)
                         : shareWeights(source, users, weights);
  }

private:
  RingType ringOf(RankedTensorType tile) {
    return RingType::get(b.getContext(), /*stages=*/1, tile);
  }

  void put(Value ring, Value tile) {
    RankedTensorType type = cast<RingType>(ring.getType()).getTile();
    Value slot = RingAcquireOp::create(b, tile.getLoc(),
                                       SlotType::get(b.getContext(), type),
                                       ring, /*ahead=*/0);
    RingPutOp::create(b, tile.getLoc(), tile, slot);
  }

  Value wait(Value ring, Location loc) {
    return RingWaitOp::create(b, loc, cast<RingType>(ring.getType()).getTile(),
                              ring)
        .getTile();
  }

  static Operation *edge(ArrayRef<SecondRole::Crossing> users, bool first) {
    Operation *edge = nullptr;
    for (const SecondRole::Crossing &user : users) {
      Operation *op = user.operand->getOwner();
      if (!edge || op->isBeforeInBlock(edge) == first)
        edge = op;
    }
    return edge;
  }

  /// Products read the weights where they lie.
  void shareWeights(Value source, ArrayRef<SecondRole::Crossing> users,
                    Value ring) {
    b.setInsertionPointAfterValue(source);
    put(ring, source);
    b.setInsertionPoint(edge(users, /*first=*/true));
    Value tile = wait(ring, source.getLoc());
    for (const SecondRole::Crossing &user : users)
      user.operand->set(tile);
    b.setInsertionPointAfter(edge(users, /*first=*/false));
    RingReleaseOp::create(b, source.getLoc(), ring);
  }

  void shareRows(Value source, ArrayRef<SecondRole::Crossing> users,
                 Value ring) {
    Location loc = source.getLoc();
    RankedTensorType type = cast<RingType>(ring.getType()).getTile();
    type = RankedTensorType::get(type.getShape(), type.getElementType());
    Block *block = edge(users, /*first=*/true)->getBlock();
    if (source.getParentBlock() == block)
      b.setInsertionPointAfterValue(source);
    else
      b.setInsertionPoint(edge(users, /*first=*/true));
    put(ring, BroadcastOp::create(b, loc, type, source));
    b.setInsertionPoint(edge(users, /*first=*/true));
    Value tile = ConvertLayoutOp::create(b, loc, type, wait(ring, loc));
    // All of a row are the same.
    Value rows =
        ReduceOp::create(b, loc, source.getType(), ReduceKind::Max, tile);
    RingReleaseOp::create(b, loc, ring);
    for (const SecondRole::Crossing &user : users)
      user.operand->set(
          BroadcastOp::create(b, loc, user.operand->get().getType(), rows));
  }

  OpBuilder b;
  RingType weightsType, rowsType;
  Block *entry;
};

struct ShareWeightsPass : attn::impl::AttnShareWeightsBase<ShareWeightsPass> {
  using AttnShareWeightsBase::AttnShareWeightsBase;

  /// How many panels stay with the first role so that both have room; nothing
  /// where there is no such number.
  static std::optional<size_t> panelsOfFirst(const WeightedProducts &products,
                                             const Panels &panels,
                                             int64_t threads) {
    int64_t most = roleRegisters(TargetAttr::of(products.kernel), 2 * threads,
                                 /*resident=*/1)
                       .consumer;
    size_t count = panels.size();
    for (size_t first = count / 2; first > 0; --first)
      if (products.registersFor(panels, 0, first, threads) <= most &&
          products.registersFor(panels, first, count, threads) <= most)
        return first;
    return std::nullopt;
  }

  /// Shared memory of the tiles that are loaded, before rings have it.
  int64_t loadedBytes(KernelOp kernel) const {
    int64_t depth = stages ? stages.getValue() : kDefaultStages, bytes = 0;
    kernel.walk([&](LoadOp load) {
      auto tile = cast<RankedTensorType>(load.getTile().getType());
      int64_t own = tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
      constexpr int64_t kBarriers = 16;
      bytes +=
          (load->getParentOfType<StreamOp>() ? depth : 1) * (own + kBarriers);
    });
    return bytes;
  }

  /// Fails, with a remark, where two roles have no room either.
  LogicalResult share(KernelOp kernel, const WeightedProducts &products,
                      int64_t threads, int64_t wanted) {
    TargetAttr target = TargetAttr::of(kernel);
    const Panels &panels = products.groups.front();
    int64_t most = roleRegisters(target, threads, /*resident=*/1).consumer;
    std::optional<size_t> first = panelsOfFirst(products, panels, threads);
    if (!first)
      return remarks::emitShareWeightsRegisters(kernel, wanted, most);
    auto stream = cast<StreamOp>(DotOp(panels[0])->getParentOp());
    SecondRole second(stream, ArrayRef(panels).drop_front(*first));
    if (OpOperand *other = second.findCrossings())
      return remarks::emitShareWeightsOperand(
          kernel, other->getOwner()->getName().getStringRef());
    Sharer sharer(kernel, panels.front());
    int64_t bytes = loadedBytes(kernel) + sharer.bytes(),
            available = target.get(Fact::SmemPerBlock);
    if (bytes > available)
      return remarks::emitShareWeightsMemory(kernel, bytes, available);
    sharer.share(second.crossings);
    kernel->setAttr(KernelOp::kRolesAttr,
                    OpBuilder(kernel).getI64IntegerAttr(2));
    remarks::emitShareWeights(kernel, wanted, most, panels.size() - *first);
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(checkStages(kernel, stages)))
      return signalPassFailure();
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    TargetAttr target = TargetAttr::of(kernel);
    WeightedProducts products(kernel);
    if (!threads || products.groups.size() != 1 ||
        !target.hasCapability("setmaxnreg") || !products.areAsynchronous())
      return;
    const Panels &panels = products.groups.front();
    int64_t wanted =
        products.registersFor(panels, 0, panels.size(), threads.getInt());
    if (wanted <=
        roleRegisters(target, threads.getInt(), /*resident=*/1).consumer)
      return;
    numShared += succeeded(share(kernel, products, threads.getInt(), wanted));
  }
};

} // namespace
