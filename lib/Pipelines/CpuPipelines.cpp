//===- CpuPipelines.cpp - Level 2 to code for the CPU ---------------------===//

#include "attn-mlir/Pipelines/CpuPipelines.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Pipelines/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void attn::buildLowerToLoopsPipeline(OpPassManager &pm) {
  pm.addNestedPass<KernelOp>(createAttnMaterializeGrid());
  pm.addPass(createConvertAttnStreamToSCF());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
  pm.addPass(createConvertAttnToCPU());
  pm.addPass(createConvertElementwiseToLinalgPass());
  pm.addPass(createLinalgElementwiseOpFusionPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());

  // Tiles become buffers of the kernel, hoisted out of its loops.
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  // Attention may itself be what a loop of the user carries.
  bufferize.allowReturnAllocsFromLoops = true;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addNestedPass<func::FuncOp>(bufferization::createBufferLoopHoistingPass());
  bufferization::BufferDeallocationPipelineOptions dealloc;
  bufferization::buildBufferDeallocationPipeline(pm, dealloc);

  // Launches are on buffers now.
  pm.addPass(createConvertAttnToCPU());
  pm.addPass(createAttnVectorizeProducts());
  pm.addPass(createAttnVectorizeReductions());
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createCSEPass());
  pm.addPass(createCanonicalizerPass());
}

void attn::buildLowerToLLVMPipeline(OpPassManager &pm) {
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createAttnExpandFloat8());
  pm.addPass(createAttnExpandExponentials());
  arith::ArithExpandOpsPassOptions expand;
  expand.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(expand));
  pm.addPass(createConvertBufferizationToMemRefPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertMathToLibmPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createCSEPass());
}

void attn::buildLowerToCpuCodePipeline(OpPassManager &pm) {
  pm.addNestedPass<KernelOp>(createAttnMaterializeGrid());
  pm.addPass(createAttnOutlineForCPU());
  OpPassManager &code = pm.nest<ModuleOp>();
  buildLowerToLoopsPipeline(code);
  buildLowerToLLVMPipeline(code);
  code.addPass(createAttnWrapForCPU());
}

void attn::buildTracePipeline(OpPassManager &pm) {
  pm.addNestedPass<KernelOp>(createAttnMaterializeGrid({/*inTurn=*/true}));
  pm.addNestedPass<KernelOp>(createAttnTrace());
}
