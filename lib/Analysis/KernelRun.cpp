//===- KernelRun.cpp - What every CTA of a kernel does --------------------===//

#include "attn-mlir/Analysis/KernelRun.h"
#include "IndexProgram.h"
#include "TileWork.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/GridOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace attn {

int64_t KernelRun::totalVisits() const {
  int64_t sum = 0;
  for (const CtaRun &cta : ctas)
    sum += cta.visits;
  return sum;
}

int64_t KernelRun::totalMerges() const {
  int64_t sum = 0;
  for (const CtaRun &cta : ctas)
    sum += cta.merges;
  return sum;
}

TileWork KernelRun::total() const {
  TileWork sum = visit * totalVisits();
  sum += merge * totalMerges();
  for (const CtaRun &cta : ctas)
    for (auto [i, stream] : llvm::enumerate(streams)) {
      sum += stream.step * cta.steps[i];
      sum += stream.maskedStep * cta.maskedSteps[i];
    }
  return sum;
}

namespace {

/// Sizes by name of an axis, or by view and dimension.
class Sizes {
public:
  Sizes(KernelOp kernel, const llvm::StringMap<int64_t> &given)
      : kernel(kernel), given(given) {}

  FailureOr<int64_t> operator()(Value view, int64_t dim) {
    auto type = cast<ViewType>(view.getType());
    if (!ShapedType::isDynamic(type.getShape()[dim]))
      return type.getShape()[dim];
    auto argument = dyn_cast<BlockArgument>(view);
    for (const std::string &name : namesOf(argument, dim)) {
      auto it = given.find(name);
      if (it != given.end())
        return it->second;
    }
    return kernel.emitOpError("expected the size of '")
           << namesOf(argument, dim).front() << "' to be predicted";
  }

  LogicalResult checkNames() {
    llvm::StringSet<> known;
    for (BlockArgument argument : kernel.getArguments())
      if (auto type = dyn_cast<ViewType>(argument.getType()))
        for (unsigned dim = 0; dim < type.getRank(); ++dim)
          for (const std::string &name : namesOf(argument, dim))
            known.insert(name);
    for (const auto &entry : given) {
      if (!known.contains(entry.getKey()))
        return kernel.emitOpError("has no size '")
               << entry.getKey() << "' (it has "
               << llvm::join(dynamicSizes(kernel), ", ") << ")";
      if (entry.getValue() < 0 || entry.getValue() > (int64_t{1} << 31))
        return kernel.emitOpError("expected sizes from 0 to 2^31, but got ")
               << entry.getKey() << "=" << entry.getValue();
    }
    return success();
  }

  static std::vector<std::string> namesOf(BlockArgument view, int64_t dim) {
    auto kernel = cast<KernelOp>(view.getOwner()->getParentOp());
    std::vector<std::string> names;
    auto axes = kernel->getAttrOfType<ArrayAttr>(KernelOp::kDimNamesAttr);
    if (axes && view.getArgNumber() < axes.size()) {
      auto dims = dyn_cast<ArrayAttr>(axes[view.getArgNumber()]);
      auto name = dims && dim < static_cast<int64_t>(dims.size())
                      ? dyn_cast<StringAttr>(dims[dim])
                      : StringAttr();
      if (name && !name.empty())
        names.push_back(name.str());
    }
    std::string argument = std::to_string(view.getArgNumber());
    if (ArrayAttr arguments = kernel.getArgNamesAttr())
      argument = cast<StringAttr>(arguments[view.getArgNumber()]).str();
    names.push_back(argument + "." + std::to_string(dim));
    return names;
  }

private:
  KernelOp kernel;
  const llvm::StringMap<int64_t> &given;
};

/// Gathers what a run of the index arithmetic tells.
class Recorder : public IndexProgram::Listener {
public:
  Recorder(KernelOp kernel, const IndexProgram &program, KernelRun &result)
      : program(program), result(result),
        splits(kernel.getStep() == KernelOp::kSplitStep) {
    kernel.walk([&](StreamOp stream) {
      numbers[stream] = result.streams.size();
      result.streams.push_back(workOf(stream));
    });
    kernel.walk([&](CtasOp ctas) { cluster = ctas.getCluster(); });
    kernel.walk([&](LastPartOp) { splits = true; });
    kernel.walk([&](ExchangeOp exchange) {
      splits = true;
      result.exchangedBytes += exchange.getBytes();
    });
  }

  void enterCta(int64_t cta) override {
    if (cluster)
      result.clusterCtas = std::max<int64_t>(program.valueOf(cluster), 1);
    result.ctas.emplace_back();
    result.ctas.back().steps.resize(result.streams.size());
    result.ctas.back().maskedSteps.resize(result.streams.size());
    current = cta;
    round = 0;
  }

  void enterBlock(Block *block) override {
    if (result.ctas.empty())
      return;
    auto [info, isNew] = blocks.try_emplace(block);
    if (isNew)
      info->second = inspect(*block);
    result.ctas.back().visits += info->second.isVisit;
    result.ctas.back().merges += info->second.isMerge;
    recordTile(info->second.store);
  }

  void stream(StreamOp op, int64_t steps, int64_t maskedSteps,
              bool reverse) override {
    if (result.ctas.empty())
      return;
    unsigned number = numbers.lookup(op);
    CtaRun &cta = result.ctas.back();
    cta.steps[number] += steps;
    cta.maskedSteps[number] += maskedSteps;
    // The offsets that do not move tell data apart.
    auto [loads, isNew] = streamLoads.try_emplace(op);
    if (isNew)
      loads->second = inspect(op);
    for (const StreamLoad &load : loads->second) {
      llvm::hash_code data = llvm::hash_combine(load.view, load.number);
      for (Value offset : load.fixed)
        data = llvm::hash_combine(data, program.valueOf(offset));
      // Parts of a stream are other data.
      if (splits)
        data =
            llvm::hash_combine(data, program.valueOf(op.getLowers().front()));
      result.walks.push_back({current, round, static_cast<size_t>(data),
                              load.bytes * (steps + maskedSteps), reverse});
    }
    ++round;
  }

private:
  /// What is asked of a block at every visit.
  struct BlockInfo {
    /// The blocks of one visit may be several: one that stores or streams
    /// counts.
    bool isVisit = false;
    /// A loop behind an exchange, or of the last part, merges a tile in each
    /// turn.
    bool isMerge = false;
    StoreOp store;
  };
  /// What is asked of a load at every walk.
  struct StreamLoad {
    unsigned view;
    int64_t bytes;
    /// Offsets that do not follow from the position of the stream, and those
    /// that do.
    SmallVector<Value, 4> fixed, moving;
    /// Loads of a view with other moving offsets are of other data: whose this
    /// is.
    unsigned number = 0;
  };

  BlockInfo inspect(Block &block) {
    BlockInfo info;
    auto stores = block.getOps<StoreOp>();
    if (!stores.empty())
      info.store = *stores.begin();
    bool works = info.store || !block.getOps<StreamOp>().empty();
    info.isMerge = works && isBehindParts(block);
    info.isVisit = works && !info.isMerge;
    if (info.isVisit)
      result.visit += workOf(block, /*masked=*/true);
    // It is part of a visit's block, but another number of times.
    if (info.isMerge) {
      result.merge += workOf(block, /*masked=*/true);
      result.visit += workOf(block, /*masked=*/true) * -1;
    }
    return info;
  }

  static bool isBehindParts(Block &block) {
    Block *outer = block.getParentOp()->getBlock();
    return outer && (!outer->getOps<ExchangeOp>().empty() ||
                     isa<LastPartOp>(outer->getParentOp()));
  }

  SmallVector<StreamLoad, 2> inspect(StreamOp op) {
    SmallVector<StreamLoad, 2> loads;
    op.walk([&](LoadOp load) {
      if (isOnChip(load))
        return;
      auto view = cast<BlockArgument>(load.getView());
      StreamLoad own;
      own.view = view.getArgNumber();
      own.bytes = tileBytes(load.getTile().getType());
      for (Value offset : load.getOffsets())
        (isStreamed(offset, op) ? own.moving : own.fixed).push_back(offset);
      for (const StreamLoad &other : loads) {
        if (other.view != own.view)
          continue;
        if (other.moving == own.moving) {
          own.number = other.number;
          break;
        }
        own.number = std::max(own.number, other.number + 1);
      }
      loads.push_back(std::move(own));
    });
    return loads;
  }

  void recordTile(StoreOp store) {
    if (!store)
      return;
    if (result.tileDims.empty()) {
      result.tileShape = llvm::to_vector(
          cast<ShapedType>(store.getTile().getType()).getShape());
      auto view = cast<BlockArgument>(store.getView());
      for (unsigned dim = 0; dim < store.getOffsets().size(); ++dim)
        result.tileDims.push_back(Sizes::namesOf(view, dim).front());
    }
    result.tiles.push_back({current, {}});
    for (Value offset : store.getOffsets())
      result.tiles.back().offsets.push_back(program.valueOf(offset));
  }

  /// Whether an offset follows from the position of the stream.
  bool isStreamed(Value offset, StreamOp op) {
    auto [it, inserted] = streamed.try_emplace(offset, false);
    if (!inserted)
      return it->second;
    bool result = offset == op.getPosition();
    if (Operation *def = offset.getDefiningOp();
        def && op->isProperAncestor(def))
      for (Value operand : def->getOperands())
        result |= isStreamed(operand, op);
    return streamed[offset] = result;
  }

  const IndexProgram &program;
  KernelRun &result;
  bool splits;
  /// The number of CTAs of a cluster, or null.
  Value cluster;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<Value, bool> streamed;
  llvm::DenseMap<Block *, BlockInfo> blocks;
  llvm::DenseMap<Operation *, SmallVector<StreamLoad, 2>> streamLoads;
  int64_t current = 0, round = 0;
};

/// Shared memory of tiles and the rows of a tile, read off loads and products.
void measureTiles(KernelOp kernel, KernelRun &result) {
  llvm::DenseMap<Operation *, int64_t> perStream;
  kernel.walk([&](LoadOp load) {
    if (isOnChip(load))
      return;
    int64_t bytes = tileBytes(load.getTile().getType());
    if (auto stream = load->getParentOfType<StreamOp>())
      result.streamedTileBytes =
          std::max(result.streamedTileBytes, perStream[stream] += bytes);
    else
      result.residentTileBytes += bytes;
  });
  kernel.walk([&](DotOp dot) {
    result.rows = std::max(
        result.rows, cast<ShapedType>(dot.getResult().getType()).getDimSize(0));
  });
  if (!result.merges)
    return;
  kernel.walk([&](StreamOp stream) {
    for (Type type : stream.getResultTypes())
      if (auto tile = dyn_cast<ShapedType>(type); tile && tile.getRank() > 0)
        result.rows = std::max(result.rows, tile.getDimSize(0));
  });
}

LogicalResult measureViews(KernelOp kernel, Sizes &sizes, KernelRun &result) {
  llvm::DenseMap<Value, unsigned> accesses; // 1: read, 2: written
  kernel.walk([&](LoadOp load) {
    if (!isOnChip(load))
      accesses[load.getView()] |= 1;
  });
  kernel.walk([&](StoreOp store) { accesses[store.getView()] |= 2; });
  for (auto [view, kinds] : accesses) {
    auto type = cast<ViewType>(view.getType());
    double bytes = type.getElementBytes();
    for (unsigned dim = 0; dim < type.getRank(); ++dim) {
      FailureOr<int64_t> size = sizes(view, dim);
      if (failed(size))
        return failure();
      bytes *= *size;
    }
    result.viewBytesRead += kinds & 1 ? bytes : 0;
    result.viewBytesWritten += kinds & 2 ? bytes : 0;
  }
  return success();
}

} // namespace

FailureOr<llvm::StringMap<int64_t>> parseSizes(ArrayRef<std::string> texts,
                                               Operation *op) {
  llvm::StringMap<int64_t> result;
  for (StringRef text : texts) {
    auto [name, number] = text.split('=');
    int64_t value;
    if (name.empty() || number.getAsInteger(10, value) || value < 0) {
      op->emitError() << "sizes expect axis=size, but got '" << text << "'";
      return failure();
    }
    result[name] = value;
  }
  return result;
}

SmallVector<DynamicDim> dynamicDims(KernelOp kernel) {
  SmallVector<DynamicDim> dims;
  for (BlockArgument argument : kernel.getArguments()) {
    auto type = dyn_cast<ViewType>(argument.getType());
    if (!type)
      continue;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      if (ShapedType::isDynamic(type.getShape()[dim]))
        dims.push_back({Sizes::namesOf(argument, dim).front(),
                        argument.getArgNumber(), dim});
  }
  return dims;
}

SmallVector<std::string> dynamicSizes(KernelOp kernel) {
  SmallVector<std::string> names;
  for (const DynamicDim &dim : dynamicDims(kernel))
    if (!llvm::is_contained(names, dim.name))
      names.push_back(dim.name);
  return names;
}

namespace {

/// The index arithmetic of a copy of a kernel, for sizes.
struct CompiledKernel {
  OwningOpRef<ModuleOp> module;
  KernelOp copy;
  IndexProgram program;
};

/// Views of integers, as they are read and written.
class Elements {
public:
  Elements(KernelOp kernel, Sizes &sizes) : kernel(kernel), sizes(sizes) {}

  std::string nameOf(Value view) {
    unsigned number = cast<BlockArgument>(view).getArgNumber();
    ArrayAttr names = kernel.getArgNamesAttr();
    return names ? cast<StringAttr>(names[number]).str()
                 : "arg" + std::to_string(number);
  }

  /// Number of an element in row-major order; nothing outside of the view.
  std::optional<int64_t> placeOf(Value view, ArrayRef<int64_t> offsets) {
    int64_t place = 0;
    for (auto [dim, offset] : llvm::enumerate(offsets)) {
      FailureOr<int64_t> size = sizes(view, dim);
      if (failed(size) || offset < 0 || offset >= *size)
        return std::nullopt;
      place = place * *size + offset;
    }
    return place;
  }

  IndexProgram::ReadFn reader(const ViewContents &contents) {
    return [this, &contents](Value view, ArrayRef<int64_t> offsets) {
      auto held = contents.find(nameOf(view));
      if (held == contents.end())
        return IndexProgram::kUnknownElement;
      std::optional<int64_t> place = placeOf(view, offsets);
      int64_t count = held->second.size();
      if (!place || (count != 1 && *place >= count))
        return int64_t{0};
      return held->second[count == 1 ? 0 : *place];
    };
  }

  IndexProgram::WriteFn writer(ViewContents &contents) {
    return [this, &contents](Value view, ArrayRef<int64_t> offsets,
                             int64_t value) {
      std::optional<int64_t> place = placeOf(view, offsets);
      if (!place)
        return;
      std::vector<int64_t> &held = contents[nameOf(view)];
      if (*place >= static_cast<int64_t>(held.size()))
        held.resize(*place + 1, 0);
      held[*place] = value;
    };
  }

private:
  KernelOp kernel;
  Sizes &sizes;
};

LogicalResult compile(KernelOp kernel, const llvm::StringMap<int64_t> &given,
                      CompiledKernel &result) {
  // A copy, so that the grid may become arithmetic; with the target beside it.
  result.module = ModuleOp::create(kernel.getLoc());
  (*result.module)->setAttr(TargetAttr::kModuleAttr, TargetAttr::of(kernel));
  result.copy = cast<KernelOp>(kernel->clone());
  result.module->push_back(result.copy);
  for (GridOp grid :
       llvm::make_early_inc_range(result.copy.getBody().getOps<GridOp>()))
    materializeGrid(grid, /*inTurn=*/true);
  Sizes sizes(result.copy, given);
  if (failed(sizes.checkNames()))
    return failure();
  return result.program.compile(result.copy, [&](DimOp dim) {
    return sizes(dim.getView(), dim.getDim());
  });
}

/// Counts, for an estimate.
class Counter : public IndexProgram::Listener {
public:
  Counter(const IndexProgram &program, WorkEstimate &result)
      : program(program), result(result) {}

  void enterCta(int64_t) override {}
  void enterBlock(Block *block) override {
    auto [count, isNew] = accesses.try_emplace(block);
    if (isNew)
      count->second = llvm::count_if(*block, llvm::IsaPred<LoadOp, StoreOp>);
    result.visits += program.weight();
    result.accesses += program.weight() * count->second;
  }
  void stream(StreamOp op, int64_t steps, int64_t maskedSteps, bool) override {
    auto [it, isNew] = loads.try_emplace(op);
    int64_t &count = it->second;
    if (isNew)
      op.walk([&](LoadOp) { ++count; });
    result.accesses += program.weight() * count * (steps + maskedSteps);
  }

private:
  const IndexProgram &program;
  WorkEstimate &result;
  llvm::DenseMap<Block *, int64_t> accesses;
  llvm::DenseMap<Operation *, int64_t> loads;
};

} // namespace

FailureOr<WorkEstimate> estimateWork(KernelOp kernel,
                                     const llvm::StringMap<int64_t> &given,
                                     const ViewContents &contents) {
  CompiledKernel compiled;
  if (failed(compile(kernel, given, compiled)))
    return failure();
  Sizes sizes(compiled.copy, given);
  Elements elements(compiled.copy, sizes);
  compiled.program.setMemory(elements.reader(contents), {});
  // 65,536 visits at most where CTAs are persistent: milliseconds.
  compiled.program.sample(/*mostCtas=*/1024, /*mostIterations=*/64);
  WorkEstimate result;
  Counter counter(compiled.program, result);
  if (failed(compiled.program.run(counter)))
    return failure();
  return result;
}

std::string tooMuchWork(StringRef what, double work, double most) {
  constexpr double kPerMinute = 4e9;
  std::string text;
  llvm::raw_string_ostream(text)
      << "takes about " << llvm::format("%.2g", work)
      << " accesses of tiles for " << what << ", "
      << llvm::format("%.2g", work / kPerMinute) << " minutes or so; at most "
      << llvm::format("%.2g", most) << " are made (--max-work raises it)";
  return text;
}

LogicalResult runWrites(KernelOp kernel, const llvm::StringMap<int64_t> &given,
                        ViewContents &contents) {
  struct Silent : IndexProgram::Listener {
    void enterCta(int64_t) override {}
    void enterBlock(Block *) override {}
    void stream(StreamOp, int64_t, int64_t, bool) override {}
  };
  CompiledKernel compiled;
  if (failed(compile(kernel, given, compiled)))
    return failure();
  Sizes sizes(compiled.copy, given);
  Elements elements(compiled.copy, sizes);
  ViewContents written;
  compiled.program.setMemory(elements.reader(contents),
                             elements.writer(written));
  Silent listener;
  if (failed(compiled.program.run(listener)))
    return failure();
  for (auto &entry : written)
    contents[entry.getKey()] = std::move(entry.getValue());
  return success();
}

FailureOr<KernelRun> runKernel(KernelOp kernel,
                               const llvm::StringMap<int64_t> &given,
                               const ViewContents &contents) {
  CompiledKernel compiled;
  if (failed(compile(kernel, given, compiled)))
    return failure();
  KernelRun result;
  result.merges = kernel.getStep() == KernelOp::kMergeStep;
  measureTiles(compiled.copy, result);
  Sizes sizes(compiled.copy, given);
  Elements elements(compiled.copy, sizes);
  compiled.program.setMemory(elements.reader(contents), {});
  if (failed(measureViews(compiled.copy, sizes, result)))
    return failure();
  Recorder recorder(compiled.copy, compiled.program, result);
  if (failed(compiled.program.run(recorder)))
    return failure();
  return result;
}

} // namespace attn
