//===- Outcomes.cpp - What libFuzzer learns besides the code that ran -----===//
//
// A build without libFuzzer's instrumentation is fast, and learns from this.
//
//===----------------------------------------------------------------------===//

#include "IrInput.h"

/// libFuzzer alone reads them.
__attribute__((section(
    "__libfuzzer_extra_counters"))) static volatile uint8_t outcomes[1 << 14];

void attn_fuzz::note(llvm::hash_code outcome) {
  outcomes[outcome % std::size(outcomes)] = 1;
}
