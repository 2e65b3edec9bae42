//===- BufferizableOpInterfaceImpl.cpp - Bufferization of launches --------===//

#include "attn-mlir/Dialect/Attn/Transforms/BufferizableOpInterfaceImpl.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace attn;

namespace {

struct LaunchModel
    : DstBufferizableOpInterfaceExternalModel<LaunchModel, LaunchOp> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    // What another launch wrote is a counter, which it cleared.
    return cast<LaunchOp>(op).isDpsInput(&operand) ||
           operand.get().getDefiningOp<LaunchOp>();
  }
  bool bufferizesToMemoryWrite(Operation *op, OpOperand &operand,
                               const AnalysisState &) const {
    return cast<LaunchOp>(op).isDpsInit(&operand);
  }

  /// What a kernel writes are as many arrays, whatever tensors without contents
  /// are one value.
  static LogicalResult separate(RewriterBase &rewriter, LaunchOp launch,
                                const BufferizationOptions &options,
                                BufferizationState &state,
                                SmallVectorImpl<Value> &written) {
    for (Value init : launch.getInits()) {
      if (!llvm::is_contained(written, init) ||
          !isa<TensorType>(init.getType())) {
        written.push_back(init);
        continue;
      }
      FailureOr<Value> other = allocateTensorForShapedValue(
          rewriter, launch.getLoc(), init, options, state, /*copy=*/false);
      if (failed(other))
        return failure();
      written.push_back(*other);
    }
    return success();
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto launch = cast<LaunchOp>(op);
    auto buffers = [&](ValueRange values,
                       SmallVectorImpl<Value> &result) -> LogicalResult {
      for (Value value : values) {
        if (!isa<TensorType>(value.getType())) {
          result.push_back(value);
          continue;
        }
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        result.push_back(*buffer);
      }
      return success();
    };
    SmallVector<Value> inputs, inits, written;
    if (failed(separate(rewriter, launch, options, state, written)) ||
        failed(buffers(launch.getInputs(), inputs)) ||
        failed(buffers(written, inits)))
      return failure();
    LaunchOp::create(rewriter, launch.getLoc(), TypeRange(),
                     launch.getKernelAttr(), inputs, inits, launch.getScalars(),
                     launch.getViews());
    replaceOpWithBufferizedValues(rewriter, op, inits);
    return success();
  }
};

} // namespace

void attn::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, AttnDialect *) {
    LaunchOp::attachInterface<LaunchModel>(*context);
  });
}
