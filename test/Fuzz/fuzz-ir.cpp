//===- fuzz-ir.cpp - IR text into the pipelines ---------------------------===//
//
// An input is a module and, in comments, what to do with it:
//
//   // passes: attn-schedule{target=h200},attn-to-target{stages=2}
//   // code
//
// `passes` is a pipeline as text, of the project's passes; `code` then makes
// PTX or assembly of device functions. Without `passes` the module is parsed,
// verified, printed and parsed again.
//
// A wrong input must be refused with a diagnostic: failing without one, as a
// crash or a hang, is a finding.
//
//===----------------------------------------------------------------------===//

#include "IrInput.h"
#include "TimeLimit.h"
#include "attn-mlir/Compiler/Registration.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Serialize/Hsaco.h"
#include "attn-mlir/Serialize/Ptx.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace attn;
using namespace attn_fuzz;

namespace {
struct Request {
  StringRef passes;
  bool code = false;
};

/// Printed at the end: inputs that are all refused early say little.
struct Tally {
  unsigned parsed = 0, lowered = 0, coded = 0;
  ~Tally() {
    llvm::errs() << parsed << " inputs were modules, " << lowered
                 << " went through their passes, " << coded
                 << " became machine code\n";
  }
};
} // namespace

static Tally tally;

static Request readRequest(StringRef text) {
  Request request;
  for (StringRef line : llvm::split(text, '\n')) {
    line = line.trim();
    if (!line.consume_front("// "))
      continue;
    if (line.consume_front("passes:"))
      request.passes = line.trim();
    else if (line == "code")
      request.code = true;
  }
  return request;
}

/// Passes of MLIR's are not tested here, and some write files.
static bool isOurs(StringRef passes) {
  size_t begin = 0;
  unsigned depth = 0;
  for (size_t i = 0; i <= passes.size(); ++i) {
    char c = i < passes.size() ? passes[i] : ',';
    depth += c == '{';
    depth -= c == '}' && depth;
    if (c != ',' || depth)
      continue;
    StringRef name = passes.slice(begin, i).ltrim();
    if (!name.starts_with("attn-") && !name.starts_with("convert-attn-") &&
        !name.starts_with("cse") && !name.starts_with("canonicalize"))
      return false;
    begin = i + 1;
  }
  return true;
}

/// False where the module cannot be used.
static bool runPasses(ModuleOp module, StringRef passes, Errors &errors) {
  PassManager pm(module.getContext(), "builtin.module",
                 OpPassManager::Nesting::Implicit);
  llvm::raw_null_ostream ignored;
  if (!isOurs(passes) || failed(parsePassPipeline(passes, pm, ignored)))
    return false;
  if (succeeded(pm.run(module))) {
    module.walk([&](Operation *op) {
      StringRef name = op->getName().getStringRef();
      note(llvm::hash_combine(name, op->getNumOperands(), passes.size() % 16));
    });
    return true;
  }
  if (errors.count == 0)
    found("a pass fails and does not say why");
  return false;
}

static void makeCode(ModuleOp module, StringRef passes, Errors &errors) {
  TargetAttr target = TargetAttr::of(module);
  StringRef arch = target.getArch().getValue();
  for (auto device : module.getOps<gpu::GPUModuleOp>()) {
    unsigned before = errors.count;
    bool made = target.hasCapability("rocdl")
                    ? succeeded(translateToIsa(device, arch))
                    : succeeded(translateToPtx(device, arch));
    tally.coded += made;
    note(llvm::hash_combine(arch, made, passes));
    if (!made && errors.count == before)
      found("code is not made and nobody says why");
  }
}

extern "C" int LLVMFuzzerInitialize(int *, char ***) {
  registerPasses();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TimeLimit limit;
  static Contexts contexts(registerDialects);
  MLIRContext &context = contexts.get();
  Errors errors(context);
  std::string text(data, data + size);
  Request request = readRequest(text);
  OwningOpRef<ModuleOp> module = parse(text, context, errors);
  if (!module)
    return -1; // No input to go on from.
  ++tally.parsed;
  if (request.passes.empty()) {
    checkRoundTrip(*module);
  } else if (runPasses(*module, request.passes, errors)) {
    ++tally.lowered;
    if (request.code)
      makeCode(*module, request.passes, errors);
  }
  return 0;
}
