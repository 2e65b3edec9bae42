//===- PartsToNVVM.cpp - Parts of a stream, and which ends last -----------===//
//
// One thread changes the word. What the CTA's threads have stored comes before
// their barrier, and that before the change, which releases it; what another
// CTA's change acquires comes before the barrier behind it, and the loads of
// all its threads (PTX ISA, "Causality order").
//
//===----------------------------------------------------------------------===//

#include "../AttnToGPU/ElementAddress.h"
#include "../PartWords.h"
#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Attribute of an attn.end_part: where in shared memory its result goes to the
/// threads of the CTA.
static constexpr llvm::StringLiteral kSeenPlaceAttr = "attn.place";
static constexpr int64_t kWordBytes = 8;

int64_t attn::placeParts(LLVM::LLVMFuncOp function, int64_t bytes) {
  SmallVector<EndPartOp> ends;
  function.walk([&](EndPartOp end) { ends.push_back(end); });
  if (ends.empty())
    return bytes;
  // One after the other, with barriers between: they share the place.
  int64_t place = llvm::alignTo(bytes, kWordBytes);
  Builder b(function.getContext());
  for (EndPartOp end : ends)
    end->setAttr(kSeenPlaceAttr, b.getI64IntegerAttr(place));
  return place + kWordBytes;
}

namespace {

/// Changes a word for all CTAs at once, by `instruction`; what it held. (Of
/// LLVM's atomic operations the code generator keeps no order.)
Value change(OpBuilder &b, Location loc, StringRef instruction, Value address,
             Value bits) {
  std::string text = (instruction + " $0, [$1], $2;").str();
  return assembly(b, loc, b.getI64Type(), {address, bits}, text,
                  "=l,l,l,~{memory}")
      .getResult(0);
}

/// What `build` gives on the first thread, where there is such a word; else
/// nothing.
Value onFirstThread(OpBuilder &b, Location loc, const ElementAddress &word,
                    function_ref<Value(OpBuilder &)> build) {
  ThreadBuilder t{b, loc, readThreadAgain(b, loc)};
  auto branch = scf::IfOp::create(
      b, loc, t.both(word.inside, t.equals(t.thread(), 0)),
      [&](OpBuilder &n, Location) { scf::YieldOp::create(n, loc, build(n)); },
      [&](OpBuilder &n, Location) {
        scf::YieldOp::create(n, loc, PartWord::nothing(n, loc));
      });
  return branch.getResult(0);
}

struct BeginPartPattern : OpConversionPattern<BeginPartOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BeginPartOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ElementAddress word(rewriter, loc, op.getWords(), op.getOffsets());
    rewriter.replaceOp(
        op, onFirstThread(rewriter, loc, word, [&](auto &b) {
          PartWord part(b, loc, adaptor.getPart(), op.getParts());
          Value held = change(b, loc, "atom.relaxed.gpu.global.or.b64",
                              word.pointer(b), part.begins());
          return part.begunFrom(held);
        }));
    return success();
  }
};

struct EndPartPattern : OpConversionPattern<EndPartOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(EndPartOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ElementAddress word(rewriter, loc, op.getWords(), op.getOffsets());
    Value slot = dynamicSharedAt(
        rewriter, loc, op->getAttrOfType<IntegerAttr>(kSeenPlaceAttr).getInt());
    computeBarrier(rewriter, loc);
    Value found = onFirstThread(rewriter, loc, word, [&](auto &b) {
      return lookAtParts(b, loc, adaptor.getBefore(), adaptor.getPart(),
                         op.getParts(), [&](OpBuilder &n, Value bits) {
                           return change(n, loc,
                                         "atom.acq_rel.gpu.global.xor.b64",
                                         word.pointer(n), bits);
                         });
    });
    ThreadBuilder t{rewriter, loc, readThreadAgain(rewriter, loc)};
    scf::IfOp::create(rewriter, loc, t.equals(t.thread(), 0),
                      [&](OpBuilder &b, Location) {
                        LLVM::StoreOp::create(b, loc, found, slot, kWordBytes);
                        scf::YieldOp::create(b, loc);
                      });
    computeBarrier(rewriter, loc);
    Value seen = LLVM::LoadOp::create(rewriter, loc, rewriter.getI64Type(),
                                      slot, kWordBytes);
    rewriter.replaceOp(op, {PartWord::againOf(rewriter, loc, seen), seen});
    return success();
  }
};

} // namespace

void attn::populatePartPatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<BeginPartPattern, EndPartPattern>(converter,
                                                 patterns.getContext());
}
