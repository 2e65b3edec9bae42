//===- HostFunctions.cpp - Functions that are part of a call --------------===//

#include "HostFunctions.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;

OpBuilder HostFunction::atEntry() {
  return OpBuilder::atBlockBegin(&function.front());
}

void HostFunction::takeCall() {
  (void)function.insertArgument(0, host.pointer(), {}, function.getLoc());
  (void)function.insertResult(function.getNumResults(), host.status(), {});
  for (auto ret : function.getOps<func::ReturnOp>()) {
    OpBuilder b(ret);
    Value zero =
        arith::ConstantIntOp::create(b, ret.getLoc(), host.status(), 0);
    ret.getOperandsMutable().append(zero);
  }
}

/// What a failure branches to.
Block *HostFunction::exitBlock() {
  if (exit)
    return exit;
  Location loc = function.getLoc();
  OpBuilder b(function.getContext());
  exit = b.createBlock(&function.getBody(), function.getBody().end(),
                       host.status(), loc);
  SmallVector<Value> results;
  for (Type type : function.getResultTypes().drop_back())
    results.push_back(ub::PoisonOp::create(b, loc, type));
  results.push_back(exit->getArgument(0));
  func::ReturnOp::create(b, loc, results);
  return exit;
}

void HostFunction::returnIfFailed(Operation *op, Value status) {
  Location loc = op->getLoc();
  Block *rest = op->getBlock()->splitBlock(std::next(Block::iterator(op)));
  OpBuilder b(op->getContext());
  b.setInsertionPointAfter(op);
  Value zero = arith::ConstantIntOp::create(b, loc, host.status(), 0);
  Value failed =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, status, zero);
  cf::CondBranchOp::create(b, loc, failed, exitBlock(), status, rest,
                           ValueRange());
}

//===----------------------------------------------------------------------===//
// Which functions, and whether they can
//===----------------------------------------------------------------------===//

static bool launchesProgram(LaunchOp launch) {
  Operation *callee =
      SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernelAttr());
  return callee && callee->hasAttr(kProgramAttr);
}

/// Whether the operation itself takes the call that it is part of.
static bool takesCall(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return launchesProgram(launch);
  return isa<memref::AllocOp, memref::DeallocOp>(op);
}

static bool anyOf(Operation *root, function_ref<bool(Operation *)> predicate) {
  return root
      ->walk([&](Operation *op) {
        return predicate(op) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

SmallVector<func::FuncOp> attn::findHostFunctions(ModuleOp module) {
  if (!anyOf(module, [](Operation *op) {
        auto launch = dyn_cast<LaunchOp>(op);
        return launch && launchesProgram(launch);
      }))
    return {};
  llvm::SetVector<Operation *> found;
  for (auto function : module.getOps<func::FuncOp>())
    if (anyOf(function, takesCall))
      found.insert(function);
  // Callers of those that were found so far, which grow.
  auto callsFound = [&](Operation *op) {
    auto call = dyn_cast<func::CallOp>(op);
    return call && found.contains(module.lookupSymbol(call.getCallee()));
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (auto function : module.getOps<func::FuncOp>())
      if (!found.contains(function) && anyOf(function, callsFound))
        changed |= found.insert(function);
  }
  return llvm::map_to_vector(
      found, [](Operation *op) { return cast<func::FuncOp>(op); });
}

LogicalResult attn::checkHostFunction(func::FuncOp function, ModuleOp module) {
  if (function.isPublic() && function.getNumResults() > 0)
    return function.emitError()
           << "expected a public function that launches, allocates or frees to "
              "have no results, which are buffers that it takes "
              "(buffer-results-to-out-params), but got "
           << function.getResultTypes();
  WalkResult nested = function.walk([&](Operation *op) {
    if ((!takesCall(op) && !isa<func::CallOp>(op)) ||
        op->getParentOp() == function)
      return WalkResult::advance();
    op->emitOpError("expected branches in place of structured control flow "
                    "(convert-scf-to-cf), but got an operation in ")
        << op->getParentOp()->getName();
    return WalkResult::interrupt();
  });
  if (nested.wasInterrupted())
    return failure();
  auto uses = SymbolTable::getSymbolUses(function, module);
  for (SymbolTable::SymbolUse use :
       uses ? llvm::to_vector(*uses) : SmallVector<SymbolTable::SymbolUse>())
    if (!isa<func::CallOp>(use.getUser()))
      return use.getUser()->emitOpError(
                 "expected a function that launches, allocates or frees to be "
                 "called by its name, but got a use of ")
             << use.getSymbolRef();
  return success();
}

//===----------------------------------------------------------------------===//
// Public functions
//===----------------------------------------------------------------------===//

func::FuncOp attn::separateBody(func::FuncOp function, ModuleOp module) {
  SymbolTable symbols(module);
  auto body = func::FuncOp::create(function.getLoc(),
                                   (function.getSymName() + "_in_call").str(),
                                   function.getFunctionType());
  body.setPrivate();
  body.getBody().takeBody(function.getBody());
  symbols.insert(body, std::next(Block::iterator(function)));
  (void)SymbolTable::replaceAllSymbolUses(function, body.getSymNameAttr(),
                                          module);
  return body;
}

LogicalResult attn::beginCall(func::FuncOp function, func::FuncOp body,
                              HostInterface &host) {
  FailureOr<LLVM::LLVMFuncOp> begin = host.begin(), end = host.end();
  if (mlir::failed(begin) || mlir::failed(end))
    return failure();
  Location loc = function.getLoc();
  (void)function.insertArgument(0, host.pointer(), {}, loc);
  (void)function.insertResult(0, host.status(), {});
  Block *entry = function.addEntryBlock();
  Block *begun = function.addBlock(), *exit = function.addBlock();
  exit->addArgument(host.status(), loc);
  OpBuilder b = OpBuilder::atBlockEnd(entry);
  Value one = LLVM::ConstantOp::create(b, loc, b.getI64Type(), 1);
  Value place = LLVM::AllocaOp::create(b, loc, host.pointer(), host.pointer(),
                                       one, /*alignment=*/8);
  Value status = LLVM::CallOp::create(
                     b, loc, *begin, ValueRange{function.getArgument(0), place})
                     .getResult();
  Value zero = arith::ConstantIntOp::create(b, loc, host.status(), 0);
  Value failed =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, status, zero);
  cf::CondBranchOp::create(b, loc, failed, exit, status, begun, ValueRange());

  b.setInsertionPointToEnd(begun);
  Value call = LLVM::LoadOp::create(b, loc, host.pointer(), place);
  SmallVector<Value> operands(function.getArguments());
  operands.front() = call;
  Value result = func::CallOp::create(b, loc, body, operands).getResult(0);
  Value ended =
      LLVM::CallOp::create(b, loc, *end, ValueRange{call, result}).getResult();
  cf::BranchOp::create(b, loc, exit, ended);

  b.setInsertionPointToEnd(exit);
  func::ReturnOp::create(b, loc, exit->getArgument(0));
  return success();
}
