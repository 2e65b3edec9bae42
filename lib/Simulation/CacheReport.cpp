//===- CacheReport.cpp - What a simulation found, in words and JSON -------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Simulation/CacheSimulator.h"
#include "llvm/Support/Format.h"

using namespace attn;
using namespace mlir;
using llvm::json::Object;

namespace {

/// Sectors of these bytes, rounded up.
int64_t sectorsOf(int64_t bytes, int64_t sectorBytes) {
  return (bytes + sectorBytes - 1) / sectorBytes;
}

Object toObject(const CacheCounts &counts, int64_t sectorBytes) {
  auto sectors = [&](int64_t bytes) { return sectorsOf(bytes, sectorBytes); };
  return Object{{"sectors", sectors(counts.accesses())},
                {"load_sectors", sectors(counts.loads)},
                {"store_sectors", sectors(counts.stores)},
                {"own_hits", sectors(counts.ownHits)},
                {"shared_hits", sectors(counts.sharedHits)},
                {"cold_misses", sectors(counts.cold)},
                {"capacity_misses", sectors(counts.capacity)},
                {"load_misses", sectors(counts.loadMisses)},
                {"fabric_sectors", sectors(counts.fabric)},
                {"fabric_misses", sectors(counts.fabricMisses)},
                {"hit_rate", counts.hitRate()},
                {"dram_read_bytes", counts.dramReads},
                {"dram_write_bytes", counts.dramWrites}};
}

void printRow(llvm::raw_ostream &os, llvm::StringRef name,
              const CacheCounts &counts, const CacheConfig &config) {
  os << "  " << llvm::left_justify(name, 10);
  for (int64_t bytes : {counts.accesses(), counts.ownHits, counts.sharedHits,
                        counts.cold, counts.capacity})
    os << llvm::format(" %14lld", static_cast<long long>(
                                      sectorsOf(bytes, config.sectorBytes)));
  os << llvm::format(" %8.2f %%", 100 * counts.hitRate());
  if (config.partitions > 1)
    os << llvm::format(" %14lld", static_cast<long long>(sectorsOf(
                                      counts.fabric, config.sectorBytes)));
  os << llvm::format(" %11.3f %11.3f\n", double(counts.dramReads) / 1e6,
                     double(counts.dramWrites) / 1e6);
}

} // namespace

void CacheReport::print(llvm::raw_ostream &os) const {
  os << "  machine: " << config.sms << " SMs with " << config.resident
     << " CTA(s) each; " << config.domains << " L2 domain(s) of "
     << config.l2Bytes << " bytes in " << config.partitions
     << " partition(s); drift " << config.drift << "\n"
     << "  work: " << ctas << " CTAs; "
     << sectorsOf(distinctBytes, config.sectorBytes) << " distinct sectors of "
     << config.sectorBytes << " bytes\n";
  os << "  " << llvm::left_justify("sectors", 10);
  for (llvm::StringRef title :
       {"accessed", "own hits", "shared hits", "cold", "capacity"})
    os << " " << llvm::right_justify(title, 14);
  os << "   hit rate";
  if (config.partitions > 1)
    os << " " << llvm::right_justify("fabric", 14);
  os << "  read, MB  written, MB\n";
  for (size_t i = 0; i < domains.size(); ++i)
    printRow(os, "domain " + std::to_string(i), domains[i], config);
  for (size_t i = 0; i < views.size(); ++i)
    if (views[i].accesses() > 0)
      printRow(os, "view " + viewNames[i], views[i], config);
  printRow(os, "total", total, config);
}

llvm::json::Value CacheReport::toJson() const {
  llvm::json::Array ofDomains;
  for (const CacheCounts &counts : domains)
    ofDomains.push_back(toObject(counts, config.sectorBytes));
  Object ofViews;
  for (size_t i = 0; i < views.size(); ++i)
    ofViews[viewNames[i]] = toObject(views[i], config.sectorBytes);
  return Object{
      {"sms", config.sms},
      {"resident", config.resident},
      {"l2_bytes", config.l2Bytes},
      {"l2_domains", config.domains},
      {"l2_partitions", config.partitions},
      {"dispatch_chunk", config.chunk},
      {"sector_bytes", config.sectorBytes},
      {"drift", config.drift},
      {"seed", static_cast<int64_t>(config.seed)},
      {"ctas", ctas},
      {"distinct_sectors", sectorsOf(distinctBytes, config.sectorBytes)},
      {"total", toObject(total, config.sectorBytes)},
      {"domains", std::move(ofDomains)},
      {"views", std::move(ofViews)}};
}

LogicalResult attn::checkMachine(KernelOp kernel, const CacheConfig &config,
                                 const AccessTrace &trace) {
  if (config.partitions * trace.numTiles() > UINT32_MAX)
    return kernel.emitOpError("has too many tiles for a simulation with ")
           << config.partitions << " partitions, but got " << trace.numTiles();
  return success();
}
