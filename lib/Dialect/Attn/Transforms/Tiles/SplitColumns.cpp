//===- SplitColumns.cpp - Wide tiles as panels of columns -----------------===//
//
// A tile becomes a list of tiles side by side. Where it is cut follows from the
// numbers of columns that tiles of the kernel have, so that the panels of one
// tile are those of another, and the first columns of a tile are some of them.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/STLExtras.h"
#include <set>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSPLITCOLUMNS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Columns of the widest panel: of a tensor map's box, and of a product.
constexpr int64_t kMostColumns = 256;

RankedTensorType matrixOf(Value value) {
  auto tile = dyn_cast<RankedTensorType>(value.getType());
  return tile && tile.getRank() == 2 ? tile : RankedTensorType();
}

int64_t widthOf(Value value) {
  RankedTensorType tile = matrixOf(value);
  return tile ? tile.getDimSize(1) : 0;
}

/// A slice of a tile, within a kernel: its first columns.
bool isOfTile(tensor::ExtractSliceOp slice) {
  return matrixOf(slice.getSource()) && matrixOf(slice.getResult());
}

/// Whether a value is the same for any columns: it is made for panels where
/// they ask for it. Tiles that have nothing to do with each other may share it.
bool isRepeated(Value value) {
  Operation *op = value.getDefiningOp();
  auto broadcast = dyn_cast_or_null<BroadcastOp>(op);
  return isa_and_nonnull<tensor::SplatOp>(op) ||
         (op && op->hasTrait<OpTrait::ConstantLike>()) ||
         (broadcast && !broadcast.isOfColumns());
}

/// Which tiles of a kernel have the same columns, and which of these are cut,
/// and where.
class Cuts {
public:
  explicit Cuts(KernelOp kernel) {
    kernel.walk([&](Operation *op) { relate(op); });
    kernel.walk([&](Operation *op) { seed(op); });
    for (int64_t width : widths)
      endAt(width);
  }

  bool empty() const { return cut.empty(); }

  bool isCut(Value value) const {
    return matrixOf(value) && !isRepeated(value) &&
           cut.contains(leader(value)) && panels(matrixOf(value)).size() > 1;
  }

  /// The first column and the type of each panel.
  SmallVector<std::pair<int64_t, RankedTensorType>>
  panels(RankedTensorType tile) const {
    SmallVector<std::pair<int64_t, RankedTensorType>> result;
    int64_t first = 0;
    for (int64_t end : ends) {
      if (end > tile.getDimSize(1))
        break;
      result.push_back({first, tile.clone({tile.getDimSize(0), end - first})});
      first = end;
    }
    return result;
  }

  /// Makes another value stand for a tile.
  void replace(Value tile, Value by) { same(tile, by); }

private:
  void same(Value one, Value other) {
    if (matrixOf(one) && matrixOf(other) && !isRepeated(one) &&
        !isRepeated(other))
      columns.unionSets(one.getAsOpaquePointer(), other.getAsOpaquePointer());
  }

  const void *leader(Value value) const {
    auto own = columns.findLeader(value.getAsOpaquePointer());
    return own == columns.member_end() ? value.getAsOpaquePointer() : *own;
  }

  void relate(Operation *op) {
    if (auto dot = dyn_cast<DotOp>(op)) {
      same(dot.getAcc(), dot.getResult());
      if (dot.getTransposeRhs())
        same(dot.getLhs(), dot.getRhs());
      else
        same(dot.getRhs(), dot.getResult());
    } else if (auto stream = dyn_cast<StreamOp>(op)) {
      Operation *yield = stream.getBody().front().getTerminator();
      for (auto [i, result] : llvm::enumerate(stream.getResults()))
        for (Value other : {stream.getInits()[i], yield->getOperand(i),
                            Value(stream.getCarried()[i])})
          same(result, other);
    } else if (op->hasTrait<OpTrait::Elementwise>() &&
               op->getNumResults() == 1) {
      for (Value operand : op->getOperands())
        same(operand, op->getResult(0));
    }
  }

  void cutAt(Value tile) {
    cut.insert(leader(tile));
    widths.insert(widthOf(tile));
  }

  void seed(Operation *op) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
        slice && isOfTile(slice)) {
      cutAt(slice.getSource());
      cutAt(slice.getResult());
    }
    if (auto dot = dyn_cast<DotOp>(op))
      for (Value tile : {dot.getLhs(), dot.getRhs(), dot.getResult()})
        if (widthOf(tile) > kMostColumns)
          cutAt(tile);
  }

  /// Equal panels up to a column, but for the last.
  void endAt(int64_t width) {
    // Whole rows of shared memory.
    constexpr int64_t kGranule = 64;
    int64_t first = ends.empty() ? 0 : ends.back(), rest = width - first;
    int64_t count = llvm::divideCeil(rest, kMostColumns);
    int64_t panel = llvm::alignTo(llvm::divideCeil(rest, count), kGranule);
    for (int64_t end = first + panel; end < width; end += panel)
      ends.push_back(end);
    ends.push_back(width);
  }

  llvm::EquivalenceClasses<const void *> columns;
  llvm::DenseSet<const void *> cut;
  /// Ascending.
  std::set<int64_t> widths;
  SmallVector<int64_t> ends;
};

class ColumnSplitter {
public:
  ColumnSplitter(KernelOp kernel, Cuts cuts)
      : kernel(kernel), cuts(std::move(cuts)), b(kernel.getContext()) {}

  LogicalResult run() {
    if (failed(visit(kernel.getBody().front())))
      return failure();
    for (Operation *op : llvm::reverse(replaced)) {
      op->dropAllUses();
      op->erase();
    }
    for (Operation *op : repeated)
      if (op->use_empty())
        op->erase();
    return success();
  }

  int64_t count() const { return numTiles; }

private:
  bool touches(Operation *op) const {
    auto wide = [&](Value value) { return cuts.isCut(value); };
    return llvm::any_of(op->getOperands(), wide) ||
           llvm::any_of(op->getResults(), wide);
  }

  LogicalResult visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (standsIn.contains(op))
      return success();
    auto stream = dyn_cast<StreamOp>(op);
    if (stream && llvm::any_of(stream.getResults(), [&](Value result) {
          return cuts.isCut(result);
        }))
      return splitStream(stream);
    if (!stream && touches(op)) {
      b.setInsertionPoint(op);
      if (failed(split(op)))
        return failure();
      // What a stream yields is replaced in place.
      if (!op->hasTrait<OpTrait::IsTerminator>())
        replaced.push_back(op);
      return success();
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        if (failed(visit(block)))
          return failure();
    return success();
  }

  LogicalResult split(Operation *op) {
    if (auto load = dyn_cast<LoadOp>(op))
      return splitLoad(load);
    if (auto store = dyn_cast<StoreOp>(op))
      return splitStore(store);
    if (auto dot = dyn_cast<DotOp>(op))
      return splitDot(dot);
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      return splitSlice(slice);
    if (auto yield = dyn_cast<YieldOp>(op))
      return splitYield(yield);
    if (op->hasTrait<OpTrait::Elementwise>() && op->getNumResults() == 1)
      return splitEach(op);
    return refuse(op);
  }

  static LogicalResult refuse(Operation *op) {
    return op->emitOpError("expected tiles of at most ")
           << kMostColumns
           << " columns, or an operation on wider ones that takes panels of "
              "columns one by one";
  }

  /// The panels of a tile; those of what is the same for any columns are made.
  ArrayRef<Value> partsOf(Value tile) {
    SmallVector<Value> &own = parts[tile];
    if (!own.empty() || !isRepeated(tile))
      return own;
    OpBuilder::InsertionGuard guard(b);
    Operation *op = tile.getDefiningOp();
    b.setInsertionPoint(op);
    for (auto [first, type] : cuts.panels(matrixOf(tile)))
      own.push_back(repeat(op, type));
    repeated.push_back(op);
    return own;
  }

  Value repeat(Operation *op, RankedTensorType type) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
        return arith::ConstantOp::create(b, op->getLoc(),
                                         splat.resizeSplat(type));
    OperationState state(op->getLoc(), op->getName(), op->getOperands(),
                         TypeRange(type), op->getAttrs());
    return b.create(state)->getResult(0);
  }

  LogicalResult splitLoad(LoadOp load) {
    ++numTiles;
    SmallVector<Value> own;
    for (auto [first, type] : cuts.panels(matrixOf(load.getTile())))
      own.push_back(LoadOp::create(b, load.getLoc(), type, load.getView(),
                                   offsetsAt(load.getOffsets(), first),
                                   load.getBlocks(), load.getUntil()));
    parts[load.getTile()] = std::move(own);
    return success();
  }

  LogicalResult splitStore(StoreOp store) {
    auto panels = cuts.panels(matrixOf(store.getTile()));
    for (auto [panel, part] : llvm::zip_equal(panels, partsOf(store.getTile())))
      StoreOp::create(b, store.getLoc(), part, store.getView(),
                      offsetsAt(store.getOffsets(), panel.first),
                      store.getUntil(), /*scratch=*/Value(),
                      /*by_tensor_map=*/false);
    return success();
  }

  SmallVector<Value> offsetsAt(ValueRange offsets, int64_t column) {
    SmallVector<Value> own(offsets);
    if (column == 0)
      return own;
    Location loc = own.back().getLoc();
    Value first = arith::ConstantIndexOp::create(b, loc, column);
    own.back() = b.createOrFold<arith::AddIOp>(loc, own.back(), first);
    return own;
  }

  LogicalResult splitSlice(tensor::ExtractSliceOp slice) {
    RankedTensorType source = slice.getSourceType(), type = slice.getType();
    if (!cuts.isCut(slice.getSource()) || !slice.hasUnitStride() ||
        !slice.hasZeroOffset() || source.getDimSize(0) != type.getDimSize(0))
      return refuse(slice);
    SmallVector<Value> own(
        partsOf(slice.getSource()).take_front(cuts.panels(type).size()));
    if (own.size() == 1)
      slice.replaceAllUsesWith(own.front());
    else
      parts[slice] = std::move(own);
    return success();
  }

  /// An operation on each panel by itself.
  LogicalResult splitEach(Operation *op) {
    SmallVector<Value> own;
    auto panels = cuts.panels(matrixOf(op->getResult(0)));
    for (auto [i, panel] : llvm::enumerate(panels)) {
      SmallVector<Value> operands(op->getOperands());
      for (Value &operand : operands)
        if (matrixOf(operand))
          operand = partsOf(operand)[i];
      OperationState state(op->getLoc(), op->getName(), operands,
                           TypeRange(panel.second), op->getAttrs());
      own.push_back(b.create(state)->getResult(0));
    }
    parts[op->getResult(0)] = std::move(own);
    return success();
  }

  LogicalResult splitDot(DotOp dot) {
    ++numTiles;
    bool wideLhs = cuts.isCut(dot.getLhs()), wideRhs = cuts.isCut(dot.getRhs()),
         wideResult = cuts.isCut(dot.getResult());
    if (!dot.getTransposeLhs() && dot.getTransposeRhs() && wideLhs && wideRhs &&
        !wideResult)
      return splitDepth(dot);
    if (!dot.getTransposeLhs() && !dot.getTransposeRhs() && !wideLhs &&
        wideRhs && wideResult)
      return splitResult(dot);
    return refuse(dot);
  }

  Value partOf(DotOp dot, Value lhs, Value rhs, Value acc) {
    auto part = cast<DotOp>(b.clone(*dot));
    part->getResult(0).setType(acc.getType());
    part->setOperands({lhs, rhs, acc});
    return part.getResult();
  }

  /// A sum of products.
  LogicalResult splitDepth(DotOp dot) {
    Value sum = dot.getAcc();
    for (auto [lhs, rhs] :
         llvm::zip_equal(partsOf(dot.getLhs()), partsOf(dot.getRhs())))
      sum = partOf(dot, lhs, rhs, sum);
    dot.getResult().replaceAllUsesWith(sum);
    return success();
  }

  LogicalResult splitResult(DotOp dot) {
    SmallVector<Value> own, accs(partsOf(dot.getAcc()));
    for (auto [rhs, acc] : llvm::zip_equal(partsOf(dot.getRhs()), accs))
      own.push_back(partOf(dot, dot.getLhs(), rhs, acc));
    parts[dot.getResult()] = std::move(own);
    return success();
  }

  /// What a stream carries, with panels in place of tiles.
  SmallVector<Value> withParts(StreamOp stream, ValueRange values) {
    SmallVector<Value> all;
    for (auto [result, value] : llvm::zip_equal(stream.getResults(), values)) {
      if (cuts.isCut(result))
        llvm::append_range(all, partsOf(value));
      else
        all.push_back(value);
    }
    return all;
  }

  LogicalResult splitYield(YieldOp yield) {
    StreamOp before = splitStreams.lookup(yield->getParentOp());
    if (!before)
      return refuse(yield);
    yield->setOperands(withParts(before, yield->getOperands()));
    return success();
  }

  /// Carries the panels in place of the tile.
  LogicalResult splitStream(StreamOp stream) {
    b.setInsertionPoint(stream);
    SmallVector<Value> inits = withParts(stream, stream.getInits());
    auto split = StreamOp::create(
        b, stream.getLoc(), ValueRange(inits).getTypes(), stream.getLowers(),
        stream.getUppers(), inits, stream.getTraversalOperands(),
        stream.getMasked(), stream.getStep(), stream.getOrdered());
    split.setTraversalAttr(stream.getTraversal());
    split.getBody().takeBody(stream.getBody());
    splitStreams[split] = stream;
    replaced.push_back(stream);
    Block &body = split.getBody().front();
    // What it yields is a tile that is cut where its result is, or what is the
    // same for any columns.
    carryParts(body, stream, split);
    for (Operation &op : llvm::make_early_inc_range(body.without_terminator()))
      if (failed(visit(&op)))
        return failure();
    return splitYield(cast<YieldOp>(body.getTerminator()));
  }

  /// Arguments and results of a stream that carries panels.
  void carryParts(Block &body, StreamOp stream, StreamOp split) {
    unsigned next = 0;
    for (Value result : stream.getResults()) {
      if (!cuts.isCut(result)) {
        result.replaceAllUsesWith(split.getResult(next++));
        continue;
      }
      BlockArgument old = body.getArgument(next + 1);
      auto panels = cuts.panels(matrixOf(result));
      SmallVector<Value> arguments, results;
      for (auto [i, panel] : llvm::enumerate(panels)) {
        arguments.push_back(
            body.insertArgument(next + 2 + i, panel.second, stream.getLoc()));
        results.push_back(split.getResult(next + i));
      }
      parts[result] = std::move(results);
      standFor(old, std::move(arguments));
      body.eraseArgument(next + 1);
      next += panels.size();
    }
  }

  /// Puts a value that is erased at the end in the place of an argument.
  void standFor(BlockArgument old, SmallVector<Value> panels) {
    b.setInsertionPointToStart(old.getOwner());
    Operation *op =
        tensor::EmptyOp::create(b, old.getLoc(), matrixOf(old).getShape(),
                                matrixOf(old).getElementType());
    standsIn.insert(op);
    replaced.push_back(op);
    cuts.replace(old, op->getResult(0));
    parts[op->getResult(0)] = std::move(panels);
    old.replaceAllUsesWith(op->getResult(0));
  }

  KernelOp kernel;
  Cuts cuts;
  OpBuilder b;
  int64_t numTiles = 0;
  llvm::DenseMap<Value, SmallVector<Value>> parts;
  /// The stream that had the tiles, of one that carries panels.
  llvm::DenseMap<Operation *, StreamOp> splitStreams;
  llvm::DenseSet<Operation *> standsIn;
  SmallVector<Operation *> replaced, repeated;
};

struct SplitColumnsPass : attn::impl::AttnSplitColumnsBase<SplitColumnsPass> {
  using AttnSplitColumnsBase::AttnSplitColumnsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    Cuts cuts(kernel);
    if (cuts.empty())
      return;
    ColumnSplitter splitter(kernel, std::move(cuts));
    if (failed(splitter.run()))
      return signalPassFailure();
    numSplit += splitter.count();
    remarks::emitSplitColumns(kernel, splitter.count());
  }
};

} // namespace
