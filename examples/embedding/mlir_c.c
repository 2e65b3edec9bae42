/*===- mlir_c.c - A compiler written against MLIR's C API ----------------===*\
|*
|* mlir_c TARGET: builds a function with attention, whose mask, schedule and
|* target are made by the dialect's C API, and prints the host code that comes
|* of it. An embedder goes on from there with its own way to machine code.
|*
\*===---------------------------------------------------------------------===*/

#include "attn-mlir-c/Dialect.h"
#include "attn-mlir-c/Passes.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/Pass.h"
#include <stdio.h>

/* All but the attributes. */
static const char kModule[] =
    "func.func @f(%q: tensor<?x8x?x64xf16>, %k: tensor<?x2x?x64xf16>,"
    "             %v: tensor<?x2x?x64xf16>) -> tensor<?x8x?x64xf16> {\n"
    "  %o = attn.attention %q, %k, %v scale(0.125)"
    "      : (tensor<?x8x?x64xf16>, tensor<?x2x?x64xf16>, tensor<?x2x?x64xf16>)"
    "      -> tensor<?x8x?x64xf16>\n"
    "  %r = arith.addf %o, %q : tensor<?x8x?x64xf16>\n"
    "  return %r : tensor<?x8x?x64xf16>\n"
    "}\n";

static MlirStringRef text(const char *c) {
  return mlirStringRefCreateFromCString(c);
}

static void print(MlirStringRef part, void *file) {
  fwrite(part.data, 1, part.length, file);
}

/* The first operation of the function. */
static MlirOperation findAttention(MlirModule module) {
  MlirOperation function =
      mlirBlockGetFirstOperation(mlirModuleGetBody(module));
  MlirRegion body = mlirOperationGetRegion(function, 0);
  return mlirBlockGetFirstOperation(mlirRegionGetFirstBlock(body));
}

/* Target, mask and schedule; 0, or 1 behind a diagnostic. */
static int decorate(MlirContext context, MlirModule module,
                    const char *target) {
  MlirOperation top = mlirModuleGetOperation(module);
  MlirOperation attention = findAttention(module);
  MlirAttribute facts = mlirAttnTargetAttrGet(context, text(target));
  MlirAttribute mask =
      mlirAttnWindowMaskAttrGet(context, 127, 0, MlirAttnMaskAlignBottomRight);
  MlirAttribute schedule =
      mlirAttnScheduleAttrGet(context, text("tiles=query=64,key=64"), text(""));
  if (mlirAttributeIsNull(facts) || mlirAttributeIsNull(mask) ||
      mlirAttributeIsNull(schedule))
    return 1;
  printf("// %s has %d multiprocessors\n", target,
         (int)mlirAttnTargetAttrGetFact(facts, text("sms")));
  mlirOperationSetDiscardableAttributeByName(top, text("attn.target"), facts);
  mlirOperationSetInherentAttributeByName(attention, text("mask"), mask);
  mlirOperationSetDiscardableAttributeByName(attention, text("attn.schedule"),
                                             schedule);
  return 0;
}

/* Passes one by one, and a pipeline by its name. */
static int lower(MlirContext context, MlirModule module) {
  MlirPassManager manager = mlirPassManagerCreate(context);
  MlirOpPassManager passes = mlirPassManagerGetAsOpPassManager(manager);
  int failed = 1;
  mlirPassManagerAddOwnedPass(manager,
                              mlirCreateAttnConversionAttnOutlinePrograms());
  mlirPassManagerAddOwnedPass(manager,
                              mlirCreateAttnCompilerAttnEmbedPrograms());
  if (mlirLogicalResultIsSuccess(mlirOpPassManagerAddPipeline(
          passes, text("attn-lower-host-to-llvm"), print, stderr)))
    failed = mlirLogicalResultIsFailure(
        mlirPassManagerRunOnOp(manager, mlirModuleGetOperation(module)));
  mlirPassManagerDestroy(manager);
  return failed;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: mlir_c TARGET\n");
    return 2;
  }
  mlirRegisterAttnPasses();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  mlirAttnRegisterAllDialects(registry);
  MlirContext context =
      mlirContextCreateWithRegistry(registry, /*threadingEnabled=*/false);
  mlirDialectRegistryDestroy(registry);
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__attn__(), context);

  MlirModule module = mlirModuleCreateParse(context, text(kModule));
  int failed = mlirModuleIsNull(module) || decorate(context, module, argv[1]) ||
               lower(context, module);
  if (!failed)
    mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  if (!mlirModuleIsNull(module))
    mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return failed;
}
