//===- Manifest.h - What a bundle says -------------------------*- C++ -*-===//
//
// docs/bundle.md, checked and in a form that a launch walks quickly.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_LAUNCHER_MANIFEST_H
#define ATTN_LIB_LAUNCHER_MANIFEST_H

#include "CudaTypes.h"
#include "Expression.h"
#include "attn-mlir-c/Launcher.h"
#include <string>
#include <string_view>
#include <vector>

namespace attn {

// Bounds on a manifest, which is untrusted: they keep a launch on the stack.
constexpr size_t kMaxViews = 32;
constexpr size_t kMaxScalars = 32;
constexpr size_t kMaxPrograms = 64;
constexpr size_t kMaxSteps = 64;
constexpr size_t kMaxWorkspace = 32;
constexpr size_t kMaxVariants = 64;
constexpr size_t kMaxBinaries = 256;
constexpr size_t kMaxParameters = 256;
constexpr size_t kMaxTensorMaps = 16;
constexpr size_t kMaxLimits = 256;
constexpr size_t kMaxNodes = 1024;
constexpr unsigned kMaxDepth = 64;
/// Of a scalar that is an index, which devices have 32 bits for
/// (docs/bundle.md).
constexpr int64_t kMaxIndex = int64_t(1) << 29;
/// Of a workspace; arrays of it begin at multiples of kWorkspaceAlign.
constexpr int64_t kMaxWorkspaceBytes = int64_t(1) << 62;
constexpr int64_t kWorkspaceAlign = 256;
constexpr size_t kMaxManifestBytes = size_t(16) << 20;
/// Of a file of device code; the kernels here are below 1 MB.
constexpr int64_t kMaxBinaryBytes = int64_t(1) << 30;
/// Of a bundle that is one file.
constexpr size_t kMaxArchiveBytes = size_t(4) << 30;

struct DimSpec {
  /// Static size, or -1.
  int64_t size;
  /// Index into Manifest::axes where dynamic, else -1.
  int axis;
};

struct ViewSpec {
  std::string name;
  AttnAccess access;
  AttnType element;
  std::vector<DimSpec> shape;
  std::vector<int> permutation;
  /// The view that is read whose array it must be, or -1.
  int over = -1;
};

struct ScalarSpec {
  std::string name;
  AttnType type;
  /// An i64 that the device takes for an index.
  bool isIndex;
};

enum class ParameterKind : uint8_t { TensorMap, Pointer, Size, Stride, Scalar };

struct ParameterSpec {
  ParameterKind kind;
  /// The view, or of a scalar its index.
  uint32_t index;
  uint32_t dim = 0;
  /// Of a tensor map: the tile in the view's order, and 0, 32, 64 or 128 bytes.
  uint32_t box[cuda::kTensorMapMaxRank] = {};
  uint32_t swizzle = 0;
};

struct AlignSpec {
  uint32_t view;
  int64_t bytes;
};

/// A view of a kernel: a view of the program, or an array of the workspace, as
/// it is where `shape` is empty.
struct StepViewSpec {
  /// Of the program's views, then of the variant's arrays.
  uint32_t base;
  std::vector<Expression> shape, strides;
  /// Of the first element, in elements; empty: 0.
  Expression offset;
};

/// A scalar of a kernel: one of the program's, or a constant.
struct StepScalarSpec {
  AttnType type;
  bool isIndex;
  /// -1: the constant `word`.
  int32_t index;
  uint64_t word;
};

/// One kernel and what it is launched with.
struct StepSpec {
  /// Among the steps of all variants.
  uint32_t number;
  /// Empty: those of the program, as they are.
  std::vector<StepViewSpec> sources;
  /// What is known of `sources`.
  std::vector<ViewSpec> views;
  std::vector<StepScalarSpec> scalars;
  Expression grid;
  /// CTAs of a cluster, if it has clusters.
  Expression cluster;
  bool hasCluster = false;
  /// What must hold of sizes and strides for the code to be right.
  std::vector<Expression> limits;
  std::string kernel;
  uint32_t binary;
  uint32_t block, sharedBytes;
  /// Its code waits for the step before it, so that it may be launched before
  /// that is done.
  bool overlaps = false;
  std::vector<AlignSpec> align;
  std::vector<ParameterSpec> parameters;
};

/// A contiguous array that one step writes and another reads.
struct WorkspaceSpec {
  std::vector<Expression> shape;
};

struct VariantSpec {
  Expression guard; // Empty: always.
  std::string guardText;
  /// What must hold for all steps, over the program's views and the workspace.
  std::vector<Expression> limits;
  std::vector<WorkspaceSpec> workspace;
  /// The program's views, then the workspace.
  std::vector<ViewSpec> arrays;
  std::vector<StepSpec> steps;
};

/// Whose devices a bundle is for.
enum class Platform : uint8_t { Cuda, Hip, Cpu };

enum class BinaryFormat : uint8_t { Cubin, Ptx, Hsaco, SharedObject };

/// A file of device code. The launcher gives it to the driver as it is, unread:
/// size and digest say that it is what was compiled.
struct BinarySpec {
  std::string file;
  BinaryFormat format;
  size_t bytes;
  /// As sha256() gives it.
  std::string digest;
  /// The file, with a 0 behind it.
  std::string contents;
};

/// What a manifest says of its bundle and of one of its programs.
struct Manifest {
  std::string name, target, arch;
  /// HIP where `arch` is "gfx...", the CPU where it is "x86_64..." or
  /// "aarch64".
  Platform platform;
  std::vector<ViewSpec> views;
  std::vector<ScalarSpec> scalars;
  std::vector<VariantSpec> variants;
  std::vector<BinarySpec> binaries;
  std::vector<std::string> axes;
  /// Of all variants.
  uint32_t stepCount = 0;

  /// The views of a step.
  const std::vector<ViewSpec> &viewsOf(const StepSpec &step) const {
    return step.sources.empty() ? views : step.views;
  }
};

/// A view of a call: the caller's array in the view's order of dimensions.
struct BoundView {
  uint64_t data;
  int64_t sizes[ATTN_MAX_RANK];
  int64_t strides[ATTN_MAX_RANK];
  /// A dimension is 0.
  bool empty;
};

int64_t bytesOf(AttnType type);
/// Of a kernel's parameter.
size_t bytesOf(const StepSpec &step, const ParameterSpec &spec);
/// Of an AttnType, or of any number that a caller gave as one.
const char *nameOf(int type);

/// Reads and checks `text`; binaries are named but not read. Keeps the program
/// of that name; null: the only one. Throws Failure.
Manifest parseManifest(const std::string &text, const char *program);

/// Whether it is one of a file in a bundle and nowhere else.
bool isFileName(std::string_view name);

/// The bundle of a directory or of an archive, binaries included, each of which
/// is what the manifest says. Throws Failure.
Manifest readBundle(const std::string &path, const char *program);
/// The bundle of an archive's contents.
Manifest readArchivedBundle(std::string_view archive, const char *program);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_MANIFEST_H
