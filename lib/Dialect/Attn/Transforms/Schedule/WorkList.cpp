//===- WorkList.cpp - Parts of streams that the device deals --------------===//
//
// Stream-K decomposition ("Stream-K: Work-centric Parallel Decomposition for
// Dense Matrix-Matrix Multiplication on the GPU", Osama, Merrill, Cecka,
// Garland and Owens 2023) of streams whose lengths only the device knows: parts
// are equally long, whatever stream they are of.
//
//===----------------------------------------------------------------------===//

#include "WorkList.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

/// Lengths that are read before the first is used: reads take far longer than
/// what is computed of them.
static constexpr int64_t kReadAtOnce = 8;
/// Elements of a tile that is all of a group axis: more than any axis has.
static constexpr int64_t kWholeAxis = int64_t(1) << 29;
/// The columns of the table.
static constexpr int64_t kFirstSlot = 0, kSlots = 1, kTableColumns = 2;

WorkList::WorkList(StreamableOpInterface op, ArrayRef<int64_t> sizes,
                   unsigned streamed, ArrayRef<KernelView> inputs,
                   int64_t partLength)
    : op(op), axes(op.getStreamAxes()), sizes(sizes), streamed(streamed),
      inputs(inputs), partLength(partLength) {
  AffineMap map = op.getViewMaps()[*op.getLengthsView()];
  for (AffineExpr expr : map.getResults())
    owners.push_back(cast<AffineDimExpr>(expr).getPosition());
  // A tile of all queries visits what any of them does.
  for (auto [axis, size] : llvm::zip(axes, this->sizes))
    if (axis.kind == AxisKind::Group)
      size = kWholeAxis;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Names of the rows of both arrays, for who states sizes by name.
static constexpr StringLiteral kEntriesAxis = "work", kStreamsAxis = "streams";

/// Names the rows of the last views of a kernel, which are no axis of its own.
static void nameRows(KernelOp kernel, ArrayRef<StringRef> names,
                     unsigned first) {
  Builder b(kernel.getContext());
  SmallVector<Attribute> dims(
      kernel->getAttrOfType<ArrayAttr>(KernelOp::kDimNamesAttr).getValue());
  for (auto [number, name] : llvm::enumerate(names))
    dims[first + number] = b.getStrArrayAttr({name, ""});
  kernel->setAttr(KernelOp::kDimNamesAttr, b.getArrayAttr(dims));
}

static KernelView viewOf(StringRef name, Value tensor, AffineExpr rows,
                         unsigned numAxes) {
  MLIRContext *context = tensor.getContext();
  return {name,
          tensor,
          AffineMap::get(numAxes, 0, {rows, getAffineConstantExpr(0, context)},
                         context),
          {0, 1}};
}

KernelView WorkList::getList(unsigned work) const {
  return viewOf("list", list, getAffineDimExpr(work, list.getContext()),
                work + 1);
}

KernelView WorkList::getTable(unsigned work) const {
  return viewOf("table", table, getAffineConstantExpr(0, table.getContext()),
                work + 1);
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// As many as there are rows in the table, but for the last.
Value WorkList::countStreams(StreamKernel &kernel) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  Value streams = m.constant(1);
  for (unsigned axis : owners)
    streams = m.mul(streams, kernel.getContext().extents[axis]);
  return streams;
}

void WorkList::enterGrid(StreamKernel &kernel, unsigned tableView) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  nameRows(kernel.getKernel(), kStreamsAxis, tableView);
  Value offsets[] = {countStreams(kernel), m.constant(kFirstSlot)};
  kernel.enterGrid();
  GridOp grid = kernel.getKernel().getGrid();
  grid.getUntilMutable().assign(kernel.getKernel().getArgument(tableView));
  grid.getUntilOffsetsMutable().assign(offsets);
}

std::pair<Value, Value> WorkList::enterEntry(StreamKernel &kernel,
                                             unsigned work,
                                             unsigned listView) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  Value entry = kernel.getContext().offsets[work];
  auto field = [&](int64_t number) {
    return kernel.readElement(listView, {entry, m.constant(number)});
  };
  for (auto [number, axis] : llvm::enumerate(owners))
    kernel.setOffset(axis, field(number));
  Value from = field(owners.size()), to = field(owners.size() + 1);
  return {from, to};
}

/// The number of the tile's stream.
Value WorkList::streamOf(StreamKernel &kernel) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  const TileContext &context = kernel.getContext();
  Value stream = context.offsets[owners.front()];
  for (unsigned axis : ArrayRef(owners).drop_front())
    stream = m.add(m.mul(stream, context.extents[axis]), context.offsets[axis]);
  return stream;
}

Segment WorkList::slotsOf(StreamKernel &kernel, unsigned tableView) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  nameRows(kernel.getKernel(), kStreamsAxis, tableView);
  Value stream = streamOf(kernel);
  Value first = kernel.readElement(tableView, {stream, m.constant(kFirstSlot)});
  Value count = kernel.readElement(tableView, {stream, m.constant(kSlots)});
  return {first, m.add(first, count), /*masked=*/false};
}

//===----------------------------------------------------------------------===//
// Dealing
//===----------------------------------------------------------------------===//

static KernelView makeArray(OpBuilder &host, Location loc, StringRef name,
                            Value rows, int64_t columns, unsigned numAxes) {
  APInt constant;
  bool isStatic = matchPattern(rows, m_ConstantInt(&constant));
  int64_t size = isStatic ? constant.getSExtValue() : ShapedType::kDynamic;
  auto type = RankedTensorType::get({size, columns}, host.getI32Type());
  Value array = tensor::EmptyOp::create(
      host, loc, type, isStatic ? ValueRange() : ValueRange(rows));
  return viewOf(name, array, getAffineConstantExpr(0, host.getContext()),
                numAxes);
}

KernelOp WorkList::deal(StringRef name, Value streams, Value capacity) {
  OpBuilder host(op);
  IndexBuilder m{host, op.getLoc()};
  // One CTA does it all.
  unsigned only = axes.size();
  KernelAxes kernelAxes{axes, sizes, streamed, {only}};
  kernelAxes.axes.push_back({"deal", AxisKind::Unit, 1});
  kernelAxes.sizes.push_back(1);
  auto known = [&](KernelView view) {
    view.map =
        AffineMap::get(only + 1, 0, view.map.getResults(), op->getContext());
    return view;
  };
  // The lengths, and the views that tell extents which are not static.
  SmallVector<KernelView> read{known(inputs[*op.getLengthsView()])};
  SmallVector<unsigned> taken;
  for (const StreamAxis &axis : axes)
    if (ShapedType::isDynamic(axis.extent) &&
        !llvm::is_contained(taken, axis.view) && axis.kind != AxisKind::Unit) {
      taken.push_back(axis.view);
      read.push_back(known(inputs[axis.view]));
    }
  SmallVector<KernelView> written{
      makeArray(host, op.getLoc(), "list", capacity, numFields(), only + 1),
      makeArray(host, op.getLoc(), "table", m.add(streams, m.constant(1)),
                kTableColumns, only + 1)};
  StreamKernel kernel(op, name, kernelAxes, read, written);
  nameRows(kernel.getKernel(), {kEntriesAxis, kStreamsAxis}, read.size());
  buildDeal(kernel);
  LaunchOp launch = kernel.launch();
  list = launch.getResult(0);
  table = launch.getResult(1);
  return kernel.getKernel();
}

/// Tiles that the stream at the context's coordinates visits, as long as it is
/// said to be.
Value WorkList::visitsOf(StreamKernel &kernel, Value length) const {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  kernel.endStreamAt(streamed, length);
  SmallVector<Segment> segments =
      op.buildSegments(b, op.getLoc(), kernel.getContext());
  Value span = m.sub(segments.back().hi, segments.front().lo);
  return m.ceilDiv(m.maxS(span, m.constant(0)), m.constant(sizes[streamed]));
}

Value WorkList::forStreams(StreamKernel &kernel, Value streams, Value init,
                           Body body) const {
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  IndexBuilder m{b, loc};
  auto loop = scf::ForOp::create(b, loc, m.constant(0), streams,
                                 m.constant(kReadAtOnce), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  // Behind the last stream lengths are read as zero.
  SmallVector<Value> numbers, lengths;
  SmallVector<SmallVector<Value>> coordinates;
  for (int64_t i = 0; i < kReadAtOnce; ++i) {
    numbers.push_back(m.add(loop.getInductionVar(), m.constant(i)));
    SmallVector<Value> &own = coordinates.emplace_back(owners.size());
    Value rest = numbers.back();
    for (size_t d = owners.size(); d-- > 1;) {
      Value extent = m.atLeastOne(kernel.getContext().extents[owners[d]]);
      own[d] = m.rem(rest, extent);
      rest = m.div(rest, extent);
    }
    own.front() = rest;
    lengths.push_back(kernel.readElement(0, own));
  }
  Value carried = loop.getRegionIterArg(0);
  for (int64_t i = 0; i < kReadAtOnce; ++i) {
    for (auto [axis, coordinate] : llvm::zip(owners, coordinates[i]))
      kernel.setOffset(axis, coordinate);
    carried = body(numbers[i], visitsOf(kernel, lengths[i]), carried);
  }
  scf::YieldOp::create(b, loc, carried);
  return loop.getResult(0);
}

/// Tiles of a part.
Value WorkList::buildPartTiles(StreamKernel &kernel, Value streams) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  if (partLength > 0)
    return m.constant(partLength / sizes[streamed]);
  Value total = forStreams(
      kernel, streams, m.constant(0),
      [&](Value, Value visits, Value sum) { return m.add(sum, visits); });
  // What the host can compute is what it checks to fit 32 bits.
  Value most =
      m.ceilDiv(kernel.extentOf(streamed), m.constant(sizes[streamed]));
  total = m.minU(total, m.mul(streams, most));
  Value entries = kernel.sizeOf(kernel.numInputViews(), 0);
  Value wanted = m.add(m.sub(entries, streams), m.constant(1));
  // No longer than any stream is.
  Value even = m.minU(m.ceilDiv(total, m.atLeastOne(wanted)), most);
  return m.b.createOrFold<arith::MaxUIOp>(op.getLoc(), even,
                                          m.constant(leastTiles));
}

void WorkList::buildDeal(StreamKernel &kernel) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  IndexBuilder m{b, loc};
  kernel.enterGrid();
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis.kind == AxisKind::Unit || axis.kind == AxisKind::Group)
      kernel.setOffset(i, m.constant(0));
  Value streams = countStreams(kernel);
  Value partTiles = buildPartTiles(kernel, streams);
  Value length = m.mul(partTiles, m.constant(sizes[streamed]));
  unsigned listView = kernel.numInputViews(), tableView = listView + 1;
  Value zero = m.constant(0), one = m.constant(1);
  auto writeEntry = [&](Value entry, Value from, Value to) {
    for (auto [number, axis] : llvm::enumerate(owners))
      kernel.writeElement(kernel.getContext().offsets[axis], listView,
                          {entry, m.constant(number)});
    kernel.writeElement(from, listView, {entry, m.constant(owners.size())});
    kernel.writeElement(to, listView, {entry, m.constant(owners.size() + 1)});
  };
  auto writeTable = [&](Value row, Value first, Value second) {
    kernel.writeElement(first, tableView, {row, m.constant(kFirstSlot)});
    kernel.writeElement(second, tableView, {row, m.constant(kSlots)});
  };
  Value entries = forStreams(
      kernel, streams, zero, [&](Value stream, Value visits, Value slot) {
        Value parts = m.ceilDiv(visits, partTiles);
        writeTable(stream, slot, parts);
        auto loop = scf::ForOp::create(b, loc, zero, parts, one);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(loop.getBody());
        Value from = m.mul(loop.getInductionVar(), length);
        writeEntry(m.add(slot, loop.getInductionVar()), from,
                   m.add(from, length));
        b.setInsertionPointAfter(loop);
        return m.add(slot, parts);
      });
  writeTable(streams, entries, length);
  auto rest =
      scf::ForOp::create(b, loc, entries, kernel.sizeOf(listView, 0), one);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(rest.getBody());
  for (unsigned axis : owners)
    kernel.setOffset(axis, zero);
  writeEntry(rest.getInductionVar(), zero, zero);
}
