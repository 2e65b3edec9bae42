//===- GridOrder.cpp - Grid orders as index arithmetic, and the pass ------===//
//
// An order is a composition of bijections (see #attn.order), each written here
// once forwards and once backwards:
//
//   position --split, rank by domain--> (piece, position in the piece)
//            --mixed radix, permuted--> digits --fuse, reverse--> coordinates
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/Transforms/GridOrder.h"

#include "Counts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNGRIDORDER
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// The arithmetic that forward and inverse mapping share.
class OrderMath : IndexBuilder {
public:
  OrderMath(const OrderedBox &box, OpBuilder &b, Location loc)
      : IndexBuilder{b, loc}, box(box), order(box.order) {
    sets = product(box.sharing);
    domains = constant(order.getDomains());
    chunk = constant(order.getChunk());
    if (!byDomain() && !byGroup())
      return;
    units = constant(1);
    for (StringAttr digit : order.getDigits())
      if (!isSharing(digit))
        units = mul(units, sizeOf(digit.getValue()));
    if (byGroup()) {
      perGroup = constant(order.getTogether());
      first = rem(sets, perGroup);
      firstPiece = mul(first, units);
      groupTiles = mul(perGroup, units);
      return;
    }
    // Sets of one domain: so many that their tiles are whole chunks, for
    // then each domain has the same number of positions in the first piece.
    Value share = div(sets, domains);
    Value divides = compare(arith::CmpIPredicate::eq,
                            rem(mul(share, units), chunk), constant(0));
    perDomain = select(divides, share, mul(div(share, chunk), chunk));
    whole = mul(perDomain, domains);
    firstPiece = mul(whole, units);
  }

  Value count() const { return product(box.axes); }

  SmallVector<Value> coordinates(Value position) const {
    Value local = position, setCount = sets, setBase = constant(0);
    if (byDomain()) {
      Value inFirst = compare(arith::CmpIPredicate::ult, position, firstPiece);
      Value domain = rem(div(position, chunk), domains);
      Value rank = add(mul(div(position, mul(chunk, domains)), chunk),
                       rem(position, chunk));
      local = select(inFirst, rank, sub(position, firstPiece));
      setCount = select(inFirst, perDomain, sub(sets, whole));
      setBase = select(inFirst, mul(domain, perDomain), whole);
    }
    if (byGroup()) {
      Value inFirst = compare(arith::CmpIPredicate::ult, position, firstPiece);
      Value behind = sub(position, firstPiece);
      Value group = div(behind, groupTiles);
      local = select(inFirst, position, rem(behind, groupTiles));
      setCount = select(inFirst, first, perGroup);
      setBase = select(inFirst, constant(0), add(first, mul(group, perGroup)));
    }
    SmallVector<Value> coords(box.axes.size());
    SmallVector<Digit> digits = expand(setCount);
    for (Digit &digit : llvm::reverse(digits)) {
      bool slowest = &digit == &digits.front();
      Value value = slowest ? local : rem(local, digit.size);
      if (!slowest)
        local = div(local, digit.size);
      if (digit.axis >= 0)
        coords[digit.axis] = value;
      else
        splitSet(add(value, setBase), coords);
    }
    reverse(coords);
    return coords;
  }

  Value position(ValueRange coordinates) const {
    SmallVector<Value> coords = llvm::to_vector(coordinates);
    reverse(coords);
    Value set = constant(0);
    for (StringRef axis : box.sharing)
      set = add(mul(set, sizeOf(axis)), coords[indexOf(axis)]);
    Value setCount = sets, digitValue = set, inFirst, domain;
    if (byDomain()) {
      inFirst = compare(arith::CmpIPredicate::ult, set, whole);
      domain = div(set, atLeastOne(perDomain));
      setCount = select(inFirst, perDomain, sub(sets, whole));
      digitValue =
          select(inFirst, sub(set, mul(domain, perDomain)), sub(set, whole));
    }
    Value groupBase = constant(0);
    if (byGroup()) {
      inFirst = compare(arith::CmpIPredicate::ult, set, first);
      Value behind = sub(set, first);
      setCount = select(inFirst, first, perGroup);
      digitValue = select(inFirst, set, rem(behind, perGroup));
      groupBase =
          select(inFirst, constant(0),
                 add(firstPiece, mul(div(behind, perGroup), groupTiles)));
    }
    Value local = constant(0);
    for (const Digit &digit : expand(setCount))
      local = add(mul(local, digit.size),
                  digit.axis >= 0 ? coords[digit.axis] : digitValue);
    if (!byDomain())
      return add(groupBase, local);
    Value ranked = add(
        add(mul(div(local, chunk), mul(chunk, domains)), mul(domain, chunk)),
        rem(local, chunk));
    return select(inFirst, ranked, add(local, firstPiece));
  }

  Value keepsSet(Value stride) const {
    Value plain = keepsSet(stride, byGroup() ? perGroup : sets);
    if (!byDomain())
      return plain;
    // Each domain walks its own positions: stay on it, then count there. With
    // fewer sets than domains all of them are in the second, plain piece.
    Value stays = compare(arith::CmpIPredicate::eq,
                          rem(stride, mul(domains, chunk)), constant(0));
    Value ranked = logicalAnd(
        stays, keepsSet(div(stride, domains), atLeastOne(perDomain)));
    return select(noneRanked(), plain, ranked);
  }

  Value setsInFlight(Value ctas) const {
    Value plain = setsInFlight(ctas, byGroup() ? perGroup : sets);
    if (!byDomain())
      return plain;
    return select(noneRanked(), plain,
                  setsInFlight(ceilDiv(ctas, domains), perDomain));
  }

private:
  /// A digit of the mixed radix: an axis, or the fused set (axis -1).
  struct Digit {
    int axis;
    Value size;
  };

  bool byDomain() const { return order.getDomains() > 1; }
  bool byGroup() const { return order.getTogether() > 1; }
  unsigned indexOf(StringRef axis) const {
    return llvm::find(box.axes, axis) - box.axes.begin();
  }
  Value sizeOf(StringRef axis) const { return box.sizes[indexOf(axis)]; }
  Value product(ArrayRef<StringRef> axes) const {
    Value result = constant(1);
    for (StringRef axis : axes)
      result = mul(result, sizeOf(axis));
    return result;
  }
  bool isSharing(StringAttr digit) const {
    return digit.getValue() == "sharing" ||
           llvm::is_contained(box.sharing, digit.getValue());
  }
  /// Whether no set has a domain of its own.
  Value noneRanked() const {
    return compare(arith::CmpIPredicate::eq, perDomain, constant(0));
  }
  /// Size of a digit, for a walk over `setCount` sets.
  Value digitSize(StringAttr digit, Value setCount) const {
    return digit.getValue() == "sharing" ? setCount : sizeOf(digit.getValue());
  }

  /// Whether positions `stride` apart mostly lie in one set: either the
  /// fastest digits stay within a set for two visits, or the stride is a
  /// multiple of all digits up to the slowest that selects it.
  Value keepsSet(Value stride, Value setCount) const {
    Value inner = constant(1), outer = constant(1), upTo = constant(1);
    bool seen = false;
    for (StringAttr digit : llvm::reverse(order.getDigits())) {
      Value size = digitSize(digit, setCount);
      outer = mul(outer, size);
      seen |= isSharing(digit);
      if (!seen)
        inner = mul(inner, size);
      if (isSharing(digit))
        upTo = outer;
    }
    Value twice =
        compare(arith::CmpIPredicate::uge, inner, mul(stride, constant(2)));
    Value multiple = compare(arith::CmpIPredicate::eq,
                             rem(stride, atLeastOne(upTo)), constant(0));
    return logicalOr(twice, multiple);
  }

  /// Distinct sets among `count` consecutive positions.
  Value setsInFlight(Value count, Value setCount) const {
    Value result = constant(1);
    for (StringAttr digit : llvm::reverse(order.getDigits())) {
      Value size = atLeastOne(digitSize(digit, setCount));
      if (isSharing(digit))
        result = mul(result, minU(size, count));
      count = ceilDiv(count, size);
    }
    return result;
  }

  SmallVector<Digit> expand(Value setCount) const {
    SmallVector<Digit> digits;
    for (StringAttr digit : order.getDigits()) {
      if (digit.getValue() == "sharing")
        digits.push_back({-1, setCount});
      else
        digits.push_back({static_cast<int>(indexOf(digit.getValue())),
                          sizeOf(digit.getValue())});
    }
    return digits;
  }

  void splitSet(Value set, MutableArrayRef<Value> coords) const {
    for (StringRef axis : llvm::reverse(box.sharing)) {
      bool slowest = axis == box.sharing.front();
      coords[indexOf(axis)] = slowest ? set : rem(set, sizeOf(axis));
      if (!slowest)
        set = div(set, sizeOf(axis));
    }
  }

  void reverse(MutableArrayRef<Value> coords) const {
    for (StringAttr name : order.getReversed()) {
      Value &coord = coords[indexOf(name.getValue())];
      coord = sub(sub(sizeOf(name.getValue()), constant(1)), coord);
    }
  }

  const OrderedBox &box;
  OrderAttr order;
  Value sets, domains, chunk;
  /// With several domains: sets of one domain, of all domains, tiles of a
  /// set, and positions of the first piece.
  Value perDomain, whole, units, firstPiece;
  /// With groups: sets of one, of the first, which may have fewer, and tiles.
  Value perGroup, first, groupTiles;
};

} // namespace

OrderedBox OrderedBox::of(GridOp grid, OpBuilder &builder) {
  OrderedBox box;
  box.order = grid.getOrderOrDefault();
  auto names = [](ArrayAttr attr) {
    return llvm::map_to_vector(attr.getAsRange<StringAttr>(),
                               [](StringAttr name) { return name.getValue(); });
  };
  box.axes = names(grid.getAxes());
  box.sharing = names(grid.getSharing());
  box.sizes = llvm::to_vector(grid.getSizes());
  if (grid.getRun() != 1) {
    IndexBuilder m{builder, grid.getLoc()};
    box.sizes.back() = m.ceilDiv(box.sizes.back(), m.constant(grid.getRun()));
  }
  return box;
}

Value OrderedBox::buildCount(OpBuilder &builder, Location loc) const {
  return OrderMath(*this, builder, loc).count();
}

SmallVector<Value> OrderedBox::buildCoordinates(OpBuilder &builder,
                                                Location loc,
                                                Value position) const {
  return OrderMath(*this, builder, loc).coordinates(position);
}

Value OrderedBox::buildPosition(OpBuilder &builder, Location loc,
                                ValueRange coordinates) const {
  return OrderMath(*this, builder, loc).position(coordinates);
}

Value OrderedBox::buildKeepsSet(OpBuilder &builder, Location loc,
                                Value stride) const {
  return OrderMath(*this, builder, loc).keepsSet(stride);
}

Value OrderedBox::buildSetsInFlight(OpBuilder &builder, Location loc,
                                    Value ctas) const {
  return OrderMath(*this, builder, loc).setsInFlight(ctas);
}

bool attn::isComputedFrom(Value value, Value coordinate) {
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  (void)getBackwardSlice(value, &slice, options);
  return value == coordinate || llvm::any_of(slice, [&](Operation *op) {
           return llvm::is_contained(op->getOperands(), coordinate);
         });
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

struct NamedOrder {
  StringRef name;
  bool blockFirst, swizzled;
  /// Blocks before batches, too.
  bool outermost = false;
  /// So many sets are walked, then as many others; 0: no such groups.
  int64_t sets = 0;
};

constexpr NamedOrder kOrders[] = {{"naive-block-first", true, false},
                                  {"swizzled-block-first", true, true},
                                  {"naive-head-first", false, false},
                                  {"swizzled-head-first", false, true},
                                  {"block-outermost", true, false, true},
                                  {"one-set", true, false, false, 1},
                                  {"two-sets", true, false, true, 2},
                                  {"four-sets", true, false, true, 4},
                                  {"eight-sets", true, false, true, 8},
                                  {"sixteen-sets", true, false, true, 16}};

struct GridOrderPass : attn::impl::AttnGridOrderBase<GridOrderPass> {
  using AttnGridOrderBase::AttnGridOrderBase;

  /// Digits from the slowest to the fastest. Block-first keeps batches apart
  /// when naive: it walks the heads of one batch, block by block.
  SmallVector<StringAttr> digitsOf(GridOp grid, const NamedOrder &order,
                                   bool bySet) {
    auto axes = llvm::to_vector(grid.getAxes().getAsRange<StringAttr>());
    auto sharing = llvm::to_vector(grid.getSharing().getAsRange<StringAttr>());
    SmallVector<StringAttr> units, digits;
    for (StringAttr axis : axes)
      if (!llvm::is_contained(sharing, axis))
        units.push_back(axis);
    if (bySet)
      sharing = {StringAttr::get(&getContext(), "sharing")};
    if (!order.blockFirst || units.empty()) {
      llvm::append_range(digits, sharing);
      llvm::append_range(digits, units);
      return digits;
    }
    // The tiled axis (the last unit) becomes the slowest of the box in which
    // the heads vary; the other units (heads of a group) stay the fastest.
    StringAttr block = units.pop_back_val();
    if (order.sets == 1) {
      std::swap(digits, sharing);
    } else if (sharing.size() > 1 && !order.outermost) {
      digits.push_back(sharing.front());
      sharing.erase(sharing.begin());
    }
    digits.push_back(block);
    llvm::append_range(digits, sharing);
    llvm::append_range(digits, units);
    return digits;
  }

  static bool waitsForTiles(GridOp grid) {
    return grid.walk([](AwaitProgressOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  }

  /// Whether streams start later along the last axis, and all end at the same
  /// place, as those of queries that see a block of keys do.
  static bool earlierAreLonger(GridOp grid) {
    Value last = grid.getCoordinates().back();
    bool any = false, all = true;
    grid.walk([&](StreamOp stream) {
      if (!stream.getBody().getOps<StreamOp>().empty())
        return;
      any = true;
      all &= isComputedFrom(stream.getLowers().front(), last) &&
             !isComputedFrom(stream.getUppers().back(), last);
    });
    return any && all;
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GridOp grid = kernel.getGrid();
    const NamedOrder *named = llvm::find_if(kOrders, [&](const NamedOrder &o) {
      return o.name == order.getValue();
    });
    if (named == std::end(kOrders)) {
      SmallVector<StringRef> names;
      for (const NamedOrder &o : kOrders)
        names.push_back(o.name);
      emitError(kernel.getLoc())
          << "unknown grid order '" << order << "'" << didYouMean(order, names)
          << " (known: " << llvm::join(names, ", ") << ")";
      return signalPassFailure();
    }
    if (failed(checkCounts(kernel.getLoc(), {"domains", domains},
                           {"chunk", chunk})))
      return signalPassFailure();
    if (!grid) {
      remarks::emitGridOrderNoGrid(kernel);
      return;
    }
    if (grid.getCluster()) {
      remarks::emitGridOrderClusters(grid);
      return;
    }
    TargetAttr target = TargetAttr::of(kernel);
    int64_t x = domains ? domains : target.get(Fact::L2Domains);
    int64_t c = chunk ? chunk : target.get(Fact::DispatchChunk);
    bool byDomain = named->swizzled && x > 1;
    if (byDomain && grid.getSharing().empty()) {
      remarks::emitGridOrderNoSharing(grid);
      byDomain = false;
    } else if (named->swizzled && !byDomain) {
      remarks::emitGridOrderOneDomain(grid);
    }
    SmallVector<StringAttr> reversed;
    // Tiles that wait for others know which ones start earlier.
    if (waitsForTiles(grid))
      llvm::append_range(reversed, grid.getOrderOrDefault().getReversed());
    else if (longestFirst && !earlierAreLonger(grid))
      reversed.push_back(cast<StringAttr>(grid.getAxes().getValue().back()));
    int64_t together = 1;
    if (named->sets && !grid.getSharing().empty())
      together = named->sets;
    auto chosen = OrderAttr::get(
        &getContext(), digitsOf(grid, *named, byDomain || together > 1),
        byDomain ? x : 1, byDomain ? c : 1, reversed, together);
    if (chosen == grid.getOrderOrDefault()) {
      remarks::emitGridOrderSame(grid);
      return;
    }
    grid.setOrderAttr(chosen);
    ++numOrdered;
    remarks::emitGridOrder(grid, order, byDomain ? x : 1);
  }
};

} // namespace
