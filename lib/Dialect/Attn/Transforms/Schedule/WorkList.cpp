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
static constexpr int64_t kReadAtOnce = 16;
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

void attn::nameRows(KernelOp kernel, ArrayRef<StringRef> names,
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
  // What follows is about the slot.
  kernel.setOffset(work, field(owners.size() + 2));
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

std::pair<Value, Value> WorkList::isWhole(StreamKernel &kernel,
                                          unsigned tableView) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  nameRows(kernel.getKernel(), kStreamsAxis, tableView);
  Value count =
      kernel.readElement(tableView, {streamOf(kernel), m.constant(kSlots)});
  return {m.compare(arith::CmpIPredicate::eq, count, m.constant(1)),
          m.compare(arith::CmpIPredicate::ne, count, m.constant(1))};
}

//===----------------------------------------------------------------------===//
// Dealing
//===----------------------------------------------------------------------===//

KernelView attn::makeArray(OpBuilder &host, Location loc, StringRef name,
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
  // A CTA for each row of the table.
  unsigned dealt = axes.size();
  Value rows = m.add(streams, m.constant(1));
  APInt constant;
  int64_t numRows = matchPattern(rows, m_ConstantInt(&constant))
                        ? constant.getSExtValue()
                        : ShapedType::kDynamic;
  KernelAxes kernelAxes{axes, sizes, streamed, {dealt}};
  kernelAxes.axes.push_back({"deal", AxisKind::Unit, numRows});
  kernelAxes.sizes.push_back(1);
  auto known = [&](KernelView view) {
    view.map =
        AffineMap::get(dealt + 1, 0, view.map.getResults(), op->getContext());
    return view;
  };
  // The lengths, the views that tell extents which are not static, and those
  // that bounds of streams are read from.
  SmallVector<KernelView> read{known(inputs[*op.getLengthsView()])};
  SmallVector<unsigned> taken;
  for (const StreamAxis &axis : axes)
    if (ShapedType::isDynamic(axis.extent) &&
        !llvm::is_contained(taken, axis.view) && axis.kind != AxisKind::Unit) {
      taken.push_back(axis.view);
      read.push_back(known(inputs[axis.view]));
    }
  for (unsigned view : op.getSegmentViews())
    if (!llvm::is_contained(taken, view))
      read.push_back(known(inputs[view]));
  SmallVector<KernelView> written{
      makeArray(host, op.getLoc(), "list", capacity, numFields(), dealt + 1),
      makeArray(host, op.getLoc(), "table", rows, kTableColumns, dealt + 1)};
  AffineExpr row = getAffineDimExpr(dealt, op->getContext());
  written.back().map = AffineMap::get(
      dealt + 1, 0, {row, getAffineConstantExpr(0, op->getContext())},
      op->getContext());
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

/// The unit coordinates of a stream by its number.
WorkList::Values WorkList::coordinatesOf(StreamKernel &kernel,
                                         Value stream) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  Values result(owners.size());
  for (size_t d = owners.size(); d-- > 1;) {
    Value extent = m.atLeastOne(kernel.getContext().extents[owners[d]]);
    result[d] = m.rem(stream, extent);
    stream = m.div(stream, extent);
  }
  result.front() = stream;
  return result;
}

void WorkList::selectStream(StreamKernel &kernel, Value stream) const {
  for (auto [axis, coordinate] :
       llvm::zip(owners, coordinatesOf(kernel, stream)))
    kernel.setOffset(axis, coordinate);
}

WorkList::Values WorkList::forStreams(StreamKernel &kernel, Value streams,
                                      const Values &init, Body body) const {
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  IndexBuilder m{b, loc};
  auto loop = scf::ForOp::create(b, loc, m.constant(0), streams,
                                 m.constant(kReadAtOnce), init);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  // Behind the last stream lengths are read as zero.
  SmallVector<Value> numbers, lengths;
  SmallVector<Values> coordinates;
  for (int64_t i = 0; i < kReadAtOnce; ++i) {
    numbers.push_back(m.add(loop.getInductionVar(), m.constant(i)));
    coordinates.push_back(coordinatesOf(kernel, numbers.back()));
    lengths.push_back(kernel.readElement(0, coordinates.back()));
  }
  Values carried(loop.getRegionIterArgs());
  for (int64_t i = 0; i < kReadAtOnce; ++i) {
    for (auto [axis, coordinate] : llvm::zip(owners, coordinates[i]))
      kernel.setOffset(axis, coordinate);
    carried = body(numbers[i], visitsOf(kernel, lengths[i]), carried);
  }
  scf::YieldOp::create(b, loc, carried);
  return Values(loop.getResults());
}

/// Tiles of a part. Streams that are about equally long are not worth parts
/// that make them equal.
Value WorkList::buildPartTiles(StreamKernel &kernel, Value streams) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  if (partLength > 0)
    return m.constant(partLength / sizes[streamed]);
  Value zero = m.constant(0), least = m.constant(leastTiles);
  Values known =
      forStreams(kernel, streams, {zero, zero},
                 [&](Value, Value visits, ValueRange before) -> Values {
                   return {m.add(before[0], visits), m.maxU(before[1], visits)};
                 });
  // What the host can compute is what it checks to fit 32 bits.
  Value most =
      m.ceilDiv(kernel.extentOf(streamed), m.constant(sizes[streamed]));
  Value total = m.minU(known[0], m.mul(streams, most));
  Value longest = m.minU(known[1], most);
  Value entries = kernel.sizeOf(kernel.numInputViews(), 0);
  Value wanted = m.add(m.sub(entries, streams), m.constant(1));
  // No longer than any stream is.
  Value even = m.minU(m.ceilDiv(total, m.atLeastOne(wanted)), most);
  Value alike = m.compare(arith::CmpIPredicate::ule, longest,
                          m.add(even, m.constant(partCost)));
  return m.maxU(m.select(alike, longest, even), least);
}

void WorkList::writeEntry(StreamKernel &kernel, Value entry, Value from,
                          Value to, Value slot) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  SmallVector<Value> fields;
  for (unsigned axis : owners)
    fields.push_back(kernel.getContext().offsets[axis]);
  fields.append({from, to});
  fields.push_back(slot);
  for (auto [number, value] : llvm::enumerate(fields))
    kernel.writeElement(value, kernel.numInputViews(),
                        {entry, m.constant(number)});
}

void WorkList::writeTable(StreamKernel &kernel, Value row, Value first,
                          Value second) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  unsigned table = kernel.numInputViews() + 1;
  kernel.writeElement(first, table, {row, m.constant(kFirstSlot)});
  kernel.writeElement(second, table, {row, m.constant(kSlots)});
}

/// A loop over numbers, in which stands what is built next.
static Value enterLoop(OpBuilder &b, Location loc, Value from, Value to) {
  auto loop = scf::ForOp::create(b, loc, from, to,
                                 arith::ConstantIndexOp::create(b, loc, 1));
  b.setInsertionPointToStart(loop.getBody());
  return loop.getInductionVar();
}

WorkList::Place WorkList::placeOf(StreamKernel &kernel, Value streams,
                                  Value row, Value partTiles) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  Value zero = m.constant(0);
  auto body = [&](Value stream, Value visits, ValueRange sums) -> Values {
    Value whole = m.div(visits, partTiles);
    Value rest =
        m.compare(arith::CmpIPredicate::ult, m.mul(whole, partTiles), visits);
    Value parts = m.add(whole, m.select(rest, m.constant(1), zero));
    Value before = m.compare(arith::CmpIPredicate::ult, stream, row);
    Value own = m.compare(arith::CmpIPredicate::eq, stream, row);
    return {m.select(own, visits, sums[0]),
            m.add(sums[1], m.select(before, parts, zero)),
            m.add(sums[2], m.select(before, whole, zero)),
            m.add(sums[3], whole)};
  };
  Values sums = forStreams(kernel, streams, Values(4, zero), body);
  return {sums[0], sums[1], sums[2], sums[3]};
}

void WorkList::writeParts(StreamKernel &kernel, Value length, Value slot,
                          Value first, Value end, Value entry) const {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  OpBuilder::InsertionGuard guard(b);
  Value part = enterLoop(b, op.getLoc(), first, end);
  Value from = m.mul(part, length);
  writeEntry(kernel, m.add(entry, m.sub(part, first)), from,
             m.add(from, length), m.add(slot, part));
}

/// Parts are taken in turn, so that what is short comes last. Slots of a stream
/// are neighbours nevertheless.
void WorkList::writeRow(StreamKernel &kernel, Value streams, Value row,
                        Value partTiles) const {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  Place place = placeOf(kernel, streams, row, partTiles);
  selectStream(kernel, row);
  Value length = m.mul(partTiles, m.constant(sizes[streamed]));
  Value parts = m.ceilDiv(place.visits, partTiles);
  Value whole = m.div(place.visits, partTiles);
  Value behind = m.compare(arith::CmpIPredicate::eq, row, streams);
  writeTable(kernel, row, place.slot, m.select(behind, length, parts));
  writeParts(kernel, length, place.slot, m.constant(0), whole, place.whole);
  writeParts(kernel, length, place.slot, whole, parts,
             m.add(place.allWhole, m.sub(place.slot, place.whole)));
  // Behind all streams: as many slots are taken as there are parts, and what is
  // of no stream stores no result.
  Value zero = m.constant(0);
  Value capacity = kernel.sizeOf(kernel.numInputViews(), 0);
  selectStream(kernel, streams);
  OpBuilder::InsertionGuard guard(b);
  Value rest = enterLoop(b, op.getLoc(), m.select(behind, place.slot, capacity),
                         capacity);
  writeEntry(kernel, rest, zero, zero, rest);
}

void WorkList::buildDeal(StreamKernel &kernel) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  kernel.enterGrid();
  Value row = kernel.getContext().offsets[axes.size()];
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis.kind == AxisKind::Unit || axis.kind == AxisKind::Group)
      kernel.setOffset(i, m.constant(0));
  Value streams = countStreams(kernel);
  writeRow(kernel, streams, row, buildPartTiles(kernel, streams));
}
