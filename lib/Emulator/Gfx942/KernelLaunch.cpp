//===- KernelLaunch.cpp - One launch: registers set up, waves scheduled ---===//
//
// Initial register state: LLVM's "User Guide for AMDGPU Backend", section
// "Initial Kernel Execution State".
//
//===----------------------------------------------------------------------===//

#include "KernelLaunch.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/MathExtras.h"

using namespace attn::gfx942;
using namespace llvm;

namespace {

constexpr uint32_t kMaxWorkItems = 1024;
constexpr unsigned kSimds = 4, kRegistersOfSimd = 512;

uint64_t volume(Dim3 d) { return uint64_t(d.x) * d.y * d.z; }

Dim3 pointOf(uint64_t linear, Dim3 size) {
  return {uint32_t(linear % size.x), uint32_t(linear / size.x % size.y),
          uint32_t(linear / size.x / size.y)};
}

bool hasProperty(const KernelInfo &kernel, unsigned mask) {
  return kernel.properties & mask;
}

} // namespace

Launch::Launch(GlobalMemory &memory, const CodeObject &object,
               const KernelInfo &kernel, const Program &program,
               const LaunchOptions &options)
    : memory(memory), kernel(kernel), program(program), options(options),
      object(object), random(options.seed) {}

Launch::~Launch() {
  for (uint64_t address : {codeAddress, kernargAddress, packetAddress})
    if (address)
      cantFail(memory.release(address));
}

Error Launch::check(Dim3 grid, Dim3 block, ArrayRef<uint8_t> kernargs,
                    uint32_t dynamicLds) const {
  uint64_t items = volume(block);
  if (volume(grid) == 0 || items == 0)
    return createStringError("an empty grid or block");
  if (items > kMaxWorkItems)
    return createStringError("a workgroup has at most " + Twine(kMaxWorkItems) +
                             " work-items, but got " + Twine(items));
  const uint64_t dispatched[] = {uint64_t(grid.x) * block.x,
                                 uint64_t(grid.y) * block.y,
                                 uint64_t(grid.z) * block.z};
  for (uint64_t all : dispatched)
    if (!isUInt<32>(all))
      return createStringError("a dispatch has fewer than 2^32 work-items a "
                               "dimension, but got " +
                               Twine(all));
  uint64_t lds = uint64_t(kernel.ldsBytes) + dynamicLds;
  uint32_t most = infoOf(object.arch()).ldsBytes;
  if (lds > most)
    return createStringError("a workgroup has at most " + Twine(most) +
                             " bytes of LDS, but got " + Twine(lds));
  unsigned wavesOfSimd = divideCeil(divideCeil(items, kLanes), kSimds);
  if (wavesOfSimd * kernel.vectorRegisters() > kRegistersOfSimd)
    return createStringError(Twine(wavesOfSimd) + " waves of a SIMD with " +
                             Twine(kernel.vectorRegisters()) +
                             " vector registers each do not fit " +
                             Twine(kRegistersOfSimd));
  uint64_t wanted = 0;
  for (const KernelArgument &arg : kernel.arguments)
    if (!arg.hidden())
      wanted = std::max<uint64_t>(wanted, uint64_t(arg.offset) + arg.size);
  if (kernargs.size() < wanted)
    return createStringError("expected " + Twine(wanted) +
                             " bytes of kernel arguments, but got " +
                             Twine(kernargs.size()));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory that a launch brings along
//===----------------------------------------------------------------------===//

template <typename T>
static void put(std::vector<uint8_t> &bytes, size_t offset, T value) {
  if (bytes.size() < offset + sizeof(T))
    bytes.resize(offset + sizeof(T));
  std::memcpy(bytes.data() + offset, &value, sizeof(T));
}

/// The value of a hidden argument, where the emulator has one.
static std::optional<uint64_t> hiddenValue(StringRef kind, Dim3 grid,
                                           Dim3 block, uint32_t dynamicLds) {
  const uint32_t counts[3] = {grid.x, grid.y, grid.z};
  const uint32_t sizes[3] = {block.x, block.y, block.z};
  if (kind == "hidden_grid_dims")
    return grid.z > 1 ? 3 : grid.y > 1 ? 2 : 1;
  if (kind == "hidden_dynamic_lds_size")
    return dynamicLds;
  if (kind.starts_with("hidden_remainder_") ||
      kind.starts_with("hidden_global_offset_"))
    return 0;
  if (kind.starts_with("hidden_block_count_"))
    return counts[kind.back() - 'x'];
  if (kind.starts_with("hidden_group_size_"))
    return sizes[kind.back() - 'x'];
  return std::nullopt;
}

void Launch::placeKernargs(ArrayRef<uint8_t> explicitArgs,
                           uint32_t dynamicLds) {
  kernargBytes.assign(explicitArgs.begin(), explicitArgs.end());
  // A runtime pads the segment to its alignment, and LLVM widens loads up to
  // there.
  constexpr uint64_t kAlignment = 64;
  uint64_t size = std::max<uint64_t>(kernel.kernargBytes, kernargBytes.size());
  size = alignTo(std::max<uint64_t>(size, 1), kAlignment);
  while (kernargBytes.size() < size)
    kernargBytes.push_back(uint8_t(kPoison >> (8 * (kernargBytes.size() % 4))));
  for (const KernelArgument &arg : kernel.arguments) {
    if (!arg.hidden())
      continue;
    auto value = hiddenValue(arg.valueKind, gridSize, blockSize, dynamicLds);
    if (!value)
      continue;
    for (uint32_t i = 0; i < std::min(arg.size, 8u); ++i)
      put(kernargBytes, arg.offset + i, uint8_t(*value >> (8 * i)));
  }
  kernargAddress = memory.allocate(kernargBytes.size(), "kernel arguments",
                                   /*readOnly=*/true);
  cantFail(memory.write(kernargAddress, kernargBytes));
}

/// hsa_kernel_dispatch_packet_t.
void Launch::placeDispatchPacket(uint32_t ldsBytes) {
  std::vector<uint8_t> packet(64, 0);
  put<uint16_t>(packet, 2, 3); // dimensions
  put<uint16_t>(packet, 4, blockSize.x);
  put<uint16_t>(packet, 6, blockSize.y);
  put<uint16_t>(packet, 8, blockSize.z);
  put<uint32_t>(packet, 12, gridSize.x * blockSize.x);
  put<uint32_t>(packet, 16, gridSize.y * blockSize.y);
  put<uint32_t>(packet, 20, gridSize.z * blockSize.z);
  put<uint32_t>(packet, 24, kernel.scratchBytes);
  put<uint32_t>(packet, 28, ldsBytes);
  put<uint64_t>(packet, 40, kernargAddress);
  packetAddress = memory.allocate(packet.size(), "dispatch packet",
                                  /*readOnly=*/true);
  cantFail(memory.write(packetAddress, packet));
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

void Launch::setUpScalars(Wave &wave) {
  wave.s.fill(kPoison);
  unsigned next = 0;
  auto pair = [&](unsigned property, uint64_t value, unsigned count = 2) {
    if (!hasProperty(kernel, property))
      return;
    if (value)
      wave.setS64At(next, value);
    next += count;
  };
  // In the order of the descriptor's bits; what the emulator has no value for
  // stays poisoned.
  pair(amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER, 0, 4);
  pair(amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_PTR, packetAddress);
  pair(amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_QUEUE_PTR, 0);
  pair(amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_KERNARG_SEGMENT_PTR,
       kernargAddress);
  pair(amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_DISPATCH_ID, 0);
  pair(amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_FLAT_SCRATCH_INIT, 0);
  pair(amdhsa::KERNEL_CODE_PROPERTY_ENABLE_SGPR_PRIVATE_SEGMENT_SIZE, 0, 1);
  unsigned preloaded =
      AMDHSA_BITS_GET(kernel.preload, amdhsa::KERNARG_PRELOAD_SPEC_LENGTH);
  unsigned from =
      AMDHSA_BITS_GET(kernel.preload, amdhsa::KERNARG_PRELOAD_SPEC_OFFSET);
  for (unsigned i = 0; i < preloaded; ++i, ++next)
    if (4 * (from + i) + 4 <= kernargBytes.size())
      std::memcpy(&wave.s[next], &kernargBytes[4 * (from + i)], 4);
  next = AMDHSA_BITS_GET(kernel.rsrc2,
                         amdhsa::COMPUTE_PGM_RSRC2_GFX6_GFX120_USER_SGPR_COUNT);
  const uint32_t ids[3] = {group.id.x, group.id.y, group.id.z};
  const unsigned enabled[3] = {
      amdhsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_X,
      amdhsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Y,
      amdhsa::COMPUTE_PGM_RSRC2_ENABLE_SGPR_WORKGROUP_ID_Z};
  for (unsigned i = 0; i < 3; ++i)
    if (kernel.rsrc2 & enabled[i])
      wave.s[next++] = ids[i];
}

void Launch::setUpVectors(Wave &wave) {
  for (LaneArray &reg : wave.v)
    reg.fill(kPoison);
  uint64_t items = volume(blockSize), exec = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    uint64_t item = uint64_t(wave.index) * kLanes + lane;
    if (item >= items)
      break;
    exec |= uint64_t(1) << lane;
    // gfx90a and later: the three ids packed in v0.
    Dim3 id = pointOf(item, blockSize);
    wave.v[0][lane] = id.x | id.y << 10 | id.z << 20;
  }
  wave.setS64At(kExec, exec);
}

void Launch::setUp(Wave &wave) {
  setUpScalars(wave);
  setUpVectors(wave);
  // MODE: rounding and denormals of both formats, DX10_CLAMP, IEEE.
  wave.mode = (kernel.rsrc1 >> 12 & 0xff) | (kernel.rsrc1 >> 21 & 1) << 8 |
              (kernel.rsrc1 >> 23 & 1) << 9;
  wave.sccBit = false;
  wave.state = WaveState::Running;
  wave.epoch = 0;
  wave.pc = program.entry;
  // Code compiled to preload arguments starts with 256 bytes for old firmware.
  if (AMDHSA_BITS_GET(kernel.preload, amdhsa::KERNARG_PRELOAD_SPEC_LENGTH)) {
    auto it = program.indexOf.find(kernel.entry + 256);
    if (it != program.indexOf.end())
      wave.pc = it->second;
  }
  wave.scratch.assign(size_t(kernel.scratchBytes) * kLanes, 0x7f);
  wave.setCurrent(nullptr);
  if (wave.mode & 0xf)
    wave.fail("the emulator has no rounding mode but to nearest even");
  if ((wave.mode >> 6 & 3) != 3)
    wave.fail("the emulator does not flush denormals of f16 and f64");
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

Wave *Launch::pick() {
  SmallVector<Wave *, 16> running;
  for (auto &wave : waves)
    if (wave->state == WaveState::Running)
      running.push_back(wave.get());
  if (running.empty())
    return nullptr;
  switch (options.interleaving) {
  case Interleaving::Forward:
    return running.front();
  case Interleaving::Reverse:
    return running.back();
  case Interleaving::Random:
    return running[random() % running.size()];
  }
  return nullptr;
}

void Launch::releaseBarrier() {
  // A wave that has ended no longer counts at a barrier.
  for (auto &wave : waves)
    if (wave->state == WaveState::AtBarrier) {
      wave->state = WaveState::Running;
      ++wave->epoch;
    }
}

void Launch::runWorkgroup(Dim3 id, uint32_t ldsBytes) {
  group.id = id;
  group.lds.reset(ldsBytes, waves.size());
  for (auto &wave : waves) {
    setUp(*wave);
    if (options.beforeWave)
      options.beforeWave(*wave);
  }
  bool ended = false;
  while (!ended && group.error.empty()) {
    if (Wave *wave = pick()) {
      bool quantum = options.interleaving == Interleaving::Random;
      uint64_t budget = quantum ? 1 + random() % 24 : options.maxInstructions;
      budget = std::min(budget, options.maxInstructions - executed);
      bool trace = options.traceWave == wave->index && id.x + id.y + id.z == 0;
      executed += wave->run(budget, trace);
      if (executed >= options.maxInstructions)
        wave->fail("the launch ran " + Twine(executed) +
                   " wave instructions without an end");
      continue;
    }
    ended = all_of(waves, [](auto &w) { return w->state == WaveState::Ended; });
    releaseBarrier();
  }
  if (options.afterWave && group.error.empty())
    for (auto &wave : waves)
      options.afterWave(*wave);
}

Expected<Counters> Launch::run(Dim3 grid, Dim3 block,
                               ArrayRef<uint8_t> kernargs,
                               uint32_t dynamicLds) {
  if (Error e = check(grid, block, kernargs, dynamicLds))
    return std::move(e);
  gridSize = grid;
  blockSize = block;
  uint32_t ldsBytes = kernel.ldsBytes + dynamicLds;
  placeKernargs(kernargs, dynamicLds);
  placeDispatchPacket(ldsBytes);
  codeAddress = memory.allocate(object.image().size(), "code object",
                                /*readOnly=*/true);
  cantFail(memory.write(codeAddress, object.image()));
  group.arch = object.arch();
  group.program = &program;
  group.counters.barrierExecutions.resize(program.barriers);
  group.memory = &memory;
  group.codeBase = codeAddress;
  group.scratchBytes = kernel.scratchBytes;
  for (unsigned i = 0, e = divideCeil(volume(block), kLanes); i < e; ++i)
    waves.push_back(std::make_unique<Wave>(group, i));

  uint64_t workgroups = volume(grid);
  std::vector<uint64_t> order(workgroups);
  for (uint64_t i = 0; i < workgroups; ++i)
    order[i] = i;
  if (options.interleaving == Interleaving::Reverse)
    std::reverse(order.begin(), order.end());
  if (options.interleaving == Interleaving::Random)
    std::shuffle(order.begin(), order.end(), random);
  for (uint64_t linear : order) {
    runWorkgroup(pointOf(linear, grid), ldsBytes);
    if (!group.error.empty())
      return createStringError(group.error);
  }
  group.counters.workgroups = workgroups;
  group.counters.waves = workgroups * waves.size();
  return group.counters;
}
