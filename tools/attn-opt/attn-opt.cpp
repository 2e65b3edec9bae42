//===- attn-opt.cpp - Runs passes and pipelines ---------------------------===//

#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/raw_ostream.h"

int main(int argc, char **argv) {
  // Before the option parser, which wants an input.
  for (int i = 1; i < argc; ++i)
    if (llvm::StringRef(argv[i]).trim('-') == "list-targets") {
      attn::printTargets(llvm::outs());
      return 0;
    }
  mlir::DialectRegistry registry;
  attn::registerDialects(registry);
  attn::registerPasses();
  attn::registerEmbeddingPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv,
      "attn-opt: passes on attention as streamed tile loops\n"
      "  --list-targets prints the known targets and the sources of their "
      "facts\n",
      registry));
}
