// A compiler that embeds the project: schedules attention in a module of its
// own.
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  attn::ScheduleOptions options;
  options.persistent = true;
  mlir::PassManager pm(&context);
  attn::buildSchedulePipeline(pm, options);
  if (failed(pm.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
