//===- products.cpp - A compiler with its own way for products ------------===//
//
// products BLOCK.mlir TARGET OBJECT: compiles a module whose attention is ours
// for TARGET. Products of activations and weights become calls of a function
// linear(x, w, y), y += x w, which whoever links the object has: here this
// embedder's own step, between bufferization and loops. What is left goes the
// project's way.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Compiler/CompileHost.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Pipelines/HostPipelines.h"
#include "attn-mlir/Serialize/HostCode.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// A buffer of f32 of any sizes and strides.
static MemRefType anyBuffer(MLIRContext *context, int64_t rank) {
  SmallVector<int64_t> dynamic(rank, ShapedType::kDynamic);
  return MemRefType::get(
      dynamic, Float32Type::get(context),
      StridedLayoutAttr::get(context, ShapedType::kDynamic, dynamic));
}

/// Whether this is y[b, s, n] += x[b, s, k] w[k, n] on buffers of f32.
static bool isLinear(linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics() || !linalg::isaContractionOpInterface(op))
    return false;
  AffineExpr b, s, n, k;
  bindDims(op.getContext(), b, s, n, k);
  AffineMap maps[] = {AffineMap::get(4, 0, {b, s, k}, op.getContext()),
                      AffineMap::get(4, 0, {k, n}, op.getContext()),
                      AffineMap::get(4, 0, {b, s, n}, op.getContext())};
  return llvm::equal(op.getIndexingMapsArray(), maps) &&
         llvm::all_of(op->getOperandTypes(), [](Type type) {
           return cast<MemRefType>(type).getElementType().isF32();
         });
}

namespace {
struct CallProducts : PassWrapper<CallProducts, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CallProducts)

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<func::FuncDialect, memref::MemRefDialect>();
  }

  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> products;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (isLinear(op))
        products.push_back(op);
    });
    MLIRContext *context = &getContext();
    Type types[] = {anyBuffer(context, 3), anyBuffer(context, 2),
                    anyBuffer(context, 3)};
    auto b = OpBuilder::atBlockBegin(getOperation().getBody());
    auto function = func::FuncOp::create(b, getOperation().getLoc(), "linear",
                                         FunctionType::get(context, types, {}));
    function.setPrivate();
    function->setAttr(LLVM::LLVMDialect::getEmitCWrapperAttrName(),
                      UnitAttr::get(context));
    for (linalg::LinalgOp op : products) {
      b.setInsertionPoint(op);
      SmallVector<Value> operands;
      for (auto [operand, type] : llvm::zip_equal(op->getOperands(), types))
        operands.push_back(
            memref::CastOp::create(b, op.getLoc(), type, operand));
      func::CallOp::create(b, op.getLoc(), function, operands);
      op->erase();
    }
    llvm::outs() << products.size() << " products are calls\n";
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

static LogicalResult lower(ModuleOp module, StringRef target) {
  attn::CompileOptions options;
  options.target = target.str();
  PassManager pm(module.getContext());
  attn::buildEmbedPipeline(pm, options);
  pm.addPass(createInlinerPass());
  pm.addPass(createConvertElementwiseToLinalgPass());
  bufferization::OneShotBufferizePassOptions bufferize;
  bufferize.bufferizeFunctionBoundaries = true;
  bufferize.functionBoundaryTypeConversion =
      bufferization::LayoutMapOption::FullyDynamicLayoutMap;
  pm.addPass(bufferization::createOneShotBufferizePass(bufferize));
  pm.addPass(std::make_unique<CallProducts>());
  attn::buildLowerHostToLLVMPipeline(pm);
  return pm.run(module);
}

static int write(StringRef object, StringRef path) {
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error) {
    llvm::errs() << path << ": " << error.message() << "\n";
    return 1;
  }
  file << object;
  return 0;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    llvm::errs() << "usage: products BLOCK.mlir TARGET OBJECT\n";
    return 2;
  }
  DialectRegistry registry;
  attn::registerDialects(registry);
  MLIRContext context(registry);
  auto module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  if (auto block = module->lookupSymbol<func::FuncOp>("block"))
    attn::exportFunction(block);
  if (failed(lower(*module, argv[2])))
    return 1;
  FailureOr<std::string> object = attn::compileToObject(*module);
  return failed(object) ? 1 : write(*object, argv[3]);
}
