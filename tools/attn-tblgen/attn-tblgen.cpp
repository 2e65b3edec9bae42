//===- attn-tblgen.cpp - C++ and reference of remarks ---------------------===//
//
// The generators that mlir-tblgen does not have.
//
//===----------------------------------------------------------------------===//

#include "RemarkRecords.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;

static TableGen::Emitter::Opt decls("gen-remark-decls",
                                    attn::tblgen::emitRemarkDecls,
                                    "Declare an emitter for each remark");
static TableGen::Emitter::Opt defs("gen-remark-defs",
                                   attn::tblgen::emitRemarkDefs,
                                   "Define the emitters of remarks");
static TableGen::Emitter::Opt doc("gen-remark-doc", attn::tblgen::emitRemarkDoc,
                                  "Write the reference of remarks");

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], TableGenMainFn());
}
