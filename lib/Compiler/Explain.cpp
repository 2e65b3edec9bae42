//===- Explain.cpp - One page about a kernel ------------------------------===//

#include "attn-mlir/Compiler/Explain.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Analysis/Quantisation.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Simulation/CacheSimulator.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace attn;
using llvm::format;
namespace json = llvm::json;

namespace {

/// A kernel with what the model says of it.
struct Page {
  KernelOp kernel;
  TargetAttr target;
  llvm::StringMap<int64_t> sizes;
  /// What kernels before this one wrote for it to read.
  ViewContents contents;
  KernelRun run;
  Lowering lowering;
  Prediction prediction;
  /// By the simulator; nothing where it would take long.
  std::optional<CacheReport> simulated;

  /// Of a kernel that merges states.
  std::optional<SplitCost> split() const {
    return splitCostOf(kernel, sizes, run, prediction);
  }

  double sectors(double bytes) const {
    return bytes / target.get(Fact::L2SectorBytes);
  }
};

/// Tile accesses up to which a page waits for the simulator.
constexpr int64_t kMostSimulated = 40'000'000;

int64_t accessesOf(const KernelRun &run) {
  int64_t accesses = 2 * run.totalVisits();
  for (const CtaRun &cta : run.ctas)
    for (unsigned i = 0; i < cta.steps.size(); ++i)
      accesses += 2 * (cta.steps[i] + cta.maskedSteps[i]);
  return accesses;
}

LogicalResult simulate(Page &page) {
  if (accessesOf(page.run) > kMostSimulated)
    return success();
  FailureOr<std::unique_ptr<KernelTracer>> tracer =
      KernelTracer::compile(page.kernel);
  if (failed(tracer))
    return failure();
  FailureOr<AccessTrace> trace = (*tracer)->trace(
      page.sizes, /*threads=*/0, std::numeric_limits<double>::infinity(), {},
      page.contents);
  if (failed(trace))
    return failure();
  CacheConfig config = CacheConfig::of(page.kernel);
  config.resident = page.prediction.resources.resident;
  page.simulated = simulateCache(*trace, config);
  return success();
}

/// Options of attn-to-target of one kernel: what it holds, else the page's.
std::string loweringOfKernel(KernelOp kernel, const Explanation &e) {
  ScheduleAttr held = ScheduleAttr::of(kernel);
  return held ? held.asOptions(3) + " " + e.overrides : e.lower;
}

FailureOr<std::vector<Page>> pagesOf(const Explanation &e, bool simulated) {
  ModuleOp module = e.module;
  module.getContext()->loadDialect<scf::SCFDialect>();
  std::vector<Page> pages;
  ViewContents contents;
  for (auto kernel : module.getOps<KernelOp>()) {
    Page page{kernel,
              TargetAttr::of(kernel),
              completeSizes(kernel, e.sizes),
              contents,
              {},
              {},
              {},
              {}};
    std::string lower = loweringOfKernel(kernel, e);
    FailureOr<Lowering> lowering = loweringOf(lower);
    if (failed(lowering))
      return kernel.emitOpError("expected options of attn-to-target, but got '")
             << lower << "'";
    page.lowering = *lowering;
    FailureOr<KernelRun> run = runKernel(kernel, page.sizes, contents);
    if (failed(run) || failed(addWrites(kernel, page.sizes, contents)))
      return failure();
    page.run = std::move(*run);
    page.prediction = predict(page.run, page.target, page.lowering);
    if (simulated && failed(simulate(page)))
      return failure();
    pages.push_back(std::move(page));
  }
  if (pages.empty())
    return module.emitError("expected a scheduled kernel to explain");
  return pages;
}

//===----------------------------------------------------------------------===//
// Which domain works on which tile
//===----------------------------------------------------------------------===//

/// Rows are what the leading offsets of a stored tile select (batch and head),
/// columns its number along the first dimension that the tile has.
struct DomainMap {
  std::vector<std::pair<std::string, std::vector<int64_t>>> rows;
  std::string rowNames, columnName;
  int64_t domains, columns = 0;
};

DomainMap domainMapOf(const Page &page) {
  DomainMap map;
  map.domains = page.target.get(Fact::L2Domains);
  int64_t chunk = page.target.get(Fact::DispatchChunk);
  const KernelRun &run = page.run;
  size_t leading = run.tileDims.size() - run.tileShape.size();
  map.rowNames = llvm::join(ArrayRef(run.tileDims).take_front(leading), ", ");
  if (run.tileShape.empty())
    return map;
  map.columnName = run.tileDims[leading];
  std::map<std::vector<int64_t>, std::map<int64_t, int64_t>> sorted;
  for (const StoredTile &tile : run.tiles) {
    std::vector<int64_t> row(tile.offsets.begin(),
                             tile.offsets.begin() + leading);
    int64_t column = tile.offsets[leading] / run.tileShape.front();
    sorted[row][column] = tile.cta / chunk % map.domains;
    map.columns = std::max(map.columns, column + 1);
  }
  for (auto &[row, columns] : sorted) {
    std::string name;
    for (int64_t offset : row)
      name += (name.empty() ? "" : ", ") + std::to_string(offset);
    std::vector<int64_t> &line =
        map.rows.emplace_back(name, std::vector<int64_t>()).second;
    line.assign(map.columns, -1);
    for (auto [column, domain] : columns)
      line[column] = domain;
  }
  return map;
}

constexpr size_t kMostRows = 40, kMostColumns = 160;

void printMap(const DomainMap &map, llvm::raw_ostream &os) {
  constexpr StringLiteral kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  os << "  L2 domain of each tile (rows: " << map.rowNames
     << "; columns: tiles of " << map.columnName << ")\n";
  for (auto &[name, line] : ArrayRef(map.rows).take_front(kMostRows)) {
    os << "    " << llvm::right_justify(name, 8) << " ";
    for (int64_t domain : ArrayRef(line).take_front(kMostColumns))
      os << (domain < 0 ? '.' : kDigits[domain % kDigits.size()]);
    os << (line.size() > kMostColumns ? "...\n" : "\n");
  }
  if (map.rows.size() > kMostRows)
    os << "    ... " << map.rows.size() - kMostRows << " more rows\n";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string micro(double seconds) {
  std::string text;
  llvm::raw_string_ostream(text) << format("%.1f us", seconds * 1e6);
  return text;
}

std::string percent(double share) {
  std::string text;
  llvm::raw_string_ostream(text) << format("%.1f %%", share * 100);
  return text;
}

std::string optionsOf(StringRef schedule, StringRef lower) {
  std::string text = schedule.empty() ? "(none)" : schedule.str();
  return text + " | " + (lower.empty() ? "(none)" : lower.str());
}

/// Where a size comes from, if it is not as given.
StringRef originOf(const Page &page, const Explanation &e, StringRef name) {
  auto given = e.sizes.find(name);
  if (given != e.sizes.end() && given->second == page.sizes.lookup(name))
    return "";
  if (given == e.sizes.end() && page.sizes.lookup(name) == assumedSize(name))
    return " (assumed)";
  return " (computed)";
}

void printResources(const Page &page, llvm::raw_ostream &os) {
  const Prediction &p = page.prediction;
  const Resources &r = p.resources;
  os << "  threads: " << r.threads << " a CTA, " << r.consumerThreads
     << " of them compute\n"
     << "  shared memory: " << r.sharedBytes << " of " << r.sharedLimit
     << " bytes (" << page.lowering.stages << " stages of "
     << page.run.streamedTileBytes << " streamed, "
     << page.lowering.residentStages << " of " << page.run.residentTileBytes
     << " that stay)\n"
     << "  registers: about " << r.registers << " of " << r.registerLimit
     << " a thread\n"
     << "  resident CTAs an SM: " << r.resident << "\n";
  if (!p.fits())
    os << "  DOES NOT FIT: " << r.misfit << "\n";
  os << "  CTAs: " << p.ctas << " on " << p.slots << " slots, " << p.visits
     << " tiles, " << format("%.2f", p.waves) << " waves; slots idle "
     << percent(p.idle) << " of the time\n";
}

void printQuantisation(const Page &page, llvm::raw_ostream &os) {
  std::optional<Quantisation> q = quantisationOf(page.kernel);
  if (!q)
    return;
  os << "  quantisation: " << q->streamedBytes() << " byte(s) a value ("
     << q->streamed << ") streamed, " << q->stayingBytes() << " (" << q->staying
     << ") stay; least transfers grow with q^(1 + beta), beta "
     << format("%.2g", q->beta) << ": 4 bytes take "
     << format("%.3g", q->factorOf(4)) << " times as much, 2 bytes "
     << format("%.3g", q->factorOf(2))
     << " (FlashAttention on a Napkin, section 4.3)\n";
}

void printSimulated(const Page &page, llvm::raw_ostream &os) {
  if (!page.simulated) {
    os << "  L2, simulated: not for so many accesses (--simulate)\n";
    return;
  }
  const CacheReport &report = *page.simulated;
  os << "  L2, simulated (CTAs lag by up to " << report.config.drift
     << " accesses):\n";
  for (auto [domain, c] : llvm::enumerate(report.domains))
    os << "    domain " << domain << ": "
       << format("%.0f", page.sectors(c.loads)) << " sectors read, "
       << format("%.0f", page.sectors(c.loadMisses)) << " missed, hit rate "
       << percent(c.hitRate()) << "\n";
  os << "    memory: " << format("%.1f", report.total.dramReads * 1e-6)
     << " MB read, " << format("%.1f", report.total.dramWrites * 1e-6)
     << " MB written\n";
}

void printTraffic(const Page &page, llvm::raw_ostream &os) {
  os << "  L2, in lock-step (closed form):\n";
  for (auto [domain, t] : llvm::enumerate(page.prediction.traffic))
    os << "    domain " << domain << ": "
       << format("%.0f", page.sectors(t.requestedBytes)) << " sectors read, "
       << format("%.0f", page.sectors(t.missedBytes)) << " missed, hit rate "
       << percent(t.hitRate()) << "\n";
  L2Traffic total = page.prediction.totalTraffic();
  os << "    memory: " << format("%.1f", total.missedBytes * 1e-6)
     << " MB read, " << format("%.1f", total.writtenBytes * 1e-6)
     << " MB written\n";
}

/// Of a kernel that merges: what the split costs, its own or that of the one
/// before it.
void printSplit(const SplitCost &split, llvm::raw_ostream &os) {
  if (split.inCluster) {
    os << "split: " << split.parts << " part(s) of each stream, one for each "
       << "CTA of a cluster, whose states stay on the chip; the exchange and "
       << "the merge take " << micro(split.mergeSeconds) << "\n";
    return;
  }
  if (split.dealt)
    os << "split: at most " << split.parts << " part(s) of all streams, which "
       << "the device deals, ";
  else
    os << "split: " << split.parts << " part(s) of each stream, ";
  os << "whose states of " << format("%.1f", split.stateBytes * 1e-6)
     << " MB are written and read once; the merge takes "
     << micro(split.mergeSeconds) << ", its launch included\n";
}

void printTime(const Page &page, llvm::raw_ostream &os) {
  const Prediction &p = page.prediction;
  TileWork total = page.run.total();
  os << "  busy cycles an SM: tensor " << format("%.0f", p.tensorCycles)
     << ", exp " << format("%.0f", p.expCycles) << ", issue "
     << format("%.0f", p.issueCycles) << " of " << format("%.0f", p.cycles)
     << "\n"
     << "  time: " << micro(p.seconds) << " (compute "
     << micro(p.computeSeconds) << ", L2 " << micro(p.l2Seconds) << ", DRAM "
     << micro(p.dramSeconds) << "), bound by " << boundName(p.bound) << "; "
     << format("%.3g", total.tensorOps / p.seconds * 1e-12)
     << " TFLOP/s of products\n";
}

/// The kind of a reason: what it wants, without the figures.
std::string kindOf(StringRef reason) {
  for (StringRef kind : {"registers a thread", "bytes of shared memory"})
    if (reason.contains(kind))
      return ("too many " + kind).str();
  return reason.str();
}

/// What the page is about, as the candidates are written.
FailureOr<ScheduleAttr> ownSchedule(const Explanation &e) {
  ModuleOp module = e.module;
  return scheduleFromOptions(module.getContext(), e.schedule, e.lower,
                             [&]() { return module.emitError(); });
}

/// The split of a candidate, in words.
std::string partsOf(const ScheduleCandidate &candidate) {
  if (!candidate.split)
    return "";
  return ", " + std::to_string(candidate.split->parts) + " part(s)" +
         (candidate.split->dealt ? " of all streams" : "") +
         (candidate.split->inCluster ? " in a cluster" : "") + ", merge " +
         micro(candidate.split->mergeSeconds);
}

void printCandidate(const ScheduleCandidate &c, bool chosen,
                    int64_t sectorBytes, llvm::raw_ostream &os) {
  L2Traffic traffic = c.prediction.totalTraffic();
  os << (chosen ? "  * " : "    ") << micro(c.seconds) << ", "
     << boundName(c.prediction.bound) << ", L2 hits "
     << percent(traffic.hitRate()) << ", "
     << format("%.0f", traffic.requestedBytes / sectorBytes) << " sectors"
     << partsOf(c) << ": "
     << optionsOf(c.schedule.asOptions(2), c.schedule.asOptions(3)) << "\n";
}

/// The first candidate of those left that has a split, or has none, as the
/// best has not.
const ScheduleCandidate *firstOfOtherKind(ArrayRef<ScheduleCandidate> fitting) {
  const ScheduleCandidate *other = llvm::find_if(fitting, [&](const auto &c) {
    return c.split.has_value() != fitting.front().split.has_value();
  });
  return other == fitting.end() ? nullptr : other;
}

void printCandidates(const Explanation &e, int64_t sectorBytes,
                     llvm::raw_ostream &os) {
  constexpr size_t kShown = 6;
  if (e.candidates.empty())
    return;
  size_t fitting = llvm::count_if(
      e.candidates, [](const auto &c) { return c.rejected.empty(); });
  os << "candidates of the model: " << fitting << " fit, "
     << e.candidates.size() - fitting << " do not\n";
  FailureOr<ScheduleAttr> own = ownSchedule(e);
  auto shown = ArrayRef(e.candidates).take_front(fitting);
  const ScheduleCandidate *other =
      shown.empty() ? nullptr : firstOfOtherKind(shown);
  for (auto [rank, c] : llvm::enumerate(shown)) {
    bool chosen = succeeded(own) && c.schedule == *own;
    if (rank >= kShown && !chosen && &c != other)
      continue;
    printCandidate(c, chosen, sectorBytes, os);
  }
  std::map<std::string, size_t> reasons;
  for (const ScheduleCandidate &c : e.candidates)
    if (!c.rejected.empty())
      ++reasons[kindOf(c.rejected)];
  for (auto &[reason, count] : reasons)
    os << "    " << count << " out: " << reason << "\n";
  if (fitting > 1)
    os << "  best against the next: "
       << reasonFor(e.candidates[0], e.candidates[1]) << "\n";
}

} // namespace

static FailureOr<std::string> explainAsText(const Explanation &e) {
  FailureOr<std::vector<Page>> pages = pagesOf(e, true);
  if (failed(pages))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  double seconds = 0;
  std::optional<SplitCost> split;
  for (const Page &page : *pages) {
    os << describeSchedule(page.kernel) << "  sizes:";
    for (const std::string &name : dynamicSizes(page.kernel))
      os << " " << name << "=" << page.sizes.lookup(name)
         << originOf(page, e, name);
    os << "\n";
    seconds += page.prediction.seconds;
    if (std::optional<SplitCost> its = page.split())
      split = its;
    printResources(page, os);
    printQuantisation(page, os);
    printTraffic(page, os);
    printSimulated(page, os);
    printTime(page, os);
    if (page.target.get(Fact::L2Domains) > 1)
      printMap(domainMapOf(page), os);
  }
  if (split)
    printSplit(*split, os);
  if (pages->size() > 1)
    os << "all kernels: " << micro(seconds) << "\n";
  os << "options: " << optionsOf(e.schedule, e.lower) << "\n"
     << "  schedule from: " << e.scheduleFrom << "\n"
     << "  lower from: " << e.lowerFrom << "\n";
  printCandidates(e, pages->front().target.get(Fact::L2SectorBytes), os);
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

namespace {

json::Array trafficJson(const Prediction &p, int64_t sectorBytes) {
  json::Array domains;
  for (const L2Traffic &t : p.traffic)
    domains.push_back(json::Object{{"sectors", t.requestedBytes / sectorBytes},
                                   {"missed", t.missedBytes / sectorBytes},
                                   {"written", t.writtenBytes / sectorBytes},
                                   {"hit_rate", t.hitRate()}});
  return domains;
}

json::Object predictionJson(const Prediction &p, int64_t sectorBytes) {
  const Resources &r = p.resources;
  return json::Object{
      {"seconds", p.seconds},
      {"bound", boundName(p.bound)},
      {"compute_seconds", p.computeSeconds},
      {"l2_seconds", p.l2Seconds},
      {"dram_seconds", p.dramSeconds},
      {"cycles", p.cycles},
      {"tensor_cycles", p.tensorCycles},
      {"exp_cycles", p.expCycles},
      {"issue_cycles", p.issueCycles},
      // Of the slot that is done last: what constants are calibrated on.
      {"slot_work", p.slotWork},
      {"slot_steps", p.slotSteps},
      {"slot_visits", p.slotVisits},
      {"ctas", p.ctas},
      {"slots", p.slots},
      {"tiles", p.visits},
      {"waves", p.waves},
      {"idle", p.idle},
      {"shared_bytes", r.sharedBytes},
      {"shared_limit", r.sharedLimit},
      {"registers", r.registers},
      {"register_limit", r.registerLimit},
      {"threads", r.threads},
      {"resident", r.resident},
      {"misfit", r.misfit},
      {"l2", trafficJson(p, sectorBytes)}};
}

json::Object splitJson(const SplitCost &split) {
  return json::Object{{"parts", split.parts},
                      {"state_bytes", split.stateBytes},
                      {"in_cluster", split.inCluster},
                      {"dealt", split.dealt},
                      {"merge_seconds", split.mergeSeconds}};
}

json::Object targetJson(TargetAttr target) {
  json::Object facts;
  for (unsigned i = 0; i < kNumFacts; ++i)
    facts[factName(static_cast<Fact>(i))] = target.get(static_cast<Fact>(i));
  json::Array capabilities;
  for (auto capability : target.getCapabilities().getAsRange<StringAttr>())
    capabilities.push_back(capability.getValue());
  return json::Object{{"name", target.getName().getValue()},
                      {"arch", target.getArch().getValue()},
                      {"capabilities", std::move(capabilities)},
                      {"facts", std::move(facts)}};
}

json::Object mapJson(const Page &page) {
  DomainMap map = domainMapOf(page);
  json::Object rows;
  for (auto &[name, line] : map.rows)
    rows[name] = json::Array(line);
  return json::Object{{"rows", map.rowNames},
                      {"columns", map.columnName},
                      {"domain", std::move(rows)}};
}

} // namespace

static FailureOr<json::Value> explainAsJson(const Explanation &e) {
  FailureOr<std::vector<Page>> pages = pagesOf(e, true);
  if (failed(pages))
    return failure();
  json::Array kernels, candidates;
  int64_t sectorBytes = pages->front().target.get(Fact::L2SectorBytes);
  for (const Page &page : *pages) {
    json::Object sizes;
    for (const auto &entry : page.sizes)
      sizes[entry.getKey().str()] = entry.getValue();
    KernelOp kernel = page.kernel;
    json::Object one{
        {"name", kernel.getSymName()},
        {"description", describeSchedule(kernel)},
        {"sizes", std::move(sizes)},
        {"products_flop", page.run.total().tensorOps},
        {"prediction", predictionJson(page.prediction, sectorBytes)}};
    if (std::optional<Quantisation> q = quantisationOf(kernel))
      one["quantisation"] = json::Object{{"streamed_bytes", q->streamedBytes()},
                                         {"staying_bytes", q->stayingBytes()},
                                         {"beta", q->beta},
                                         {"of_4_bytes", q->factorOf(4)},
                                         {"of_2_bytes", q->factorOf(2)}};
    if (page.simulated)
      one["simulated"] = page.simulated->toJson();
    if (std::optional<SplitCost> split = page.split())
      one["split"] = splitJson(*split);
    if (page.target.get(Fact::L2Domains) > 1)
      one["map"] = mapJson(page);
    kernels.push_back(std::move(one));
  }
  for (const ScheduleCandidate &c : e.candidates) {
    json::Object one{{"schedule", c.schedule.asOptions(2)},
                     {"lower", c.schedule.asOptions(3)}};
    if (!c.rejected.empty())
      one["rejected"] = c.rejected;
    else
      one["prediction"] = predictionJson(c.prediction, sectorBytes);
    if (c.rejected.empty())
      one["seconds"] = c.seconds;
    if (c.split)
      one["split"] = splitJson(*c.split);
    candidates.push_back(std::move(one));
  }
  return json::Value(json::Object{{"target", targetJson(pages->front().target)},
                                  {"schedule", e.schedule},
                                  {"schedule_from", e.scheduleFrom},
                                  {"lower", e.lower},
                                  {"lower_from", e.lowerFrom},
                                  {"kernels", std::move(kernels)},
                                  {"candidates", std::move(candidates)}});
}

//===----------------------------------------------------------------------===//
// SVG
//===----------------------------------------------------------------------===//

static FailureOr<std::string> explainAsSvg(const Explanation &e) {
  FailureOr<std::vector<Page>> pages = pagesOf(e, false);
  if (failed(pages))
    return failure();
  DomainMap map = domainMapOf(pages->front());
  constexpr int64_t kCell = 8, kMargin = 80, kTop = 24;
  // Told apart without red against green ("Points of view: Color blindness",
  // Nature Methods 2011).
  constexpr StringLiteral kColors[] = {"#0072b2", "#e69f00", "#009e73",
                                       "#cc79a7", "#56b4e9", "#d55e00",
                                       "#f0e442", "#000000"};
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" width=\""
     << kMargin + kCell * map.columns << "\" height=\""
     << kTop + kCell * static_cast<int64_t>(map.rows.size())
     << "\" font-family=\"sans-serif\" font-size=\"7\">\n"
     << "<text x=\"0\" y=\"10\">L2 domain of each tile; rows: " << map.rowNames
     << "; columns: tiles of " << map.columnName << "</text>\n";
  int64_t y = kTop;
  for (auto &[name, line] : map.rows) {
    os << "<text x=\"0\" y=\"" << y + kCell - 1 << "\">" << name << "</text>\n";
    for (auto [x, domain] : llvm::enumerate(line))
      if (domain >= 0)
        os << "<rect x=\"" << kMargin + kCell * x << "\" y=\"" << y
           << "\" width=\"" << kCell << "\" height=\"" << kCell << "\" fill=\""
           << kColors[domain % std::size(kColors)] << "\"><title>" << name
           << " / " << x << ": domain " << domain << "</title></rect>\n";
    y += kCell;
  }
  os << "</svg>\n";
  return text;
}

LogicalResult attn::writeExplanation(const Explanation &explanation,
                                     ExplainAs how, llvm::raw_ostream &os) {
  if (how == ExplainAs::Json) {
    FailureOr<json::Value> page = explainAsJson(explanation);
    if (failed(page))
      return failure();
    os << llvm::formatv("{0:2}", *page) << "\n";
    return success();
  }
  FailureOr<std::string> page = how == ExplainAs::Svg
                                    ? explainAsSvg(explanation)
                                    : explainAsText(explanation);
  if (failed(page))
    return failure();
  os << *page;
  return success();
}
