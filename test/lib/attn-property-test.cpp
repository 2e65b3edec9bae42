//===- attn-property-test.cpp - Properties of orders, traversals, layouts -===//
//
// Orders and traversals are read off the trace: the schedule's own index
// arithmetic, compiled and run for thousands of random sizes.
//
//===----------------------------------------------------------------------===//

#include "GradientProperties.h"
#include "LayoutProperties.h"
#include "MaskProperties.h"
#include "MergeProperties.h"
#include "TestDialect.h"
#include "TestDriver.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/Transforms/GridOrder.h"
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
                               "naive-head-first",  "swizzled-head-first",
                               "block-outermost",   "one-set",
                               "two-sets",          "four-sets",
                               "eight-sets"};

//===----------------------------------------------------------------------===//
// Grid orders
//===----------------------------------------------------------------------===//

/// A kernel whose tiles do nothing but show their coordinates, up to what
/// follows the set.
const char *const kGridKernel = R"mlir(
attn.kernel @grid(%x: !attn.view<?x?x?x?xf32>) {
  %t = arith.constant dense<0.0> : tensor<1xf32>
  %b = attn.dim %x, 0 : !attn.view<?x?x?x?xf32>
  %h = attn.dim %x, 1 : !attn.view<?x?x?x?xf32>
  %g = attn.dim %x, 2 : !attn.view<?x?x?x?xf32>
  %q = attn.dim %x, 3 : !attn.view<?x?x?x?xf32>
  attn.grid (%bi, %hi, %gi, %qi) visit %v
      in (batch = %b, kv_head = %h, group = %g, query = %q)
      sharing [batch, kv_head])mlir";
const char *const kGridBody = R"mlir( {
    attn.store %t, %x[%bi, %hi, %gi, %qi] : tensor<1xf32> -> !attn.view<?x?x?x?xf32>
  }
}
)mlir";

struct OrderConfig {
  std::string order;
  int64_t domains, chunk, persistent;
  bool folded, longestFirst, snake = false;

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
              (folded ? " pair-tiles" : "") + (snake ? " snake" : "");
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

/// CTAs have the same number of tiles, to within one; those that are first in a
/// stride are last in the next, so that of tiles numbered in the order they
/// come in two strides give every CTA the same sum.
void checkSnake(Tally &tally, const OrderConfig &config,
                ArrayRef<int64_t> sizes, ArrayRef<Access> accesses) {
  std::map<int64_t, std::vector<int64_t>> blocksOf;
  for (const Access &a : accesses)
    blocksOf[a.cta].push_back(
        ((a.offsets[3] * sizes[0] + a.offsets[0]) * sizes[1] + a.offsets[1]) *
            sizes[2] +
        a.offsets[2]);
  std::set<int64_t> sums;
  size_t least = SIZE_MAX, most = 0;
  for (const auto &[cta, blocks] : blocksOf) {
    least = std::min(least, blocks.size());
    most = std::max(most, blocks.size());
    if (blocks.size() > 1)
      sums.insert(blocks[0] + blocks[1]);
  }
  tally.check(most - least <= 1 && (config.order != "block-outermost" ||
                                    config.longestFirst || sums.size() <= 1),
              [&]() {
                return "tiles by turns: " + describe(config.schedule(), sizes);
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

/// Swizzled orders leave floor(C/X) sets whole on each of X domains.
void checkWholeSets(Tally &tally, const OrderConfig &config,
                    ArrayRef<int64_t> sizes, ArrayRef<Access> accesses) {
  int64_t x = config.domains, perSet = sizes[2] * sizes[3];
  std::map<std::pair<int64_t, int64_t>, std::set<int64_t>> domainsOf;
  for (const Access &a : accesses)
    domainsOf[{a.offsets[0], a.offsets[1]}].insert(a.cta / config.chunk % x);
  int64_t sets = sizes[0] * sizes[1];
  int64_t whole = llvm::count_if(
      domainsOf, [](const auto &entry) { return entry.second.size() == 1; });
  int64_t wanted = sets / x * x;
  // A set of one tile is whole wherever it is; block by block, the rest may
  // happen to fall on one domain too.
  bool exact = config.order == "swizzled-head-first" && perSet > 1;
  tally.check(exact ? whole == wanted : whole >= wanted, [&]() {
    return std::to_string(whole) + " sets whole, expected " +
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
    if (config.snake && !config.folded)
      checkSnake(tally, config, sizes, accesses);
    if (config.folded)
      checkPairs(tally, config, sizes, accesses);
    else if (swizzled && config.domains > 1 && config.chunk == 1 &&
             !config.persistent)
      checkWholeSets(tally, config, sizes, accesses);
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
    testOrder(tally, context, {order, 8, 1, 7, false, false, true}, 60, random);
    testOrder(tally, context, {order, 8, 1, 12, false, true, true}, 60, random);
    testOrder(tally, context, {order, 8, 1, 5, true, false, true}, 60, random);
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
  box.sharing = {"batch", "kv_head"};
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
      "#attn.order<[sharing, group, query], domains = 8>",
      "#attn.order<[query, sharing, group], domains = 8>",
      "#attn.order<[query, sharing, group], domains = 3, chunk = 2>",
      "#attn.order<[sharing, query, group], domains = 5, reversed = [query]>",
      "#attn.order<[query, sharing, group], together = 4>",
      "#attn.order<[group, sharing, query], reversed = [query], together=7>"};
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

/// In which order the tiles of a segment are promised.
enum class Order { Forward, InsideOut, Rotated, Backward };

struct TraversalConfig {
  const MaskCase &mask;
  std::string schedule;
  /// Whether the direction alternates with the tiles of a CTA.
  bool alternates;
  Order order = Order::Forward;
  /// Of rotated streams.
  int64_t stride = 1, shift = 0;
};

/// Tiles of keys that some query of the block attends to or, if `full`, whose
/// keys all queries attend to, by definition.
std::vector<int64_t> visibleTiles(const MaskCase &mask, int64_t query,
                                  int64_t queries, int64_t keys,
                                  bool full = false) {
  std::vector<int64_t> tiles;
  int64_t offset = mask.bottomRight ? keys - queries : 0;
  for (int64_t lo = 0; lo < keys; lo += kKeyTile) {
    bool some = false, all = true;
    for (int64_t i = query; i < std::min(query + kQueryTile, queries); ++i)
      for (int64_t j = lo; j < lo + kKeyTile; ++j) {
        bool visible = j < keys &&
                       (mask.left < 0 || j >= i + offset - mask.left) &&
                       (mask.right < 0 || j <= i + offset + mask.right);
        some |= visible;
        all &= visible;
      }
    if (full ? all : some)
      tiles.push_back(lo);
  }
  return tiles;
}

/// The tiles of a segment as they are promised, by the definition of the order.
std::vector<int64_t> orderedAs(Order order, ArrayRef<int64_t> segment,
                               int64_t offset) {
  std::vector<int64_t> result(segment.begin(), segment.end());
  int64_t n = segment.size();
  if (order == Order::Rotated && n > 0)
    std::rotate(result.begin(), result.begin() + ((offset % n) + n) % n,
                result.end());
  if (order == Order::InsideOut) {
    result.clear();
    for (int64_t away = 0, middle = n / 2; away <= n; ++away)
      for (int64_t at : {middle - away, middle + away})
        if (at >= 0 && at < n && !llvm::is_contained(result, segment[at]))
          result.push_back(segment[at]);
  }
  return result;
}

/// All visible tiles in the order promised: what is before the tiles that all
/// queries attend to, these, and what is behind. Nothing where there are none
/// of these: then the other tiles may be one segment or two.
std::optional<std::vector<int64_t>> promisedTiles(const TraversalConfig &config,
                                                  ArrayRef<int64_t> visible,
                                                  ArrayRef<int64_t> full,
                                                  int64_t offset) {
  if (config.order == Order::Forward)
    return visible.vec();
  if (config.order == Order::Backward)
    return std::vector<int64_t>(visible.rbegin(), visible.rend());
  if (full.empty())
    return std::nullopt;
  size_t before = llvm::find(visible, full.front()) - visible.begin();
  std::vector<int64_t> result;
  for (ArrayRef<int64_t> segment : {visible.take_front(before), full,
                                    visible.drop_front(before + full.size())})
    llvm::append_range(result, orderedAs(config.order, segment, offset));
  return result;
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
  int64_t blocks = (queries + kQueryTile - 1) / kQueryTile;
  for (const Visit &visit : visits) {
    std::vector<int64_t> visible =
        visibleTiles(config.mask, visit.query, queries, keys);
    int64_t number = visitOfCta[visit.cta]++;
    int64_t group = visit.head % (kHq / kHkv);
    int64_t neighbour = group * blocks + visit.query / kQueryTile;
    auto wanted = promisedTiles(
        config, visible,
        visibleTiles(config.mask, visit.query, queries, keys, /*full=*/true),
        -(config.stride * neighbour + config.shift * number));
    if (wanted && config.alternates && number % 2 == 1)
      std::reverse(wanted->begin(), wanted->end());
    if (wanted && visit.keys != *wanted)
      return false;
    if (visit.values != visit.keys || !visit.stored)
      return false;
    std::vector<int64_t> sorted = visit.keys;
    llvm::sort(sorted);
    if (sorted != visible)
      return false;
    seen.insert({visit.batch, visit.head, visit.query});
  }
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
    Order order = Order::Forward;
    int64_t stride = 1, shift = 0;
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
       true},
      {" traversal=inside-out", false, Order::InsideOut},
      {" traversal=inside-out persistent sms=5 resident=1 sawtooth=force", true,
       Order::InsideOut},
      {" traversal=rotated", false, Order::Rotated},
      {" traversal=rotated stride=3 shift=2 persistent sms=5 resident=1", false,
       Order::Rotated, 3, 2},
      {" traversal=rotated stride=0 shift=7 sawtooth=force", true,
       Order::Rotated, 0, 7},
      {" traversal=backward", false, Order::Backward},
      {" traversal=backward persistent sms=5 resident=1 sawtooth=force", true,
       Order::Backward}};
  for (const MaskCase &mask : kMasks)
    for (const auto &schedule : schedules)
      testTraversal(tally, context,
                    {mask, tiles + schedule.schedule, schedule.alternates,
                     schedule.order, schedule.stride, schedule.shift},
                    60, random);
}

} // namespace

int main() {
  DialectRegistry registry;
  registerDialects(registry);
  registry.insert<attn_test::AttnTestDialect>();
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  std::mt19937 random(20261120);
  Tally tally;
  testMasks(tally, context);
  testGradients(tally, context, random);
  testLayouts(tally, context, random);
  testOrders(tally, context, random);
  testInverses(tally, context, random);
  testTraversals(tally, context, random);
  testMerges(tally, context, random);
  return tally.close();
}
