//===- DeviceToLLVM.cpp - Device functions to the LLVM dialect ------------===//
//
// What upstream's passes do one after the other (scf-to-cf,
// convert-gpu-to-nvvm or -rocdl, convert-nvvm-to-llvm,
// reconcile-unrealized-casts), as one conversion: each pass over a kernel's
// thousands of operations is dear.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Conversion/Passes.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/GPUToROCDL/GPUToROCDLPass.h"
#include "mlir/Conversion/LLVMCommon/ConversionTarget.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/AMDGPU/Utils/Chipset.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/BasicPtxBuilderInterface.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Dialect/Vector/Transforms/VectorRewritePatterns.h"

namespace attn {
#define GEN_PASS_DEF_CONVERTATTNDEVICETOLLVM
#include "attn-mlir/Conversion/Passes.h.inc"
} // namespace attn

using namespace mlir;

namespace {

struct ConvertAttnDeviceToLLVMPass
    : attn::impl::ConvertAttnDeviceToLLVMBase<ConvertAttnDeviceToLLVMPass> {
  static void populate(LLVMTypeConverter &converter,
                       RewritePatternSet &patterns) {
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    populateSCFToControlFlowConversionPatterns(patterns);
    arith::populateArithToLLVMConversionPatterns(converter, patterns);
    cf::populateControlFlowToLLVMConversionPatterns(converter, patterns);
    // To intrinsics, before calls of a library that no one would link.
    populateMathToLLVMConversionPatterns(converter, patterns,
                                         /*approximateLog1p=*/true,
                                         /*benefit=*/2);
    populateVectorToLLVMConversionPatterns(converter, patterns);
    vector::populateVectorInsertExtractStridedSliceTransforms(patterns);
  }

  /// Whether the kernels of a module are for AMD GPUs.
  static bool isForAmd(gpu::GPUModuleOp module) {
    return llvm::any_of(module.getOps<LLVM::LLVMFuncOp>(), [](auto function) {
      return function->hasAttr(ROCDL::ROCDLDialect::getKernelFuncAttrName());
    });
  }

  /// Those that have an LLVM intrinsic stay.
  static bool isInstruction(Operation *op) {
    auto inlined = dyn_cast<NVVM::BasicPtxBuilderInterface>(op);
    return !inlined || inlined.hasIntrinsic();
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    LowerToLLVMOptions options(context);
    options.overrideIndexBitwidth(32);
    LLVMTypeConverter converter(context, options);
    RewritePatternSet patterns(context);
    populate(converter, patterns);
    if (isForAmd(module)) {
      // No operation that is left depends on the chip.
      populateGpuToROCDLConversionPatterns(
          converter, patterns, gpu::amd::Runtime::HIP, amdgpu::Chipset());
    } else {
      configureGpuToNVVMTypeConverter(converter);
      populateGpuToNVVMConversionPatterns(converter, patterns);
      // Operations that are one instruction of inline PTX.
      populateNVVMToLLVMConversionPatterns(patterns);
    }

    LLVMConversionTarget target(*context);
    target.addIllegalDialect<arith::ArithDialect, cf::ControlFlowDialect,
                             gpu::GPUDialect, math::MathDialect,
                             scf::SCFDialect, vector::VectorDialect>();
    target.addLegalDialect<ROCDL::ROCDLDialect>();
    target.addDynamicallyLegalDialect<NVVM::NVVMDialect>(isInstruction);
    target.addLegalOp<gpu::GPUModuleOp>();
    ConversionConfig config;
    config.allowPatternRollback = false;
    if (failed(applyPartialConversion(module, target, std::move(patterns),
                                      config)))
      signalPassFailure();
  }
};

} // namespace
