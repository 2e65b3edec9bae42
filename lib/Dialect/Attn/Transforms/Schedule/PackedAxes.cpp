//===- PackedAxes.cpp - Tiles of what lies packed in memory ---------------===//
//
// The grid spans the tiles that there are: point i of the owner, whose elements
// begin at o[i], has those from o[i] / size + i on. These numbers rise, and
// leave room for ceil((o[i+1] - o[i]) / size) tiles of each; so a tile finds
// its point by halving, from offsets alone.
//
//===----------------------------------------------------------------------===//

#include "StreamKernel.h"
#include "attn-mlir/Dialect/Attn/IR/Halving.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

bool StreamKernel::holdsOffsets(const KernelView &view) const {
  return view.number && llvm::any_of(packedAxes, [&](const PackedAxis &packed) {
           return packed.offsets == *view.number;
         });
}

const PackedAxis *StreamKernel::packedGroup() const {
  const PackedAxis *found = llvm::find_if(packedAxes, [&](const PackedAxis &p) {
    return axes[p.axis].kind == AxisKind::Group;
  });
  return found == packedAxes.end() ? nullptr : found;
}

unsigned StreamKernel::inputOf(unsigned number) const {
  return llvm::find_if(
             views,
             [&](const KernelView &view) { return view.number == number; }) -
         views.begin();
}

Value StreamKernel::endInViews(unsigned axis) {
  Value end = context.extents[axis];
  return bases[axis]
             ? builder.createOrFold<arith::AddIOp>(loc, bases[axis], end)
             : end;
}

Value StreamKernel::enterPacked(const PackedAxis &packed) {
  IndexBuilder m{builder, loc};
  unsigned view = inputOf(packed.offsets);
  Value point = context.offsets[packed.owner], zero = m.constant(0);
  Value first = readElement(view, point),
        end = readElement(view, m.add(point, m.constant(1)));
  // What is negative is large without its sign.
  Value valid = m.logicalAnd(
      m.compare(CmpIPredicate::ule, first, end),
      m.compare(CmpIPredicate::ule, end, context.extents[packed.axis]));
  bases[packed.axis] = m.select(valid, first, zero);
  context.extents[packed.axis] = m.select(valid, m.sub(end, first), zero);
  foldAxes[packed.axis].extent = ShapedType::kDynamic;
  if (packed.axis == streamed)
    streamBound = endInViews(streamed);
  return valid;
}

Value StreamKernel::countPackedTiles(const PackedAxis &packed) {
  IndexBuilder m{builder, loc};
  return m.add(m.div(context.extents[packed.axis],
                     m.constant(context.sizes[packed.axis])),
               context.extents[packed.owner]);
}

void StreamKernel::enterPackedTile(const PackedAxis &packed, Value tile) {
  IndexBuilder m{builder, loc};
  unsigned view = inputOf(packed.offsets);
  Value size = m.constant(context.sizes[packed.axis]),
        points = context.extents[packed.owner];
  auto firstTile = [&](Value point) {
    return m.add(m.div(readElement(view, point), size), point);
  };
  // The last point whose first tile is not behind this one.
  Value point = lastBefore(m, halvings, points, [&](Value other) {
    return m.compare(CmpIPredicate::sle, firstTile(other), tile);
  });
  context.offsets[packed.owner] = point;
  Value number = m.sub(tile, firstTile(point));
  context.offsets[packed.axis] = m.mul(number, size);
  enterPacked(packed);
  // Where there is no such tile, it has no rows.
  tileExists = m.compare(CmpIPredicate::ult, context.offsets[packed.axis],
                         context.extents[packed.axis]);
  for (Value *value :
       {&context.offsets[packed.axis], &context.extents[packed.axis]})
    *value = m.select(tileExists, *value, m.constant(0));
}

void StreamKernel::enterListedTile(const PackedAxis &packed, Value entry) {
  IndexBuilder m{builder, loc};
  SmallVector<Value> fields;
  for (int64_t i = 0; i < kTileFields; ++i)
    fields.push_back(readElement(*listView, {entry, m.constant(i)}));
  context.offsets[packed.owner] = fields[0];
  context.offsets[packed.axis] = fields[1];
  bases[packed.axis] = fields[2];
  context.extents[packed.axis] = fields[3];
  foldAxes[packed.axis].extent = ShapedType::kDynamic;
  tileExists = m.compare(CmpIPredicate::ult, fields[1], fields[3]);
}

Value StreamKernel::enterPackedStream() {
  for (const PackedAxis &packed : packedAxes)
    if (packed.axis == streamed)
      return enterPacked(packed);
  return {};
}

void StreamKernel::skipMissingTile() {
  if (!tileExists || !ShapedType::isDynamic(foldAxes[streamed].extent))
    return;
  IndexBuilder m{builder, loc};
  Value &extent = context.extents[streamed];
  extent = m.select(tileExists, extent, m.constant(0));
  if (streamBound)
    streamBound = endInViews(streamed);
}
