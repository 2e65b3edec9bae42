//===- SplitVectors.cpp - Vectors into scalars ----------------------------===//

#include "SplitVectors.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstVisitor.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;

namespace attn {

namespace {

using Parts = SmallVector<Value *, 0>;

/// A visit returns the elements of an instruction, or none if it stays.
class Splitter : public InstVisitor<Splitter, Parts> {
public:
  explicit Splitter(Function &function)
      : function(function), b(function.getContext()) {}

  bool run() {
    // Operands before their users, save those of phis.
    ReversePostOrderTraversal<Function *> order(&function);
    for (BasicBlock *block : order)
      for (Instruction &inst : make_early_inc_range(*block))
        split(inst);
    for (const auto &[phi, elements] : phis)
      connect(*phi, elements);
    for (Instruction *inst : reverse(dead)) {
      inst->replaceAllUsesWith(PoisonValue::get(inst->getType()));
      inst->eraseFromParent();
    }
    return !dead.empty();
  }

  Parts visitInstruction(Instruction &) { return {}; }

  Parts visitUnaryOperator(UnaryOperator &op) {
    return each(op, [&](ArrayRef<Value *> x) {
      return b.CreateUnOp(op.getOpcode(), x[0]);
    });
  }
  Parts visitBinaryOperator(BinaryOperator &op) {
    return each(op, [&](ArrayRef<Value *> x) {
      return b.CreateBinOp(op.getOpcode(), x[0], x[1]);
    });
  }
  Parts visitCmpInst(CmpInst &op) {
    return each(op, [&](ArrayRef<Value *> x) {
      return b.CreateCmp(op.getPredicate(), x[0], x[1]);
    });
  }
  Parts visitSelectInst(SelectInst &op) {
    return each(op, [&](ArrayRef<Value *> x) {
      return b.CreateSelect(x[0], x[1], x[2]);
    });
  }
  Parts visitCastInst(CastInst &op) {
    auto *from = dyn_cast<FixedVectorType>(op.getSrcTy());
    if (!from)
      return {};
    auto *to = cast<FixedVectorType>(op.getDestTy());
    if (from->getNumElements() != to->getNumElements())
      return regroup(op, from, to);
    if (to->getScalarSizeInBits() == 16 && isa<FPTruncInst>(op) &&
        to->getNumElements() % 2 == 0)
      return truncatePairs(op, to->getElementType());
    if (isa<FPExtInst>(op) && from->getElementType()->isBFloatTy() &&
        to->getElementType()->isFloatTy())
      return widen(op);
    return each(op, [&](ArrayRef<Value *> x) {
      return b.CreateCast(op.getOpcode(), x[0], to->getElementType());
    });
  }
  Parts visitIntrinsicInst(IntrinsicInst &op) {
    Intrinsic::ID id = op.getIntrinsicID();
    if (!isTriviallyVectorizable(id))
      return {};
    for (unsigned i = 0; i < op.arg_size(); ++i)
      if (isVectorIntrinsicWithScalarOpAtArg(id, i, nullptr))
        return {};
    Type *type = op.getType()->getScalarType();
    unsigned count = cast<FixedVectorType>(op.getType())->getNumElements();
    Parts result;
    for (unsigned i = 0; i < count; ++i) {
      SmallVector<Value *> operands;
      for (Value *operand : op.args())
        operands.push_back(element(operand, i));
      result.push_back(b.CreateIntrinsic(type, id, operands));
      copyFlags(op, result.back());
    }
    return result;
  }
  Parts visitPHINode(PHINode &phi) {
    auto *type = cast<FixedVectorType>(phi.getType());
    Parts result;
    for (unsigned i = 0; i < type->getNumElements(); ++i)
      result.push_back(
          b.CreatePHI(type->getElementType(), phi.getNumIncomingValues()));
    phis.push_back({&phi, result});
    return result;
  }
  Parts visitInsertElementInst(InsertElementInst &op) {
    auto *index = dyn_cast<ConstantInt>(op.getOperand(2));
    if (!index)
      return {};
    Parts result = elements(op.getOperand(0));
    if (index->getValue().ult(result.size()))
      result[index->getZExtValue()] = op.getOperand(1);
    return result;
  }
  Parts visitShuffleVectorInst(ShuffleVectorInst &op) {
    Parts first = elements(op.getOperand(0)), second;
    if (!isa<UndefValue>(op.getOperand(1)))
      second = elements(op.getOperand(1));
    Type *type = op.getType()->getElementType();
    Parts result;
    for (int from : op.getShuffleMask()) {
      unsigned place = static_cast<unsigned>(from);
      if (from >= 0 && place < first.size())
        result.push_back(first[place]);
      else if (from >= 0 && !second.empty())
        result.push_back(second[place - first.size()]);
      else
        result.push_back(PoisonValue::get(type));
    }
    return result;
  }
  Parts visitFreezeInst(FreezeInst &op) {
    return each(op, [&](ArrayRef<Value *> x) { return b.CreateFreeze(x[0]); });
  }

private:
  void split(Instruction &inst) {
    b.SetInsertPoint(&inst);
    if (auto *extract = dyn_cast<ExtractElementInst>(&inst))
      return splitExtract(*extract);
    if (!isa<FixedVectorType>(inst.getType())) {
      keepOperands(inst);
      return;
    }
    Parts parts = visit(inst);
    if (parts.empty()) {
      keepOperands(inst);
      return;
    }
    known[&inst] = std::move(parts);
    dead.push_back(&inst);
  }

  void splitExtract(ExtractElementInst &extract) {
    auto *index = dyn_cast<ConstantInt>(extract.getIndexOperand());
    auto parts = known.find(extract.getVectorOperand());
    if (parts == known.end())
      return;
    if (!index || index->getValue().uge(parts->second.size())) {
      keepOperands(extract);
      return;
    }
    extract.replaceAllUsesWith(parts->second[index->getZExtValue()]);
    extract.eraseFromParent();
  }

  /// Puts vectors together again where `inst` uses such as were taken apart.
  void keepOperands(Instruction &inst) {
    for (Use &use : inst.operands()) {
      auto parts = known.find(use.get());
      if (parts != known.end())
        use.set(gather(parts->second));
    }
  }

  template <typename Build> Parts each(Instruction &op, Build build) {
    unsigned count = cast<FixedVectorType>(op.getType())->getNumElements();
    Parts result;
    SmallVector<Value *> operands;
    for (unsigned i = 0; i < count; ++i) {
      operands.clear();
      for (Value *operand : op.operand_values())
        operands.push_back(element(operand, i));
      result.push_back(build(operands));
      copyFlags(op, result.back());
    }
    return result;
  }

  static void copyFlags(Instruction &from, Value *to) {
    if (auto *inst = dyn_cast<Instruction>(to))
      inst->copyIRFlags(&from);
  }

  Parts truncatePairs(CastInst &op, Type *to) {
    Parts result, source = elements(op.getOperand(0));
    auto *pair = FixedVectorType::get(to, 2);
    for (size_t i = 0; i < source.size(); i += 2) {
      Value *both = b.CreateCast(op.getOpcode(),
                                 gather({source[i], source[i + 1]}), pair);
      copyFlags(op, both);
      for (uint64_t half = 0; half < 2; ++half) {
        result.push_back(b.CreateExtractElement(both, half));
        halves[result.back()] = {both, half};
      }
    }
    return result;
  }

  /// bf16 is the upper half of an f32. Of a word with two, one operation each
  /// makes two words: the code generator would take the upper one out first.
  Parts widen(CastInst &op) {
    Parts result, source = elements(op.getOperand(0));
    for (size_t i = 0; i < source.size(); ++i) {
      Value *pair =
          i + 1 < source.size() ? pairOf(source[i], source[i + 1]) : nullptr;
      if (!pair) {
        result.push_back(b.CreateFPExt(source[i], b.getFloatTy()));
        continue;
      }
      Value *word = b.CreateBitCast(pair, b.getInt32Ty());
      for (Value *half : {b.CreateShl(word, 16), b.CreateAnd(word, 0xffff0000)})
        result.push_back(b.CreateBitCast(half, b.getFloatTy()));
      ++i;
    }
    return result;
  }

  /// A bitcast between elements of different widths.
  Parts regroup(CastInst &op, FixedVectorType *from, FixedVectorType *to) {
    unsigned many = from->getNumElements(), few = to->getNumElements();
    Parts result, source = elements(op.getOperand(0));
    if (many % few == 0) {
      unsigned count = many / few;
      for (unsigned i = 0; i < few; ++i)
        result.push_back(
            b.CreateBitCast(gather(ArrayRef(source).slice(i * count, count)),
                            to->getElementType()));
    } else if (few % many == 0) {
      unsigned count = few / many;
      auto *type = FixedVectorType::get(to->getElementType(), count);
      for (Value *word : source) {
        Value *group = b.CreateBitCast(word, type);
        for (uint64_t i = 0; i < count; ++i) {
          result.push_back(b.CreateExtractElement(group, i));
          if (count == 2)
            halves[result.back()] = {group, i};
        }
      }
    }
    return result;
  }

  /// The vector of which two elements are the halves, or null.
  Value *pairOf(Value *first, Value *second) const {
    auto low = halves.find(first), high = halves.find(second);
    if (low == halves.end() || high == halves.end() ||
        low->second.first != high->second.first || low->second.second != 0 ||
        high->second.second != 1)
      return nullptr;
    return low->second.first;
  }

  /// The elements as a vector.
  Value *gather(ArrayRef<Value *> elements) {
    if (elements.size() == 2)
      if (Value *pair = pairOf(elements[0], elements[1]))
        return pair;
    Value *result = PoisonValue::get(
        FixedVectorType::get(elements[0]->getType(), elements.size()));
    for (auto [i, element] : enumerate(elements))
      result = b.CreateInsertElement(result, element, i);
    return result;
  }

  /// Element `i` of a vector; of anything else the value itself.
  Value *element(Value *value, unsigned i) {
    if (!isa<FixedVectorType>(value->getType()))
      return value;
    auto parts = known.find(value);
    if (parts != known.end())
      return parts->second[i];
    if (auto *constant = dyn_cast<Constant>(value))
      if (Constant *part = constant->getAggregateElement(i))
        return part;
    return b.CreateExtractElement(value, i);
  }

  Parts elements(Value *value) {
    auto parts = known.find(value);
    if (parts != known.end())
      return parts->second;
    Parts result;
    for (unsigned i = 0;
         i < cast<FixedVectorType>(value->getType())->getNumElements(); ++i)
      result.push_back(element(value, i));
    return result;
  }

  void connect(PHINode &phi, ArrayRef<Value *> parts) {
    for (unsigned in = 0; in < phi.getNumIncomingValues(); ++in) {
      BasicBlock *block = phi.getIncomingBlock(in);
      b.SetInsertPoint(block->getTerminator());
      for (auto [i, part] : enumerate(parts))
        cast<PHINode>(part)->addIncoming(element(phi.getIncomingValue(in), i),
                                         block);
    }
  }

  Function &function;
  IRBuilder<> b;
  DenseMap<Value *, Parts> known;
  /// Elements of pairs, and the pair.
  DenseMap<Value *, std::pair<Value *, uint64_t>> halves;
  SmallVector<std::pair<PHINode *, Parts>> phis;
  SmallVector<Instruction *> dead;
};

} // namespace

PreservedAnalyses SplitVectorsPass::run(Function &function,
                                        FunctionAnalysisManager &) {
  if (!Splitter(function).run())
    return PreservedAnalyses::all();
  PreservedAnalyses preserved;
  preserved.preserveSet<CFGAnalyses>();
  return preserved;
}

} // namespace attn
