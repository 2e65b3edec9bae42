//===- AccessTrace.cpp - Which CTA reads and writes which tile ------------===//

#include "attn-mlir/Simulation/AccessTrace.h"
#include "TouchCompressor.h"
#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Pipelines/CpuPipelines.h"
#include "attn-mlir/Runtime/CpuKernel.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <thread>

using namespace mlir;
using namespace attn;

using Extents = std::array<int64_t, kTouchDims>;

/// CTAs that are traced before it is asked whether that is too much.
static constexpr int64_t kCtasAtOnce = 64;

int64_t AccessTrace::numAccesses() const {
  int64_t count = 0;
  for (const Loop &loop : loops)
    count += int64_t(loop.period) * loop.count;
  return count;
}

int64_t AccessTrace::memoryBytes() const {
  return loops.capacity() * sizeof(Loop) +
         accesses.capacity() * sizeof(Access) +
         ctaLoops.capacity() * sizeof(uint64_t);
}

//===----------------------------------------------------------------------===//
// Tiles of one shape
//===----------------------------------------------------------------------===//

/// The shape of a touched tile in the dimensions of its view.
static Extents shapeOf(TouchOp touch) {
  Extents shape;
  shape.fill(1);
  ArrayRef<int64_t> tile = touch.getTile();
  unsigned leading = touch.getOffsets().size() - tile.size();
  llvm::copy(tile, shape.begin() + leading);
  return shape;
}

/// Replaces a touch by touches of its parts.
static void splitTouch(IRRewriter &rewriter, TouchOp touch,
                       const Extents &part) {
  Extents shape = shapeOf(touch), at{};
  unsigned rank = touch.getOffsets().size();
  rewriter.setInsertionPoint(touch);
  Location loc = touch.getLoc();
  unsigned dim = 0;
  do {
    SmallVector<Value> offsets;
    for (unsigned d = 0; d < rank; ++d) {
      Value shift = arith::ConstantIndexOp::create(rewriter, loc, at[d]);
      offsets.push_back(
          arith::AddIOp::create(rewriter, loc, touch.getOffsets()[d], shift));
    }
    TouchOp::create(rewriter, loc, touch.getKind(), touch.getCta(),
                    touch.getView(), offsets,
                    ArrayRef<int64_t>(part).take_front(rank));
    for (dim = rank; dim-- > 0;) {
      at[dim] += part[dim];
      if (at[dim] < shape[dim])
        break;
      at[dim] = 0;
    }
  } while (dim < rank);
  rewriter.eraseOp(touch);
}

/// Lets all touches of a view have one shape: the largest of which each of them
/// is made. Returns the shapes by argument.
static FailureOr<std::vector<Extents>> unifyShapes(KernelOp kernel) {
  std::vector<Extents> shapes(kernel.getArgumentTypes().size(), Extents{});
  SmallVector<TouchOp> touches;
  WalkResult result = kernel.walk([&](TouchOp touch) {
    auto view = dyn_cast<BlockArgument>(touch.getView());
    if (!view || touch.getOffsets().size() > kTouchDims) {
      touch.emitOpError("expected a view of rank ")
          << kTouchDims << " at most that is an argument of the kernel";
      return WalkResult::interrupt();
    }
    for (auto [size, part] :
         llvm::zip(shapeOf(touch), shapes[view.getArgNumber()]))
      part = std::gcd(part, size);
    touches.push_back(touch);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  IRRewriter rewriter(kernel.getContext());
  for (TouchOp touch : touches) {
    unsigned view = cast<BlockArgument>(touch.getView()).getArgNumber();
    if (shapeOf(touch) != shapes[view])
      splitTouch(rewriter, touch, shapes[view]);
  }
  return shapes;
}

//===----------------------------------------------------------------------===//
// TraceBuilder
//===----------------------------------------------------------------------===//

namespace attn {

/// Numbers the tiles of compressed touches.
class TraceBuilder {
public:
  TraceBuilder(ArrayRef<Extents> viewSizes, ArrayRef<int64_t> elementBytes,
               ArrayRef<Extents> tileShapes)
      : sizes(viewSizes), elements(elementBytes), shapes(tileShapes),
        grains(tileShapes), counts(viewSizes.size()),
        firstTile(viewSizes.size()),
        slowest(viewSizes.size(), unsigned(kTouchDims)) {}

  /// Fails where the tiles are too many to number.
  LogicalResult build(ArrayRef<TouchCompressor> parts, AccessTrace &trace) {
    for (const TouchCompressor &part : parts)
      for (const TouchCompressor::Entry &entry : part.entries)
        refine(entry);
    if (failed(number(trace)))
      return failure();
    trace.ctaLoops.push_back(0);
    for (const TouchCompressor &part : parts) {
      unsigned next = 0;
      for (uint64_t end : part.ctaEnds) {
        for (; next < end; ++next)
          convert(part, part.loops[next], trace);
        trace.ctaLoops.push_back(trace.loops.size());
      }
    }
    return success();
  }

private:
  /// Grains divide the tiles and all their offsets, save in a dimension that
  /// each tile covers.
  void refine(const TouchCompressor::Entry &entry) {
    for (unsigned d = 0; d < kTouchDims; ++d) {
      int64_t &grain = grains[entry.view][d];
      if (entry.offsets[d] % grain || entry.strides[d] % grain)
        grain = std::gcd(grain, std::gcd(entry.offsets[d], entry.strides[d]));
      if (entry.strides[d] != 0)
        slowest[entry.view] = std::min(slowest[entry.view], d);
    }
  }

  LogicalResult number(AccessTrace &trace) {
    uint64_t total = 0, blocks = 0;
    for (unsigned view = 0; view < sizes.size(); ++view) {
      firstTile[view] = total;
      uint64_t tiles = 1, block = 1;
      for (unsigned d = 0; d < kTouchDims; ++d) {
        // Views that are not touched have no grains.
        int64_t grain = std::max<int64_t>(grains[view][d], 1);
        counts[view][d] =
            grains[view][d] ? llvm::divideCeil(sizes[view][d], grain) : 0;
        tiles *= counts[view][d];
        if (d >= slowest[view])
          block *= counts[view][d];
        if (tiles > std::numeric_limits<int32_t>::max())
          return failure();
      }
      AccessTrace::View numbering;
      numbering.firstTile = total;
      numbering.blockTiles = std::max<uint64_t>(block, 1);
      numbering.firstBlock = blocks;
      trace.numbering.push_back(numbering);
      total += tiles;
      blocks += tiles / numbering.blockTiles;
    }
    trace.tiles = total;
    trace.blocks = blocks;
    return success(total <= std::numeric_limits<int32_t>::max());
  }

  /// Whether a tile lies inside of its view.
  bool isInside(unsigned view, const Extents &offsets) const {
    for (unsigned d = 0; d < kTouchDims; ++d)
      if (offsets[d] < 0 || offsets[d] + shapes[view][d] > sizes[view][d])
        return false;
    return true;
  }

  static Extents advance(const TouchCompressor::Entry &entry, int64_t rounds) {
    Extents result = entry.offsets;
    for (unsigned d = 0; d < kTouchDims; ++d)
      result[d] += rounds * entry.strides[d];
    return result;
  }

  /// Whether the parts of an access's tiles are alike in all rounds.
  bool isUniform(const TouchCompressor::Entry &entry, uint32_t rounds) const {
    if (isInside(entry.view, entry.offsets) &&
        isInside(entry.view, advance(entry, rounds - 1)))
      return true;
    // Cut off by the same edge, in a dimension that stays as it is.
    for (unsigned d = 0; d < kTouchDims; ++d) {
      if (entry.strides[d] == 0)
        continue;
      int64_t first = entry.offsets[d],
              last = first + (int64_t(rounds) - 1) * entry.strides[d];
      if (std::min(first, last) < 0 ||
          std::max(first, last) + shapes[entry.view][d] > sizes[entry.view][d])
        return false;
    }
    return true;
  }

  void convert(const TouchCompressor &part, const TouchCompressor::Loop &loop,
               AccessTrace &trace) {
    ArrayRef<TouchCompressor::Entry> entries(part.entries.data() + loop.first,
                                             loop.period);
    bool uniform =
        loop.count == 1 || llvm::all_of(entries, [&](const auto &entry) {
          return isUniform(entry, loop.count);
        });
    if (uniform)
      return append(entries, 0, loop.count, trace);
    for (uint32_t round = 0; round < loop.count; ++round)
      append(entries, round, 1, trace);
  }

  void append(ArrayRef<TouchCompressor::Entry> entries, uint32_t round,
              uint32_t count, AccessTrace &trace) {
    uint64_t first = trace.accesses.size();
    for (const TouchCompressor::Entry &entry : entries)
      appendGrains(entry, advance(entry, round), trace);
    uint32_t period = trace.accesses.size() - first;
    if (period > 0)
      trace.loops.push_back({first, period, count});
  }

  /// The grains of one tile, as far as they are inside of the view.
  void appendGrains(const TouchCompressor::Entry &entry, const Extents &offsets,
                    AccessTrace &trace) {
    const Extents &grain = grains[entry.view], &size = sizes[entry.view];
    Extents lower, upper;
    int64_t tile = firstTile[entry.view], stride = 0;
    for (unsigned d = 0; d < kTouchDims; ++d) {
      lower[d] = std::max<int64_t>(offsets[d], 0) / grain[d];
      upper[d] = llvm::divideCeil(
          std::clamp<int64_t>(offsets[d] + shapes[entry.view][d], 0, size[d]),
          grain[d]);
      if (lower[d] >= upper[d])
        return;
      stride = stride * counts[entry.view][d] + entry.strides[d] / grain[d];
    }
    for (Extents at = lower;;) {
      int64_t index = 0, bytes = elements[entry.view];
      for (unsigned d = 0; d < kTouchDims; ++d) {
        index = index * counts[entry.view][d] + at[d];
        bytes *= std::min(grain[d], size[d] - at[d] * grain[d]);
      }
      AccessTrace::Access access;
      access.tile = tile + index;
      access.bytes = bytes;
      access.view = entry.view;
      access.store = entry.store;
      access.stride = stride;
      trace.accesses.push_back(access);
      unsigned d = kTouchDims;
      while (d-- > 0) {
        if (++at[d] < upper[d])
          break;
        at[d] = lower[d];
      }
      if (d >= kTouchDims)
        return;
    }
  }

  ArrayRef<Extents> sizes;
  ArrayRef<int64_t> elements;
  ArrayRef<Extents> shapes;
  /// For each view, what its tiles are counted in.
  std::vector<Extents> grains, counts;
  std::vector<int64_t> firstTile;
  /// For each view, the slowest dimension that a loop moves along.
  std::vector<unsigned> slowest;
};

} // namespace attn

//===----------------------------------------------------------------------===//
// KernelTracer
//===----------------------------------------------------------------------===//

namespace {
struct TraceLimit {
  double most;
  const std::function<void(double)> &progress;
};
} // namespace

struct KernelTracer::Impl {
  KernelOp kernel;
  Location location;
  std::string name;
  /// All arguments, in order: views and scalars.
  SmallVector<Type> types;
  SmallVector<std::string> names;
  /// For each view, the axes of its dimensions, or "".
  SmallVector<SmallVector<std::string>> axes;
  /// Shapes of the tiles of the views.
  std::vector<Extents> shapes;
  std::unique_ptr<CpuModule> module;

  explicit Impl(KernelOp kernel)
      : kernel(kernel), location(kernel.getLoc()),
        name(kernel.getSymName().str()) {}

  void describe(KernelOp kernel);
  LogicalResult compile(KernelOp kernel);
  FailureOr<int64_t> sizeOf(const llvm::StringMap<int64_t> &sizes,
                            unsigned view, unsigned dim,
                            llvm::StringSet<> &used) const;
  FailureOr<AccessTrace> trace(const llvm::StringMap<int64_t> &sizes,
                               unsigned threads, const TraceLimit &limit,
                               const ViewContents &contents) const;
  LogicalResult collect(ArrayRef<StridedBuffer> views,
                        ArrayRef<ScalarBytes> scalars, const TraceLimit &limit,
                        std::vector<TouchCompressor> &parts) const;
};

/// Names of arguments and axes.
void KernelTracer::Impl::describe(KernelOp kernel) {
  auto names = kernel.getArgNamesAttr();
  auto dims = kernel->getAttrOfType<ArrayAttr>(KernelOp::kDimNamesAttr);
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    types.push_back(type);
    this->names.push_back(names ? cast<StringAttr>(names[i]).getValue().str()
                                : "arg" + std::to_string(i));
    auto view = dyn_cast<ViewType>(type);
    if (!view)
      continue;
    SmallVector<std::string> &own = axes.emplace_back(view.getRank());
    unsigned number = axes.size() - 1;
    auto held = dims && number < dims.size() ? dyn_cast<ArrayAttr>(dims[number])
                                             : ArrayAttr();
    for (unsigned d = 0; held && d < view.getRank() && d < held.size(); ++d)
      if (auto axis = dyn_cast<StringAttr>(held[d]))
        own[d] = axis.getValue().str();
  }
}

LogicalResult KernelTracer::Impl::compile(KernelOp kernel) {
  describe(kernel);
  WalkResult ring = kernel.walk([](RingCreateOp op) {
    op.emitOpError("cannot be traced: expected a kernel of level 2, before "
                   "attn-stage-loads");
    return WalkResult::interrupt();
  });
  if (ring.wasInterrupted())
    return failure();
  OwningOpRef<ModuleOp> copy = ModuleOp::create(location);
  (*copy)->setAttr(TargetAttr::kModuleAttr, TargetAttr::of(kernel));
  OpBuilder::atBlockBegin(copy->getBody()).clone(*kernel);
  PassManager trace(kernel.getContext());
  buildTracePipeline(trace);
  if (failed(trace.run(*copy)))
    return failure();
  FailureOr<std::vector<Extents>> unified =
      unifyShapes(*copy->getOps<KernelOp>().begin());
  if (failed(unified))
    return failure();
  for (auto [type, shape] : llvm::zip(types, *unified))
    if (isa<ViewType>(type))
      shapes.push_back(shape);
  PassManager lower(kernel.getContext());
  buildLowerToLoopsPipeline(lower);
  buildLowerToLLVMPipeline(lower);
  if (failed(lower.run(*copy)))
    return failure();
  auto compiled = CpuModule::compile(*copy, /*level=*/2);
  if (!compiled)
    return emitError(location) << "the trace did not compile: "
                               << llvm::toString(compiled.takeError());
  module = std::move(*compiled);
  return success();
}

FailureOr<int64_t>
KernelTracer::Impl::sizeOf(const llvm::StringMap<int64_t> &sizes, unsigned view,
                           unsigned dim, llvm::StringSet<> &used) const {
  unsigned argument = 0;
  for (unsigned seen = 0;; ++argument)
    if (isa<ViewType>(types[argument]) && seen++ == view)
      break;
  int64_t fixed = cast<ViewType>(types[argument]).getShape()[dim];
  std::string own = names[argument] + "." + std::to_string(dim);
  auto found = sizes.find(own);
  if (found == sizes.end() && !axes[view][dim].empty())
    found = sizes.find(axes[view][dim]);
  if (found == sizes.end()) {
    if (!ShapedType::isDynamic(fixed))
      return fixed;
    InFlightDiagnostic error = emitError(location)
                               << "kernel @" << name << " expects a size for "
                               << own;
    if (!axes[view][dim].empty())
      error << " ('" << axes[view][dim] << "')";
    return error;
  }
  used.insert(found->first());
  if (!ShapedType::isDynamic(fixed) && found->second != fixed)
    return emitError(location)
           << "kernel @" << name << " expects " << fixed << " for "
           << found->first() << ", but got " << found->second;
  if (found->second < 0)
    return emitError(location)
           << "size " << found->first() << " expects to be 0 or more, but got "
           << found->second;
  return found->second;
}

LogicalResult KernelTracer::Impl::collect(
    ArrayRef<StridedBuffer> views, ArrayRef<ScalarBytes> scalars,
    const TraceLimit &limit, std::vector<TouchCompressor> &parts) const {
  llvm::Expected<int64_t> ctas = module->countCtas(name, views, scalars);
  if (!ctas)
    return emitError(location)
           << "the trace did not run: " << llvm::toString(ctas.takeError());
  // Arguments that are views have consecutive numbers in a trace.
  int64_t count = parts.size();
  std::vector<std::string> errors(count);
  std::vector<std::thread> pool;
  std::atomic<int64_t> accesses{0}, done{0};
  for (int64_t i = 0; i < count; ++i)
    pool.emplace_back([&, i]() {
      int64_t end = *ctas * (i + 1) / count;
      TouchCompressor &part = parts[i];
      part.start(*ctas * i / count);
      for (int64_t at = *ctas * i / count; at < end && accesses <= limit.most;
           at += kCtasAtOnce) {
        int64_t own = 0, next = std::min(at + kCtasAtOnce, end);
        llvm::Error error = module->trace(name, views, scalars, at, next,
                                          [&](const Access &access) {
                                            part.add(access);
                                            ++own;
                                          });
        if (error) {
          errors[i] = llvm::toString(std::move(error));
          break;
        }
        accesses += own;
        done += next - at;
        if (limit.progress)
          limit.progress(double(done) / *ctas);
      }
      part.finish(end);
    });
  for (std::thread &thread : pool)
    thread.join();
  for (const std::string &error : errors)
    if (!error.empty())
      return emitError(location) << "the trace did not run: " << error;
  if (accesses > limit.most)
    return emitError(location)
           << "kernel @" << name << " "
           << tooMuchWork("a trace", double(accesses) * *ctas / done,
                          limit.most);
  return success();
}

/// Memory of a view of integers, which is contiguous: the kernel reads it.
static std::vector<char> fillView(ViewType view, StridedBuffer &buffer,
                                  StringRef name,
                                  const ViewContents &contents) {
  constexpr int64_t kUnknown = std::numeric_limits<int32_t>::max();
  int64_t bytes = view.getElementBytes(), count = 1;
  for (unsigned d = view.getRank(); d-- > 0;) {
    buffer.strides[d] = count;
    count *= buffer.sizes[d];
  }
  std::vector<char> memory(count * bytes);
  auto held = contents.find(name);
  for (int64_t i = 0; i < count; ++i) {
    int64_t number = kUnknown;
    if (held != contents.end()) {
      int64_t known = held->second.size();
      number = known == 1  ? held->second.front()
               : i < known ? held->second[i]
                           : 0;
    }
    std::memcpy(memory.data() + i * bytes, &number, bytes);
  }
  buffer.data = memory.data();
  return memory;
}

FailureOr<AccessTrace>
KernelTracer::Impl::trace(const llvm::StringMap<int64_t> &sizes,
                          unsigned threads, const TraceLimit &limit,
                          const ViewContents &contents) const {
  std::vector<std::vector<char>> memory;
  llvm::StringSet<> used;
  SmallVector<StridedBuffer> views;
  SmallVector<ScalarBytes> scalars;
  std::vector<Extents> extents;
  SmallVector<int64_t> elementBytes;
  AccessTrace result;
  std::vector<uint16_t> numbers(types.size());
  for (auto [i, type] : llvm::enumerate(types)) {
    if (auto view = dyn_cast<ViewType>(type)) {
      numbers[i] = views.size();
      StridedBuffer &buffer = views.emplace_back();
      Extents &own = extents.emplace_back();
      own.fill(1);
      for (unsigned d = 0; d < view.getRank(); ++d) {
        FailureOr<int64_t> size = sizeOf(sizes, views.size() - 1, d, used);
        if (failed(size))
          return failure();
        buffer.sizes.push_back(*size);
        if (d < kTouchDims)
          own[d] = *size;
      }
      buffer.strides.assign(view.getRank(), 0);
      if (isa<IntegerType>(view.getElementType()))
        memory.push_back(fillView(view, buffer, names[i], contents));
      elementBytes.push_back(view.getElementBytes());
      result.names.push_back(names[i]);
      continue;
    }
    auto found = sizes.find(names[i]);
    if (isa<FloatType>(type)) {
      // What a score is modified by touches no tile.
      scalars.emplace_back(sizeof(int64_t), '\0');
      continue;
    }
    if (found == sizes.end())
      return emitError(location)
             << "kernel @" << name << " expects a value for its argument "
             << names[i];
    used.insert(found->first());
    auto bytes = reinterpret_cast<const char *>(&found->second);
    scalars.emplace_back(bytes, bytes + sizeof(int64_t));
  }
  for (const auto &entry : sizes)
    if (!used.contains(entry.first()))
      return emitError(location) << "kernel @" << name
                                 << " has no axis, view dimension or argument "
                                 << "'" << entry.first() << "'";
  if (threads == 0)
    threads = std::clamp(std::thread::hardware_concurrency(), 1u, 16u);
  std::vector<TouchCompressor> parts(threads, TouchCompressor(numbers));
  if (failed(collect(views, scalars, limit, parts)))
    return failure();
  if (failed(TraceBuilder(extents, elementBytes, shapes).build(parts, result)))
    return emitError(location)
           << "kernel @" << name << " has too many tiles to number";
  return result;
}

KernelTracer::KernelTracer(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}

KernelTracer::~KernelTracer() = default;

FailureOr<std::unique_ptr<KernelTracer>>
KernelTracer::compile(KernelOp kernel) {
  auto impl = std::make_unique<Impl>(kernel);
  if (failed(impl->compile(kernel)))
    return failure();
  return std::unique_ptr<KernelTracer>(new KernelTracer(std::move(impl)));
}

FailureOr<AccessTrace>
KernelTracer::trace(const llvm::StringMap<int64_t> &sizes, unsigned threads,
                    double most, const std::function<void(double)> &progress,
                    const ViewContents &contents) const {
  return impl->trace(sizes, threads, {most, progress}, contents);
}
