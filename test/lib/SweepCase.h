//===- SweepCase.h - What cases of sweeps have in common --------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_SWEEPCASE_H
#define ATTN_MLIR_TEST_LIB_SWEEPCASE_H

#include "TestDriver.h"
#include <optional>

namespace attn_test {

struct HeadDims {
  int64_t qk, value;
};
struct HeadCounts {
  int64_t query, kv;
};

inline constexpr const char *kMasks[] = {
    "",
    "mask(#attn.causal<top_left>)",
    "mask(#attn.causal<bottom_right>)",
    "mask(#attn.window<left = 17, right = 3, align = top_left>)",
    "mask(#attn.window<left = 40, right = 0, align = bottom_right>)",
    "mask(#attn.window<left = -1, right = 11, align = bottom_right>)",
    "mask(#attn.window<left = 0, right = -1, align = top_left>)"};

/// Q, K, V and O of a case as types, of dynamic batch and lengths.
struct SweepTypes {
  std::string q, k, v, o, lse;

  SweepTypes(const std::string &type, HeadDims dims, HeadCounts heads,
             bool bshd) {
    auto tensor = [&](int64_t heads, int64_t dim, const std::string &of) {
      std::string h = std::to_string(heads);
      return "tensor<?x" + (bshd ? "?x" + h : h + "x?") + "x" +
             std::to_string(dim) + "x" + of + ">";
    };
    // There are no results of 8 bits.
    bool isNarrow = type.rfind("f8", 0) == 0;
    q = tensor(heads.query, dims.qk, type);
    k = tensor(heads.kv, dims.qk, type);
    v = tensor(heads.kv, dims.value, type);
    o = tensor(heads.query, dims.value, isNarrow ? "bf16" : type);
    lse = "tensor<?x" + std::to_string(heads.query) + "x?xf32>";
  }
};

/// Element type, sizes and layout in words.
inline std::string describeShape(const std::string &type, HeadDims dims,
                                 HeadCounts heads, const std::string &mask,
                                 bool bshd) {
  return type + " D " + std::to_string(dims.qk) + "/" +
         std::to_string(dims.value) + " H " + std::to_string(heads.query) +
         "/" + std::to_string(heads.kv) + " " + mask +
         (bshd ? " bshd " : " bhsd ");
}

/// To code for the CPU; by way of level 3 with options of attn-to-target.
inline void lowerBy(const std::optional<std::string> &level3,
                    mlir::OpPassManager &pm) {
  if (!level3)
    return lowerToCode(pm);
  attn::buildTargetPipeline(pm,
                            *attn::TargetOptions::createFromString(*level3));
  attn::buildSequentialPipeline(pm);
  attn::buildLowerToLLVMPipeline(pm);
}

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_SWEEPCASE_H
