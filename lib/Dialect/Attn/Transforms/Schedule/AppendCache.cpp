//===- AppendCache.cpp - Kernels that append to caches --------------------===//
//
// A CTA takes some heads of one token: it finds the place of the token by
// numbers on the device, turns what is to be turned, and stores a tile. What
// has no place is stored outside of the view, where stores write nothing.
//
//===----------------------------------------------------------------------===//

#include "AppendCache.h"
#include "TensorKernel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/Halving.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

/// Heads of a tile, and what its columns are a multiple of.
static constexpr int64_t kHeads = 16, kColumns = 16;

namespace {

/// What a kernel takes of tokens: sequence, place and head.
struct TokenPlace {
  Value batch, token, sequence, place, head;
  /// Whether there is such a token, of a sequence.
  Value exists;
};

/// Builds a kernel over tokens, and its launch.
class TokenKernel {
public:
  TokenKernel(Operation *op, Value lengths, Value offsets, StringRef tokenAxis)
      : tokenAxis(tokenAxis), op(op), loc(op->getLoc()), b(op->getContext()),
        lengths(lengths), offsets(offsets) {}

  unsigned add(TensorView view) {
    views.push_back(std::move(view));
    return views.size() - 1;
  }
  /// Tensors [batch, tokens, heads, columns] in any layout.
  unsigned addRows(StringRef name, Value tensor, TensorLayout layout,
                   StringRef first, StringRef second) {
    return add({name,
                tensor,
                {0, seqDimOf(layout), headDimOf(layout), 3},
                {first, second, "", ""}});
  }
  unsigned addNumbers() {
    numbers = add({"lengths", lengths, {0}, {"batch"}});
    if (offsets)
      starts = add({"cu_seqlens", offsets, {0}, {"batch+1"}});
    return *numbers;
  }
  void addTables(Value cosines, Value sines) {
    if (!cosines)
      return;
    cos = add({"cos", cosines, {0, 1}, {"place", ""}});
    sin = add({"sin", sines, {0, 1}, {"place", ""}});
  }
  std::optional<unsigned> addScale(StringRef name, Value scale) {
    if (!scale)
      return std::nullopt;
    return add({name, scale, {0, 1}, {"batch", ""}});
  }
  StringRef batchAxis() const { return offsets ? "" : "batch"; }

  /// The kernel, and the builder in its grid over heads of tokens of `rows`.
  void open(StringRef suffix, unsigned outputs, unsigned rows);
  /// Where the tile of this CTA belongs.
  TokenPlace findPlace(unsigned rows, bool together);
  /// The tile of a view of rows that the CTA has.
  Value load(unsigned view, const TokenPlace &at);
  /// The tile turned by its place, in f32.
  Value turn(Value tile, unsigned view, const TokenPlace &at, bool interleaved);
  /// The tile, of f32, as multiples of what a view has for each head.
  Value divide(Value tile, std::optional<unsigned> scale, const TokenPlace &at);
  Value widen(Value tile);
  Value narrow(Value tile, Type element);
  void store(Value tile, unsigned view, ValueRange place, Value head);
  LaunchOp launch(ValueRange rooms);

  Value argument(unsigned view) { return kernel.getArgument(view); }
  Value sizeOf(unsigned view, int64_t dim);
  Value read(unsigned view, ValueRange at) {
    return ReadOp::create(b, loc, argument(view), at);
  }
  IndexBuilder index() { return {b, loc}; }
  KernelOp kernel;
  /// What tokens count, for launchers and guards.
  StringRef tokenAxis;
  /// What the sequence of this CTA's token has already.
  Value length;
  unsigned numInputs = 0;
  std::optional<unsigned> numbers, starts;

  Operation *op;
  Location loc;
  OpBuilder b;

private:
  Value findSequence(Value token);
  void enterPacked(TokenPlace &at, unsigned rows);
  Value columnsOf(RankedTensorType tile, int64_t rows);
  std::pair<int64_t, int64_t> sizesOfScale(unsigned view) {
    ArrayRef<int64_t> sizes =
        cast<ViewType>(argument(view).getType()).getShape();
    return {sizes[0], sizes[1]};
  }
  Value angles(unsigned table, Value place, Value columns,
               RankedTensorType tile);

  Value lengths, offsets;
  std::optional<unsigned> cos, sin;
  SmallVector<TensorView> views;
};

Value TokenKernel::sizeOf(unsigned view, int64_t dim) {
  return b.createOrFold<DimOp>(loc, argument(view), dim);
}

void TokenKernel::open(StringRef suffix, unsigned outputs, unsigned rows) {
  numInputs = views.size() - outputs;
  kernel = openKernel(b, op, suffix, AppendCacheOp::kStep, views, outputs);
  IndexBuilder m = index();
  int64_t heads = views[rows].getType().getShape()[2];
  Value blocks = m.constant(llvm::divideCeil(heads, kHeads)),
        sequences = sizeOf(*numbers, 0), tokens = sizeOf(rows, 1);
  SmallVector<Value> sizes;
  SmallVector<StringRef> grid;
  // Where there are no tokens, there are lengths to be written.
  if (offsets) {
    sizes = {b.createOrFold<arith::MaxUIOp>(loc, tokens, sequences), blocks};
    grid = {"token", "block"};
  } else {
    sizes = {sequences, m.atLeastOne(tokens), blocks};
    grid = {"batch", "token", "block"};
  }
  openGrid(b, loc, sizes, grid);
}

/// The last sequence that begins at this token, or before it.
Value TokenKernel::findSequence(Value token) {
  IndexBuilder m = index();
  Value sequences = sizeOf(*numbers, 0);
  return lastBefore(
      m, countHalvings(m, sequences), sequences, [&](Value point) {
        return m.compare(CmpIPredicate::sle, read(*starts, point), token);
      });
}

/// The sequence of a packed token, and of as many CTAs as there are sequences
/// the tokens of each.
void TokenKernel::enterPacked(TokenPlace &at, unsigned rows) {
  IndexBuilder m = index();
  Value tokens = sizeOf(rows, 1);
  at.sequence = findSequence(at.token);
  Value first = read(*starts, at.sequence),
        end = read(*starts, m.add(at.sequence, m.constant(1)));
  at.exists = m.logicalAnd(m.compare(CmpIPredicate::sle, first, at.token),
                           m.compare(CmpIPredicate::slt, at.token, end));
  at.exists =
      m.logicalAnd(at.exists, m.compare(CmpIPredicate::ult, at.token, tokens));
  length = read(*numbers, at.sequence);
  at.place = m.sub(at.token, first);
}

TokenPlace TokenKernel::findPlace(unsigned rows, bool together) {
  auto grid = cast<GridOp>(b.getInsertionBlock()->getParentOp());
  IndexBuilder m = index();
  ValueRange at = grid.getCoordinates();
  TokenPlace place;
  place.head = m.mul(at.back(), m.constant(kHeads));
  if (offsets) {
    place.batch = m.constant(0);
    place.token = at[0];
    enterPacked(place, rows);
  } else {
    place.batch = place.sequence = at[0];
    place.token = place.place = at[1];
    place.exists = m.compare(CmpIPredicate::ult, place.token, sizeOf(rows, 1));
    length = read(*numbers, place.sequence);
  }
  place.place = together ? length : m.add(length, place.place);
  return place;
}

Value TokenKernel::load(unsigned view, const TokenPlace &at) {
  ViewType type = cast<ViewType>(argument(view).getType());
  auto tile = RankedTensorType::get(
      {kHeads, int64_t(llvm::alignTo(type.getShape()[3], kColumns))},
      type.getElementType());
  return LoadOp::create(
      b, loc, tile, argument(view),
      ValueRange{at.batch, at.token, at.head, index().constant(0)});
}

Value TokenKernel::widen(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType().isF32())
    return tile;
  return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), tile);
}

Value TokenKernel::narrow(Value tile, Type element) {
  auto type = cast<RankedTensorType>(tile.getType());
  if (type.getElementType() == element)
    return tile;
  return arith::TruncFOp::create(b, loc, type.clone(element), tile);
}

Value TokenKernel::columnsOf(RankedTensorType tile, int64_t rows) {
  return IotaOp::create(
      b, loc,
      RankedTensorType::get({rows, tile.getDimSize(1)}, b.getIndexType()), 1,
      index().constant(0));
}

/// Arithmetic on tiles of indices with numbers.
namespace {
struct ColumnBuilder {
  OpBuilder &b;
  Location loc;
  Value columns;

  Value number(int64_t value) const {
    auto type = cast<RankedTensorType>(columns.getType());
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getIndexAttr(value)));
  }
  Value plus(int64_t value) const {
    return arith::AddIOp::create(b, loc, columns, number(value));
  }
  Value below(int64_t value) const {
    return arith::CmpIOp::create(b, loc, CmpIPredicate::slt, columns,
                                 number(value));
  }
  Value isEven() const {
    Value odd = arith::AndIOp::create(b, loc, columns, number(1));
    return arith::CmpIOp::create(b, loc, CmpIPredicate::eq, odd, number(0));
  }
  Value choose(Value c, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
};
} // namespace

/// One row of a table: the angle of each column.
Value TokenKernel::angles(unsigned table, Value place, Value columns,
                          RankedTensorType tile) {
  Type element = cast<ViewType>(argument(table).getType()).getElementType();
  auto type = cast<RankedTensorType>(columns.getType()).clone(element);
  Value row = GatherOp::create(b, loc, type, argument(table),
                               ValueRange{place, columns});
  return BroadcastOp::create(
      b, loc, RankedTensorType::get(tile.getShape(), b.getF32Type()),
      widen(row));
}

Value TokenKernel::turn(Value tile, unsigned view, const TokenPlace &at,
                        bool interleaved) {
  auto type = cast<RankedTensorType>(tile.getType());
  int64_t half = cast<ViewType>(argument(*cos).getType()).getShape()[1];
  ColumnBuilder c{b, loc, columnsOf(type, kHeads)},
      row{b, loc, columnsOf(type, 1)};
  Value first = interleaved ? c.isEven() : c.below(half);
  int64_t distance = interleaved ? 1 : half;
  Value other = c.choose(first, c.plus(distance), c.plus(-distance));
  Value angle = interleaved
                    ? arith::ShRUIOp::create(b, loc, row.columns, row.number(1))
                          .getResult()
                    : row.choose(row.below(half), row.columns, row.plus(-half));
  Value heads = IotaOp::create(
      b, loc, RankedTensorType::get(type.getShape(), b.getIndexType()), 0,
      at.head);
  Value partner =
      GatherOp::create(b, loc, type, argument(view),
                       ValueRange{at.batch, at.token, heads, other});
  Value x = widen(tile);
  Value straight =
      arith::MulFOp::create(b, loc, x, angles(*cos, at.place, angle, type));
  Value across = arith::MulFOp::create(b, loc, widen(partner),
                                       angles(*sin, at.place, angle, type));
  Value turned = arith::AddFOp::create(
      b, loc, straight,
      c.choose(first, arith::NegFOp::create(b, loc, across), across));
  return 2 * half >= type.getDimSize(1)
             ? turned
             : c.choose(c.below(2 * half), turned, x);
}

Value TokenKernel::divide(Value tile, std::optional<unsigned> scale,
                          const TokenPlace &at) {
  if (!scale)
    return tile;
  auto type = cast<RankedTensorType>(tile.getType());
  auto [sequences, heads] = sizesOfScale(*scale);
  Value first = index().constant(0),
        sequence = sequences == 1 ? first : at.sequence, divisor;
  if (heads == 1) {
    Value number = GatherOp::create(b, loc, b.getF32Type(), argument(*scale),
                                    ValueRange{sequence, first});
    divisor = tensor::SplatOp::create(b, loc, type, number);
  } else {
    auto rows = RankedTensorType::get({kHeads}, b.getIndexType());
    Value own = IotaOp::create(b, loc, rows, 0, at.head);
    Value numbers =
        GatherOp::create(b, loc, rows.clone(b.getF32Type()), argument(*scale),
                         ValueRange{sequence, own});
    divisor = BroadcastOp::create(b, loc, type, numbers);
  }
  return arith::DivFOp::create(b, loc, tile, divisor);
}

void TokenKernel::store(Value tile, unsigned view, ValueRange place,
                        Value head) {
  SmallVector<Value> at(place);
  at.append({head, index().constant(0)});
  StoreOp::create(b, loc, tile, argument(view), at);
}

LaunchOp TokenKernel::launch(ValueRange rooms) {
  OpBuilder host(op);
  SmallVector<Value> inputs;
  for (const TensorView &view : ArrayRef(views).take_front(numInputs))
    inputs.push_back(view.tensor);
  return LaunchOp::create(
      host, loc, rooms.getTypes(), kernel.getSymName(), inputs, rooms,
      /*scalars=*/ValueRange(),
      kernel->getAttrOfType<ArrayAttr>(KernelOp::kPermutationsAttr));
}

} // namespace

/// Room for what has the sizes of a tensor.
static Value emptyLike(OpBuilder &b, Location loc, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(b.createOrFold<tensor::DimOp>(loc, tensor, dim));
  return tensor::EmptyOp::create(b, loc, type, sizes);
}

KernelOp attn::partitionRotation(RotateOp op) {
  TokenKernel k(op, op.getLengths(), op.getOffsets(), "query");
  unsigned x = k.addRows("x", op.getTokens(), op.getLayout(), k.batchAxis(),
                         k.tokenAxis);
  k.addNumbers();
  k.addTables(op.getCos(), op.getSin());
  unsigned y = k.addRows("turned", op.getTokens(), op.getLayout(),
                         k.batchAxis(), k.tokenAxis);
  k.open("rotate", /*outputs=*/1, x);
  TokenPlace at = k.findPlace(x, op.getTogether());
  Type element = getElementTypeOrSelf(op.getTokens());
  Value turned = k.turn(k.load(x, at), x, at, op.getInterleaved());
  k.store(k.narrow(turned, element), y, {at.batch, at.token}, at.head);
  OpBuilder host(op);
  LaunchOp launch = k.launch(emptyLike(host, k.loc, op.getTokens()));
  op->replaceAllUsesWith(launch.getResults());
  op->erase();
  return k.kernel;
}

namespace {

/// Builds the kernel of one append.
struct AppendKernel : TokenKernel {
  AppendKernel(AppendCacheOp op)
      : TokenKernel(op, op.getLengths(), op.getOffsets(), "new"), append(op) {}

  AppendCacheOp append;
  unsigned key, value, keyCache, valueCache, newLengths;
  std::optional<unsigned> table, keyScale, valueScale;
  /// The axis of columns of the table.
  std::string keysByPages = "column";

  void declare() {
    // Named as attention names them: guards of its variants speak of keys.
    int64_t page = append.getKeyCache().getType().getDimSize(
        seqDimOf(append.getLayoutOfCache()));
    if (!ShapedType::isDynamic(page))
      keysByPages = "key/" + std::to_string(page);
    TensorLayout layout = append.getLayout(), order = append.getLayoutOfCache();
    key = addRows("k", append.getKey(), layout, batchAxis(), tokenAxis);
    value = addRows("v", append.getValue(), layout, batchAxis(), tokenAxis);
    addNumbers();
    if (append.getBlockTable())
      table = add({"block_table",
                   append.getBlockTable(),
                   {0, 1},
                   {"batch", keysByPages}});
    addTables(append.getCos(), append.getSin());
    keyScale = addScale("k_scale", append.getKeyScale());
    valueScale = addScale("v_scale", append.getValueScale());
    StringRef first = table ? "page" : "batch", second = table ? "row" : "key";
    keyCache = addRows("k_cache", append.getKeyCache(), order, first, second);
    valueCache =
        addRows("v_cache", append.getValueCache(), order, first, second);
    newLengths = add({"new_lengths", append.getLengths(), {0}, {"batch"}});
  }

  /// What a sequence may have: places of a row of the cache, or of the table.
  Value countPlaces() {
    Value rows = sizeOf(keyCache, 1);
    return table ? index().mul(sizeOf(*table, 1), rows) : rows;
  }

  /// Page (or row of the cache) and place in it: where there is none, behind
  /// the last page.
  SmallVector<Value> target(const TokenPlace &at, Value places) {
    IndexBuilder m = index();
    Value valid = m.logicalAnd(m.compare(CmpIPredicate::ule, length, places),
                               m.compare(CmpIPredicate::ult, at.place, places));
    valid = m.logicalAnd(valid, at.exists);
    Value none = sizeOf(keyCache, 0), rows = sizeOf(keyCache, 1);
    if (!table)
      return {m.select(valid, at.sequence, none), at.place};
    // Of no rows there is no place, but a division all the same.
    Value some = m.atLeastOne(rows);
    Value number = read(*table, {at.sequence, m.div(at.place, some)});
    return {m.select(valid, m.minU(number, none), none), m.rem(at.place, some)};
  }

  /// CTA `number` of the first axis tells how long that sequence is then.
  void writeLength(Value places) {
    auto grid = cast<GridOp>(b.getInsertionBlock()->getParentOp());
    IndexBuilder m = index();
    Value sequence = grid.getCoordinates()[0], tokens = sizeOf(key, 1);
    Value own = starts ? read(*numbers, sequence) : length, count = tokens;
    Value valid = m.compare(CmpIPredicate::ule, own, places);
    if (starts) {
      Value begin = read(*starts, sequence),
            end = read(*starts, m.add(sequence, m.constant(1)));
      // What is negative is large without its sign.
      valid = m.logicalAnd(valid, m.compare(CmpIPredicate::ule, begin, end));
      valid = m.logicalAnd(valid, m.compare(CmpIPredicate::ule, end, tokens));
      count = m.sub(end, begin);
    }
    WriteOp::create(b, loc, m.select(valid, m.add(own, count), m.constant(-1)),
                    argument(newLengths), ValueRange{sequence});
  }

  /// The tile of K, turned where it is to be.
  Value turnKey(Value tile, const TokenPlace &at) {
    return append.getCos() ? turn(tile, key, at, append.getInterleaved())
                           : tile;
  }

  /// Both tiles as caches have them. Both are under way before one is used.
  std::array<Value, 2> bringTiles(const TokenPlace &at) {
    Type element = getElementTypeOrSelf(append.getKeyCache());
    Value ofKey = load(key, at);
    if (!isFloat8(element)) {
      ofKey = narrow(turnKey(ofKey, at), element);
      return {ofKey, load(value, at)};
    }
    Value ofValue = load(value, at);
    ofKey = divide(widen(turnKey(ofKey, at)), keyScale, at);
    ofValue = divide(widen(ofValue), valueScale, at);
    return {narrow(ofKey, element), narrow(ofValue, element)};
  }

  void build() {
    open("append_cache", /*outputs=*/3, key);
    TokenPlace at = findPlace(key, /*together=*/false);
    Value places = countPlaces();
    SmallVector<Value> to = target(at, places);
    writeLength(places);
    auto [ofKey, ofValue] = bringTiles(at);
    store(ofKey, keyCache, to, at.head);
    store(ofValue, valueCache, to, at.head);
  }
};

} // namespace

KernelOp attn::partitionAppend(AppendCacheOp op) {
  AppendKernel k(op);
  k.declare();
  k.build();
  OpBuilder host(op);
  Value rooms[] = {op.getKeyCache(), op.getValueCache(),
                   emptyLike(host, k.loc, op.getLengths())};
  LaunchOp launch = k.launch(rooms);
  op->replaceAllUsesWith(launch.getResults());
  op->erase();
  return k.kernel;
}
