//===- Workshop.cpp - Schedules that are only tried -----------------------===//

#include "Workshop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace attn;

Workshop::Workshop(ModuleOp module)
    : context(module.getContext()->getDialectRegistry(),
              MLIRContext::Threading::DISABLED) {
  context.loadDialect<scf::SCFDialect>();
  std::string text;
  llvm::raw_string_ostream os(text);
  module->print(os, OpPrintingFlags().printGenericOpForm());
  ParserConfig config(&context);
  copy = parseSourceString<ModuleOp>(text, config);
  // What is tried is all that counts, not what operations hold.
  if (copy)
    copy->walk([](StreamableOpInterface op) { ScheduleAttr::set(op, {}); });
}

OwningOpRef<ModuleOp> Workshop::scheduled(ScheduleAttr schedule) {
  std::unique_ptr<ScheduleOptions> options =
      createOptions<ScheduleOptions>(schedule.asOptions(2));
  if (!copy || !options)
    return {};
  OwningOpRef<ModuleOp> module = copy->clone();
  PassManager pm(&context);
  pm.enableVerifier(false);
  buildSchedulePipeline(pm, *options);
  if (failed(pm.run(*module)))
    return {};
  return module;
}

LogicalResult Workshop::lower(ModuleOp module, ScheduleAttr schedule) {
  std::unique_ptr<TargetOptions> options =
      createOptions<TargetOptions>(schedule.asOptions(3));
  if (!options)
    return failure();
  PassManager pm(&context);
  pm.enableVerifier(false);
  buildTargetPipeline(pm, *options);
  return pm.run(module);
}
