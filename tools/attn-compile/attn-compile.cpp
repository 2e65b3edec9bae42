//===- attn-compile.cpp - Attention in, schedules and results out ---------===//

#include "attn-mlir/Pipelines/Registration.h"
#include "attn-mlir/Tools/AttnCompileMain.h"
#include "mlir/IR/DialectRegistry.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  return attn::attnCompileMain(argc, argv, registry);
}
