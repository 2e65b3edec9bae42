//===- Registration.cpp - Everything of the project, for embedders --------===//

#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Conversion/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/Transforms/BufferizableOpInterfaceImpl.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Pipelines/HostPipelines.h"
#include "attn-mlir/Pipelines/Passes.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "attn-mlir/Raise/Passes.h"
#include "attn-mlir/Tuning/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/Arith/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Arith/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/FuncBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/ControlFlow/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/AllocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/BufferDeallocationOpInterfaceImpl.h"
#include "mlir/Dialect/SCF/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/IR/ValueBoundsOpInterfaceImpl.h"
#include "mlir/Dialect/Tensor/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void attn::registerDialects(DialectRegistry &registry) {
  registry.insert<AttnDialect, arith::ArithDialect,
                  bufferization::BufferizationDialect, cf::ControlFlowDialect,
                  func::FuncDialect, gpu::GPUDialect, LLVM::LLVMDialect,
                  linalg::LinalgDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect,
                  math::MathDialect, memref::MemRefDialect, scf::SCFDialect,
                  tensor::TensorDialect, tosa::TosaDialect, ub::UBDialect,
                  vector::VectorDialect>();
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerBufferDeallocationOpInterfaceExternalModels(registry);
  arith::registerBufferizableOpInterfaceExternalModels(registry);
  bufferization::func_ext::registerBufferizableOpInterfaceExternalModels(
      registry);
  cf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  func::registerInlinerExtension(registry);
  linalg::registerBufferizableOpInterfaceExternalModels(registry);
  memref::registerAllocationOpInterfaceExternalModels(registry);
  scf::registerBufferDeallocationOpInterfaceExternalModels(registry);
  scf::registerBufferizableOpInterfaceExternalModels(registry);
  tensor::registerBufferizableOpInterfaceExternalModels(registry);
  arith::registerValueBoundsOpInterfaceExternalModels(registry);
  tensor::registerValueBoundsOpInterfaceExternalModels(registry);
}

void attn::registerPasses() {
  registerOwnPasses();
  registerTransformsPasses();
}

void attn::registerOwnPasses() {
  registerAttnAnalysisPasses();
  registerAttnConversionPasses();
  registerAttnPipelinesPasses();
  registerAttnRaisePasses();
  registerAttnTuningPasses();
  registerAttnTransformsPasses();
  PassPipelineRegistration<ScheduleOptions>(
      "attn-schedule", "Level 1 to scheduled level 2", buildSchedulePipeline);
  PassPipelineRegistration<>("attn-lower-to-loops",
                             "Level 2 to loops, for the CPU",
                             buildLowerToLoopsPipeline);
  PassPipelineRegistration<>("attn-lower-to-llvm",
                             "Level 2 to the LLVM dialect, for the CPU",
                             [](OpPassManager &pm) {
                               buildLowerToLoopsPipeline(pm);
                               buildLowerToLLVMPipeline(pm);
                             });
  PassPipelineRegistration<>("attn-loops-to-llvm",
                             "The output of attn-lower-to-loops to the LLVM "
                             "dialect",
                             buildLowerToLLVMPipeline);
  PassPipelineRegistration<TargetOptions>(
      "attn-to-target", "Scheduled level 2 to level 3", buildTargetPipeline);
  PassPipelineRegistration<>("attn-lower-sequential",
                             "Level 3 to loops, for the CPU, to check it",
                             buildSequentialPipeline);
  PassPipelineRegistration<>("attn-lower-to-nvvm",
                             "Level 3 to device functions for NVIDIA GPUs",
                             buildLowerToNVVMPipeline);
  PassPipelineRegistration<>("attn-lower-to-rocdl",
                             "Level 3 to device functions for AMD GPUs",
                             buildLowerToROCDLPipeline);
  PassPipelineRegistration<>("attn-device-to-llvm",
                             "Device functions to the LLVM dialect",
                             buildDeviceToLLVMPipeline);
  PassPipelineRegistration<>("attn-lower-host-to-llvm",
                             "Functions around launches of programs to the "
                             "LLVM dialect",
                             buildLowerHostToLLVMPipeline);
  PassPipelineRegistration<>("attn-lower-to-trace",
                             "Level 2 to the trace of its accesses",
                             buildTracePipeline);
}
