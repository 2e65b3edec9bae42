//===- SetTarget.cpp - Attach a target to the module ----------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSETTARGET
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct SetTargetPass : attn::impl::AttnSetTargetBase<SetTargetPass> {
  using AttnSetTargetBase::AttnSetTargetBase;

  /// Applies one `name=value`; null after a diagnostic.
  TargetAttr apply(TargetAttr facts, StringRef text) {
    ModuleOp module = getOperation();
    auto [name, number] = text.split('=');
    int64_t value;
    if (number.empty() || number.getAsInteger(10, value)) {
      module.emitError() << "target override expects fact=integer, but got '"
                         << text << "'";
      return {};
    }
    std::optional<Fact> fact = findFact(name);
    if (!fact) {
      SmallVector<StringRef> names;
      for (unsigned i = 0; i < kNumFacts; ++i)
        names.push_back(factName(static_cast<Fact>(i)));
      module.emitError() << "unknown fact '" << name << "'"
                         << didYouMean(name, names);
      return {};
    }
    if (std::string misfit = misfitOf(*fact, value); !misfit.empty()) {
      module.emitError() << misfit;
      return {};
    }
    ++numOverridden;
    return facts.with(*fact, value);
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    TargetAttr facts = target.empty()
                           ? TargetAttr::of(module)
                           : TargetAttr::lookup(&getContext(), target, [&]() {
                               return module.emitError();
                             });
    for (const std::string &text : overrides)
      if (facts)
        facts = apply(facts, text);
    if (!facts)
      return signalPassFailure();
    module->setAttr(TargetAttr::kModuleAttr, facts);
  }
};

} // namespace
