//===- BrainFloats.cpp - Numbers of bf16 as their bits --------------------===//

#include "BrainFloats.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

/// The bits of a number, in front of `where`.
static Value *bitsOf(Value *number, Instruction *where) {
  IRBuilder<> b(where);
  return b.CreateBitCast(number, b.getInt16Ty());
}

static void replaceByBits(Instruction *number, Instruction *bits,
                          Instruction *where) {
  IRBuilder<> b(where);
  number->replaceAllUsesWith(b.CreateBitCast(bits, number->getType()));
  number->eraseFromParent();
}

static void moveAsBits(LoadInst *load) {
  IRBuilder<> b(load);
  auto *bits = cast<LoadInst>(b.Insert(load->clone()));
  bits->mutateType(b.getInt16Ty());
  replaceByBits(load, bits, load);
}

static void moveAsBits(StoreInst *store) {
  store->setOperand(0, bitsOf(store->getValueOperand(), store));
}

static void moveAsBits(SelectInst *select) {
  IRBuilder<> b(select);
  Value *bits = b.CreateSelect(select->getCondition(),
                               bitsOf(select->getTrueValue(), select),
                               bitsOf(select->getFalseValue(), select));
  select->replaceAllUsesWith(b.CreateBitCast(bits, select->getType()));
  select->eraseFromParent();
}

static void moveAsBits(PHINode *phi) {
  IRBuilder<> b(phi);
  PHINode *bits = b.CreatePHI(b.getInt16Ty(), phi->getNumIncomingValues());
  for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
    BasicBlock *block = phi->getIncomingBlock(i);
    // A block that comes twice brings the same value.
    int known = bits->getBasicBlockIndex(block);
    Value *value =
        known >= 0 ? bits->getIncomingValue(known)
                   : bitsOf(phi->getIncomingValue(i), block->getTerminator());
    bits->addIncoming(value, block);
  }
  replaceByBits(phi, bits, &*phi->getParent()->getFirstInsertionPt());
}

void attn::moveBrainFloatsAsBits(Module &module) {
  for (Function &function : module) {
    SmallVector<Instruction *> found;
    for (Instruction &instruction : instructions(function)) {
      auto *store = dyn_cast<StoreInst>(&instruction);
      Type *type =
          store ? store->getValueOperand()->getType() : instruction.getType();
      if (type->isBFloatTy())
        found.push_back(&instruction);
    }
    for (Instruction *instruction : found) {
      if (auto *load = dyn_cast<LoadInst>(instruction))
        moveAsBits(load);
      else if (auto *store = dyn_cast<StoreInst>(instruction))
        moveAsBits(store);
      else if (auto *select = dyn_cast<SelectInst>(instruction))
        moveAsBits(select);
      else if (auto *phi = dyn_cast<PHINode>(instruction))
        moveAsBits(phi);
    }
  }
}

void attn::defineBrainFloatRounding(Module &module) {
  LLVMContext &context = module.getContext();
  auto *function = cast<Function>(
      module
          .getOrInsertFunction(kBrainFloatRounding, Type::getBFloatTy(context),
                               Type::getFloatTy(context))
          .getCallee());
  if (!function->empty())
    return;
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setDSOLocal(true);
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  Value *bits = b.CreateBitCast(function->getArg(0), b.getInt32Ty());
  Value *odd = b.CreateAnd(b.CreateLShr(bits, 16), 1);
  Value *rounded =
      b.CreateLShr(b.CreateAdd(bits, b.CreateAdd(odd, b.getInt32(0x7fff))), 16);
  // Rounding could make an infinity of a NaN.
  Value *quiet = b.CreateOr(b.CreateLShr(bits, 16), 0x40);
  Value *isNaN = b.CreateFCmpUNO(function->getArg(0), function->getArg(0));
  Value *result =
      b.CreateTrunc(b.CreateSelect(isNaN, quiet, rounded), b.getInt16Ty());
  b.CreateRet(b.CreateBitCast(result, b.getBFloatTy()));
  // Calls of it are made behind all passes.
  appendToCompilerUsed(module, {function});
}
