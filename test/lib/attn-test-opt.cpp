//===- attn-test-opt.cpp - attn-opt with the test dialect -----------------===//

#include "TestDialect.h"
#include "attn-mlir/Compiler/Registration.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  registry.insert<attn_test::AttnTestDialect>();
  attn_test::registerExternalModels(registry);
  attn::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "attn-opt with the test dialect\n", registry));
}
