//===- AssignUnits.cpp - A matrix unit for each product -------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/WarpChoice.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNASSIGNUNITS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

RankedTensorType lhsOf(DotOp dot) {
  return cast<RankedTensorType>(dot.getLhs().getType());
}
RankedTensorType rhsOf(DotOp dot) {
  return cast<RankedTensorType>(dot.getRhs().getType());
}
RankedTensorType resultOf(DotOp dot) {
  return cast<RankedTensorType>(dot.getResult().getType());
}

/// Whether two units that can compute a product want the same of its tiles.
bool haveSameLayouts(MatrixUnitInterface a, MatrixUnitInterface b, DotOp dot,
                     int64_t warps) {
  int64_t rows = resultOf(dot).getDimSize(0),
          columns = resultOf(dot).getDimSize(1), depth = dot.getDepth();
  TargetAttr target = TargetAttr::of(dot);
  return a.getAccumulator(rows, columns, warps) ==
             b.getAccumulator(rows, columns, warps) &&
         (dot.getTransposeLhs() ||
          a.getLhs(rows, depth, warps) == b.getLhs(rows, depth, warps)) &&
         a.getStaged(target, rhsOf(dot), !dot.getTransposeRhs()) ==
             b.getStaged(target, rhsOf(dot), !dot.getTransposeRhs());
}

struct AssignUnitsPass : attn::impl::AttnAssignUnitsBase<AssignUnitsPass> {
  using AttnAssignUnitsBase::AttnAssignUnitsBase;

  LogicalResult checkOptions(KernelOp kernel) {
    int64_t most = mostWarps(TargetAttr::of(kernel));
    if (warps < 0 || warps > most)
      return emitError(kernel.getLoc())
             << "expected 1 to " << most
             << " warps, or 0 for the default, but got " << warps.getValue();
    return success();
  }

  /// Warps of a CTA whose products `unit` computes first of all: those that the
  /// kernel has, or that are asked for, or that suit the unit.
  int64_t warpsFor(KernelOp kernel, MatrixUnitInterface unit) {
    TargetAttr target = TargetAttr::of(kernel);
    if (auto threads =
            kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr))
      return std::max<int64_t>(threads.getInt() / lanesOf(target), 1);
    if (warps)
      return warps;
    int64_t rows = resultOf(dots.front()).getDimSize(0),
            each = unit.getRowsPerWarp();
    return each ? std::max<int64_t>(rows / each, 1)
                : defaultWarps(kernel, rows, unit);
  }

  /// Asynchronous units are for the products that are asked for.
  bool isAskedFor(MatrixUnitInterface unit, DotOp dot) {
    return unit.getCompletion() == Completion::Sequential ||
           products == Products::All ||
           (products == Products::Scores && dot.getTransposeRhs());
  }

  static bool takes(MatrixUnitInterface unit, DotOp dot) {
    return unit.takesElements(lhsOf(dot).getElementType(),
                              rhsOf(dot).getElementType());
  }

  static bool isInterleaved(Value lhs) {
    while (auto narrow = lhs.getDefiningOp<arith::TruncFOp>())
      lhs = narrow.getIn();
    return lhs.getDefiningOp<InterleaveOp>() != nullptr;
  }

  std::string whyNot(MatrixUnitInterface unit, DotOp dot, int64_t count) {
    if (!isAskedFor(unit, dot))
      return "it is not asked for";
    if (!takes(unit, dot))
      return "operands are not of " + asText(elementsOf(unit));
    if (unit.sumsAlongRows() && !dot.getTransposeRhs())
      return "elements that are summed over are no neighbours in memory";
    if (!unit.takesInterleaved() && isInterleaved(dot.getLhs()))
      return "its left-hand sides are in the order of accumulators, not "
             "interleaved";
    return dot.getTransposeLhs() ? unit.whyNotTransposed(lhsOf(dot), rhsOf(dot),
                                                         resultOf(dot), count)
                                 : unit.whyNotShaped(lhsOf(dot), rhsOf(dot),
                                                     resultOf(dot), count);
  }

  /// A unit for each product if `units.front()` computes some and the others of
  /// the same layouts the rest, else an empty map.
  llvm::MapVector<DotOp, MatrixUnitInterface>
  choose(ArrayRef<MatrixUnitInterface> units, int64_t count) {
    llvm::MapVector<DotOp, MatrixUnitInterface> chosen;
    bool leads = false;
    for (DotOp dot : dots) {
      const auto *unit = llvm::find_if(units, [&](MatrixUnitInterface other) {
        return whyNot(other, dot, count).empty() &&
               haveSameLayouts(units.front(), other, dot, count);
      });
      if (unit == units.end())
        return {};
      leads |= unit == units.begin();
      chosen[dot] = *unit;
    }
    return leads ? chosen : llvm::MapVector<DotOp, MatrixUnitInterface>();
  }

  static LogicalResult explainElements(DotOp dot) {
    TargetAttr target = TargetAttr::of(dot);
    Type lhs = lhsOf(dot).getElementType(), rhs = rhsOf(dot).getElementType();
    InFlightDiagnostic error = dot.emitOpError("expected operands that target ")
                               << target.getName() << " multiplies, of "
                               << asText(elementsOf(target)) << ", but got ";
    if (lhs != rhs)
      error << lhs << " and ";
    return error << rhs;
  }

  /// Nothing but a unit multiplies FP8: says what they want.
  LogicalResult checkElements(int64_t count) {
    for (DotOp dot : dots) {
      Type element = rhsOf(dot).getElementType();
      TargetAttr target = TargetAttr::of(dot);
      SmallVector<MatrixUnitInterface> units = unitsOf(target);
      if (!isFloat8(element) || units.empty())
        continue;
      const auto *unit = llvm::find_if(units, [&](MatrixUnitInterface unit) {
        return unit.getCompletion() == Completion::Sequential &&
               takes(unit, dot);
      });
      if (unit == units.end())
        return explainElements(dot);
      std::string reason = whyNot(*unit, dot, count);
      if (!reason.empty())
        return dot.emitOpError("expected a product that ")
               << *unit << " can compute, but " << reason;
    }
    return success();
  }

  /// Threads multiply without a unit what they hold themselves, no more.
  LogicalResult checkTransposed(int64_t count) {
    SmallVector<MatrixUnitInterface> units =
        dots.empty() ? SmallVector<MatrixUnitInterface>()
                     : unitsOf(TargetAttr::of(dots.front()));
    for (DotOp dot : dots) {
      if (!dot.getTransposeLhs() || units.empty())
        continue;
      std::string reason = whyNot(units.back(), dot, count);
      return dot.emitOpError("expected a product that ")
             << units.back() << " can compute, but "
             << (reason.empty() ? "another product of the kernel cannot be"
                                : reason);
    }
    return success();
  }

  void setThreads(KernelOp kernel, int64_t count) {
    int64_t threads = lanesOf(TargetAttr::of(kernel)) * count;
    kernel->setAttr(KernelOp::kThreadsAttr,
                    OpBuilder(kernel).getI64IntegerAttr(threads));
  }

  void assign(KernelOp kernel,
              const llvm::MapVector<DotOp, MatrixUnitInterface> &chosen,
              int64_t count) {
    llvm::MapVector<Attribute, int64_t> users;
    for (auto [dot, unit] : chosen) {
      DotOp(dot).setUnitAttr(unit);
      ++users[unit];
      ++numAssigned;
    }
    StringRef from = warps ? "option" : "default";
    for (auto [unit, number] : users) {
      std::string name;
      llvm::raw_string_ostream(name) << unit;
      remarks::emitAssignUnits(kernel, number, name, count, from);
    }
  }

  /// Says of each product why even the unit that takes most does not take it.
  void explain(MatrixUnitInterface unit, int64_t count) {
    for (DotOp dot : dots) {
      std::string reason = unitsOf(TargetAttr::of(dot)).empty()
                               ? "the target has no matrix units"
                               : whyNot(unit, dot, count);
      remarks::emitAssignUnitsNot(dot, reason.empty()
                                           ? "another product of the kernel "
                                             "cannot be computed with it"
                                           : reason);
    }
  }

  /// Whether products of 8 bits shall have scales of blocks, or have them.
  bool wantsMx() {
    return mxProducts || llvm::any_of(dots, [](DotOp dot) {
             return isa_and_nonnull<MmaSyncMxAttr>(dot.getUnitAttr());
           });
  }

  /// The units of the target that take some product, those that are asked for
  /// before its own. Fails after a diagnostic.
  FailureOr<SmallVector<MatrixUnitInterface>> candidates(KernelOp kernel) {
    TargetAttr target = TargetAttr::of(kernel);
    SmallVector<MatrixUnitInterface> units = unitsOf(target);
    if (wantsMx())
      units.insert(units.begin(), MmaSyncMxAttr::get(&getContext()));
    llvm::erase_if(units, [&](MatrixUnitInterface unit) {
      return llvm::none_of(dots, [&](DotOp dot) { return takes(unit, dot); });
    });
    if (units.empty() || target.hasCapability(units.front().getCapability()))
      return units;
    kernel.emitOpError("expected a target with the capability '")
        << units.front().getCapability() << "' for " << units.front()
        << ", but got " << target.getName() << " with "
        << target.getCapabilities();
    return failure();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(checkOptions(kernel)))
      return signalPassFailure();
    dots.clear();
    kernel.walk([&](DotOp dot) { dots.push_back(dot); });
    if (dots.empty()) {
      if (warps && !kernel->hasAttr(KernelOp::kThreadsAttr))
        setThreads(kernel, warps);
      remarks::emitAssignUnitsNone(kernel);
      return;
    }
    FailureOr<SmallVector<MatrixUnitInterface>> units = candidates(kernel);
    if (failed(units))
      return signalPassFailure();
    for (ArrayRef<MatrixUnitInterface> rest = *units; !rest.empty();
         rest = rest.drop_front()) {
      int64_t count = warpsFor(kernel, rest.front());
      auto chosen = choose(rest, count);
      if (chosen.empty())
        continue;
      setThreads(kernel, count);
      return assign(kernel, chosen, count);
    }
    MatrixUnitInterface usual = usualUnit(TargetAttr::of(kernel));
    int64_t count = warpsFor(kernel, usual);
    if (failed(checkElements(count)) || failed(checkTransposed(count)))
      return signalPassFailure();
    setThreads(kernel, count);
    explain(usual, count);
  }

  SmallVector<DotOp> dots;
};

} // namespace
