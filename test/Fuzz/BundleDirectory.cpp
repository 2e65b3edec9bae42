//===- BundleDirectory.cpp - A bundle for attnBundleOpen ------------------===//

#include "BundleDirectory.h"
#include <cstring>
#include <filesystem>
#include <iterator>
#include <random>
#include <unistd.h>
#include <vector>

using namespace attn_fuzz;
namespace fs = std::filesystem;

BundleDirectory::BundleDirectory() {
  std::string name = fs::temp_directory_path() / "attn-fuzz-XXXXXX";
  if (!mkdtemp(name.data()))
    found("no temporary directory");
  directory = name;
  const char *given = std::getenv("ATTN_FUZZ_BUNDLE");
  std::error_code error;
  if (given)
    fs::copy(given, directory, error);
  if (error)
    found("cannot copy ATTN_FUZZ_BUNDLE: " + error.message());
}

BundleDirectory::~BundleDirectory() {
  std::error_code ignored;
  fs::remove_all(directory, ignored);
}

void BundleDirectory::write(const std::string &file, const uint8_t *data,
                            size_t size) const {
  std::FILE *out = std::fopen((directory + "/" + file).c_str(), "wb");
  if (!out || std::fwrite(data, 1, size, out) != size || std::fclose(out) != 0)
    found("cannot write " + file);
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

namespace {
class Arguments {
public:
  Arguments(const AttnBundle *bundle, std::mt19937 &random)
      : bundle(bundle), random(random) {
    for (int32_t i = 0; i < attnBundleViewCount(bundle); ++i)
      views.push_back(makeView(i));
    for (int32_t i = 0; i < attnBundleScalarCount(bundle); ++i)
      scalars.push_back(makeScalar(i));
  }
  std::vector<AttnTensor> views;
  std::vector<AttnScalar> scalars;

private:
  bool chance(unsigned in) { return random() % in == 0; }
  int64_t border() {
    static const int64_t borders[] = {
        0,     1,         2,         7,         63,        64,
        65,    127,       128,       4096,      4097,      -1,
        65536, INT32_MAX, 1ll << 31, 1ll << 32, INT64_MAX, INT64_MIN};
    return borders[random() % std::size(borders)];
  }
  /// The same for every dimension of one name.
  int64_t sizeOf(const char *axis);
  AttnTensor makeView(int32_t index);
  AttnScalar makeScalar(int32_t index);

  const AttnBundle *bundle;
  std::mt19937 &random;
  std::vector<std::pair<std::string, int64_t>> axes;
};
} // namespace

int64_t Arguments::sizeOf(const char *axis) {
  for (auto &[name, size] : axes)
    if (name == axis)
      return size;
  axes.push_back({axis, chance(2) ? random() % 300 : border()});
  return axes.back().second;
}

AttnTensor Arguments::makeView(int32_t index) {
  AttnViewInfo info;
  if (attnBundleView(bundle, index, &info) != ATTN_SUCCESS)
    found("a view that is counted is not there");
  AttnTensor tensor = {};
  tensor.data = chance(8) ? uint64_t(border()) : uint64_t(index + 1) << 24;
  tensor.dtype = chance(64) ? int32_t(border()) : info.dtype;
  tensor.rank = chance(64) ? int32_t(border()) : info.rank;
  tensor.device = chance(8) ? int32_t(border()) : 0;
  for (int32_t i = 0; i < info.rank; ++i)
    tensor.sizes[info.permutation[i]] =
        info.axes[i] ? sizeOf(info.axes[i]) : info.sizes[i];
  uint64_t stride = 1;
  for (int32_t i = info.rank; i-- > 0;) {
    tensor.strides[i] = chance(16) ? border() : int64_t(stride);
    stride *= uint64_t(tensor.sizes[i]);
  }
  if (chance(32))
    tensor.sizes[random() % ATTN_MAX_RANK] = border();
  return tensor;
}

AttnScalar Arguments::makeScalar(int32_t index) {
  AttnScalarInfo info;
  if (attnBundleScalar(bundle, index, &info) != ATTN_SUCCESS)
    found("a scalar that is counted is not there");
  AttnScalar scalar = {};
  scalar.type = chance(64) ? int32_t(border()) : info.type;
  scalar.value.i64 = border();
  return scalar;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

static bool succeeded(AttnStatus status) {
  if (status == ATTN_SUCCESS)
    return true;
  if (status == ATTN_ERROR_INTERNAL || status == ATTN_ERROR_DRIVER)
    found(attnLastError());
  if (!*attnLastError())
    found("an error has no message");
  return false;
}

static void readFacts(AttnBundle *bundle) {
  size_t length = std::strlen(attnBundleName(bundle)) +
                  std::strlen(attnBundleTarget(bundle)) +
                  std::strlen(attnBundleArch(bundle));
  for (int32_t i = 0; i < attnBundleVariantCount(bundle); ++i) {
    AttnVariantInfo info;
    if (!succeeded(attnBundleVariant(bundle, i, &info)))
      found("a variant that is counted is not there");
    length += info.guard ? std::strlen(info.guard) : 0;
    for (int32_t j = 0; j < info.stepCount; ++j) {
      AttnStepInfo step;
      if (!succeeded(attnBundleStep(bundle, i, j, &step)))
        found("a step that is counted is not there");
      length += std::strlen(step.kernel) + std::strlen(step.binary);
    }
  }
  if (length == 0)
    found("a bundle without any name");
}

static void launch(AttnBundle *bundle, std::mt19937 &random) {
  Arguments arguments(bundle, random);
  const AttnTensor *views = arguments.views.data();
  const AttnScalar *scalars = arguments.scalars.data();
  int32_t viewCount = arguments.views.size(),
          scalarCount = arguments.scalars.size();
  succeeded(attnBundleLaunch(bundle, views, viewCount, scalars, scalarCount,
                             nullptr));
  uint64_t bytes;
  if (succeeded(attnBundleWorkspaceBytes(bundle, views, viewCount, scalars,
                                         scalarCount, &bytes))) {
    AttnWorkspace workspace = {uint64_t(1) << 40, bytes, ATTN_DEVICE_UNKNOWN,
                               0};
    succeeded(attnBundleLaunchIn(bundle, views, viewCount, scalars, scalarCount,
                                 &workspace, nullptr));
  }
  AttnPrepared *prepared = nullptr;
  if (!succeeded(attnBundlePrepare(bundle, views, viewCount, scalars,
                                   scalarCount, &prepared)))
    return;
  AttnLaunchInfo info;
  if (succeeded(attnPreparedInfo(prepared, 0, &info)) && info.grid)
    succeeded(attnPreparedLaunch(prepared, nullptr));
  attnPreparedDestroy(prepared);
}

void attn_fuzz::useBundle(const std::string &directory, unsigned seed,
                          unsigned launches) {
  AttnBundle *bundle = nullptr;
  if (!succeeded(attnBundleOpen(directory.c_str(), &bundle)))
    return;
  readFacts(bundle);
  std::mt19937 random(seed);
  for (unsigned i = 0; i < launches; ++i)
    launch(bundle, random);
  attnBundleClose(bundle);
}
