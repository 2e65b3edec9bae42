//===- AttnDialect.cpp - Dialect registration -----------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace attn;

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.cpp.inc"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.cpp.inc"

#include "attn-mlir/Dialect/Attn/IR/AttnAttrInterfaces.cpp.inc"
#include "attn-mlir/Dialect/Attn/IR/AttnOpInterfaces.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.cpp.inc"

void AttnDialect::initialize() {
  registerTensorOps();
  registerCacheOps();
  registerGradientOps();
  registerKernelOps();
  registerStreamOp();
  registerTileOps();
  registerRingOps();
  registerPartOps();
  registerProductOps();
  registerTuningOps();
  registerAttributes();
  addTypes<
#define GET_TYPEDEF_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.cpp.inc"
      >();
}

Operation *AttnDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

static LogicalResult verifySchedule(Operation *op, Attribute value) {
  bool isProgram = isa<CompositeOpInterface>(op);
  if (!isProgram && !isa<StreamableOpInterface, KernelOp>(op))
    return op->emitOpError("attribute '")
           << ScheduleAttr::kAttrName
           << "' belongs on a streamable operation or a kernel";
  if (!isa<ScheduleAttr>(value))
    return op->emitOpError("attribute '")
           << ScheduleAttr::kAttrName
           << "' expected an #attn.schedule, but got " << value;
  // Kernels of a program have schedules of their own.
  auto schedule = cast<ScheduleAttr>(value);
  bool hasForm = !schedule.getWord("form").empty();
  if (isProgram ? !schedule.without({"form"}).getFields().empty() : hasForm)
    return op->emitOpError("attribute '")
           << ScheduleAttr::kAttrName << "' expected "
           << (isProgram ? "the field 'form' alone" : "no field 'form'")
           << ", but got " << value;
  return success();
}

LogicalResult AttnDialect::verifyOperationAttribute(Operation *op,
                                                    NamedAttribute attr) {
  if (attr.getName() == ScheduleAttr::kAttrName)
    return verifySchedule(op, attr.getValue());
  if (attr.getName() != TargetAttr::kModuleAttr)
    return success();
  if (!isa<ModuleOp>(op))
    return op->emitOpError("attribute '")
           << TargetAttr::kModuleAttr << "' belongs on a module";
  if (!isa<TargetAttr>(attr.getValue()))
    return op->emitOpError("attribute '")
           << TargetAttr::kModuleAttr << "' expects an #attn.target, but got "
           << attr.getValue();
  return success();
}
