//===- Counters.cpp - What an emulated launch counts ----------------------===//

#include "attn-mlir/Emulator/Gfx942/Counters.h"
#include <numeric>

using namespace attn::gfx942;

const char *attn::gfx942::instClassName(InstClass c) {
  static const char *const names[kInstClasses] = {
      "mfma", "valu",    "transcendental", "salu",    "branch",  "lds",
      "vmem", "scratch", "smem",           "barrier", "waitcnt", "other"};
  return names[static_cast<unsigned>(c)];
}

uint64_t Counters::total() const {
  return std::accumulate(instructions.begin(), instructions.end(), uint64_t(0));
}

void Counters::add(const Counters &other) {
  for (unsigned i = 0; i < kInstClasses; ++i)
    instructions[i] += other.instructions[i];
  if (barrierExecutions.size() < other.barrierExecutions.size())
    barrierExecutions.resize(other.barrierExecutions.size());
  for (size_t i = 0; i < other.barrierExecutions.size(); ++i)
    barrierExecutions[i] += other.barrierExecutions[i];
  waves += other.waves;
  workgroups += other.workgroups;
  mfmaFlops += other.mfmaFlops;
  globalLoadBytes += other.globalLoadBytes;
  globalStoreBytes += other.globalStoreBytes;
  globalLoadLines += other.globalLoadLines;
  globalStoreLines += other.globalStoreLines;
  ldsReadBytes += other.ldsReadBytes;
  ldsWriteBytes += other.ldsWriteBytes;
  ldsCycles += other.ldsCycles;
  ldsConflictCycles += other.ldsConflictCycles;
  ldsWriteConflictCycles += other.ldsWriteConflictCycles;
}

llvm::json::Value Counters::toJSON() const {
  llvm::json::Object classes;
  for (unsigned i = 0; i < kInstClasses; ++i)
    classes[instClassName(static_cast<InstClass>(i))] = instructions[i];
  return llvm::json::Object{
      {"workgroups", workgroups},
      {"waves", waves},
      {"wave_instructions", total()},
      {"by_class", std::move(classes)},
      {"barrier_executions", llvm::json::Array(barrierExecutions)},
      {"mfma_flops", mfmaFlops},
      {"global_load_bytes", globalLoadBytes},
      {"global_load_lines", globalLoadLines},
      {"global_store_bytes", globalStoreBytes},
      {"global_store_lines", globalStoreLines},
      {"lds_read_bytes", ldsReadBytes},
      {"lds_write_bytes", ldsWriteBytes},
      {"lds_cycles", ldsCycles},
      {"lds_conflict_cycles", ldsConflictCycles},
      {"lds_write_conflict_cycles", ldsWriteConflictCycles},
  };
}
