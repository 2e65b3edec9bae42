//===- Generate.cpp - Random modules --------------------------------------===//

#include "RandomModule.h"
#include "llvm/ADT/STLExtras.h"

using namespace attn_random;

namespace {

class Generator {
public:
  Generator(Mode mode, uint64_t seed, const Limits &limits)
      : random(seed * 4 + uint64_t(mode)),
        // Of its own, so that a seed's other features are what they were before
        // streams were split.
        splitRandom(~(seed * 4 + uint64_t(mode))),
        // Likewise for traversals.
        traversalRandom((seed * 4 + uint64_t(mode)) ^ 0x7472617665727365),
        // Likewise for packed sequences.
        packedRandom((seed * 4 + uint64_t(mode)) ^ 0x7061636b65642121),
        // Likewise for pages.
        pagedRandom((seed * 4 + uint64_t(mode)) ^ 0x7061676564212121),
        // Likewise for tensors that regions read.
        readRandom((seed * 4 + uint64_t(mode)) ^ 0x7265616473212121),
        // Likewise for earlier keys, scales of blocks and what has to do with
        // the direction of a stream.
        earlierRandom((seed * 4 + uint64_t(mode)) ^ 0x6561726c69657221),
        blockRandom((seed * 4 + uint64_t(mode)) ^ 0x626c6f636b732121),
        backwardRandom((seed * 4 + uint64_t(mode)) ^ 0x6261636b77617264),
        // Likewise for parts that the last CTA merges.
        lastRandom((seed * 4 + uint64_t(mode)) ^ 0x6c61737420435441),
        streamKRandom((seed * 4 + uint64_t(mode)) ^ 0x73747265616d2d6b),
        // Likewise for numbers of FP8.
        float8Random((seed * 4 + uint64_t(mode)) ^ 0x666c6f6174382121),
        limits(limits) {
    m.seed = seed;
    m.mode = mode;
  }

  RandomModule run() {
    chooseTarget();
    m.op = !random.oneIn(8)  ? OpKind::Attention
           : random.oneIn(2) ? OpKind::Matmul
                             : OpKind::LogSumExp;
    if (!onCores())
      m.element = random.oneIn(2) ? "bf16" : "f16";
    else
      m.element = random.oneIn(3) ? "f32" : random.oneIn(2) ? "bf16" : "f16";
    switch (m.op) {
    case OpKind::Attention:
      attention();
      break;
    case OpKind::Matmul:
      plainAxes({"m", "n", "k"});
      break;
    case OpKind::LogSumExp:
      m.element = random.oneIn(2) ? "f32" : "bf16";
      plainAxes({"row", "column"});
    }
    chooseGaps();
    chooseSchedule();
    chooseLengths();
    chooseSplit();
    choosePacking();
    choosePages();
    chooseReads();
    chooseEarlier();
    chooseScaleBlock();
    chooseLast();
    chooseStreamK();
    chooseBackward();
    chooseFloat8();
    if (usesLevel3())
      chooseLowering();
    return m;
  }

private:
  /// Whether code runs on CPU cores, by way of level 2.
  bool onCores() const { return m.mode == Mode::Run || m.target == "cpu"; }
  bool usesLevel3() const { return m.mode != Mode::Run && m.target != "cpu"; }
  bool onAmd() const { return m.target == "mi300x"; }

  void chooseTarget() {
    const char *const all[] = {"cpu", "h200", "gb10", "mi300x"};
    const char *const gpus[] = {"h200", "gb10", "mi300x"};
    switch (m.mode) {
    case Mode::Emulate:
      m.target = "mi300x";
      return;
    case Mode::Sequential:
      m.target = random.pick(gpus);
      return;
    default:
      m.target = random.pick(all);
    }
  }

  /// A length: 0, 1, primes, whole and partial tiles.
  int64_t length() {
    const int64_t odd[] = {0, 1, 1, 2, 3, 7, 13, 17, 31, 61, 97, 101, 127, 131};
    if (random.oneIn(3))
      return random.pick(odd);
    if (random.oneIn(4))
      return 16 * random.integer(1, 10);
    return random.integer(1, m.mode == Mode::Run ? 160 : 100);
  }

  /// Head dimensions are multiples of 8 to 256, small ones oftener: they are
  /// compiled in less time.
  int64_t headDim() {
    const int64_t common[] = {16, 32, 32, 64, 64, 128};
    if (random.oneIn(2))
      return random.pick(common);
    return 8 * random.integer(1, random.oneIn(10) ? 32 : 9);
  }

  void attention() {
    m.qkDim = headDim();
    m.valueDim = random.oneIn(3) ? headDim() : m.qkDim;
    m.kvHeads = random.integer(1, 3);
    m.groupHeads = random.integer(1, 4);
    m.bshd = random.oneIn(3);
    m.lse = random.oneIn(2);
    m.axes = {
        {"batch", random.oneIn(20) ? 0 : random.integer(1, 2), random.oneIn(4)},
        {"query", length(), random.oneIn(4)},
        {"key", length(), random.oneIn(4)}};
    // Nothing is learned twice as often from twice as many heads.
    if (m.mode == Mode::Sequential || m.mode == Mode::Emulate)
      m.kvHeads = random.integer(1, 2), m.groupHeads = random.integer(1, 2);
    if (random.oneIn(12))
      m.axes[1].size = 1, m.axes[1].isStatic = true;
    chooseMask();
    m.scale = random.oneIn(4) ? unusualScale()
                              : float(1 / std::sqrt(double(m.qkDim)));
    chooseValues();
    // The rounding of sums that nearly cancel is not small beside them; by a
    // large scale it shows in the LSE of rows that see one key.
    if (std::abs(m.scale) * float(m.qkDim) > 60 && !m.hasExactProducts())
      m.values = Values::Ties;
    // Nor is it in f32 where keys grow.
    if (m.values == Values::Growing && m.element == "f32" && reach() > 4000)
      m.values = Values::Ties;
    chooseParts();
  }

  float unusualScale() {
    if (random.oneIn(16))
      return 0;
    double most = std::min(random.oneIn(3) ? 1e30 : 1e10, scaleLimit());
    float scale = float(random.magnitude(1e-3, most));
    return random.oneIn(6) ? -scale : scale;
  }

  /// Scores of normal inputs are within the limit.
  double scaleLimit() const {
    return std::max(1e-2, limits.magnitude / (40 * double(m.qkDim)));
  }

  void chooseMask() {
    const Mask::Kind kinds[] = {Mask::None, Mask::Causal, Mask::Window,
                                Mask::Window};
    m.mask.kind = random.pick(kinds);
    m.mask.bottomRight = random.oneIn(2);
    if (m.mask.kind != Mask::Window)
      return;
    auto side = [&]() -> int64_t {
      if (random.oneIn(5))
        return -1;
      // Ends are where the mistakes are.
      return random.integer(0, random.oneIn(2) ? 2 : random.oneIn(2) ? 8 : 120);
    };
    m.mask.left = side();
    m.mask.right = side();
  }

  void chooseValues() {
    if (random.oneIn(2))
      return;
    m.values = Values(random.integer(1, 3));
    if (m.values == Values::Ties && random.oneIn(2))
      m.scale = 0.125f;
    if (m.values != Values::Large)
      return;
    // A power of two, for then scores are exact.
    m.scale = std::exp2(float(random.integer(-6, 2)));
    double most = m.element == "f16" ? 0x1p30 : 0x1p110;
    double limit = limits.magnitude / (m.scale * double(m.qkDim));
    int64_t exponents = int64_t(std::log2(std::min(most, limit)));
    m.largeProduct = std::exp2(double(random.integer(0, exponents) & ~1));
    m.largeNegative = !random.oneIn(4);
  }

  /// About the largest score that the inputs make.
  double reach() const {
    double keys = double(m.sizeOf("key"));
    double product = m.values == Values::Large  ? m.largeProduct
                     : m.values == Values::Ties ? 4
                                                : 40;
    if (m.values == Values::Growing)
      product *= 1 + 0.3 * keys;
    return std::abs(double(m.scale)) * double(m.qkDim) * product;
  }

  /// Whether a part makes a score smaller, by which an error that was small
  /// beside it becomes large.
  static bool contracts(const ScorePart &part) {
    return part.kind == ScorePart::SoftCap || part.kind == ScorePart::Clamp ||
           part.kind >= ScorePart::Exponential ||
           (part.kind == ScorePart::Multiply && part.number < 1);
  }

  void chooseParts() {
    if (random.oneIn(2))
      return;
    double now = reach();
    bool infinite = false;
    int64_t extent = std::max<int64_t>(m.sizeOf("key"), 4);
    double longest = double(extent + m.sizeOf("query"));
    for (int64_t wanted = random.integer(1, 3), tries = 0;
         wanted > 0 && tries < 20; ++tries) {
      ScorePart part = makeScorePart(random, limits.magnitude, extent);
      double after = part.reach(now, longest);
      bool isInfinite = std::isinf(part.number);
      if (!(after <= std::min(3.4e38, std::max(limits.magnitude, now))) ||
          (contracts(part) && (now > 100 || infinite)))
        continue;
      // An infinity is a constant, and its like is added once.
      part.captured &= !isInfinite;
      infinite |= isInfinite;
      m.parts.push_back(part);
      now = after;
      --wanted;
    }
  }

  void plainAxes(std::initializer_list<const char *> names) {
    for (const char *name : names) {
      m.axes.push_back({name, length(), random.oneIn(3)});
      // Rows of GPUs are whole words; one in eight is not, which has a message.
      if (!onCores() && !random.oneIn(8))
        m.axes.back().size += m.axes.back().size & 1;
    }
    // A row of few sums may be near zero, beside which rounding is not small.
    if (m.op == OpKind::Matmul && m.element == "f32")
      if (int64_t &columns = m.axes[1].size; columns > 0 && columns < 8)
        columns += 8;
    // A mean of nothing has no logarithm.
    if (m.op == OpKind::LogSumExp)
      m.axes[1].size = std::max<int64_t>(m.axes[1].size, 1);
  }

  void chooseGaps() {
    // Rows of whole words for the GPUs; columns of a matrix are sizes.
    int64_t step = onCores() ? 1 : 2;
    int64_t row = random.oneIn(3) ? 8 : step * random.integer(0, 24);
    m.gaps = {row};
    if (random.oneIn(2))
      m.gaps.push_back(step * random.integer(0, 40));
    if (random.oneIn(3))
      m.gaps.push_back(step * random.integer(0, 40));
    if (m.mode != Mode::Emulate || m.op != OpKind::Attention)
      return;
    // Rows that are far apart: a tile of them reaches beyond 32 bits.
    if (random.oneIn(6))
      m.deviceRowBytes = int64_t(1) << random.integer(22, 31);
  }

  //===--------------------------------------------------------------------===//
  // Schedules
  //===--------------------------------------------------------------------===//

  int64_t tile(int64_t most) {
    if (!usesLevel3())
      return random.oneIn(2) ? 16 * random.integer(1, most / 16)
                             : random.integer(1, most);
    return 16 * random.integer(1, most / 16);
  }

  void chooseTiles() {
    // The compiler's own are large, and take as long.
    if (random.oneIn(25))
      return;
    int64_t most = random.oneIn(10) ? 128 : 48;
    auto add = [&](const char *name, int64_t size) {
      m.tiles.push_back(name + ("=" + std::to_string(size)));
    };
    switch (m.op) {
    case OpKind::Attention:
      add("query", tile(most));
      add("key", tile(most));
      break;
    case OpKind::Matmul:
      add("m", tile(most));
      add("n", tile(most));
      add("k", tile(32));
      break;
    case OpKind::LogSumExp:
      add("row", tile(most));
      add("column", tile(most));
    }
  }

  void chooseOrder() {
    const char *const orders[] = {"naive-block-first", "swizzled-block-first",
                                  "naive-head-first", "swizzled-head-first"};
    if (random.oneIn(2)) {
      m.schedule.push_back(std::string("grid-order=") + random.pick(orders));
      if (random.oneIn(2))
        m.schedule.push_back("domains=" + number(1, 8));
      if (random.oneIn(4))
        m.schedule.push_back("chunk=" + number(1, 3));
    }
    if (random.oneIn(5))
      m.schedule.push_back("longest-first");
  }

  void choosePersistence() {
    if (!random.oneIn(2))
      return;
    m.schedule.push_back("persistent");
    if (!random.oneIn(4)) {
      m.schedule.push_back("sms=" + number(1, 6));
      m.schedule.push_back("resident=" + number(1, 2));
    }
    if (random.oneIn(3))
      m.schedule.push_back("pair-tiles");
    if (random.oneIn(3))
      m.schedule.push_back("snake");
    if (random.oneIn(4))
      m.schedule.push_back("in-step");
    if (random.oneIn(4))
      m.schedule.push_back("dynamic");
  }

  void chooseTraversal() {
    if (!traversalRandom.oneIn(6))
      return;
    if (traversalRandom.oneIn(2)) {
      m.schedule.push_back("traversal=inside-out");
      return;
    }
    m.schedule.push_back("traversal=rotated");
    for (const char *option : {"stride=", "shift="})
      m.schedule.push_back(option +
                           std::to_string(traversalRandom.integer(0, 9)));
  }

  void chooseSchedule() {
    chooseTiles();
    chooseOrder();
    choosePersistence();
    if (random.oneIn(3))
      m.schedule.push_back(random.oneIn(2) ? "sawtooth=force"
                                           : "sawtooth=auto");
    chooseTraversal();
    if (random.oneIn(6))
      m.schedule.push_back("overrides=l2_effective_bytes=" + number(1, 9000));
    if (random.oneIn(5))
      m.schedule.push_back("splits=" + number(2, 4));
    // Of one query, as a rule; of more it does nothing.
    if (m.op == OpKind::Attention &&
        random.oneIn(m.axes[1].isStatic && m.axes[1].size == 1 ? 2 : 20))
      m.schedule.push_back("pack-group");
  }

  /// Lengths of the keys that the device reads.
  void chooseLengths() {
    if (m.op == OpKind::Attention && splitRandom.oneIn(8))
      m.lengths = splitRandom.oneIn(3) ? "i64" : "i32";
  }

  /// Sequences that are packed in memory, by offsets that the device reads.
  /// Such streams are not split over CTAs, and heads are no rows.
  void choosePacking() {
    if (m.op != OpKind::Attention || m.isProgram() ||
        m.hasOption("split-cluster") || m.hasOption("pack-group") ||
        !(limits.packed || packedRandom.oneIn(8)))
      return;
    m.offsets = packedRandom.oneIn(3) ? "i64" : "i32";
    int64_t both = packedRandom.integer(0, 3);
    m.packsQueries = both != 0;
    m.packsKeys = both != 1;
    // Some sequences, of which several fit.
    for (Axis &axis : m.axes)
      axis.size =
          axis.name == "batch" ? packedRandom.integer(1, 9) : axis.size * 2;
  }

  /// Keys in pages that a table lists; tiles are those of pages then, and parts
  /// of a stated length may be none of them.
  void choosePages() {
    if (m.op != OpKind::Attention || m.packsKeys ||
        m.hasOption("split-length") || !(limits.paged || pagedRandom.oneIn(8)))
      return;
    const int64_t sizes[] = {16, 32, 48, 64, 128, 256};
    m.pageSize = pagedRandom.pick(sizes);
    if (m.lengths.empty())
      m.lengths = pagedRandom.oneIn(3) ? "i64" : "i32";
    Axis &keys = m.axes.back();
    keys.isStatic = false;
    keys.size = llvm::alignTo(std::max<int64_t>(keys.size, 1), m.pageSize);
  }

  /// Tensors that a modification and a mask read. Their dimensions are those of
  /// sequences that lie apart.
  void chooseReads() {
    if (m.op != OpKind::Attention || !m.offsets.empty() || m.pageSize ||
        !readRandom.oneIn(4))
      return;
    for (int64_t n = readRandom.integer(1, 3); n > 0; --n)
      m.reads.push_back(makeTensorRead(readRandom));
  }

  /// Results of earlier keys, which attention takes up.
  void chooseEarlier() {
    m.earlier =
        m.op == OpKind::Attention && !m.packsQueries && earlierRandom.oneIn(6);
  }

  /// Scales of blocks of keys: of K, of V, or of both. Tiles lie in blocks
  /// then, and parts of a stated length may be no whole ones.
  void chooseScaleBlock() {
    if (m.op != OpKind::Attention || m.packsKeys || m.pageSize ||
        m.hasOption("split-length") || reach() > 0x1p22 ||
        !blockRandom.oneIn(6))
      return;
    const int64_t sizes[] = {32, 32, 64, 128};
    m.scaleBlock = blockRandom.pick(sizes);
    int64_t both = blockRandom.integer(0, 2);
    m.scalesKeys = both != 1;
    // Earlier results are no sum of what is scaled.
    m.scalesValues = both != 0 && !m.earlier;
    if (!m.scalesKeys && !m.scalesValues)
      m.scalesKeys = true;
  }

  /// Parts that the CTA merges that is done last, in place of others.
  void chooseLast() {
    bool hasProtocol = m.target == "h200" || m.target == "gb10";
    if (!hasProtocol || m.op != OpKind::Attention || !m.offsets.empty() ||
        m.isProgram() || m.hasOption("split-cluster") || !lastRandom.oneIn(4))
      return;
    llvm::erase_if(m.schedule, [](const std::string &option) {
      return llvm::StringRef(option).starts_with("splits=");
    });
    m.schedule.push_back("split-last");
    m.schedule.push_back("splits=" + std::to_string(lastRandom.integer(
                                         2, lastRandom.oneIn(4) ? 31 : 6)));
    adaptToSplit();
  }

  /// CTAs that share the tiles of the last round: few, so that there are some.
  void chooseStreamK() {
    if (m.op != OpKind::Attention || !m.offsets.empty() || m.isProgram() ||
        m.hasOption("split-cluster") || m.hasOption("splits") ||
        !streamKRandom.oneIn(5))
      return;
    m.schedule.push_back("stream-k");
    if (!m.hasOption("sms"))
      m.schedule.push_back("sms=" +
                           std::to_string(streamKRandom.integer(2, 9)));
    adaptToSplit();
  }

  /// Numbers of FP8, which have few values: what makes scores large is left
  /// out. Their weights are rounded, too. (Units of AMD GPUs take few tiles.)
  void chooseFloat8() {
    if (m.op != OpKind::Attention || m.element == "f32" || usesLevel3() ||
        !float8Random.oneIn(8))
      return;
    m.element = onAmd()                 ? "f8E4M3FNUZ"
                : float8Random.oneIn(3) ? "f8E5M2"
                                        : "f8E4M3FN";
    constexpr int64_t kColumns = 32;
    for (int64_t *dim : {&m.qkDim, &m.valueDim})
      *dim = llvm::alignTo(*dim, kColumns);
    for (int64_t &gap : m.gaps)
      gap = llvm::alignTo(gap, kColumns);
    m.deviceRowBytes = 0;
    if (m.values != Values::Normal)
      m.values = Values::Ties;
    m.scale = std::clamp(m.scale, -1.0f, 1.0f);
    m.parts.clear();
  }

  /// Streams that go backwards, whatever they did before.
  void chooseBackward() {
    if (!backwardRandom.oneIn(8))
      return;
    llvm::erase_if(m.schedule, [](llvm::StringRef option) {
      llvm::StringRef name = option.split('=').first;
      return name == "traversal" || name == "stride" || name == "shift";
    });
    m.schedule.push_back("traversal=backward");
  }

  /// The size of a tile of the stream, or 0 where the compiler takes its own.
  int64_t streamedTile() const {
    return m.tiles.empty() ? 0
                           : std::stoll(m.tiles.back().substr(
                                 m.tiles.back().find('=') + 1));
  }

  /// Streams in parts: over CTAs, as many as are free, as are stated, or as the
  /// length asks for; or over the CTAs of a cluster.
  void chooseSplit() {
    if (!splitRandom.oneIn(m.lengths.empty() ? 4 : 2))
      return;
    llvm::erase_if(m.schedule, [](const std::string &option) {
      return llvm::StringRef(option).starts_with("splits=");
    });
    auto parts = [&](int64_t most) {
      if (splitRandom.oneIn(2))
        m.schedule.push_back("splits=" +
                             std::to_string(splitRandom.integer(1, most)));
    };
    if (hasClusters() && splitRandom.oneIn(2)) {
      m.schedule.push_back("split-cluster");
      parts(8);
    } else if (streamedTile() != 0 && splitRandom.oneIn(3)) {
      m.schedule.push_back(
          "split-length=" +
          std::to_string(streamedTile() * splitRandom.integer(1, 4)));
    } else {
      m.schedule.push_back("split-ctas");
      parts(9);
    }
    adaptToSplit();
  }

  bool hasClusters() const { return m.target == "h200"; }

  /// Memory and lengths as programs have them.
  void adaptToSplit() {
    if (!m.isProgram())
      return;
    // The launcher takes what caller's memory looks like, not what the test's
    // does.
    m.deviceRowBytes = 0;
    // Heads of a group are rows only where nothing lies between them.
    if (m.hasOption("pack-group") && usesLevel3() && !splitRandom.oneIn(8))
      m.gaps = {0};
    // Parts are of long streams; longer ones have larger scores where keys
    // grow.
    if (m.values != Values::Growing && splitRandom.oneIn(2))
      m.axes.back().size *= 2;
  }

  std::string number(int64_t lo, int64_t hi) {
    return std::to_string(random.integer(lo, hi));
  }

  //===--------------------------------------------------------------------===//
  // Level 3
  //===--------------------------------------------------------------------===//

  /// Rows of a tile, or 0 where the compiler takes its own.
  int64_t rowsOfTile() const {
    return m.tiles.empty()
               ? 0
               : std::stoll(m.tiles[0].substr(m.tiles[0].find('=') + 1));
  }

  void chooseWarps(bool warpgroups) {
    int64_t rows = rowsOfTile();
    if (!random.oneIn(2) || rows == 0 || warpgroups)
      return;
    const int64_t counts[] = {1, 2, 3, 4, 8};
    int64_t count = random.pick(counts);
    // One in eight is not to be had, which has a message.
    if (rows % (16 * count) == 0 || random.oneIn(8))
      m.lower.push_back("warps=" + std::to_string(count));
  }

  void flag(const char *name, int64_t n) {
    if (random.oneIn(n))
      m.lower.push_back(name);
  }

  void chooseLowering() {
    bool warpgroups = m.target == "h200" && random.oneIn(3);
    if (warpgroups) {
      m.lower.push_back(random.oneIn(3) ? "wgmma=scores" : "wgmma=all");
      if (!m.tiles.empty())
        m.tiles[0] = m.tiles[0].substr(0, m.tiles[0].find('=') + 1) +
                     (random.oneIn(2) ? "64" : "128");
    }
    chooseWarps(warpgroups);
    if (random.oneIn(3))
      m.lower.push_back("stages=" + number(1, 4));
    if (random.oneIn(4))
      m.lower.push_back("resident-stages=" + number(1, 3));
    flag("optimistic-max", 2);
    if (random.oneIn(3))
      m.lower.push_back("lead=" + number(1, 80));
    flag("exact-peaks", 3);
    if (!m.lower.empty() && m.lower.back() == "exact-peaks" && random.oneIn(2))
      m.lower.push_back("exact-last");
    if (random.oneIn(3))
      m.lower.push_back(random.oneIn(2) ? "rounded-sums=registers"
                                        : "rounded-sums=products");
    if (!onAmd() && random.oneIn(3))
      m.lower.push_back("wide-panels");
    if (onAmd()) {
      if (random.oneIn(4))
        m.lower.push_back(random.oneIn(2) ? "priority=scores" : "priority=all");
      return;
    }
    if (random.oneIn(4)) {
      m.lower.push_back("copy=async");
      if (random.oneIn(2))
        m.lower.push_back(random.oneIn(2) ? "chunk=4" : "chunk=8");
    }
    if (random.oneIn(3)) {
      m.lower.push_back("specialize");
      flag("overlap", 2);
      if (m.lower.back() == "overlap" && backwardRandom.oneIn(2))
        m.lower.push_back("first-rows");
      flag("ping-pong", 2);
      if (m.lower.back() == "ping-pong" && lastRandom.oneIn(2))
        m.lower.push_back("late-turns");
    }
    flag("store-tensors", 4);
    flag("exchange-columns", 4);
    if (!m.reads.empty() && readRandom.oneIn(2))
      m.lower.push_back("stream-reads");
  }

  Random random, splitRandom, traversalRandom, packedRandom, pagedRandom,
      readRandom, earlierRandom, blockRandom, backwardRandom, lastRandom,
      streamKRandom, float8Random;
  Limits limits;
  RandomModule m;
};

} // namespace

RandomModule attn_random::makeRandomModule(Mode mode, uint64_t seed,
                                           const Limits &limits) {
  return Generator(mode, seed, limits).run();
}
