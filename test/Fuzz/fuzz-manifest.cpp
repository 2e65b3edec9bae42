//===- fuzz-manifest.cpp - Manifests into the launcher --------------------===//
//
// An input is a manifest.json. Its bundle is opened, asked and launched, on the
// stand-ins for drivers (ATTN_CUDA_DRIVER, ATTN_HIP_RUNTIME).
//
//===----------------------------------------------------------------------===//

#include "BundleDirectory.h"
#include "TimeLimit.h"

using namespace attn_fuzz;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  TimeLimit limit;
  static BundleDirectory bundle;
  bundle.write("manifest.json", data, size);
  unsigned seed = 0;
  for (size_t i = 0; i < size; ++i)
    seed = seed * 31 + data[i];
  useBundle(bundle.path(), seed, /*launches=*/3);
  return 0;
}
