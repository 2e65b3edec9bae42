//===- Dialect.cpp - The dialect for MLIR's C API -------------------------===//

#include "attn-mlir-c/Dialect.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Registration.h"

using namespace mlir;
using namespace attn;

MLIR_DEFINE_CAPI_DIALECT_REGISTRATION(Attn, attn, attn::AttnDialect)

void mlirAttnRegisterAllDialects(MlirDialectRegistry registry) {
  attn::registerDialects(*unwrap(registry));
}

/// Of the context, which has the dialect from now on.
static MLIRContext *loaded(MlirContext context) {
  unwrap(context)->loadDialect<AttnDialect>();
  return unwrap(context);
}

static auto errorsOf(MLIRContext *context) {
  return [context]() { return emitError(UnknownLoc::get(context)); };
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

MlirAttribute mlirAttnTargetAttrGet(MlirContext context, MlirStringRef name) {
  MLIRContext *own = loaded(context);
  return wrap(Attribute(TargetAttr::lookup(own, unwrap(name), errorsOf(own))));
}

bool mlirAttributeIsAAttnTarget(MlirAttribute attribute) {
  return isa_and_nonnull<TargetAttr>(unwrap(attribute));
}

int64_t mlirAttnTargetAttrGetFact(MlirAttribute target, MlirStringRef fact) {
  std::optional<Fact> known = findFact(unwrap(fact));
  return known ? cast<TargetAttr>(unwrap(target)).get(*known) : -1;
}

bool mlirAttnTargetAttrHasCapability(MlirAttribute target,
                                     MlirStringRef capability) {
  return cast<TargetAttr>(unwrap(target)).hasCapability(unwrap(capability));
}

//===----------------------------------------------------------------------===//
// Masks
//===----------------------------------------------------------------------===//

static_assert(int(MaskAlign::TopLeft) == MlirAttnMaskAlignTopLeft &&
              int(MaskAlign::BottomRight) == MlirAttnMaskAlignBottomRight);

/// Null after a diagnostic.
static std::optional<MaskAlign> alignOf(MLIRContext *context,
                                        MlirAttnMaskAlign align) {
  std::optional<MaskAlign> known =
      symbolizeMaskAlign(static_cast<uint32_t>(align));
  if (!known)
    emitError(UnknownLoc::get(context))
        << "expected an alignment of a mask, 0 or 1, but got "
        << static_cast<int64_t>(align);
  return known;
}

MlirAttribute mlirAttnCausalMaskAttrGet(MlirContext context,
                                        MlirAttnMaskAlign align) {
  MLIRContext *own = loaded(context);
  std::optional<MaskAlign> known = alignOf(own, align);
  return wrap(known ? Attribute(CausalMaskAttr::get(own, *known))
                    : Attribute());
}

MlirAttribute mlirAttnWindowMaskAttrGet(MlirContext context, int64_t left,
                                        int64_t right,
                                        MlirAttnMaskAlign align) {
  MLIRContext *own = loaded(context);
  std::optional<MaskAlign> known = alignOf(own, align);
  return wrap(known ? Attribute(WindowMaskAttr::getChecked(errorsOf(own), own,
                                                           left, right, *known))
                    : Attribute());
}

bool mlirAttributeIsAAttnMask(MlirAttribute attribute) {
  return isa_and_nonnull<MaskInterface>(unwrap(attribute));
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

MlirAttribute mlirAttnScheduleAttrGet(MlirContext context,
                                      MlirStringRef schedule,
                                      MlirStringRef lower) {
  MLIRContext *own = loaded(context);
  FailureOr<ScheduleAttr> made = failure();
  std::string text;
  {
    llvm::raw_string_ostream os(text);
    OptionErrorScope scope(os);
    made = scheduleFromOptions(own, unwrap(schedule), unwrap(lower),
                               errorsOf(own));
  }
  if (!text.empty())
    emitError(UnknownLoc::get(own)) << StringRef(text).trim();
  return wrap(succeeded(made) ? Attribute(*made) : Attribute());
}

bool mlirAttributeIsAAttnSchedule(MlirAttribute attribute) {
  return isa_and_nonnull<ScheduleAttr>(unwrap(attribute));
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

MlirType mlirAttnViewTypeGet(intptr_t rank, const int64_t *shape,
                             MlirType element) {
  Type type = unwrap(element);
  type.getContext()->loadDialect<AttnDialect>();
  return wrap(Type(ViewType::get(
      type.getContext(), ArrayRef(shape, static_cast<size_t>(rank)), type)));
}

bool mlirTypeIsAAttnView(MlirType type) {
  return isa_and_nonnull<ViewType>(unwrap(type));
}
