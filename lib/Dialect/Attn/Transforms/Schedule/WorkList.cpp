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
  if (hasSlots())
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
  Values carried(loop.getRegionIterArgs());
  for (int64_t i = 0; i < kReadAtOnce; ++i) {
    for (auto [axis, coordinate] : llvm::zip(owners, coordinates[i]))
      kernel.setOffset(axis, coordinate);
    carried = body(numbers[i], visitsOf(kernel, lengths[i]), carried);
  }
  scf::YieldOp::create(b, loc, carried);
  return Values(loop.getResults());
}

/// Tiles of a part.
Value WorkList::buildPartTiles(StreamKernel &kernel, Value streams) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  if (partLength > 0)
    return m.constant(partLength / sizes[streamed]);
  Value total = forStreams(kernel, streams, {m.constant(0)},
                           [&](Value, Value visits, ValueRange sum) -> Values {
                             return {m.add(sum[0], visits)};
                           })[0];
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

void WorkList::writeEntry(StreamKernel &kernel, Value entry, Value from,
                          Value to, Value slot) const {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  SmallVector<Value> fields;
  for (unsigned axis : owners)
    fields.push_back(kernel.getContext().offsets[axis]);
  fields.append({from, to});
  if (hasSlots())
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

Value WorkList::dealInTurn(StreamKernel &kernel, Value streams,
                           Value partTiles) const {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  Value zero = m.constant(0);
  Value length = m.mul(partTiles, m.constant(sizes[streamed]));
  auto body = [&](Value stream, Value visits, ValueRange slot) -> Values {
    Value parts = m.ceilDiv(visits, partTiles);
    writeTable(kernel, stream, slot[0], parts);
    {
      OpBuilder::InsertionGuard guard(b);
      Value part = enterLoop(b, op.getLoc(), zero, parts);
      Value from = m.mul(part, length), entry = m.add(slot[0], part);
      writeEntry(kernel, entry, from, m.add(from, length), entry);
    }
    return {m.add(slot[0], parts)};
  };
  return forStreams(kernel, streams, {zero}, body)[0];
}

/// Where entries are taken in turn, what is short should come last. Slots of a
/// stream are neighbours nevertheless.
Value WorkList::dealWholeFirst(StreamKernel &kernel, Value streams,
                               Value partTiles) const {
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  IndexBuilder m{b, loc};
  Value zero = m.constant(0);
  Value length = m.mul(partTiles, m.constant(sizes[streamed]));
  Value allWhole =
      forStreams(kernel, streams, {zero},
                 [&](Value, Value visits, ValueRange sum) -> Values {
                   return {m.add(sum[0], m.div(visits, partTiles))};
                 })[0];
  auto body = [&](Value stream, Value visits, ValueRange before) -> Values {
    Value slot = before[0], wholeBefore = before[1];
    Value parts = m.ceilDiv(visits, partTiles);
    Value whole = m.div(visits, partTiles);
    writeTable(kernel, stream, slot, parts);
    auto dealParts = [&](Value first, Value end, Value entry) {
      OpBuilder::InsertionGuard guard(b);
      Value part = enterLoop(b, loc, first, end);
      Value from = m.mul(part, length);
      writeEntry(kernel, m.add(entry, m.sub(part, first)), from,
                 m.add(from, length), m.add(slot, part));
    };
    dealParts(zero, whole, wholeBefore);
    dealParts(whole, parts, m.add(allWhole, m.sub(slot, wholeBefore)));
    return {m.add(slot, parts), m.add(wholeBefore, whole)};
  };
  return forStreams(kernel, streams, {zero, zero}, body)[0];
}

void WorkList::buildDeal(StreamKernel &kernel) {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  kernel.enterGrid();
  for (auto [i, axis] : llvm::enumerate(axes))
    if (axis.kind == AxisKind::Unit || axis.kind == AxisKind::Group)
      kernel.setOffset(i, m.constant(0));
  Value streams = countStreams(kernel);
  Value partTiles = buildPartTiles(kernel, streams);
  Value entries = hasSlots() ? dealWholeFirst(kernel, streams, partTiles)
                             : dealInTurn(kernel, streams, partTiles);
  writeTable(kernel, streams, entries,
             m.mul(partTiles, m.constant(sizes[streamed])));
  Value zero = m.constant(0);
  OpBuilder::InsertionGuard guard(b);
  Value rest = enterLoop(b, op.getLoc(), entries,
                         kernel.sizeOf(kernel.numInputViews(), 0));
  for (unsigned axis : owners)
    kernel.setOffset(axis, zero);
  writeEntry(kernel, rest, zero, zero, rest);
}
