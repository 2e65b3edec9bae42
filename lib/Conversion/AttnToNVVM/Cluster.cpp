//===- Cluster.cpp - Tiles that the CTAs of a cluster exchange ------------===//
//
// Each CTA writes its tiles to its own shared memory; behind a barrier of the
// cluster the others read them there (PTX ISA, "barrier.cluster" and "mapa").
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

int64_t attn::placedBytesOf(ExchangeOp op, ViewType view) {
  return llvm::alignTo(op.getHeldBytes(view), kExchangeAlignment);
}

int64_t attn::placeExchanges(LLVM::LLVMFuncOp function, int64_t bytes) {
  Builder b(function.getContext());
  function.walk([&](ExchangeOp exchange) {
    bytes = llvm::alignTo(bytes, kExchangeAlignment);
    exchange->setAttr(kExchangePlaceAttr, b.getI64IntegerAttr(bytes));
    for (Value view : exchange.getViews())
      bytes += placedBytesOf(exchange, cast<ViewType>(view.getType()));
    // Behind the tiles, the barrier that they arrive at.
    if (exchange.getScatter())
      bytes += kBarrierBytes;
  });
  return bytes;
}

/// The CTA's own tile, as the start of a view.
static Value castShown(OpBuilder &b, Location loc, ViewType view,
                       Value pointer) {
  auto wide = [&](int64_t v) -> Value {
    return arith::ConstantIntOp::create(b, loc, v, 64);
  };
  int64_t known = view.getShape()[0];
  Value ctas = ShapedType::isDynamic(known)
                   ? arith::ExtUIOp::create(b, loc, b.getI64Type(),
                                            NVVM::ClusterDimBlocksXOp::create(
                                                b, loc, b.getI32Type()))
                         .getResult()
                   : wide(known);
  SmallVector<Value> values{
      pointer, LLVM::ZeroOp::create(b, loc, pointer.getType()), ctas};
  for (int64_t size : view.getShape().drop_front())
    values.push_back(wide(size));
  SmallVector<Value> strides;
  int64_t stride = 1;
  for (int64_t size : llvm::reverse(view.getShape().drop_front())) {
    strides.push_back(wide(stride));
    stride *= size;
  }
  // CTAs lie in address ranges of their own.
  strides.push_back(wide(0));
  llvm::append_range(values, llvm::reverse(strides));
  return UnrealizedConversionCastOp::create(b, loc, view, values).getResult(0);
}

void attn::castExchanges(LLVM::LLVMFuncOp function) {
  SmallVector<ExchangeOp> exchanges;
  function.walk([&](ExchangeOp exchange) { exchanges.push_back(exchange); });
  for (ExchangeOp exchange : exchanges) {
    OpBuilder b(exchange);
    Location loc = exchange.getLoc();
    int64_t place =
        exchange->getAttrOfType<IntegerAttr>(kExchangePlaceAttr).getInt();
    Value shared = dynamicSharedAt(b, loc, 0);
    for (Value view : exchange.getViews()) {
      auto viewType = cast<ViewType>(view.getType());
      Value shown = castShown(b, loc, viewType, advance(b, loc, shared, place));
      if (exchange.getScatter())
        Scatter(exchange).mark(shown.getDefiningOp());
      view.replaceAllUsesWith(shown);
      place += placedBytesOf(exchange, viewType);
    }
  }
}

bool attn::isShown(Value view) {
  auto pointer =
      cast<LLVM::LLVMPointerType>(ViewParameters(view).pointer.getType());
  return pointer.getAddressSpace() == kShared;
}

ShownTile::ShownTile(LoadOp op, OpBuilder &b)
    : b(b), loc(op.getLoc()), view(op.getView()),
      bytes(op.getView().getType().getElementBytes()) {
  ThreadBuilder t{b, loc};
  SmallVector<Value> offsets = llvm::map_to_vector(
      op.getOffsets(), [&](Value offset) { return t.narrow(offset); });
  Value ctas = arith::TruncIOp::create(b, loc, b.getI32Type(), view.sizes[0]);
  exists = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, offsets[0],
                                 ctas);
  ArrayRef<int64_t> shape = op.getView().getType().getShape();
  for (auto [offset, size] :
       llvm::zip(llvm::drop_begin(offsets), shape.drop_front())) {
    starts.push_back(offset);
    sizes.push_back(size);
  }
  if (std::optional<Scatter> scatter = Scatter::ofView(op.getView())) {
    // It is here, behind what came from the CTAs in front.
    Value room = scatter->roomOf(t, ctas);
    Value first = t.add(arith::MulIOp::create(b, loc, offsets[0], room),
                        scatter->placeOf(t, offsets[1], ctas));
    // Coordinates count from the first row of the tile.
    row = arith::SubIOp::create(b, loc, first, offsets[1]);
    base = view.pointer;
    return;
  }
  // Of a CTA that there is not, an address of this one's is read in vain.
  Value self = NVVM::BlockInClusterIdXOp::create(b, loc, b.getI32Type());
  Value rank = arith::SelectOp::create(b, loc, exists, offsets[0], self);
  auto peers = LLVM::LLVMPointerType::get(b.getContext(), kSharedCluster);
  base = NVVM::MapaOp::create(b, loc, peers, view.pointer, rank);
}

Value ShownTile::contains(ValueRange coordinates) const {
  ThreadBuilder t{b, loc};
  Value inside = exists;
  for (auto [c, start, size] : llvm::zip(coordinates, starts, sizes))
    inside = t.both(inside,
                    arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                          t.add(start, c), t.constant(size)));
  return inside;
}

Value ShownTile::address(ValueRange coordinates) const {
  ThreadBuilder t{b, loc};
  Value element = row ? row : t.constant(0);
  for (auto [dim, c] : llvm::enumerate(coordinates)) {
    if (dim > 0)
      element = t.mul(element, sizes[dim]);
    element = t.add(element, t.add(starts[dim], c));
  }
  return advance(b, loc, base, t.mul(element, bytes));
}

Value ShownTile::elsewhere() const { return base; }

GivenTile::GivenTile(OpBuilder &b, Location loc, FragmentAttr layout,
                     ViewType view)
    : b(b), loc(loc), layout(layout), shape(view.getShape().drop_front()) {}

/// Registers in a row that hold neighbouring columns, two at most: as many
/// as accumulators have.
static int64_t neighbours(FragmentAttr layout, ArrayRef<int64_t> shape) {
  if (layout.getRank() != 2 || layout.getRegisters().empty())
    return 1;
  FragmentAttr::Mode first = layout.getRegisterModes().front();
  bool pairs = first.strides[0] == 0 && first.strides[1] == 1 &&
               first.size % 2 == 0 && shape.back() % 2 == 0;
  return pairs ? 2 : 1;
}

void GivenTile::forEachRun(Value registers, Place place, Write write) const {
  ThreadBuilder t{b, loc, readThreadAgain(b, loc)};
  SmallVector<Value> thread;
  for (unsigned dim = 0; dim < layout.getRank(); ++dim)
    thread.push_back(t.threadOffset(layout, dim));
  Value owner = t.ownsFirstCopy(layout);
  int64_t run = neighbours(layout, shape);
  auto elements = vector::ToElementsOp::create(b, loc, registers);
  for (int64_t r = 0; r < layout.getNumRegisters(); r += run) {
    Value inside = owner;
    SmallVector<Value> coordinates;
    for (auto [base, offset, size] :
         llvm::zip(thread, layout.getRegisterOffset(r), shape)) {
      coordinates.push_back(t.add(base, offset));
      inside = t.both(inside, t.less(coordinates.back(), t.constant(size)));
    }
    SmallVector<Value> at = place(t, coordinates);
    scf::IfOp::create(b, loc, inside, [&](OpBuilder &nested, Location) {
      write(nested, at, ValueRange(elements.getResults()).slice(r, run));
      scf::YieldOp::create(nested, loc);
    });
  }
}

LogicalResult attn::forEachGiven(
    ExchangeOp op, ValueRange registers, ConversionPatternRewriter &rewriter,
    function_ref<void(const GivenTile &, Value, ViewType, Value)> give) {
  int64_t place = op->getAttrOfType<IntegerAttr>(kExchangePlaceAttr).getInt();
  for (auto [tile, held, view] :
       llvm::zip(op.getTiles(), registers, op.getViews())) {
    FragmentAttr layout = fragmentOf(tile.getType());
    if (!layout)
      return rewriter.notifyMatchFailure(op, "tile is not in registers");
    auto type = cast<ViewType>(view.getType());
    give(GivenTile(rewriter, op.getLoc(), layout, type), held, type,
         dynamicSharedAt(rewriter, op.getLoc(), place));
    place += placedBytesOf(op, type);
  }
  return success();
}

Value attn::elementOf(const ThreadBuilder &t, ValueRange coordinates,
                      ArrayRef<int64_t> shape) {
  Value element = t.constant(0);
  for (auto [c, size] : llvm::zip(coordinates, shape))
    element = t.add(t.mul(element, size), c);
  return element;
}

namespace {

/// Waits until all threads of the cluster's CTAs that compute are here.
void clusterBarrier(OpBuilder &b, Location loc) {
  UnitAttr aligned = b.getUnitAttr();
  NVVM::ClusterArriveOp::create(b, loc, aligned);
  NVVM::ClusterWaitOp::create(b, loc, aligned);
}

/// The same, and what the CTAs have written to their shared memory is seen
/// behind it, which is all that they show. A barrier that releases as well what
/// is elsewhere waits for memory.
void showTiles(OpBuilder &b, Location loc) {
  UnitAttr aligned = b.getUnitAttr();
  NVVM::FenceSyncRestrictOp::create(b, loc, NVVM::MemOrderKind::RELEASE);
  NVVM::ClusterArriveRelaxedOp::create(b, loc, aligned);
  NVVM::ClusterWaitOp::create(b, loc, aligned);
}

struct ExchangePattern : OpConversionPattern<ExchangeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ExchangeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getScatter())
      return rewriter.notifyMatchFailure(op, "tiles are sent");
    Location loc = op.getLoc();
    if (failed(forEachGiven(op, adaptor.getTiles(), rewriter,
                            [&](const GivenTile &tile, Value registers,
                                ViewType view, Value place) {
                              write(rewriter, loc, tile, registers, view,
                                    place);
                            })))
      return failure();
    showTiles(rewriter, loc);
    // No CTA ends, or writes again, while another may read.
    OpBuilder end(op->getBlock()->getTerminator());
    clusterBarrier(end, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Writes the elements that are shown, neighbouring columns together.
  static void write(OpBuilder &b, Location loc, const GivenTile &tile,
                    Value registers, ViewType view, Value base) {
    ArrayRef<int64_t> shape = view.getShape().drop_front();
    int64_t bytes = view.getElementBytes();
    tile.forEachRun(
        registers,
        [&](const ThreadBuilder &t,
            ValueRange coordinates) -> SmallVector<Value> {
          Value element = elementOf(t, coordinates, shape);
          return {advance(b, loc, base, t.mul(element, bytes))};
        },
        [&](OpBuilder &nested, ValueRange address, ValueRange elements) {
          auto run = static_cast<int64_t>(elements.size());
          auto several = VectorType::get({run}, view.getElementType());
          Value part =
              vector::FromElementsOp::create(nested, loc, several, elements);
          LLVM::StoreOp::create(nested, loc, part, address[0], run * bytes);
        });
  }
};

} // namespace

void attn::populateClusterPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<ExchangePattern>(converter, patterns.getContext());
}
