//===- attn-test-compile.cpp - attn-compile with the test dialect ---------===//

#include "TestReference.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Tools/AttnCompileMain.h"
#include "mlir/IR/DialectRegistry.h"

using namespace mlir;

int main(int argc, char **argv) {
  DialectRegistry registry;
  attn::registerDialects(registry);
  registry.insert<attn_test::AttnTestDialect>();
  return attn::attnCompileMain(argc, argv, registry,
                               attn_test::evaluateLogSumExp);
}
