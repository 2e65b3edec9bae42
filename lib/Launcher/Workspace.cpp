//===- Workspace.cpp - The workspace and the views of steps ---------------===//

#include "Failure.h"
#include "OpenBundle.h"

using namespace attn;

//===----------------------------------------------------------------------===//
// Workspace
//===----------------------------------------------------------------------===//

[[noreturn]] static void failSize(const ViewSpec &array, unsigned variant,
                                  const std::string &text) {
  fail(ATTN_ERROR_ARGUMENT, "workspace " + inQuotes(array.name) +
                                " of variant " + std::to_string(variant) +
                                ": " + text);
}

/// The bytes of an array, whose sizes and row-major strides are filled in.
static int64_t bindArray(const WorkspaceSpec &spec, const ViewSpec &array,
                         unsigned variant, const BoundView *views,
                         BoundView &bound) {
  int64_t elements = 1, bytes;
  bound.empty = false;
  for (size_t dim = spec.shape.size(); dim-- > 0;) {
    int64_t size = spec.shape[dim].evaluate(views, "the workspace", variant);
    if (size < 0)
      failSize(array, variant,
               "expected a size of at least 0, but got " +
                   std::to_string(size));
    bound.sizes[dim] = size;
    bound.strides[dim] = elements;
    bound.empty |= size == 0;
    // Strides of an empty array are not looked at.
    if (__builtin_mul_overflow(elements, size ? size : 1, &elements) ||
        __builtin_mul_overflow(elements, bytesOf(array.element), &bytes) ||
        bytes >= kMaxWorkspaceBytes)
      failSize(array, variant, "expected fewer than 2^62 bytes, but got more");
  }
  return bound.empty ? 0 : elements * bytesOf(array.element);
}

uint64_t attn::bindWorkspace(const Manifest &manifest, unsigned index,
                             BoundView *views) {
  const VariantSpec &variant = manifest.variants[index];
  size_t first = manifest.views.size();
  int64_t bytes = 0;
  for (size_t i = 0; i < variant.workspace.size(); ++i) {
    BoundView &bound = views[first + i];
    const ViewSpec &array = variant.arrays[first + i];
    int64_t its = bindArray(variant.workspace[i], array, index, views, bound);
    bound.data = bytes;
    // Neither has 2^62 bytes.
    bytes += (its + kWorkspaceAlign - 1) / kWorkspaceAlign * kWorkspaceAlign;
    if (bytes >= kMaxWorkspaceBytes)
      failSize(array, index,
               "expected fewer than 2^62 bytes in all, but got "
               "more");
  }
  return bytes;
}

void attn::checkWorkspace(const AttnWorkspace *workspace, Launches &launches) {
  auto error = [](const std::string &wanted, const std::string &got) {
    fail(ATTN_ERROR_ARGUMENT, "workspace: " + wantedGot(wanted, got));
  };
  if (!workspace)
    error("a pointer", "null");
  if (workspace->device < ATTN_DEVICE_UNKNOWN)
    error("a device ordinal or -1", std::to_string(workspace->device));
  if (launches.device == ATTN_DEVICE_UNKNOWN)
    launches.device = workspace->device;
  if (workspace->device != ATTN_DEVICE_UNKNOWN &&
      workspace->device != launches.device)
    error("device " + std::to_string(launches.device) + ", as the views'",
          std::to_string(workspace->device));
  if (launches.bytes == 0)
    return;
  if (workspace->bytes < launches.bytes)
    error("at least " + std::to_string(launches.bytes) + " bytes",
          std::to_string(workspace->bytes));
  if (!workspace->data)
    error("the address of device memory", "null");
  if (workspace->data % kWorkspaceAlign)
    error("a base address of a multiple of " + std::to_string(kWorkspaceAlign) +
              " bytes",
          "one that is " + std::to_string(workspace->data % kWorkspaceAlign) +
              " bytes behind");
}

//===----------------------------------------------------------------------===//
// Views of steps
//===----------------------------------------------------------------------===//

/// No address may leave 64 bits.
static bool fits(const ViewSpec &spec, const BoundView &view) {
  int64_t extent = 0, bytes;
  for (size_t dim = 0; dim < spec.shape.size(); ++dim) {
    int64_t size = view.sizes[dim], stride = view.strides[dim];
    if (size <= 1)
      continue;
    int64_t magnitude = stride < 0 ? -uint64_t(stride) : stride;
    if (magnitude < 0 || __builtin_mul_overflow(magnitude, size, &bytes) ||
        __builtin_mul_overflow(bytes, bytesOf(spec.element), &bytes) ||
        __builtin_add_overflow(extent, bytes, &extent))
      return false;
  }
  return true;
}

static void bindSource(unsigned variant, const StepSpec &step, size_t index,
                       const BoundView *views, BoundView &result) {
  const StepViewSpec &source = step.sources[index];
  const BoundView &base = views[source.base];
  if (source.shape.empty() && source.offset.empty()) {
    result = base;
    return;
  }
  const ViewSpec &spec = step.views[index];
  result = base;
  for (size_t dim = 0; dim < source.shape.size(); ++dim) {
    result.sizes[dim] =
        source.shape[dim].evaluate(views, "a view", variant, &step);
    result.strides[dim] =
        source.strides[dim].evaluate(views, "a view", variant, &step);
  }
  result.empty = false;
  bool valid = true;
  for (size_t dim = 0; dim < spec.shape.size(); ++dim) {
    valid &= result.sizes[dim] >= 0;
    result.empty |= result.sizes[dim] == 0;
  }
  if (!source.offset.empty())
    result.data +=
        bytesOf(spec.element) *
        uint64_t(source.offset.evaluate(views, "a view", variant, &step));
  if (!valid || (!result.empty && !fits(spec, result)))
    fail(ATTN_ERROR_ARGUMENT,
         "view " + std::to_string(index) + " of kernel " +
             inQuotes(step.kernel) + ", of " + inQuotes(spec.name) +
             ": its sizes are negative or leave the address space");
}

const BoundView *attn::bindSources(unsigned variant, const StepSpec &step,
                                   const BoundView *views, BoundView *room) {
  for (size_t i = 0; i < step.sources.size(); ++i)
    bindSource(variant, step, i, views, room[i]);
  return room;
}
