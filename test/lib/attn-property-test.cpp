//===- attn-property-test.cpp - Properties of orders, traversals, layouts
//---===//
//
// Orders and traversals are read off the trace: the schedule's own index
// arithmetic, compiled and run for thousands of random sizes. Layouts are gone
// through element by element.
//
//===----------------------------------------------------------------------===//

#include "MaskProperties.h"
#include "TestDriver.h"
#include "attn-mlir/Dialect/Attn/Transforms/GridOrder.h"
#include "attn-mlir/Dialect/Attn/Utils/MatrixLayouts.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <map>
#include <random>
#include <set>

using namespace mlir;
using namespace attn;
using namespace attn_test;

namespace {

const char *const kOrders[] = {"naive-block-first", "swizzled-block-first",
                               "naive-head-first", "swizzled-head-first"};

//===----------------------------------------------------------------------===//
// Grid orders
//===----------------------------------------------------------------------===//

/// A kernel whose tiles do nothing but show their coordinates, up to what
/// follows the cluster.
const char *const kGridKernel = R"mlir(
attn.kernel @grid(%x: !attn.view<?x?x?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %b = attn.dim %x, 0 : !attn.view<?x?x?x?xf32>
  %h = attn.dim %x, 1 : !attn.view<?x?x?x?xf32>
  %g = attn.dim %x, 2 : !attn.view<?x?x?x?xf32>
  %q = attn.dim %x, 3 : !attn.view<?x?x?x?xf32>
  attn.grid (%bi, %hi, %gi, %qi) visit %v
      in (batch = %b, kv_head = %h, group = %g, query = %q)
      cluster [batch, kv_head])mlir";
const char *const kGridBody = R"mlir( {
    attn.store %t, %x[%bi, %hi, %gi, %qi] : tensor<1xf32> -> !attn.view<?x?x?x?xf32>
  }
}
)mlir";

struct OrderConfig {
  std::string order;
  int64_t domains, chunk, persistent;
  bool folded, longestFirst;

  /// Persistent CTAs have pairs by option, others by the kernel's text.
  std::string kernel() const {
    return std::string(kGridKernel) +
           (folded && !persistent ? " run 2 folded" : "") + kGridBody;
  }

  std::string schedule() const {
    std::string text = "grid-order=" + order +
                       " domains=" + std::to_string(domains) +
                       " chunk=" + std::to_string(chunk);
    if (longestFirst)
      text += " longest-first";
    if (persistent)
      text += " persistent resident=1 sms=" + std::to_string(persistent) +
              (folded ? " pair-tiles" : "");
    return text;
  }
};

StridedBuffer viewOf(ArrayRef<int64_t> sizes) {
  StridedBuffer view;
  view.sizes.assign(sizes.begin(), sizes.end());
  view.strides.assign(sizes.size(), 0);
  return view;
}

std::string describe(const std::string &schedule, ArrayRef<int64_t> sizes) {
  std::string text = schedule + " on";
  for (int64_t size : sizes)
    text += " " + std::to_string(size);
  return text;
}

/// Every (batch, head, tile) once; each CTA as far as its schedule says.
void checkCover(Tally &tally, const OrderConfig &config,
                ArrayRef<int64_t> sizes, ArrayRef<Access> accesses) {
  int64_t tiles = sizes[0] * sizes[1] * sizes[2] * sizes[3];
  std::set<std::array<int64_t, 4>> seen;
  bool inside = true;
  for (const Access &a : accesses) {
    for (unsigned d = 0; d < 4; ++d)
      inside &= a.offsets[d] >= 0 && a.offsets[d] < sizes[d];
    seen.insert({a.offsets[0], a.offsets[1], a.offsets[2], a.offsets[3]});
  }
  tally.check(inside && static_cast<int64_t>(seen.size()) == tiles &&
                  static_cast<int64_t>(accesses.size()) == tiles,
              [&]() {
                return "each tile once: " + describe(config.schedule(), sizes);
              });
}

/// A CTA takes the tiles of a folded axis in pairs, as far from one end as from
/// the other; the one in the middle of an odd number it takes by itself.
void checkPairs(Tally &tally, const OrderConfig &config,
                ArrayRef<int64_t> sizes, ArrayRef<Access> accesses) {
  auto key = [](const Access &a) {
    return std::array{a.cta, a.offsets[0], a.offsets[1], a.offsets[2]};
  };
  int64_t last = sizes[3] - 1;
  bool paired = true;
  for (ArrayRef<Access> rest = accesses; paired && !rest.empty();) {
    int64_t tile = rest.front().offsets[3];
    bool alone = 2 * tile == last;
    paired = alone || (rest.size() > 1 && key(rest[0]) == key(rest[1]) &&
                       2 * tile > last && tile + rest[1].offsets[3] == last);
    rest = rest.drop_front(alone || !paired ? 1 : 2);
  }
  tally.check(paired, [&]() {
    return "tiles in pairs: " + describe(config.schedule(), sizes);
  });
}

/// Domains have the same number of tiles, to within one.
void checkBusy(Tally &tally, const OrderConfig &config, ArrayRef<int64_t> sizes,
               ArrayRef<Access> accesses) {
  SmallVector<int64_t> tiles(config.domains);
  for (const Access &a : accesses)
    ++tiles[a.cta / config.chunk % config.domains];
  int64_t least = *llvm::min_element(tiles), most = *llvm::max_element(tiles);
  tally.check(most - least <= 1, [&]() {
    return std::to_string(least) + " to " + std::to_string(most) +
           " tiles a domain: " + describe(config.schedule(), sizes);
  });
}

/// Swizzled orders leave floor(C/X) clusters whole on each of X domains.
void checkWholeClusters(Tally &tally, const OrderConfig &config,
                        ArrayRef<int64_t> sizes, ArrayRef<Access> accesses) {
  int64_t x = config.domains, perCluster = sizes[2] * sizes[3];
  std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> domainsOf;
  for (const Access &a : accesses)
    domainsOf[{a.offsets[0], a.offsets[1]}].insert(a.cta / config.chunk % x);
  int64_t clusters = sizes[0] * sizes[1];
  int64_t whole = llvm::count_if(
      domainsOf, [](const auto &entry) { return entry.second.size() == 1; });
  int64_t wanted = clusters / x * x;
  // A cluster of one tile is whole wherever it is; block by block, the rest may
  // happen to fall on one domain too.
  bool exact = config.order == "swizzled-head-first" && perCluster > 1;
  tally.check(exact ? whole == wanted : whole >= wanted, [&]() {
    return std::to_string(whole) + " clusters whole, wanted " +
           std::to_string(wanted) + ": " + describe(config.schedule(), sizes);
  });
}

void testOrder(Tally &tally, MLIRContext &context, const OrderConfig &config,
               unsigned rounds, std::mt19937 &random) {
  auto module = compile(context, config.kernel(), config.schedule(), true);
  if (!tally.check(module != nullptr,
                   [&]() { return "compiles: " + config.schedule(); }))
    return;
  auto upTo = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(1, n)(random);
  };
  for (unsigned i = 0; i < rounds; ++i) {
    SmallVector<int64_t> sizes{upTo(4), upTo(20), upTo(5), upTo(12)};
    if (i == 0)
      sizes = {1, 1, 1, 1};
    std::vector<Access> accesses = traceAll(*module, "grid", viewOf(sizes));
    checkCover(tally, config, sizes, accesses);
    bool swizzled = StringRef(config.order).starts_with("swizzled");
    if (!config.folded && config.chunk == 1 && !config.persistent)
      checkBusy(tally, config, sizes, accesses);
    if (config.folded)
      checkPairs(tally, config, sizes, accesses);
    else if (swizzled && config.domains > 1 && config.chunk == 1 &&
             !config.persistent)
      checkWholeClusters(tally, config, sizes, accesses);
  }
}

void testOrders(Tally &tally, MLIRContext &context, std::mt19937 &random) {
  for (const char *order : kOrders) {
    bool swizzled = StringRef(order).starts_with("swizzled");
    for (int64_t domains : {1, 2, 3, 4, 8}) {
      if (!swizzled && domains != 8)
        continue;
      for (int64_t chunk : {1, 2, 3})
        if (chunk == 1 || (swizzled && domains > 1))
          testOrder(tally, context,
                    {order, domains, chunk, 0, false, chunk == 2}, 120, random);
    }
    testOrder(tally, context, {order, 4, 1, 12, false, false}, 120, random);
    testOrder(tally, context, {order, 8, 1, 7, false, true}, 120, random);
    testOrder(tally, context, {order, 4, 2, 0, true, false}, 120, random);
    testOrder(tally, context, {order, 8, 1, 0, true, true}, 120, random);
    testOrder(tally, context, {order, 4, 1, 12, true, false}, 120, random);
    testOrder(tally, context, {order, 8, 1, 7, true, true}, 120, random);
  }
}

//===----------------------------------------------------------------------===//
// The materialised inverse
//===----------------------------------------------------------------------===//

/// A function of four sizes that counts the positions p for which
/// position(coordinates(p)) is not p.
void buildInverseCheck(ModuleOp module, StringRef name, OrderAttr order) {
  auto b = OpBuilder::atBlockEnd(module.getBody());
  Location loc = module.getLoc();
  Type index = b.getIndexType();
  SmallVector<Type> inputs(4, index);
  auto function =
      func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, {index}));
  Block *entry = function.addEntryBlock();
  b.setInsertionPointToStart(entry);
  OrderedBox box;
  box.order = order;
  box.axes = {"batch", "kv_head", "group", "query"};
  box.cluster = {"batch", "kv_head"};
  box.sizes = llvm::to_vector_of<Value>(entry->getArguments());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(
      b, loc, zero, box.buildCount(b, loc), one, ValueRange(zero),
      [&](OpBuilder &n, Location, Value p, ValueRange carried) {
        SmallVector<Value> coords = box.buildCoordinates(n, loc, p);
        Value back = box.buildPosition(n, loc, coords);
        Value differs =
            arith::CmpIOp::create(n, loc, arith::CmpIPredicate::ne, back, p);
        Value add = arith::SelectOp::create(n, loc, differs, one, zero);
        Value sum = arith::AddIOp::create(n, loc, carried[0], add);
        scf::YieldOp::create(n, loc, sum);
      });
  func::ReturnOp::create(b, loc, loop.getResults());
}

void testInverses(Tally &tally, MLIRContext &context, std::mt19937 &random) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  const char *const orders[] = {
      "#attn.order<[batch, kv_head, group, query]>",
      "#attn.order<[batch, query, kv_head, group], reversed = [query]>",
      "#attn.order<[cluster, group, query], domains = 8>",
      "#attn.order<[query, cluster, group], domains = 8>",
      "#attn.order<[query, cluster, group], domains = 3, chunk = 2>",
      "#attn.order<[cluster, query, group], domains = 5, reversed = [query]>"};
  for (auto [i, text] : llvm::enumerate(orders))
    buildInverseCheck(*module, "inverse" + std::to_string(i),
                      cast<OrderAttr>(parseAttribute(text, &context)));
  PassManager pm(&context);
  buildLowerToLLVMPipeline(pm);
  auto compiled = failed(pm.run(*module))
                      ? llvm::createStringError("did not lower")
                      : CpuModule::compile(*module);
  if (!compiled) {
    tally.check(false, [&]() { return llvm::toString(compiled.takeError()); });
    return;
  }
  auto upTo = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(1, n)(random);
  };
  for (unsigned i = 0; i < std::size(orders); ++i)
    for (unsigned round = 0; round < 500; ++round) {
      SmallVector<int64_t> sizes{upTo(5), upTo(24), upTo(5), upTo(16)};
      auto wrong = (*compiled)->callIndex("inverse" + std::to_string(i), sizes);
      tally.check(wrong && *wrong == 0,
                  [&]() { return "inverse: " + describe(orders[i], sizes); });
      if (!wrong)
        llvm::consumeError(wrong.takeError());
    }
}

//===----------------------------------------------------------------------===//
// Traversals
//===----------------------------------------------------------------------===//

constexpr int64_t kQueryTile = 16, kKeyTile = 8, kDim = 8, kHq = 4, kHkv = 2;

struct MaskCase {
  const char *text;
  int64_t left, right; // -1: no bound
  bool bottomRight;
};

const MaskCase kMasks[] = {
    {"", -1, -1, false},
    {"mask(#attn.causal<top_left>)", -1, 0, false},
    {"mask(#attn.causal<bottom_right>)", -1, 0, true},
    {"mask(#attn.window<left = 20, right = 5, align = top_left>)", 20, 5,
     false},
    {"mask(#attn.window<left = 9, right = 0, align = bottom_right>)", 9, 0,
     true},
    {"mask(#attn.window<left = -1, right = 30, align = bottom_right>)", -1, 30,
     true},
    {"mask(#attn.window<left = 3, right = -1, align = top_left>)", 3, -1,
     false}};

std::string attentionText(const MaskCase &mask) {
  std::string heads = std::to_string(kHq), kv = std::to_string(kHkv);
  std::string dim = std::to_string(kDim);
  std::string q = "tensor<?x" + heads + "x?x" + dim + "xf32>";
  std::string k = "tensor<?x" + kv + "x?x" + dim + "xf32>";
  return "func.func @f(%q: " + q + ", %k: " + k + ", %v: " + k + ") -> " + q +
         " {\n  %o = attn.attention %q, %k, %v " + mask.text +
         " scale(1.0) : (" + q + ", " + k + ", " + k + ") -> " + q +
         "\n  return %o : " + q + "\n}\n";
}

struct TraversalConfig {
  const MaskCase &mask;
  std::string schedule;
  /// Whether the direction alternates with the tiles of a CTA.
  bool alternates;
};

/// Tiles of keys that some query of the block attends to, by definition.
std::vector<int64_t> visibleTiles(const MaskCase &mask, int64_t query,
                                  int64_t queries, int64_t keys) {
  std::vector<int64_t> tiles;
  int64_t offset = mask.bottomRight ? keys - queries : 0;
  for (int64_t lo = 0; lo < keys; lo += kKeyTile) {
    bool visible = false;
    for (int64_t i = query; i < std::min(query + kQueryTile, queries); ++i)
      for (int64_t j = lo; j < std::min(lo + kKeyTile, keys); ++j)
        visible |= (mask.left < 0 || j >= i + offset - mask.left) &&
                   (mask.right < 0 || j <= i + offset + mask.right);
    if (visible)
      tiles.push_back(lo);
  }
  return tiles;
}

/// What one CTA does for one tile of queries.
struct Visit {
  int64_t cta, batch, head, query;
  std::vector<int64_t> keys, values;
  bool stored = false;
};

std::vector<Visit> visitsOf(ArrayRef<Access> accesses) {
  std::vector<Visit> visits;
  for (const Access &a : accesses) {
    if (a.view == 0)
      visits.push_back(
          {a.cta, a.offsets[0], a.offsets[1], a.offsets[2], {}, {}});
    else if (visits.empty())
      return {};
    else if (a.view == 3)
      visits.back().stored = a.kind == 1;
    else
      (a.view == 1 ? visits.back().keys : visits.back().values)
          .push_back(a.offsets[2]);
  }
  return visits;
}

/// Each block of queries once, each visible tile of keys once, in the direction
/// promised, and nothing beside.
bool traversesAsPromised(const TraversalConfig &config, ArrayRef<Visit> visits,
                         int64_t batch, int64_t queries, int64_t keys) {
  std::set<std::array<int64_t, 3>> seen;
  std::map<int64_t, int64_t> visitOfCta;
  for (const Visit &visit : visits) {
    std::vector<int64_t> wanted =
        visibleTiles(config.mask, visit.query, queries, keys);
    bool backward = config.alternates && visitOfCta[visit.cta]++ % 2 == 1;
    if (backward)
      std::reverse(wanted.begin(), wanted.end());
    if (visit.keys != wanted || visit.values != wanted || !visit.stored)
      return false;
    seen.insert({visit.batch, visit.head, visit.query});
  }
  int64_t blocks = (queries + kQueryTile - 1) / kQueryTile;
  int64_t tiles = batch * kHq * blocks;
  return static_cast<int64_t>(visits.size()) == tiles &&
         static_cast<int64_t>(seen.size()) == tiles;
}

void testTraversal(Tally &tally, MLIRContext &context,
                   const TraversalConfig &config, unsigned rounds,
                   std::mt19937 &random) {
  auto module =
      compile(context, attentionText(config.mask), config.schedule, true);
  if (!tally.check(module != nullptr,
                   [&]() { return "compiles: " + config.schedule; }))
    return;
  auto upTo = [&](int64_t n) {
    return std::uniform_int_distribution<int64_t>(0, n)(random);
  };
  for (unsigned i = 0; i < rounds; ++i) {
    SmallVector<int64_t> sizes{upTo(2) + 1, upTo(100), upTo(100)};
    if (i == 0)
      sizes = {0, 5, 5};
    auto [b, sq, skv] = std::tuple(sizes[0], sizes[1], sizes[2]);
    SmallVector<StridedBuffer> views{
        viewOf({b, kHq, sq, kDim}), viewOf({b, kHkv, skv, kDim}),
        viewOf({b, kHkv, skv, kDim}), viewOf({b, kHq, sq, kDim})};
    std::vector<Access> accesses = traceAll(*module, "f_attention", views);
    tally.check(
        traversesAsPromised(config, visitsOf(accesses), b, sq, skv), [&]() {
          return "traversal: " +
                 describe(config.mask.text + (" " + config.schedule), sizes);
        });
  }
}

void testTraversals(Tally &tally, MLIRContext &context, std::mt19937 &random) {
  std::string tiles = "tiles=query=" + std::to_string(kQueryTile) +
                      ",key=" + std::to_string(kKeyTile);
  struct {
    const char *schedule;
    bool alternates;
  } schedules[] = {
      {"", false},
      {" sawtooth=force", true},
      {" persistent sms=5 resident=1", false},
      {" persistent sms=5 resident=1 pair-tiles", false},
      {" persistent sms=5 resident=1 sawtooth=force", true},
      {" persistent sms=3 resident=2 sawtooth=force "
       "grid-order=naive-block-first",
       true},
      {" sawtooth=auto overrides=l2_effective_bytes=1000000", false},
      {" sawtooth=force grid-order=swizzled-head-first domains=4 longest-first",
       true},
      {" persistent sms=8 resident=1 sawtooth=force "
       "grid-order=swizzled-block-first domains=4",
       true}};
  for (const MaskCase &mask : kMasks)
    for (const auto &schedule : schedules)
      testTraversal(tally, context,
                    {mask, tiles + schedule.schedule, schedule.alternates}, 60,
                    random);
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// Whether each element of a tile has one place, copies in threads aside, and
/// the lanes of a warp hold whole rows.
bool ownsEachOnce(FragmentAttr layout, int64_t rows, int64_t columns,
                  int64_t lanes) {
  std::map<std::pair<int64_t, int64_t>, int64_t> owners;
  std::map<int64_t, std::set<int64_t>> warpsOfRow;
  for (int64_t t = 0; t < layout.getNumThreads(); ++t)
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
      SmallVector<int64_t> base = layout.getThreadOffset(t),
                           offset = layout.getRegisterOffset(r);
      int64_t row = base[0] + offset[0], column = base[1] + offset[1];
      if (row >= rows || column >= columns || ++owners[{row, column}] > 1)
        return false;
      warpsOfRow[row].insert(t / lanes);
    }
  return static_cast<int64_t>(owners.size()) == rows * columns &&
         llvm::all_of(warpsOfRow, [](const auto &entry) {
           return entry.second.size() == 1;
         });
}

/// Whether butterflies over the thread modes that share a row bring every
/// column of it together: the reduction that patterns build of a layout.
bool reductionCoversRow(FragmentAttr layout, int64_t columns, int64_t lanes) {
  for (int64_t t = 0; t < layout.getNumThreads(); ++t) {
    std::set<int64_t> threads{t};
    int64_t below = 1;
    for (const FragmentAttr::Mode &mode : layout.getThreadModes()) {
      for (int64_t step = 1;
           mode.strides[0] == 0 && mode.strides[1] != 0 && step < mode.size;
           step *= 2) {
        std::set<int64_t> partners;
        for (int64_t thread : threads)
          partners.insert(thread ^ (below * step));
        threads.merge(partners);
      }
      below *= mode.size;
    }
    std::set<int64_t> seen;
    int64_t row = layout.getThreadOffset(t)[0];
    for (int64_t thread : threads) {
      if (thread / lanes != t / lanes ||
          layout.getThreadOffset(thread)[0] != row)
        return false;
      for (int64_t r = 0; r < layout.getNumRegisters(); ++r)
        if (layout.getRegisterOffset(r)[0] == 0)
          seen.insert(layout.getThreadOffset(thread)[1] +
                      layout.getRegisterOffset(r)[1]);
    }
    if (static_cast<int64_t>(seen.size()) != columns)
      return false;
  }
  return true;
}

/// C^T = B^T A^T of a wave, by what the ISA says of the lanes of operands and
/// results, with operands as mfmaTile and mfmaOperandRow place them: whether
/// register r of a lane is the element of C that the layout says.
bool multipliesAsTheLayoutSays(MLIRContext &context, MfmaBlock block,
                               int64_t columns, int64_t depth,
                               std::mt19937 &random) {
  auto size = static_cast<int64_t>(block);
  int64_t groups = 64 / size, vector = mfmaVector(block, depth),
          resultVector = mfmaVector(block, columns);
  FragmentAttr lhs = mfmaTile(&context, block, size, depth, 1),
               result = mfmaTile(&context, block, size, columns, 1);
  std::vector<std::vector<int64_t>> a(size, std::vector<int64_t>(depth)),
      b(depth, std::vector<int64_t>(columns));
  for (auto *matrix : {&a, &b})
    for (auto &row : *matrix)
      for (int64_t &element : row)
        element = std::uniform_int_distribution<int64_t>(-9, 9)(random);
  bool paired = block == MfmaBlock::Small && resultVector == 8;
  int64_t perAccumulator = size * size / 64;
  for (int64_t n = 0; n < columns / size; ++n) {
    // Column of C that row m of the operand B^T stands for.
    auto columnOf = [&](int64_t m) {
      return (paired ? n / 2 * 32 : n * size) +
             mfmaOperandRow(block, resultVector, m, paired ? n % 2 : 0);
    };
    std::vector<std::vector<int64_t>> d(size, std::vector<int64_t>(size));
    for (int64_t k = 0; k < depth; k += groups * vector)
      for (int64_t part = 0; part < vector; part += 4)
        for (int64_t lane = 0; lane < 64; ++lane)
          for (int64_t i = 0; i < 4; ++i) {
            // Element i of lane / size: one of the summed dimension.
            int64_t at = lhs.getThreadOffset(lane)[1] +
                         lhs.getRegisterOffset(k / groups + part + i)[1];
            for (int64_t m = 0; m < size; ++m)
              d[m][lane % size] += b[at][columnOf(m)] * a[lane % size][at];
          }
    for (int64_t lane = 0; lane < 64; ++lane)
      for (int64_t r = 0; r < perAccumulator; ++r) {
        int64_t m = block == MfmaBlock::Large
                        ? 8 * (r / 4) + 4 * (lane / 32) + r % 4
                        : 4 * (lane / 16) + r;
        SmallVector<int64_t> base = result.getThreadOffset(lane),
                             offset = result.getRegisterOffset(
                                 n * perAccumulator + r);
        int64_t row = base[0] + offset[0], column = base[1] + offset[1],
                sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += a[row][k] * b[k][column];
        if (row != lane % size || d[m][lane % size] != sum)
          return false;
      }
  }
  return true;
}

/// Whether a tile in shared memory has one place for each element, within it.
bool storesEachOnce(RankedTensorType type) {
  int64_t bytes = type.getElementTypeBitWidth() / 8;
  std::set<int64_t> places;
  for (int64_t i = 0; i < type.getDimSize(0); ++i)
    for (int64_t j = 0; j < type.getDimSize(1); ++j) {
      int64_t place = SharedAttr::getByteOffset(type, i, j);
      if (place < 0 || place % bytes != 0 ||
          place >= type.getNumElements() * bytes)
        return false;
      places.insert(place);
    }
  return static_cast<int64_t>(places.size()) == type.getNumElements();
}

/// Times that the busiest bank of LDS is asked when lanes read an operand by 16
/// bytes: 8 at least, 64 lanes of 4 banks each over 32 banks.
int64_t bankCycles(RankedTensorType type, MfmaBlock block, int64_t vector) {
  // Eight lanes at a time, as they come (four and four, CDNA 3's order, are
  // checked where the lanes are the rows).
  static constexpr int64_t kOrder[] = {0, 20, 4, 16, 8, 28, 12, 24};
  auto size = static_cast<int64_t>(block);
  int64_t cycles = 0;
  bool transposed = cast<SharedAttr>(type.getEncoding()).getTransposed();
  for (int64_t half = 0; half < 64; half += 32)
    for (int64_t pair = 0; pair < 8; pair += 2) {
      std::map<int64_t, int64_t> asked;
      for (int64_t i = 0; i < 8; ++i) {
        int64_t lane = half + kOrder[pair + i / 4] + i % 4;
        int64_t row = mfmaOperandRow(block, vector, lane % size, 0),
                column = 8 * (lane / size);
        int64_t place = transposed
                            ? SharedAttr::getByteOffset(type, column, row)
                            : SharedAttr::getByteOffset(type, row, column);
        for (int64_t word = 0; word < 4; ++word)
          ++asked[place / 4 % 32 + word];
      }
      int64_t most = 0;
      for (auto [bank, times] : asked)
        most = std::max(most, times);
      cycles += most;
    }
  return cycles;
}

void testMfma(Tally &tally, MLIRContext &context, std::mt19937 &random) {
  for (MfmaBlock block : {MfmaBlock::Large, MfmaBlock::Small})
    for (int64_t warps : {1, 2, 4, 8})
      for (int64_t blocks : {1, 2})
        for (int64_t columns = 16; columns <= 256; columns += 16) {
          auto size = static_cast<int64_t>(block);
          int64_t rows = size * warps * blocks;
          FragmentAttr layout = mfmaTile(&context, block, rows, columns, warps);
          auto name = [&]() {
            return "MFMA layout " + std::to_string(size) + " of " +
                   std::to_string(rows) + " x " + std::to_string(columns) +
                   " over " + std::to_string(warps);
          };
          tally.check(layout.getNumThreads() == 64 * warps &&
                          ownsEachOnce(layout, rows, columns, 64),
                      [&]() { return "each element once: " + name(); });
          tally.check(reductionCoversRow(layout, columns, 64),
                      [&]() { return "reduction covers the row: " + name(); });
          if (warps == 1 && blocks == 1 && columns % size == 0)
            for (int64_t depth : {16, 32, 48, 64})
              tally.check(multipliesAsTheLayoutSays(context, block, columns,
                                                    depth, random),
                          [&]() { return "product: " + name(); });
        }
}

void testLayouts(Tally &tally, MLIRContext &context, std::mt19937 &random) {
  testMfma(tally, context, random);
  for (int64_t warps : {1, 2, 4})
    for (int64_t columns = 16; columns <= 256; columns += 16) {
      FragmentAttr layout =
          mmaAccumulator(&context, 32 * warps, columns, warps);
      tally.check(ownsEachOnce(layout, 32 * warps, columns, 32) &&
                      reductionCoversRow(layout, columns, 32) &&
                      layout == mmaLhs(&context, 32 * warps, columns, warps),
                  [&]() { return "layout of mma.sync"; });
    }
  Type element = BFloat16Type::get(&context);
  for (bool transposed : {false, true})
    for (bool folded : {false, true})
      for (int64_t rows = 16; rows <= 128; rows += 16)
        for (int64_t columns = 16; columns <= 256; columns += 16) {
          auto layout = SharedAttr::getWidest(
              &context, (transposed ? rows : columns) * 2, transposed, folded);
          auto type = RankedTensorType::get({rows, columns}, element, layout);
          tally.check(storesEachOnce(type),
                      [&]() { return "each element once in shared memory"; });
          auto [lanes, across] = SharedAttr::getStoredShape(type);
          if (folded && lanes % 32 == 0 && across % 32 == 0)
            for (MfmaBlock block : {MfmaBlock::Large, MfmaBlock::Small})
              tally.check(bankCycles(type, block, 8) == 8,
                          [&]() { return "no bank conflicts"; });
        }
}

} // namespace

int main() {
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::mt19937 random(20261120);
  Tally tally;
  testMasks(tally, context);
  testLayouts(tally, context, random);
  testOrders(tally, context, random);
  testInverses(tally, context, random);
  testTraversals(tally, context, random);
  return tally.close();
}
