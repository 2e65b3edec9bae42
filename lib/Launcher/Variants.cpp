//===- Variants.cpp - Select the variant of a call ------------------------===//

#include "Failure.h"
#include "OpenBundle.h"
#include <cinttypes>
#include <cstdio>

using namespace attn;

static std::string hexadecimal(uint64_t number) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%" PRIx64, number);
  return text;
}

static bool isAligned(const ViewSpec &spec, const BoundView &view,
                      int64_t bytes) {
  // Nothing of it is read.
  if (view.empty)
    return true;
  if (view.data % uint64_t(bytes))
    return false;
  unsigned last = spec.shape.size() - 1;
  // Unsigned arithmetic: a power of two divides what wraps all the same.
  uint64_t element = bytesOf(spec.element);
  for (unsigned dim = 0; dim < last; ++dim)
    if (view.sizes[dim] != 1 &&
        uint64_t(view.strides[dim]) * element % uint64_t(bytes))
      return false;
  return view.sizes[last] == 1 || view.strides[last] == 1;
}

/// The first thing that is not aligned, in words.
static std::string describeAlign(const ViewSpec &spec, const BoundView &view,
                                 int64_t bytes) {
  std::string text = "view " + inQuotes(spec.name) + ": ";
  std::string multiple = "a multiple of " + std::to_string(bytes) + " bytes";
  if (view.data % uint64_t(bytes))
    return text +
           wantedGot("a base address of " + multiple, hexadecimal(view.data));
  unsigned last = spec.shape.size() - 1;
  uint64_t element = bytesOf(spec.element);
  for (unsigned dim = 0; dim < last; ++dim) {
    uint64_t stride = view.strides[dim] * element;
    if (view.sizes[dim] != 1 && stride % bytes)
      return text + wantedGot("the stride of dimension " + std::to_string(dim) +
                                  " to be " + multiple,
                              std::to_string(int64_t(stride)));
  }
  return text + wantedGot("stride 1 of the last dimension",
                          std::to_string(view.strides[last]));
}

static bool guardHolds(const VariantSpec &variant, size_t index,
                       const BoundView *views) {
  return variant.guard.empty() ||
         variant.guard.evaluate(views, "the guard", index);
}

/// The first limit that does not hold, or null.
static const Expression *brokenLimit(const std::vector<Expression> &limits,
                                     size_t index, const StepSpec *step,
                                     const BoundView *views) {
  for (const Expression &limit : limits)
    if (!limit.evaluate(views, "a limit", index, step))
      return &limit;
  return nullptr;
}

/// Of a variant with several the step, for messages.
static const StepSpec *named(const VariantSpec &variant, const StepSpec &step) {
  return variant.steps.size() == 1 ? nullptr : &step;
}

static bool stepApplies(const Manifest &manifest, size_t index,
                        const StepSpec &step, const BoundView *views) {
  const VariantSpec &variant = manifest.variants[index];
  BoundView room[kMaxViews];
  views = bindStep(index, step, views, room);
  if (brokenLimit(step.limits, index, named(variant, step), views))
    return false;
  const std::vector<ViewSpec> &specs = manifest.viewsOf(step);
  for (const AlignSpec &align : step.align)
    if (!isAligned(specs[align.view], views[align.view], align.bytes))
      return false;
  return true;
}

/// Of the workspace `bytes`.
static bool applies(const Manifest &manifest, size_t index, BoundView *views,
                    uint64_t &bytes) {
  const VariantSpec &variant = manifest.variants[index];
  if (!guardHolds(variant, index, views) ||
      brokenLimit(variant.limits, index, nullptr, views))
    return false;
  bytes = variant.workspace.empty() ? 0 : bindWorkspace(manifest, index, views);
  for (const StepSpec &step : variant.steps)
    if (!stepApplies(manifest, index, step, views))
      return false;
  return true;
}

/// Empty where the step applies.
static std::string whyNotStep(const Manifest &manifest, size_t index,
                              const StepSpec &step, const BoundView *views) {
  const std::vector<ViewSpec> &specs = manifest.viewsOf(step);
  const StepSpec *named = ::named(manifest.variants[index], step);
  std::string kernel =
      named ? "kernel " + inQuotes(step.kernel) + ": " : std::string();
  BoundView room[kMaxViews];
  views = bindStep(index, step, views, room);
  if (const Expression *limit = brokenLimit(step.limits, index, named, views))
    return kernel + "its code is for " + limit->print(specs, views);
  for (const AlignSpec &align : step.align)
    if (!isAligned(specs[align.view], views[align.view], align.bytes))
      return kernel +
             describeAlign(specs[align.view], views[align.view], align.bytes);
  return "";
}

static std::string whyNot(const Manifest &manifest, size_t index,
                          BoundView *views) {
  const VariantSpec &variant = manifest.variants[index];
  if (!guardHolds(variant, index, views))
    return "expected " + variant.guard.print(manifest.views, views);
  if (const Expression *limit =
          brokenLimit(variant.limits, index, nullptr, views))
    return "its code is for " + limit->print(manifest.views, views);
  bindWorkspace(manifest, index, views);
  for (const StepSpec &step : variant.steps)
    if (std::string why = whyNotStep(manifest, index, step, views);
        !why.empty())
      return why;
  return "applies";
}

static std::string kernelsOf(const VariantSpec &variant) {
  std::string text;
  for (const StepSpec &step : variant.steps)
    text += (text.empty() ? "" : ", ") + step.kernel;
  return text;
}

unsigned attn::selectVariant(const Manifest &manifest, BoundView *views,
                             uint64_t &bytes) {
  size_t count = manifest.variants.size();
  for (size_t i = 0; i < count; ++i)
    if (applies(manifest, i, views, bytes))
      return i;
  std::string text = "no variant of " + inQuotes(manifest.name) + " applies:";
  for (size_t i = 0; i < count; ++i)
    text += "\n  variant " + std::to_string(i) + " (" +
            kernelsOf(manifest.variants[i]) +
            "): " + whyNot(manifest, i, views);
  fail(ATTN_ERROR_NO_VARIANT, text);
}
