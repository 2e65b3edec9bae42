//===- PackedList.cpp - Tiles of packed sequences, longest first ----------===//
//
// A kernel that comes first makes a list of the tiles: of the longest sequence
// from its last one on, then of the next. The CTA of a sequence counts the
// tiles of longer ones, so that none waits for another. ("Longest processing
// time first": R. L. Graham, "Bounds on Multiprocessing Timing Anomalies",
// 1969.)
//
//===----------------------------------------------------------------------===//

#include "Partitioner.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

/// Offsets that are read before the first is used.
static constexpr int64_t kReadAtOnce = 8;

namespace {

/// Builds the body of the kernel.
class ListBuilder {
public:
  /// A CTA for each point of axis `own` of the grid.
  ListBuilder(StreamKernel &kernel, Location loc, const PackedAxis &packed,
              unsigned own, int64_t size)
      : kernel(kernel), b(kernel.getBuilder()), loc(loc), m{b, loc},
        size(m.constant(size)), total(kernel.getContext().extents[packed.axis]),
        points(kernel.getContext().extents[packed.owner]),
        point(kernel.getContext().offsets[own]) {}

  void build() {
    Value first = read(point),
          own = lengthOf(first, read(m.add(point, m.constant(1))));
    std::pair<Value, Value> counted = countTiles(own);
    Value before = counted.first, all = counted.second;
    Value tiles = m.ceilDiv(own, size), zero = m.constant(0);
    Value base = m.select(m.compare(CmpIPredicate::ne, own, zero), first, zero);
    Value last = m.sub(tiles, m.constant(1));
    inLoop(zero, tiles, [&](Value number) {
      Value tile = m.sub(last, number);
      write(m.add(before, number), {point, m.mul(tile, size), base, own});
    });
    // Entries that no tile has are those of nothing.
    Value room = kernel.sizeOf(kernel.numInputViews(), 0);
    Value end = m.select(m.compare(CmpIPredicate::eq, point, zero), room, all);
    inLoop(all, end,
           [&](Value entry) { write(entry, {zero, zero, zero, zero}); });
  }

private:
  Value read(Value of) { return kernel.readElement(0, of); }

  void write(Value entry, ArrayRef<Value> fields) {
    for (auto [number, value] : llvm::enumerate(fields))
      kernel.writeElement(value, kernel.numInputViews(),
                          {entry, m.constant(static_cast<int64_t>(number))});
  }

  /// What is negative is large without its sign.
  Value lengthOf(Value first, Value end) {
    Value valid = m.logicalAnd(m.compare(CmpIPredicate::ule, first, end),
                               m.compare(CmpIPredicate::ule, end, total));
    return m.select(valid, m.sub(end, first), m.constant(0));
  }

  /// Tiles of the points that come before one of length `own`, and of all.
  std::pair<Value, Value> countTiles(Value own) {
    Value zero = m.constant(0);
    auto loop = scf::ForOp::create(
        b, loc, zero, points, m.constant(kReadAtOnce), ValueRange{zero, zero});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> numbers, offsets;
    for (int64_t i = 0; i <= kReadAtOnce; ++i) {
      numbers.push_back(m.add(loop.getInductionVar(), m.constant(i)));
      offsets.push_back(read(numbers.back()));
    }
    Value before = loop.getRegionIterArg(0), all = loop.getRegionIterArg(1);
    for (int64_t i = 0; i < kReadAtOnce; ++i) {
      Value exists = m.compare(CmpIPredicate::ult, numbers[i], points);
      Value length =
          m.select(exists, lengthOf(offsets[i], offsets[i + 1]), zero);
      Value tiles = m.ceilDiv(length, size);
      Value comesFirst = m.logicalOr(
          m.compare(CmpIPredicate::ugt, length, own),
          m.logicalAnd(m.compare(CmpIPredicate::eq, length, own),
                       m.compare(CmpIPredicate::ult, numbers[i], point)));
      before = m.add(before, m.select(comesFirst, tiles, zero));
      all = m.add(all, tiles);
    }
    scf::YieldOp::create(b, loc, ValueRange{before, all});
    return {loop.getResult(0), loop.getResult(1)};
  }

  void inLoop(Value from, Value to, function_ref<void(Value)> body) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::ForOp::create(b, loc, from, to, m.constant(1));
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  StreamKernel &kernel;
  OpBuilder &b;
  Location loc;
  IndexBuilder m;
  Value size, total, points, point;
};

} // namespace

KernelView Partitioner::listTiles(const PackedAxis &packed) {
  IndexBuilder m{host, op.getLoc()};
  // The owner is no axis of a grid in which tiles tell their points.
  auto own = static_cast<unsigned>(axes.size());
  KernelAxes kernelAxes{axes, sizes, streamed, {own}};
  kernelAxes.axes.push_back({"sequence", AxisKind::Unit, ShapedType::kDynamic});
  kernelAxes.sizes.push_back(1);
  auto known = [&](KernelView view) {
    view.map =
        AffineMap::get(own + 1, 0, view.map.getResults(), op->getContext());
    return view;
  };
  Value capacity =
      m.add(m.div(hostExtent(packed.axis), m.constant(sizes[packed.axis])),
            hostExtent(packed.owner));
  KernelView list = makeArray(host, op.getLoc(), "list", capacity,
                              StreamKernel::kTileFields, own);
  SmallVector<KernelView> read{known(inputOf(packed.offsets)),
                               known(inputOf(axes[packed.axis].view))};
  StreamKernel kernel(op, nameWith("_order"), kernelAxes, read, known(list));
  nameRows(kernel.getKernel(), {"work"}, read.size());
  // Without sequences one CTA says that no entry is a tile.
  IndexBuilder k{kernel.getBuilder(), op.getLoc()};
  kernel.setExtent(
      own, k.maxS(kernel.getContext().extents[packed.owner], k.constant(1)));
  kernel.enterGrid();
  ListBuilder(kernel, op.getLoc(), packed, own, sizes[packed.axis]).build();
  kernel.getKernel()->setAttr(KernelOp::kStepAttr,
                              host.getStringAttr(KernelOp::kOrderStep));
  result.kernels.push_back(kernel.getKernel());
  list.tensor = kernel.launch().getResult(0);
  return list;
}
