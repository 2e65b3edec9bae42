//===- Scatter.cpp - Tiles that CTAs of a cluster send to each other ------===//
//
// Each CTA writes the rows of its tiles into the memory of the CTA that they
// belong to; a barrier there counts their bytes (PTX ISA, "st.async"). It lasts
// for one exchange, so that nobody waits at the end: all that is sent to a CTA
// has arrived before that goes on.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Attributes of the cast that stands for a view.
static constexpr StringLiteral kGroupAttr = "attn.scatter_group";
static constexpr StringLiteral kRowsAttr = "attn.scatter_rows";

Scatter::Scatter(ExchangeOp op)
    : Scatter(static_cast<int64_t>(*op.getScatter()),
              cast<ViewType>(op.getViews()[0].getType()).getShape()[1]) {}

void Scatter::mark(Operation *cast) const {
  Builder b(cast->getContext());
  cast->setAttr(kGroupAttr, b.getI64IntegerAttr(group));
  cast->setAttr(kRowsAttr, b.getI64IntegerAttr(rows));
}

std::optional<Scatter> Scatter::ofView(Value view) {
  Operation *cast = view.getDefiningOp();
  auto group = cast->getAttrOfType<IntegerAttr>(kGroupAttr);
  if (!group)
    return std::nullopt;
  return Scatter(group.getInt(),
                 cast->getAttrOfType<IntegerAttr>(kRowsAttr).getInt());
}

Value Scatter::ownerOf(const ThreadBuilder &t, Value row, Value ctas) const {
  return arith::RemUIOp::create(t.b, t.loc, t.div(row, group), ctas);
}

Value Scatter::placeOf(const ThreadBuilder &t, Value row, Value ctas) const {
  Value before = arith::DivUIOp::create(t.b, t.loc, t.div(row, group), ctas);
  return t.add(t.mul(before, group), t.rem(row, group));
}

Value Scatter::roomOf(const ThreadBuilder &t, Value ctas) const {
  Value rounded = t.add(ctas, groups() - 1);
  return t.mul(arith::DivUIOp::create(t.b, t.loc, rounded, ctas), group);
}

Value Scatter::rowsOf(const ThreadBuilder &t, Value rank, Value ctas) const {
  // Its groups: rank, rank + ctas, and so on.
  Value rounded =
      arith::SubIOp::create(t.b, t.loc, t.add(ctas, groups() - 1), rank);
  Value count = t.mul(arith::DivUIOp::create(t.b, t.loc, rounded, ctas), group);
  int64_t missing = groups() * group - rows;
  if (missing == 0)
    return count;
  Value hasLast = arith::CmpIOp::create(
      t.b, t.loc, arith::CmpIPredicate::eq, rank,
      arith::RemUIOp::create(t.b, t.loc, t.constant(groups() - 1), ctas));
  Value lacking = arith::SelectOp::create(t.b, t.loc, hasLast,
                                          t.constant(missing), t.constant(0));
  return arith::SubIOp::create(t.b, t.loc, count, lacking);
}

/// CTAs of the cluster.
static Value countCtas(const ThreadBuilder &t, ExchangeOp op) {
  int64_t ctas = cast<ViewType>(op.getViews()[0].getType()).getShape()[0];
  if (!ShapedType::isDynamic(ctas))
    return t.constant(ctas);
  return NVVM::ClusterDimBlocksXOp::create(t.b, t.loc, t.b.getI32Type());
}

static Value rankOf(const ThreadBuilder &t) {
  return NVVM::BlockInClusterIdXOp::create(t.b, t.loc, t.b.getI32Type());
}

/// Behind the tiles.
static int64_t placeOfBarrier(ExchangeOp op) {
  int64_t place = op->getAttrOfType<IntegerAttr>(kExchangePlaceAttr).getInt();
  for (Value view : op.getViews())
    place += placedBytesOf(op, cast<ViewType>(view.getType()));
  return place;
}

/// Bytes of a row of all tiles.
static int64_t rowBytesOf(ExchangeOp op) {
  int64_t bytes = 0;
  for (Value view : op.getViews()) {
    auto type = cast<ViewType>(view.getType());
    bytes += ShapedType::getNumElements(type.getShape().drop_front(2)) *
             type.getElementBytes();
  }
  return bytes;
}

/// One thread expects the bytes that others will send.
static void expectTiles(OpBuilder &b, ExchangeOp op) {
  Location loc = op.getLoc();
  ThreadBuilder t{b, loc};
  scf::IfOp::create(
      b, loc, t.equals(t.thread(), 0), [&](OpBuilder &n, Location) {
        ThreadBuilder first{n, loc};
        Value barrier = dynamicSharedAt(n, loc, placeOfBarrier(op));
        NVVM::MBarrierInitOp::create(n, loc, barrier, first.constant(1),
                                     Value());
        // Each CTA sends them, this one too.
        Value ctas = countCtas(first, op);
        Value rows = arith::MulIOp::create(
            n, loc, Scatter(op).rowsOf(first, rankOf(first), ctas), ctas);
        NVVM::MBarrierArriveExpectTxOp::create(
            n, loc, TypeRange(), barrier, first.mul(rows, rowBytesOf(op)),
            NVVM::MemScopeKind::CTA, false, Value());
        scf::YieldOp::create(n, loc);
      });
}

/// Behind this all CTAs of the cluster are known to run, with their barriers
/// ready. Whoever has arrived waits, since it would count again if it ended.
static void awaitOthers(ExchangeOp first) {
  OpBuilder b(first);
  NVVM::ClusterWaitOp::create(b, first.getLoc(), b.getUnitAttr());
  Operation *child = first;
  for (Operation *parent = child->getParentOp(); !isa<LLVM::LLVMFuncOp>(parent);
       child = parent, parent = parent->getParentOp()) {
    if (!parent->hasAttr(kRoleBranchAttr))
      continue;
    auto branch = cast<scf::IfOp>(parent);
    bool isThen = branch.thenBlock()->findAncestorOpInBlock(*first) != nullptr;
    Block *other = isThen ? branch.elseBlock() : branch.thenBlock();
    OpBuilder end(other->getTerminator());
    // Lanes of a producer's warp are at different places.
    NVVM::ClusterWaitOp::create(end, first.getLoc(), UnitAttr());
  }
}

void attn::openExchanges(LLVM::LLVMFuncOp function, Operation *fence) {
  ExchangeOp first;
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  bool scatters = false;
  function.walk([&](ExchangeOp op) {
    if (!first)
      first = op;
    if (!op.getScatter())
      return;
    expectTiles(b, op);
    scatters = true;
  });
  if (!scatters)
    return;
  if (fence)
    b.setInsertionPointAfter(fence);
  else
    NVVM::FenceMbarrierInitOp::create(b, first.getLoc());
  NVVM::ClusterArriveRelaxedOp::create(b, first.getLoc(), b.getUnitAttr());
  awaitOthers(first);
}

namespace {

struct ScatterPattern : OpConversionPattern<ExchangeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ExchangeOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.getScatter())
      return rewriter.notifyMatchFailure(op, "tiles are shown");
    Location loc = op.getLoc();
    Value barrier = dynamicSharedAt(rewriter, loc, placeOfBarrier(op));
    if (failed(forEachGiven(op, adaptor.getTiles(), rewriter,
                            [&](const GivenTile &tile, Value registers,
                                ViewType view, Value place) {
                              send(rewriter, op, tile, registers, view, place,
                                   barrier);
                            })))
      return failure();
    awaitTiles(rewriter, loc, barrier);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Sends each row to the CTA that it belongs to.
  static void send(OpBuilder &b, ExchangeOp op, const GivenTile &tile,
                   Value registers, ViewType view, Value base, Value barrier) {
    Location loc = op.getLoc();
    Scatter scatter(op);
    ThreadBuilder here{b, loc};
    Value ctas = countCtas(here, op);
    Value before =
        arith::MulIOp::create(b, loc, rankOf(here), scatter.roomOf(here, ctas));
    ArrayRef<int64_t> shape = view.getShape().drop_front();
    auto peers = LLVM::LLVMPointerType::get(b.getContext(), kSharedCluster);
    tile.forEachRun(
        registers,
        [&](const ThreadBuilder &t,
            ValueRange coordinates) -> SmallVector<Value> {
          Value row = coordinates[0];
          Value owner = scatter.ownerOf(t, row, ctas);
          SmallVector<Value> there(coordinates);
          there[0] = arith::AddIOp::create(b, loc, before,
                                           scatter.placeOf(t, row, ctas));
          Value bytes =
              t.mul(elementOf(t, there, shape), view.getElementBytes());
          Value start = NVVM::MapaOp::create(b, loc, peers, base, owner);
          return {advance(b, loc, start, bytes),
                  NVVM::MapaOp::create(b, loc, peers, barrier, owner)};
        },
        [&](OpBuilder &nested, ValueRange at, ValueRange elements) {
          SmallVector<Value> operands{at[0], at[1]};
          llvm::append_range(operands, elements);
          bool pair = elements.size() == 2;
          std::string text =
              "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes";
          text +=
              pair ? ".v2.f32 [$0], {$2, $3}, [$1];" : ".f32 [$0], $2, [$1];";
          assembly(nested, loc, {}, operands, text,
                   pair ? "r,r,f,f,~{memory}" : "r,r,f,~{memory}");
        });
  }

  /// Waits until all bytes that are for this CTA are here. Who sent them is in
  /// the cluster, and so must be what the wait acquires.
  static void awaitTiles(OpBuilder &b, Location loc, Value barrier) {
    constexpr StringLiteral kWait =
        "{\n.reg .pred done;\nASK:\n"
        "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 "
        "done, [$0], 0;\n"
        "@!done bra ASK;\n}";
    assembly(b, loc, {}, barrier, kWait, "r,~{memory}")
        ->setAttr("attn.barrier", b.getStringAttr("scattered"));
  }
};

} // namespace

void attn::populateScatterPatterns(const TypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<ScatterPattern>(converter, patterns.getContext());
}
