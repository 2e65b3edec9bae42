//===- SeparateExchanges.cpp - Clusters whose CTAs run in turn ------------===//

#include "SeparateExchanges.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

namespace {

/// Rewrites the CTAs of one kernel.
class Separator {
public:
  explicit Separator(CtasOp ctas)
      : ctas(ctas), rewriter(ctas->getContext()), loc(ctas.getLoc()) {}

  LogicalResult run() {
    Block &body = ctas.getBody().front();
    auto exchanges = llvm::to_vector(body.getOps<ExchangeOp>());
    if (exchanges.empty()) {
      ctas.getClusterMutable().clear();
      return success();
    }
    if (exchanges.size() > 1)
      return exchanges[1].emitOpError("expected one exchange of a cluster on "
                                      "the CPU, but got ")
             << exchanges.size();
    exchange = exchanges.front();
    if (failed(findKept()))
      return failure();
    rewrite();
    return success();
  }

private:
  /// Whether an operation reads a number, such as a length, that the kernel
  /// does not write.
  static bool readsWhatStays(Operation *op) {
    auto read = dyn_cast<ReadOp>(op);
    return read && llvm::none_of(read.getView().getUsers(),
                                 llvm::IsaPred<WriteOp, StoreOp>);
  }

  /// What runs behind the exchange is computed there again, as far as it needs
  /// what was before it: index arithmetic, and numbers that nothing writes.
  LogicalResult findKept() {
    BackwardSliceOptions options;
    options.inclusive = options.omitBlockArguments = true;
    options.filter = [&](Operation *op) {
      return op->getBlock() == exchange->getBlock() &&
             op->isBeforeInBlock(exchange);
    };
    for (Operation *op = exchange->getNextNode(); op; op = op->getNextNode()) {
      SetVector<Value> used(op->operand_begin(), op->operand_end());
      op->walk([&](Operation *inner) {
        used.insert(inner->operand_begin(), inner->operand_end());
      });
      for (Value value : used)
        if (Operation *source = value.getDefiningOp();
            source && options.filter(source))
          (void)getBackwardSlice(value, &kept, options);
    }
    for (Operation *op : kept)
      if ((!isMemoryEffectFree(op) && !readsWhatStays(op)) ||
          op->getNumRegions() > 0)
        return op->emitOpError("expected index arithmetic alone to be used "
                               "behind the exchange of a cluster");
    return success();
  }

  /// Memory for the tiles of all CTAs of a cluster, as a view.
  Value createView(ViewType type, Value cluster) {
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = ShapedType::kDynamic;
    auto memory = MemRefType::get(shape, type.getElementType());
    Value buffer = memref::AllocOp::create(rewriter, loc, memory, cluster);
    SmallVector<int64_t> strides(shape.size(), ShapedType::kDynamic);
    auto strided =
        MemRefType::get(type.getShape(), type.getElementType(),
                        StridedLayoutAttr::get(type.getContext(),
                                               ShapedType::kDynamic, strides));
    Value view = memref::CastOp::create(rewriter, loc, strided, buffer);
    return UnrealizedConversionCastOp::create(rewriter, loc, type, view)
        .getResult(0);
  }

  /// A loop over the CTAs of cluster `number`; the CTA is mapped.
  scf::ForOp enterCtas(Value number, Value cluster, IRMapping &map) {
    IndexBuilder m{rewriter, loc};
    auto loop = scf::ForOp::create(rewriter, loc, m.constant(0), cluster,
                                   m.constant(1));
    rewriter.setInsertionPointToStart(loop.getBody());
    IndexBuilder inner{rewriter, loc};
    map.map(ctas.getCta(),
            inner.add(inner.mul(number, cluster), loop.getInductionVar()));
    return loop;
  }

  void rewrite() {
    rewriter.setInsertionPoint(ctas);
    Value cluster = ctas.getCluster();
    Value clusters =
        arith::DivUIOp::create(rewriter, loc, ctas.getCount(), cluster);
    auto turns = CtasOp::create(rewriter, loc, clusters, /*cluster=*/Value());
    Block *block = rewriter.createBlock(&turns.getBody(), {},
                                        {rewriter.getIndexType()}, {loc});
    Operation *end = YieldOp::create(rewriter, loc);
    rewriter.setInsertionPoint(end);
    SmallVector<Value> views;
    for (Value view : exchange.getViews())
      views.push_back(createView(cast<ViewType>(view.getType()), cluster));
    buildBefore(block->getArgument(0), cluster, views);
    rewriter.setInsertionPoint(end);
    buildBehind(block->getArgument(0), cluster, views);
    rewriter.eraseOp(ctas);
  }

  void buildBefore(Value number, Value cluster, ArrayRef<Value> views) {
    IRMapping map;
    enterCtas(number, cluster, map);
    for (Operation &op : ctas.getBody().front()) {
      if (&op == exchange)
        break;
      rewriter.clone(op, map);
    }
    IndexBuilder m{rewriter, loc};
    Value part = map.lookupOrDefault(exchange.getPart());
    for (auto [tile, view] : llvm::zip(exchange.getTiles(), views)) {
      SmallVector<Value> offsets{part};
      offsets.append(cast<ShapedType>(tile.getType()).getRank(), m.constant(0));
      StoreOp::create(rewriter, loc, map.lookupOrDefault(tile), view, offsets);
    }
  }

  void buildBehind(Value number, Value cluster, ArrayRef<Value> views) {
    IRMapping map;
    enterCtas(number, cluster, map);
    map.map(exchange.getViews(), views);
    for (Operation &op : ctas.getBody().front().without_terminator())
      if (kept.contains(&op) || exchange->isBeforeInBlock(&op))
        rewriter.clone(op, map);
  }

  CtasOp ctas;
  ExchangeOp exchange;
  /// What is before the exchange and used behind it.
  SetVector<Operation *> kept;
  IRRewriter rewriter;
  Location loc;
};

} // namespace

LogicalResult attn::separateExchanges(ModuleOp module) {
  SmallVector<CtasOp> clusters;
  module.walk([&](CtasOp ctas) {
    if (ctas.getCluster())
      clusters.push_back(ctas);
  });
  for (CtasOp ctas : clusters)
    if (failed(Separator(ctas).run()))
      return failure();
  return success();
}
