//===- Facts.cpp - Table of known targets ---------------------------------===//

#include "attn-mlir/Target/Facts.h"
#include "attn-mlir/Target/Capabilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include <limits>

using namespace llvm;

namespace attn {

namespace {

struct FactInfo {
  StringRef name;
  StringRef description;
  int64_t maximum = std::numeric_limits<int64_t>::max();
};

/// Larger counts are no machine's; tables of the model and of the cache
/// simulator have as many entries, and products of counts are to stay numbers.
constexpr int64_t kMostSMs = 1 << 16, kMostDomains = 1024, kMostPartitions = 64,
                  kMostChunk = 1 << 24, kMostCluster = 64;

constexpr FactInfo kFactInfos[kNumFacts] = {
    {"sms", "streaming multiprocessors, compute units or cores", kMostSMs},
    {"max_resident_ctas", "most CTAs that an SM can hold at once", kMostSMs},
    {"max_cluster_ctas", "most CTAs of a thread-block cluster; 1: no clusters",
     kMostCluster},
    {"max_clusters",
     "clusters of the most CTAs that run at once, one CTA on an SM", kMostSMs},
    {"smem_per_sm", "bytes of shared memory (LDS, scratch) of an SM"},
    {"smem_per_block", "most bytes of shared memory that a CTA may use"},
    {"registers_per_sm", "32-bit registers of an SM"},
    {"l2_bytes", "bytes of L2 cache of one L2 domain"},
    {"l2_effective_bytes",
     "bytes of one L2 domain that a working set can use before it misses"},
    {"l2_domains", "L2 domains to which CTAs are dispatched in turn",
     kMostDomains},
    {"l2_partitions",
     "parts of an L2 domain, each of which keeps copies of what its SMs read",
     kMostPartitions},
    {"l2_sector_bytes", "bytes by which L2 counts accesses"},
    {"dispatch_chunk", "consecutive CTAs that go to one L2 domain", kMostChunk},
    {"dram_gbps", "memory bandwidth, 10^9 bytes a second"},
    {"tensor_gflops", "dense bf16 matrix rate, 10^9 operations a second"},
    {"clock_mhz", "clock of an SM at that matrix rate, 10^6 a second"},
    {"special_per_clock", "exponentials that an SM starts in a clock"},
    {"fma_per_clock", "f32 multiply-adds that an SM starts in a clock"},
    {"l2_gbps", "bandwidth from all L2 to all SMs, 10^9 bytes a second"},
};

constexpr char kCudaSm[] = "CUDA Programming Guide, Compute Capabilities: "
                           "table \"Device and Streaming "
                           "Multiprocessor (SM) Information\"";
constexpr char kCudaMemory[] = "CUDA Programming Guide, Compute Capabilities: "
                               "table \"Memory Information\"";
constexpr char kClusters[] =
    "CUDA Programming Guide, Thread Block Clusters: 8 are portable";
constexpr char kSlots[] = "reported by cuOccupancyMaxActiveClusters of one "
                          "H200, of CTAs that fill an "
                          "SM, 2026-11";
constexpr char kSawtooth[] = "Sawtooth Wavefront Reordering, section 2.1";
constexpr char kHopper[] =
    "NVIDIA Hopper Architecture In-Depth (technical blog), units of the H100 "
    "with SXM5 board";
constexpr char kH100Sheet[] = "NVIDIA H100 data sheet, SXM";
constexpr char kH100Matrix[] =
    "NVIDIA H100 data sheet, SXM: 1979 TFLOP/s with sparsity, half of it dense";
constexpr char kH200Sheet[] = "NVIDIA H200 data sheet, SXM";
constexpr char kH200Matrix[] =
    "NVIDIA H200 data sheet, SXM: 1979 TFLOP/s with sparsity, half of it dense";
constexpr char kMi300[] =
    "AMD ROCm documentation, AMD Instinct MI300 series microarchitecture";
constexpr char kRocmSpecs[] =
    "AMD ROCm documentation, AMD GPU specifications: MI300X";
constexpr char kNuma[] =
    "AMD MI300X in Optimizing Attention on GPUs by Exploiting GPU "
    "Architectural NUMA Effects, table 1";
constexpr char kNapkin[] = "FlashAttention on a Napkin, appendix A.5.3";
constexpr char kL2Seen[] =
    "at least: a kernel with 128 rows a CTA, which reads 1/128 byte a flop, "
    "reached 804 TFLOP/s on one H200, 2026-11 (docs/notebooks/performance.md)";
constexpr char kModel[] =
    "a modest multicore CPU, by convention of the project";
constexpr char kSectors[] =
    "Nsight Compute, Profiling Guide, Metrics Decoder: a sector is 32 bytes";
constexpr char kPartitions[] =
    "unchecked (NVIDIA H100 Tensor Core GPU Architecture, figure of the full "
    "GPU; of A100 \"NVIDIA Ampere Architecture In-Depth\" says it); that each "
    "keeps copies follows from counters of one H200 (traffic between them, and "
    "half the capacity), 2026-11";
constexpr char kMeasured[] = "reported by one H200, 2026-11";

constexpr SourcedFact kCpu[] = {
    {Fact::SMs, 4, kModel},
    {Fact::MaxResidentCTAs, 1, "one thread a core"},
    {Fact::MaxClusterCTAs, 1, "not applicable"},
    {Fact::MaxClusters, 4, "not applicable: CTAs"},
    {Fact::SmemPerSM, 1 << 20, kModel},
    {Fact::SmemPerBlock, 1 << 20,
     "the tiles should stay in a core's own cache"},
    {Fact::RegistersPerSM, 1 << 20, "spills go to the stack: no limit"},
    {Fact::L2Bytes, 32 << 20, kModel},
    {Fact::L2EffectiveBytes, 32 << 20, kModel},
    {Fact::L2Domains, 1, kModel},
    {Fact::L2Partitions, 1, "not applicable"},
    {Fact::L2SectorBytes, 64, "a cache line"},
    {Fact::DispatchChunk, 1, "not applicable"},
    {Fact::DramGBps, 50, kModel},
    {Fact::TensorGflops, 500, kModel},
    {Fact::ClockMHz, 3000, kModel},
    {Fact::SpecialPerClock, 1, kModel},
    {Fact::FmaPerClock, 16, kModel},
    {Fact::L2GBps, 200, kModel},
};

constexpr SourcedFact kGb10[] = {
    {Fact::SMs, 48, kSawtooth},
    {Fact::MaxResidentCTAs, 24, kCudaSm},
    {Fact::MaxClusterCTAs, 8, kClusters},
    {Fact::MaxClusters, 5, "unchecked (48 SMs, of which 8 may be left over)"},
    {Fact::SmemPerSM, 100 << 10, kCudaMemory},
    {Fact::SmemPerBlock, 99 << 10, kCudaMemory},
    {Fact::RegistersPerSM, 64 << 10, kCudaMemory},
    {Fact::L2Bytes, 24 << 20, kSawtooth},
    {Fact::L2EffectiveBytes, 20 << 20,
     "Sawtooth Wavefront Reordering, section 3.3: misses leave the cold line "
     "at "
     "a KV size of 20 MiB"},
    {Fact::L2Domains, 1, "one die"},
    {Fact::L2Partitions, 1, "one die"},
    {Fact::L2SectorBytes, 32, kSectors},
    {Fact::DispatchChunk, 1, "not applicable"},
    {Fact::DramGBps, 301, kSawtooth},
    {Fact::TensorGflops, 125000,
     "NVIDIA DGX Spark data sheet: 1 PFLOP/s of sparse FP4, of which an eighth "
     "is taken for dense bf16; a sixteenth is excluded by the 69 TFLOP/s of "
     "attention of \"Sawtooth Wavefront Reordering\", section 4.3.1"},
    {Fact::ClockMHz, 2418,
     "unchecked (boost clock; no document of NVIDIA with it was found)"},
    {Fact::SpecialPerClock, 16,
     "unchecked (CUDA C++ Best Practices Guide, Throughput of Native "
     "Arithmetic Instructions: compute capability 12.x)"},
    {Fact::FmaPerClock, 128,
     "NVIDIA DGX Spark User Guide, Hardware: 6144 CUDA cores, on 48 SMs"},
    {Fact::L2GBps, 7400,
     "at most: 64 bytes a clock and SM (unchecked) at that clock"},
};

constexpr char kAmpere[] =
    "NVIDIA Ampere Architecture In-Depth (technical blog), A100 with 40 GB";
constexpr char kAda[] = "NVIDIA Ada GPU Architecture (white paper), appendix A";
constexpr char kBlackwell[] =
    "NVIDIA RTX Blackwell GPU Architecture (white paper), appendix A";
constexpr char kSixteen[] =
    "CUDA C++ Best Practices Guide, Throughput of Native Arithmetic "
    "Instructions";
constexpr char kNoClusters[] =
    "CUDA Programming Guide, Thread Block Clusters: from compute capability "
    "9.0 on";
constexpr char kMostOfL2[] =
    "at most: 64 bytes a clock and SM (unchecked) at that clock";

constexpr SourcedFact kA100[] = {
    {Fact::SMs, 108, kAmpere},
    {Fact::MaxResidentCTAs, 32, kCudaSm},
    {Fact::MaxClusterCTAs, 1, kNoClusters},
    {Fact::MaxClusters, 108, "not applicable: CTAs"},
    {Fact::SmemPerSM, 164 << 10, kCudaMemory},
    {Fact::SmemPerBlock, 163 << 10, kCudaMemory},
    {Fact::RegistersPerSM, 64 << 10, kCudaMemory},
    {Fact::L2Bytes, 40 << 20, kAmpere},
    {Fact::L2EffectiveBytes, 20 << 20,
     "unchecked (two partitions replicate what both read: half, as measured on "
     "H200)"},
    {Fact::L2Domains, 1, "CTAs cannot be placed on an L2 partition"},
    {Fact::L2Partitions, 2, kAmpere},
    {Fact::L2SectorBytes, 32, kSectors},
    {Fact::DispatchChunk, 1, "not applicable"},
    {Fact::DramGBps, 2039, "NVIDIA A100 data sheet, 80 GB SXM"},
    {Fact::TensorGflops, 312000, kAmpere},
    {Fact::ClockMHz, 1410, kAmpere},
    {Fact::SpecialPerClock, 16, kSixteen},
    {Fact::FmaPerClock, 64, kAmpere},
    {Fact::L2GBps, 7219,
     "NVIDIA Ampere Architecture In-Depth: 5120 bytes a clock, at that clock"},
};

constexpr SourcedFact kRtx4090[] = {
    {Fact::SMs, 128, kAda},
    {Fact::MaxResidentCTAs, 24, kCudaSm},
    {Fact::MaxClusterCTAs, 1, kNoClusters},
    {Fact::MaxClusters, 128, "not applicable: CTAs"},
    {Fact::SmemPerSM, 100 << 10, kCudaMemory},
    {Fact::SmemPerBlock, 99 << 10, kCudaMemory},
    {Fact::RegistersPerSM, 64 << 10, kCudaMemory},
    {Fact::L2Bytes, 72 << 20, kAda},
    {Fact::L2EffectiveBytes, 60 << 20,
     "unchecked (five sixths, as seen of GB10, which has one die, too)"},
    {Fact::L2Domains, 1, "one die"},
    {Fact::L2Partitions, 1, "unchecked (one die)"},
    {Fact::L2SectorBytes, 32, kSectors},
    {Fact::DispatchChunk, 1, "not applicable"},
    {Fact::DramGBps, 1008, kAda},
    {Fact::TensorGflops, 165200,
     "NVIDIA Ada GPU Architecture (white paper), appendix A: bf16 with f32 "
     "accumulation, dense"},
    {Fact::ClockMHz, 2520, kAda},
    {Fact::SpecialPerClock, 16, kSixteen},
    {Fact::FmaPerClock, 128, kAda},
    {Fact::L2GBps, 20644, kMostOfL2},
};

constexpr SourcedFact kRtx5090[] = {
    {Fact::SMs, 170, kBlackwell},
    {Fact::MaxResidentCTAs, 24, kCudaSm},
    {Fact::MaxClusterCTAs, 8, kClusters},
    {Fact::MaxClusters, 20,
     "unchecked (170 SMs, of which 10 may be left over)"},
    {Fact::SmemPerSM, 100 << 10, kCudaMemory},
    {Fact::SmemPerBlock, 99 << 10, kCudaMemory},
    {Fact::RegistersPerSM, 64 << 10, kCudaMemory},
    {Fact::L2Bytes, 96 << 20, kBlackwell},
    {Fact::L2EffectiveBytes, 80 << 20,
     "unchecked (five sixths, as seen of GB10, which has one die, too)"},
    {Fact::L2Domains, 1, "one die"},
    {Fact::L2Partitions, 1, "unchecked (one die)"},
    {Fact::L2SectorBytes, 32, kSectors},
    {Fact::DispatchChunk, 1, "not applicable"},
    {Fact::DramGBps, 1792, kBlackwell},
    {Fact::TensorGflops, 209500,
     "NVIDIA RTX Blackwell GPU Architecture (white paper), appendix A: bf16 "
     "with f32 accumulation, dense"},
    {Fact::ClockMHz, 2407, kBlackwell},
    {Fact::SpecialPerClock, 16, kSixteen},
    {Fact::FmaPerClock, 128, kBlackwell},
    {Fact::L2GBps, 26188, kMostOfL2},
};

constexpr SourcedFact kH100Pcie[] = {
    {Fact::SMs, 114, kHopper},
    {Fact::MaxResidentCTAs, 32, kCudaSm},
    {Fact::MaxClusterCTAs, 8, kClusters},
    {Fact::MaxClusters, 12,
     "unchecked (114 SMs, of which 18 may be left over)"},
    {Fact::SmemPerSM, 228 << 10, kCudaMemory},
    {Fact::SmemPerBlock, 227 << 10, kCudaMemory},
    {Fact::RegistersPerSM, 64 << 10, kCudaMemory},
    {Fact::L2Bytes, 50 << 20, kHopper},
    {Fact::L2EffectiveBytes, 25 << 20,
     "two partitions replicate what both read: half, as measured on H200"},
    {Fact::L2Domains, 1, "CTAs cannot be placed on an L2 partition"},
    {Fact::L2Partitions, 2, kPartitions},
    {Fact::L2SectorBytes, 32, kSectors},
    {Fact::DispatchChunk, 1, "not applicable"},
    {Fact::DramGBps, 2000, "NVIDIA H100 data sheet, PCIe"},
    {Fact::TensorGflops, 756000,
     "NVIDIA H100 data sheet, PCIe: 1513 TFLOP/s with sparsity, half of it "
     "dense"},
    {Fact::ClockMHz, 1620,
     "that matrix rate, of 4096 operations a clock and SM (those of the SXM "
     "board)"},
    {Fact::SpecialPerClock, 16, kNapkin},
    {Fact::FmaPerClock, 128, kHopper},
    {Fact::L2GBps, 5440,
     "unchecked (that of the SXM board, by the number of SMs)"},
};

constexpr SourcedFact kH100[] = {
    {Fact::SMs, 132, kHopper},
    {Fact::MaxResidentCTAs, 32, kCudaSm},
    {Fact::MaxClusterCTAs, 8, kClusters},
    {Fact::MaxClusters, 15,
     "unchecked (that of an H200, which has as many SMs)"},
    {Fact::SmemPerSM, 228 << 10, kCudaMemory},
    {Fact::SmemPerBlock, 227 << 10, kCudaMemory},
    {Fact::RegistersPerSM, 64 << 10, kCudaMemory},
    {Fact::L2Bytes, 50 << 20, kHopper},
    {Fact::L2EffectiveBytes, 25 << 20,
     "two partitions replicate what both read: half, as measured on H200"},
    {Fact::L2Domains, 1, "CTAs cannot be placed on an L2 partition"},
    {Fact::L2Partitions, 2, kPartitions},
    {Fact::L2SectorBytes, 32, kSectors},
    {Fact::DispatchChunk, 1, "not applicable"},
    {Fact::DramGBps, 3350, kH100Sheet},
    {Fact::TensorGflops, 989000, kH100Matrix},
    {Fact::ClockMHz, 1830, kNapkin},
    {Fact::SpecialPerClock, 16, kNapkin},
    {Fact::FmaPerClock, 128, kHopper},
    {Fact::L2GBps, 6300, kL2Seen},
};

constexpr SourcedFact kH200Facts[] = {
    {Fact::SMs, 132, kMeasured},
    {Fact::MaxResidentCTAs, 32, kCudaSm},
    {Fact::MaxClusterCTAs, 8, kClusters},
    {Fact::MaxClusters, 15, kSlots},
    {Fact::SmemPerSM, 228 << 10, kCudaMemory},
    {Fact::SmemPerBlock, 227 << 10, kCudaMemory},
    {Fact::RegistersPerSM, 64 << 10, kCudaMemory},
    {Fact::L2Bytes, 60 << 20, kMeasured},
    {Fact::L2EffectiveBytes, 30 << 20,
     "half, since two partitions replicate what both read: DRAM traffic grows "
     "from 32 MiB of K and V on (measured on one H200, 2026-11)"},
    {Fact::L2Domains, 1, "CTAs cannot be placed on an L2 partition"},
    {Fact::L2Partitions, 2, kPartitions},
    {Fact::L2SectorBytes, 32, kSectors},
    {Fact::DispatchChunk, 1, "not applicable"},
    {Fact::DramGBps, 4800, kH200Sheet},
    {Fact::TensorGflops, 989000, kH200Matrix},
    {Fact::ClockMHz, 1830, kNapkin},
    {Fact::SpecialPerClock, 16, kNapkin},
    {Fact::FmaPerClock, 128, kHopper},
    {Fact::L2GBps, 6300, kL2Seen},
};

constexpr SourcedFact kMi300x[] = {
    {Fact::SMs, 304, kNuma},
    {Fact::MaxResidentCTAs, 16,
     "LLVM, AMDGPUBaseInfo.cpp, getMaxWorkGroupsPerCU: 16 barriers a CU"},
    {Fact::MaxClusterCTAs, 1, "gfx942 has none"},
    {Fact::MaxClusters, 304, "not applicable: CTAs"},
    {Fact::SmemPerSM, 64 << 10, kRocmSpecs},
    {Fact::SmemPerBlock, 64 << 10,
     "LLVM's AMDGPU back end: the limit of local memory of gfx942"},
    {Fact::RegistersPerSM, 128 << 10,
     "AMD ROCm documentation, AMD GPU specifications: MI300X, 512 KiB of "
     "VGPR"},
    {Fact::L2Bytes, 4 << 20, kNuma},
    {Fact::L2EffectiveBytes, 4 << 20, kNuma},
    {Fact::L2Domains, 8, kNuma},
    {Fact::L2Partitions, 1, "one L2 for each die"},
    {Fact::L2SectorBytes, 128,
     "AMD ROCm Compute Profiler, L2 cache (TCC): a line of MI300"},
    {Fact::DispatchChunk, 1,
     "Optimizing Attention on GPUs by Exploiting GPU Architectural NUMA "
     "Effects, section 2.2"},
    {Fact::DramGBps, 5300, kNuma},
    {Fact::TensorGflops, 1307400, kMi300},
    {Fact::ClockMHz, 2100,
     "AMD ROCm documentation, AMD Instinct MI300 series microarchitecture: "
     "1307.4 TFLOP/s are 2048 FLOP a clock of 304 CUs"},
    {Fact::SpecialPerClock, 16,
     "LLVM, SISchedule.td: transcendentals at a quarter of the rate of 64 "
     "lanes"},
    {Fact::FmaPerClock, 128,
     "AMD ROCm documentation, AMD Instinct MI300 series microarchitecture: "
     "vector FP32, 256 FLOP a clock and CU"},
    {Fact::L2GBps, 34400,
     "AMD CDNA 3 white paper, L2 cache: 2 KB a clock and XCD, up to 34.4 TB/s"},
};

constexpr char kRocmSpecsMi355[] =
    "AMD ROCm documentation, AMD GPU specifications: MI355X";
constexpr char kMi355Sheet[] = "unchecked (AMD Instinct MI355X data sheet)";

constexpr SourcedFact kMi355x[] = {
    {Fact::SMs, 256, kRocmSpecsMi355},
    {Fact::MaxResidentCTAs, 16,
     "LLVM, AMDGPUBaseInfo.cpp, getMaxWorkGroupsPerCU: 16 barriers a CU"},
    {Fact::MaxClusterCTAs, 1, "gfx950 has none"},
    {Fact::MaxClusters, 256, "not applicable: CTAs"},
    {Fact::SmemPerSM, 160 << 10, kRocmSpecsMi355},
    {Fact::SmemPerBlock, 160 << 10,
     "LLVM's AMDGPU back end: the limit of local memory of gfx950"},
    {Fact::RegistersPerSM, 128 << 10,
     "AMD ROCm documentation, AMD GPU specifications: MI355X, 512 KiB of "
     "VGPR"},
    {Fact::L2Bytes, 4 << 20, kRocmSpecsMi355},
    {Fact::L2EffectiveBytes, 4 << 20, "unchecked (all of it, as of MI300X)"},
    {Fact::L2Domains, 8,
     "AMD ROCm documentation, AMD GPU specifications: MI355X, 32 of 256 CUs "
     "an XCD"},
    {Fact::L2Partitions, 1, "one L2 for each die"},
    {Fact::L2SectorBytes, 128,
     "AMDGPU Kernel Optimization Guide (nod-ai), MI355X Cache Hierarchy: lines "
     "that are read"},
    {Fact::DispatchChunk, 1,
     "unchecked (as on MI300X: workgroups go to the dies in turn)"},
    {Fact::DramGBps, 8000,
     "AMDGPU Kernel Optimization Guide (nod-ai), MI355X Memory Bandwidth"},
    {Fact::TensorGflops, 2516600, kMi355Sheet},
    {Fact::ClockMHz, 2400,
     "rocminfo of an MI355X, Max Clock Freq. (ROCm/aiter, issue 4457); that "
     "matrix rate are 4096 FLOP a clock of 256 CUs"},
    {Fact::SpecialPerClock, 32,
     "unchecked (twice that of MI300X, said of CDNA 4; LLVM's schedule has "
     "16)"},
    {Fact::FmaPerClock, 128,
     "unchecked (as MI300X: vector FP32, 256 FLOP a clock and CU)"},
    {Fact::L2GBps, 39300,
     "unchecked (as MI300X: 2 KB a clock and XCD, at that clock)"},
};

constexpr StringRef kCpuCaps[] = {"cpu"};
constexpr StringRef kAmpereCaps[] = {"nvvm", "mma.sync", "ldmatrix",
                                     "cp.async"};
constexpr StringRef kAdaCaps[] = {"nvvm", "mma.sync", "mma.sync.f8", "ldmatrix",
                                  "cp.async"};
constexpr StringRef kGb10Caps[] = {"nvvm",        "mma.sync", "mma.sync.f8",
                                   "mma.sync.mx", "ldmatrix", "cp.async",
                                   "tma"};
constexpr StringRef kHopperCaps[] = {"nvvm",     "mma.sync", "mma.sync.f8",
                                     "ldmatrix", "cp.async", "tma",
                                     "wgmma",    "cluster",  "setmaxnreg"};
constexpr StringRef kMi300Caps[] = {
    "rocdl",         "mfma",    "buffer", "dpp", "resident-in-registers",
    "wave-priority", "fp8-fnuz"};
constexpr StringRef kMi355Caps[] = {"rocdl",
                                    "mfma",
                                    "buffer",
                                    "dpp",
                                    "resident-in-registers",
                                    "wave-priority",
                                    "bf16-convert",
                                    "mfma-deep",
                                    "lds-banks-64",
                                    "lds-transpose",
                                    "lds-loads-16",
                                    "fp8-ocp"};

const KnownTarget kTargets[] = {
    {"cpu", "host", "the host's CPU, which runs every schedule (the oracle)",
     kCpuCaps, kCpu},
    {"a100", "sm_80", "NVIDIA A100 SXM4, 80 GB", kAmpereCaps, kA100},
    {"rtx4090", "sm_89", "NVIDIA GeForce RTX 4090", kAdaCaps, kRtx4090},
    {"rtx5090", "sm_120a", "NVIDIA GeForce RTX 5090", kGb10Caps, kRtx5090},
    {"gb10", "sm_121a", "NVIDIA GB10 (DGX Spark)", kGb10Caps, kGb10},
    {"h100-pcie", "sm_90a", "NVIDIA H100 PCIe", kHopperCaps, kH100Pcie},
    {"h100", "sm_90a", "NVIDIA H100 SXM5", kHopperCaps, kH100},
    {"h200", "sm_90a", "NVIDIA H200 SXM5", kHopperCaps, kH200Facts},
    {"mi300x", "gfx942", "AMD Instinct MI300X, one partition", kMi300Caps,
     kMi300x},
    {"mi355x", "gfx950", "AMD Instinct MI355X, one partition", kMi355Caps,
     kMi355x},
};

} // namespace

StringRef factName(Fact fact) {
  return kFactInfos[static_cast<unsigned>(fact)].name;
}

StringRef describeFact(Fact fact) {
  return kFactInfos[static_cast<unsigned>(fact)].description;
}

std::string misfitOf(Fact fact, int64_t value) {
  const FactInfo &info = kFactInfos[static_cast<unsigned>(fact)];
  if (value < 1)
    return ("fact '" + info.name + "' expects at least 1, but got " +
            Twine(value))
        .str();
  if (value > info.maximum)
    return ("expected a fact '" + info.name + "' of at most " +
            Twine(info.maximum) + ", but got " + Twine(value))
        .str();
  return "";
}

std::optional<Fact> findFact(StringRef name) {
  for (unsigned i = 0; i < kNumFacts; ++i)
    if (kFactInfos[i].name == name)
      return static_cast<Fact>(i);
  return std::nullopt;
}

ArrayRef<KnownTarget> knownTargets() { return kTargets; }

const KnownTarget *findTarget(StringRef name) {
  const KnownTarget *it =
      find_if(kTargets, [&](const KnownTarget &t) { return t.name == name; });
  return it == std::end(kTargets) ? nullptr : it;
}

std::vector<StringRef> knownCapabilities() {
  std::vector<StringRef> names;
  for (const KnownTarget &target : kTargets)
    for (StringRef capability : target.capabilities)
      if (!is_contained(names, capability))
        names.push_back(capability);
  return names;
}

namespace {

/// Since when NVIDIA GPUs have it; PTX ISA, "Target ISA Notes" of mma,
/// ldmatrix, cp.async, cp.async.bulk.tensor, wgmma, setmaxnreg and
/// barrier.cluster.
struct ArchRule {
  StringRef capability;
  unsigned least;
  /// Of this architecture alone (0: no), and only with its own features ("a").
  unsigned only;
  bool specific;
};

constexpr ArchRule kArchRules[] = {
    {"mma.sync", 80, 0, false},    {"mma.sync.f8", 89, 0, false},
    {"mma.sync.mx", 120, 0, true}, {"ldmatrix", 75, 0, false},
    {"cp.async", 80, 0, false},    {"tma", 90, 0, false},
    {"cluster", 90, 0, false},     {"wgmma", 90, 90, true},
    {"setmaxnreg", 90, 0, true}};

} // namespace

std::string wantedArch(StringRef arch, StringRef capability) {
  // Of AMD GPUs; AMD CDNA 4 ISA, "Matrix Arithmetic Instructions" and "Data
  // Share".
  constexpr StringRef kCdna3 = "gfx942", kCdna4 = "gfx950";
  if (capability == "fp8-fnuz")
    return arch == kCdna3 ? "" : kCdna3.str();
  if (capability == "mfma-deep" || capability == "lds-transpose" ||
      capability == "lds-loads-16" || capability == "fp8-ocp")
    return arch == kCdna4 ? "" : kCdna4.str();
  const ArchRule *rule = find_if(kArchRules, [&](const ArchRule &r) {
    return r.capability == capability;
  });
  if (rule == std::end(kArchRules))
    return "";
  StringRef digits = arch;
  unsigned number = 0;
  bool parsed = digits.consume_front("sm_") &&
                !digits.consumeInteger(10, number) &&
                (digits.empty() || digits == "a" || digits == "f");
  if (parsed && number >= rule->least &&
      (!rule->only || number == rule->only) &&
      (!rule->specific || !digits.empty()))
    return "";
  std::string wanted = "sm_" + std::to_string(rule->least);
  if (rule->only)
    return wanted + "a";
  return wanted + (rule->specific ? "a" : "") + " or newer";
}

std::string didYouMean(StringRef name, ArrayRef<StringRef> candidates) {
  unsigned best = std::max<unsigned>(2, name.size() / 3) + 1;
  StringRef nearest;
  for (StringRef candidate : candidates) {
    unsigned distance = name.edit_distance_insensitive(candidate);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  if (nearest.empty())
    return "";
  return (Twine("; did you mean '") + nearest + "'?").str();
}

void printTargets(raw_ostream &os) {
  for (const KnownTarget &target : kTargets) {
    os << target.name << " (" << target.arch << "): " << target.summary
       << "\n  capabilities: ";
    interleaveComma(target.capabilities, os);
    os << "\n";
    for (const SourcedFact &fact : target.facts)
      os << "  " << left_justify(factName(fact.fact), 20) << " "
         << format("%12lld", static_cast<long long>(fact.value)) << "  ["
         << fact.source << "]\n";
  }
}

} // namespace attn
