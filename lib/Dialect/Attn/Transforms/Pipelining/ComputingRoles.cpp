//===- ComputingRoles.cpp - Several roles of those who compute ------------===//
//
// A product says whose it is. An operation with effects belongs to the role
// whose products it follows from; rings that a role reads, and arithmetic, to
// every role that asks for them.
//
//===----------------------------------------------------------------------===//

#include "ComputingRoles.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace attn;

/// Whose an operation with effects is.
static constexpr StringLiteral kRole = "attn.role";

unsigned attn::countComputingRoles(Region &region) {
  unsigned count = 1;
  region.walk([&](DotIssueOp issue) {
    count = std::max(count, static_cast<unsigned>(issue.getRole()) + 1);
  });
  return count;
}

namespace {

/// Roles whose products values follow from other than through rings: one bit
/// each.
class RolesOfValues {
public:
  LogicalResult run(Region &region) {
    visit(region.front());
    return success(
        !region.walk([&](Operation *op) { return mark(op); }).wasInterrupted());
  }

private:
  using Roles = uint64_t;

  Roles ofOperands(Operation *op) {
    Roles roles = 0;
    for (Value operand : op->getOperands())
      roles |= values.lookup(operand);
    return roles;
  }

  bool add(Value value, Roles roles) {
    Roles &known = values[value];
    bool isNew = (known | roles) != known;
    known |= roles;
    return isNew;
  }

  void visit(Block &block) {
    for (Operation &op : block.without_terminator())
      visit(&op);
  }

  void visit(Operation *op) {
    Roles roles = ofOperands(op);
    if (auto issue = dyn_cast<DotIssueOp>(op))
      roles |= Roles(1) << issue.getRole();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visitLoop(loop);
    for (Region &region : op->getRegions())
      for (Block &block : region) {
        visit(block);
        // What a branch gives; a loop with a condition carries no tiles.
        Operation *last = block.getTerminator();
        for (auto [result, value] :
             llvm::zip(op->getResults(), last->getOperands()))
          add(result, values.lookup(value));
      }
    if (isa<RingWaitOp>(op))
      return;
    for (Value result : op->getResults())
      add(result, op->getNumRegions() ? 0 : roles);
  }

  /// What loops bring round counts, too.
  void visitLoop(scf::ForOp loop) {
    for (auto [argument, init] :
         llvm::zip_equal(loop.getRegionIterArgs(), loop.getInitArgs()))
      add(argument, values.lookup(init));
    bool more = true;
    while (more) {
      visit(*loop.getBody());
      more = false;
      for (auto [argument, yielded] :
           llvm::zip_equal(loop.getRegionIterArgs(), loop.getYieldedValues()))
        more |= add(argument, values.lookup(yielded));
    }
    for (auto [result, argument] :
         llvm::zip_equal(loop.getResults(), loop.getRegionIterArgs()))
      add(result, values.lookup(argument));
  }

  WalkResult mark(Operation *op) {
    if (isa<ExchangeOp, LastPartOp, BarrierOp>(op)) {
      op->emitOpError("expected one role of those who compute, but got several "
                      "beside what all of a CTA do together");
      return WalkResult::interrupt();
    }
    if (!isa<RingPutOp, StoreOp, AccumulateOp>(op))
      return WalkResult::advance();
    Roles roles = ofOperands(op);
    if (llvm::popcount(roles) > 1) {
      op->emitOpError("expected a tile that follows from the products of one "
                      "role, but got one that follows from those of ")
          << llvm::popcount(roles);
      return WalkResult::interrupt();
    }
    auto number = static_cast<int64_t>(roles ? llvm::countr_zero(roles) : 0);
    auto role =
        IntegerAttr::get(IntegerType::get(op->getContext(), 64), number);
    op->setAttr(kRole, role);
    // Whoever adds takes the turns.
    if (isa<AccumulateOp>(op))
      for (auto turn : op->getBlock()->getOps<AddTurnOp>())
        turn->setAttr(kRole, role);
    if (auto put = dyn_cast<RingPutOp>(op))
      if (Operation *acquire = put.getSlot().getDefiningOp())
        acquire->setAttr(kRole, role);
    // The memory that it would be stored through is read by others, too.
    if (auto store = dyn_cast<StoreOp>(op)) {
      store.getScratchMutable().clear();
      store.setByTensorMap(false);
    }
    return WalkResult::advance();
  }

  llvm::DenseMap<Value, Roles> values;
};

/// Which values of a region are asked for by operations with effects: what a
/// loop carries for itself alone is not.
class Wanted {
public:
  explicit Wanted(Region &region) {
    region.walk([&](Operation *op) { want(op); });
    while (!work.empty())
      follow(work.pop_back_val());
  }

  /// Whether a carried value of a loop is.
  bool has(scf::ForOp loop, unsigned i) const {
    return values.contains(loop.getRegionIterArg(i)) ||
           values.contains(loop.getResult(i));
  }

private:
  void add(Value value) {
    if (values.insert(value).second)
      work.push_back(value);
  }
  void add(ValueRange all) {
    for (Value value : all)
      add(value);
  }

  void want(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      add({loop.getLowerBound(), loop.getUpperBound(), loop.getStep()});
      return;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      add(branch.getCondition());
      return;
    }
    bool hands =
        isa<scf::YieldOp>(op) && isa<scf::ForOp, scf::IfOp>(op->getParentOp());
    if (!hands && !isMemoryEffectFree(op))
      add(op->getOperands());
    else if (!hands && op->hasTrait<OpTrait::IsTerminator>())
      add(op->getOperands());
  }

  void carry(scf::ForOp loop, unsigned i) {
    add({loop.getRegionIterArg(i), loop.getYieldedValues()[i],
         loop.getInitArgs()[i]});
  }

  void follow(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
      if (loop && argument != loop.getInductionVar())
        carry(loop, argument.getArgNumber() - 1);
      return;
    }
    Operation *op = value.getDefiningOp();
    unsigned i = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return carry(loop, i);
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      add(branch.thenYield().getOperand(i));
      return add(branch.elseYield().getOperand(i));
    }
    op->walk([&](Operation *inner) { add(inner->getOperands()); });
  }

  llvm::DenseSet<Value> values;
  SmallVector<Value> work;
};

/// Takes what is others' out of a region.
class RoleKeeper {
public:
  RoleKeeper(Region &region, unsigned role) : region(region), role(role) {}

  LogicalResult run() {
    dropProducts();
    region.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      auto whose = op->getAttrOfType<IntegerAttr>(kRole);
      if (!whose || isa<RingAcquireOp>(op))
        return;
      if (whose.getInt() != role)
        erased.push_back(op);
    });
    for (Operation *op : erased) {
      auto put = dyn_cast<RingPutOp>(op);
      Operation *acquire = put ? put.getSlot().getDefiningOp() : nullptr;
      op->erase();
      if (acquire)
        acquire->erase();
    }
    stopCarrying();
    bool more = true;
    while (more) {
      more = dropDead();
      more |= dropUnreadRings();
      if (more && failed(simplifyLoops()))
        return failure();
    }
    region.walk([](Operation *op) { op->removeAttr(kRole); });
    return check();
  }

private:
  /// Results of others' products are nobody's here.
  void dropProducts() {
    SmallVector<DotIssueOp> others;
    region.walk([&](DotIssueOp issue) {
      if (issue.getRole() != role)
        others.push_back(issue);
    });
    for (DotIssueOp issue : others) {
      for (Operation *user :
           llvm::make_early_inc_range(issue.getProduct().getUsers())) {
        OpBuilder b(user);
        Value result = user->getResult(0);
        result.replaceAllUsesWith(
            ub::PoisonOp::create(b, user->getLoc(), result.getType()));
        user->erase();
      }
      issue->erase();
    }
  }

  /// What is carried for nothing stays what it was: loops drop it then.
  void stopCarrying() {
    Wanted wanted(region);
    region.walk([&](scf::ForOp loop) {
      Operation *yield = loop.getBody()->getTerminator();
      for (unsigned i = 0; i < loop.getNumResults(); ++i)
        if (!wanted.has(loop, i))
          yield->setOperand(i, loop.getRegionIterArg(i));
    });
  }

  bool dropDead() {
    bool dropped = false;
    for (Operation &last :
         llvm::make_early_inc_range(llvm::reverse(region.front())))
      last.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
        if (isOpTriviallyDead(op)) {
          op->erase();
          dropped = true;
        }
      });
    return dropped;
  }

  /// A ring none of whose tiles is wanted here is neither waited for nor given
  /// back.
  bool dropUnreadRings() {
    llvm::MapVector<Value, SmallVector<Operation *>> accesses;
    llvm::DenseSet<Value> read;
    region.walk([&](Operation *op) {
      if (auto wait = dyn_cast<RingWaitOp>(op)) {
        accesses[wait.getRing()].push_back(op);
        if (!wait.getTile().use_empty())
          read.insert(wait.getRing());
      } else if (auto release = dyn_cast<RingReleaseOp>(op)) {
        accesses[release.getRing()].push_back(op);
      }
    });
    bool dropped = false;
    for (auto &[ring, ops] : accesses)
      if (!read.contains(ring))
        for (Operation *op : ops) {
          op->erase();
          dropped = true;
        }
    return dropped;
  }

  /// Drops what loops carry for nothing.
  LogicalResult simplifyLoops() {
    MLIRContext *context = region.getContext();
    RewritePatternSet patterns(context);
    scf::ForOp::getCanonicalizationPatterns(patterns, context);
    scf::IfOp::getCanonicalizationPatterns(patterns, context);
    return applyPatternsGreedily(region, std::move(patterns));
  }

  LogicalResult check() {
    WalkResult result = region.walk([&](Operation *op) {
      if (llvm::none_of(op->getOperands(), [](Value operand) {
            return operand.getDefiningOp<ub::PoisonOp>();
          }))
        return WalkResult::advance();
      op->emitOpError("expected role ")
          << role << " to get what others compute out of rings, but got a "
          << "product that it takes from another role";
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  Region &region;
  unsigned role;
  SmallVector<Operation *> erased;
};

} // namespace

LogicalResult attn::markComputingRoles(Region &region) {
  return RolesOfValues().run(region);
}

LogicalResult attn::keepComputingRole(Region &region, unsigned role) {
  return RoleKeeper(region, role).run();
}
