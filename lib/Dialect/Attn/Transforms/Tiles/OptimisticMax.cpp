//===- OptimisticMax.cpp - Softmax by the maximum that is known -----------===//
//
// A softmax may subtract any number from a row's scores, as long as nothing
// overflows. Takes the maximum of the tiles before, and checks the sums, which
// are needed anyway, for what that would miss.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxStream.h"
#include "StoredRows.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNOPTIMISTICMAX
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Binades of a row's first maximum from which on it is set apart by the lead.
constexpr double kGrows = 12;
/// The largest sum of weights that are divided, and by how many binades at
/// most: neither leaves the exponents of f32.
constexpr double kMostWeight = 0x1p100, kMostShift = 120;
/// A row's sum, relative to its largest weight, below which that key has much
/// of the row. Each of the threads that share a row looks at its share of that:
/// of normal scores, 3 % of threads in a first tile of 128 keys at a standard
/// deviation of 1, 40 % at 1.5 and 74 % at 2.
constexpr double kPeaked = 5;
/// Binades that weights keep of what they are divided by where the last tiles
/// take their maximum: a row's reference is no larger than that, then, unless
/// more than two to this many keys share the row.
constexpr double kKept = 10;

/// How large weights may become, and how small they begin.
struct Range {
  /// Of a sum of weights.
  double bound = 0;
  /// Binades by which a miss sets the reference above the maximum.
  double lead = 0;
  /// Whether that is so in the first tile, too: where the type of weights has
  /// few exponents, and its range is shared out.
  bool isShared = false;
  /// Whether rows of few keys go on with the maximum of each tile.
  bool exactPeaks = false;
  /// Whether all rows do so in their last tiles.
  bool exactLast = false;
};

class Rewriter {
public:
  Rewriter(Softmax &parts, const Range &range)
      : parts(parts), range(range), b(parts.stream.getContext()),
        loc(parts.advance.getLoc()) {}

  void run() {
    b.setInsertionPointAfter(parts.ops.back());
    map.map(parts.advance.getFactor(), parts.advance.getFactorBefore());
    map.map(parts.advance.getReference(), parts.advance.getReferenceBefore());
    Value missed = buildCheck(range.bound);
    // All of it before the branch: packed exponentials take fewer registers
    // while the scores, which a miss needs, are still there.
    SmallVector<Value> assumed;
    for (Value result : parts.results)
      assumed.push_back(assume(result));
    auto branch =
        scf::IfOp::create(b, loc, ValueRange(parts.results).getTypes(), missed,
                          /*withElse=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(
        b, loc, canShift() ? buildShiftOrExact(assumed) : buildExact());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, assumed);
    b.setInsertionPointAfter(branch);
    for (auto [result, to] :
         llvm::zip_equal(parts.results, branch.getResults())) {
      Value now = range.exactPeaks && isCarriedSum(result) ? settle(to) : to;
      b.replaceUsesWithIf(result, now, [&](OpOperand &use) {
        return use.getOwner()->getBlock() == branch->getBlock() &&
               !parts.ops.contains(use.getOwner());
      });
    }
    for (Operation *op : llvm::reverse(parts.ops))
      b.eraseOp(op);
  }

private:
  /// The softmax by the tile's maximum, ahead of which the reference is by the
  /// lead. Rows with peaks take it in each tile: there division alone leads.
  SmallVector<Value> buildExact() {
    IRMapping exact;
    bool leads = range.lead != 0 && !(range.exactPeaks && canShift());
    for (Operation *op : parts.ops) {
      if (op == parts.advance && leads)
        exact.map(parts.advance.getMaximum(),
                  raise(exact.lookup(parts.advance.getMaximum())));
      b.clone(*op, exact);
    }
    return llvm::map_to_vector(parts.results,
                               [&](Value v) { return exact.lookup(v); });
  }

  /// Weights that are too large, but numbers, are divided by powers of two,
  /// with all that has their unit: no maximum, and no exponential, is computed
  /// anew. That is for rows whose unit stays.
  SmallVector<Value> buildShiftOrExact(ArrayRef<Value> assumed) {
    Value isLost = buildCheck(kMostWeight), reference = buildReference();
    if (!parts.advance.getSteady())
      isLost = arith::OrIOp::create(
          b, loc, isLost,
          buildVote(parts.advance.buildIsNotPlain(b, reference)));
    auto branch =
        scf::IfOp::create(b, loc, ValueRange(parts.results).getTypes(), isLost,
                          /*withElse=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(b, loc, buildExact());
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, buildShift(assumed, reference));
    return branch.getResults();
  }

  /// Whether all that the softmax makes is rows of factors and references, or
  /// has the unit of weights, in types that have the exponents of f32.
  bool canShift() {
    auto rows = cast<RankedTensorType>(parts.advance.getMaximum().getType());
    if (range.lead == 0 || range.isShared || !findSum(rows))
      return false;
    return llvm::all_of(parts.results, [&](Value result) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type ||
          !(type.getElementType().isF32() || type.getElementType().isBF16()))
        return false;
      RankedTensorType of = type.getRank() == 2 ? ReduceOp::rowsOf(type) : type;
      return of.clone(rows.getElementType()) == rows;
    });
  }

  /// The reference if it rises to the sum of the row, and the lead more, or
  /// less than that, by whole binades.
  Value buildReference() {
    auto rows = cast<RankedTensorType>(parts.advance.getMaximum().getType());
    auto splat = [&](double value) {
      return splatOf(rows, static_cast<float>(value));
    };
    Value sum = rowsOf(findSum(rows));
    for (Operation *of : parts.sums)
      sum =
          arith::AddFOp::create(b, loc, sum, rowsOf(assume(of->getResult(0))));
    Value binades = math::FloorOp::create(
        b, loc, math::Log2Op::create(b, loc, sum).getResult());
    binades = arith::AddFOp::create(
        b, loc, binades, splat(range.exactLast ? -kKept : range.lead));
    // No sum, as of a row that has seen no key, has -inf of them.
    binades = arith::MaximumFOp::create(b, loc, binades, splat(0));
    binades = arith::MinimumFOp::create(b, loc, binades, splat(kMostShift));
    return arith::AddFOp::create(b, loc, parts.advance.getReferenceBefore(),
                                 binades);
  }

  /// What the softmax makes with that reference: weights are divided by what it
  /// rises by in f32.
  SmallVector<Value> buildShift(ArrayRef<Value> assumed, Value reference) {
    Value ratio = math::Exp2Op::create(
        b, loc,
        arith::SubFOp::create(b, loc, parts.advance.getReferenceBefore(),
                              reference)
            .getResult());
    SmallVector<Value> results;
    for (auto [result, value] : llvm::zip_equal(parts.results, assumed)) {
      if (result == parts.advance.getFactor())
        results.push_back(parts.advance.getFactorBefore());
      else if (result == parts.advance.getReference())
        results.push_back(reference);
      else
        results.push_back(
            arith::MulFOp::create(b, loc, value, spread(ratio, value)));
    }
    return results;
  }

  /// One number a row as a tile of the type that a value has.
  Value spread(Value rows, Value like) {
    auto type = cast<RankedTensorType>(like.getType());
    if (type.getRank() == 1)
      return rows;
    auto of = cast<RankedTensorType>(rows.getType());
    if (Type element = type.getElementType(); element != of.getElementType())
      rows = arith::TruncFOp::create(b, loc, of.clone(element), rows);
    return BroadcastOp::create(b, loc, type, rows);
  }

  Value splatOf(RankedTensorType type, float value) {
    return arith::ConstantOp::create(b, loc, type,
                                     DenseElementsAttr::get(type, value));
  }

  /// Whether any sum is above the bound, or no number.
  Value buildCheck(double bound) {
    Value missed;
    for (Operation *sum : parts.sums) {
      Value any = buildCheck(assume(sum->getResult(0)), bound);
      missed = missed ? arith::OrIOp::create(b, loc, missed, any) : any;
    }
    return missed;
  }

  Value buildCheck(Value sums, double bound) {
    auto type = cast<RankedTensorType>(sums.getType());
    Value most = splatOf(type, static_cast<float>(bound));
    // Weights that were rounded first are no larger than their type's largest.
    auto isAbove =
        range.isShared ? arith::CmpFPredicate::UGE : arith::CmpFPredicate::UGT;
    Value above = arith::CmpFOp::create(b, loc, isAbove, sums, most);
    return buildVote(above);
  }

  /// Whether something is true of any row. Those that nobody stores have no
  /// say: they may be a neighbour's.
  Value buildVote(Value rows) {
    return AnyOp::create(b, loc, ofStoredRows(rows), /*holdsFirst=*/true);
  }

  Value ofStoredRows(Value rows) {
    auto type = cast<RankedTensorType>(rows.getType());
    auto [it, isNew] = storedRows.try_emplace(type);
    if (isNew)
      it->second = buildStoredRows(b, parts.stream, type);
    if (Value stored = it->second)
      rows = arith::AndIOp::create(b, loc, rows, stored);
    return rows;
  }

  /// The maximum of the row so far, some binades higher, but for a row that has
  /// seen nothing, unless the range is shared out: of scores that do not grow
  /// the weights are what they are without a lead. That maximum was not
  /// computed in tiles that did not miss, but the sum of the weights is no less
  /// than its weight, and no more than that times the keys.
  Value raise(Value maximum) {
    auto type = cast<RankedTensorType>(maximum.getType());
    auto splat = [&](float value) { return splatOf(type, value); };
    if (range.isShared)
      return arith::AddFOp::create(
          b, loc, maximum,
          arith::DivFOp::create(b, loc, splat(static_cast<float>(range.lead)),
                                parts.advance.getFactorBefore()));
    float scale = parts.advance.getScale().convertToFloat();
    Value before = parts.advance.getReferenceBefore();
    Value isFirst =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, before,
                              splat(AdvanceOp::getInitial(scale).second));
    Value known = maximum;
    if (Value sum = findSum(type)) {
      Value log = math::Log2Op::create(b, loc, rowsOf(sum));
      Value most = arith::DivFOp::create(
          b, loc, arith::AddFOp::create(b, loc, before, log),
          parts.advance.getFactorBefore());
      known = arith::MaximumFOp::create(b, loc, maximum, most);
    }
    Value higher = arith::AddFOp::create(
        b, loc, known,
        splat(static_cast<float>(range.lead /
                                 AdvanceOp::getFactors(scale).first)));
    // Scores that are as large as this at once are likely to grow by more than
    // the bound: one miss less for each warp.
    Value isSmall = arith::CmpFOp::create(
        b, loc, arith::CmpFPredicate::ULT, maximum,
        splat(static_cast<float>(kGrows / AdvanceOp::getFactors(scale).first)));
    Value keeps = arith::AndIOp::create(b, loc, isFirst, isSmall);
    return arith::SelectOp::create(b, loc, keeps, maximum, higher);
  }

  /// Whether it is what the stream hands on of the sums of weights.
  bool isCarriedSum(Value value) {
    auto rows = cast<RankedTensorType>(parts.advance.getMaximum().getType());
    auto carried = dyn_cast_or_null<BlockArgument>(findSum(rows));
    auto yield = cast<YieldOp>(parts.stream.getBody().front().getTerminator());
    return carried && yield.getValues()[carried.getArgNumber() - 1] == value;
  }

  /// Says which rows have a key of much weight. A row of no key is none.
  Value settle(Value sums) {
    auto type = cast<RankedTensorType>(sums.getType());
    double parts = type.getRank() == 2 ? type.getDimSize(1) : 1;
    auto compare = [&](arith::CmpFPredicate how, double bound) -> Value {
      return arith::CmpFOp::create(b, loc, how, sums,
                                   splatOf(type, static_cast<float>(bound)));
    };
    Value peaked = arith::AndIOp::create(
        b, loc, compare(arith::CmpFPredicate::OLT, kPeaked / parts),
        compare(arith::CmpFPredicate::OGT, 0));
    return SettleOp::create(b, loc, sums, ofStoredRows(peaked),
                            range.exactLast);
  }

  /// Sums of one a row.
  Value rowsOf(Value sums) {
    if (cast<RankedTensorType>(sums.getType()).getRank() == 1)
      return sums;
    return ReduceOp::create(b, loc, ReduceKind::Sum, sums);
  }

  /// What is carried of the sums of weights; null if it is not known.
  Value findSum(RankedTensorType rows) {
    for (BlockArgument carried : parts.stream.getCarried()) {
      auto type = dyn_cast<RankedTensorType>(carried.getType());
      bool isSum = llvm::any_of(carried.getUsers(), [&](Operation *user) {
        return parts.ops.contains(user) &&
               llvm::any_of(parts.sums, [&](Operation *sum) {
                 return llvm::is_contained(sum->getUsers(), user);
               });
      });
      if (!isSum || !type)
        continue;
      if (type == rows || type.getRank() == 2)
        return carried;
    }
    return {};
  }

  /// What a value is if the carried maximum is that of the tile, too; built
  /// where it is not there yet.
  Value assume(Value value) {
    if (Value known = map.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !parts.ops.contains(op))
      return value;
    if (isa<arith::MulFOp>(op))
      for (unsigned i : {0, 1})
        if (parts.isScale(op->getOperand(i)))
          return assume(op->getOperand(1 - i));
    if (auto fma = dyn_cast<math::FmaOp>(op); fma && parts.isScale(fma.getB()))
      return arith::AddFOp::create(b, loc, assume(fma.getA()),
                                   assume(fma.getC()));
    for (Value operand : op->getOperands())
      map.map(operand, assume(operand));
    b.clone(*op, map);
    return map.lookup(value);
  }

  Softmax &parts;
  Range range;
  IRRewriter b;
  Location loc;
  /// From values to what they are assumed to be.
  IRMapping map;
  /// Which rows somebody stores, by the type of what votes; null for all.
  llvm::DenseMap<Type, Value> storedRows;
};

/// Whether weights have few exponents.
bool hasF16(const Softmax &parts) {
  return llvm::any_of(parts.results, [](Value result) {
    return getElementTypeOrSelf(result.getType()).isF16();
  });
}

/// Whether a kernel that stores a value of its states makes no logarithm of it,
/// nor does the one that merges them: it makes results, too, and none of these.
bool becomesNoLogarithm(Value value) {
  if (value.use_empty())
    return true;
  if (!llvm::all_of(value.getUsers(), llvm::IsaPred<StoreOp>))
    return false;
  auto kernel = value.getDefiningOp()->getParentOfType<KernelOp>();
  bool makesResults = false, makesLogarithm = false;
  kernel.walk([&](Operation *op) {
    makesLogarithm |= isa<math::Log2Op>(op);
    if (auto store = dyn_cast<StoreOp>(op))
      makesResults |= !store.getTile().getDefiningOp<StreamOp>();
  });
  return makesResults && !makesLogarithm;
}

/// Binades that the reference may be ahead. Where an LSE is made of it, or
/// states are stored for one, exponents are kept so small that f32 has them to
/// 2^-21: the error of one becomes that of a sum which it dominates.
double leadFor(Softmax &parts, int64_t asked) {
  constexpr int64_t kOfLogarithms = 15;
  if (hasF16(parts))
    return 0;
  auto reference = cast<BlockArgument>(parts.advance.getReferenceBefore());
  StreamOp stream = parts.stream;
  if (!becomesNoLogarithm(stream.getResults()[reference.getArgNumber() - 1]))
    return static_cast<double>(std::min(asked, kOfLogarithms));
  return static_cast<double>(asked);
}

/// The largest exponential whose sum over the elements of a tile, and whose
/// value in the products' element type, is finite.
double boundFor(const Softmax &parts) {
  constexpr double kBound = 65536;
  return hasF16(parts) ? kBound / 2 : kBound;
}

/// The 8-bit type that weights become, or null.
Type findFloat8(StreamOp stream) {
  Type found;
  stream.walk([&](arith::TruncFOp op) {
    if (Type type = getElementTypeOrSelf(op.getType()); isFloat8(type))
      found = type;
  });
  return found;
}

/// The most weights that a sum is of.
int64_t weightsOfSum(const Softmax &parts) {
  int64_t most = 1;
  for (Operation *sum : parts.sums) {
    auto from = cast<RankedTensorType>(sum->getOperand(0).getType()),
         to = cast<RankedTensorType>(sum->getResult(0).getType());
    most = std::max(most, from.getNumElements() / to.getNumElements());
  }
  return most;
}

/// That of 8-bit weights, which are relative to the reference less the binades
/// of their type: as many of the largest scores as a sum has do not miss, and
/// the rest of the range is for scores that grow. Nothing where units of rows
/// may change, or no range is left.
std::optional<Range> rangeOfFloat8(Softmax &parts, Type type) {
  double largest = largestOfFloat8(type);
  auto most = static_cast<int64_t>(std::floor(
      std::log2(largest / static_cast<double>(weightsOfSum(parts)))));
  if (!parts.advance.getSteady() || most < 0)
    return std::nullopt;
  double lead = static_cast<double>(binadesOfFloat8(type) - most);
  return Range{largest, lead, /*isShared=*/true};
}

struct OptimisticMaxPass
    : attn::impl::AttnOptimisticMaxBase<OptimisticMaxPass> {
  using AttnOptimisticMaxBase::AttnOptimisticMaxBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (lead < 0 || lead > kMostLead) {
      emitError(kernel.getLoc()) << "expected a lead of 0 to " << kMostLead
                                 << " binades, but got " << lead.getValue();
      return signalPassFailure();
    }
    SmallVector<StreamOp> streams;
    kernel.walk([&](StreamOp stream) { streams.push_back(stream); });
    if (streams.empty())
      remarks::emitOptimisticMaxNoStream(kernel);
    for (StreamOp stream : streams) {
      FailureOr<Softmax> found = findSoftmax(stream, positions);
      if (failed(found))
        continue;
      Softmax &parts = *found;
      std::optional<Range> range =
          Range{boundFor(parts), leadFor(parts, lead),
                /*isShared=*/false, exactPeaks, exactPeaks && exactLast};
      if (Type narrow = findFloat8(stream))
        range = rangeOfFloat8(parts, narrow);
      if (!range) {
        (void)remarks::emitOptimisticMaxNarrow(stream);
        continue;
      }
      Rewriter(parts, *range).run();
      ++numStreams;
      remarks::emitOptimisticMax(stream, range->bound);
    }
  }
};

} // namespace
