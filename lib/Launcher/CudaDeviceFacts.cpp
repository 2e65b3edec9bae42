//===- CudaDeviceFacts.cpp - What the CUDA driver says of a device --------===//

#include "DeviceFacts.h"
#include "Driver.h"
#include "Failure.h"

using namespace attn;
using namespace attn::cuda;

AttnDeviceFacts attn::cudaDeviceFacts(int ordinal) {
  const Driver &cuda = driver();
  if (!cuda.deviceGet || !cuda.deviceGetName || !cuda.deviceGetAttribute)
    fail(ATTN_ERROR_DRIVER,
         "the CUDA driver has no cuDeviceGet, cuDeviceGetName or "
         "cuDeviceGetAttribute");
  std::string doing = "for device " + std::to_string(ordinal);
  Device device = 0;
  cuda.check(cuda.deviceGet(&device, ordinal), "cuDeviceGet", doing);
  auto ask = [&](int attribute) {
    int value = 0;
    cuda.check(cuda.deviceGetAttribute(&value, attribute, device),
               "cuDeviceGetAttribute", doing);
    return int64_t(value);
  };
  AttnDeviceFacts facts = {};
  cuda.check(cuda.deviceGetName(facts.name, sizeof(facts.name) - 1, device),
             "cuDeviceGetName", doing);
  setText(facts.arch, "sm_" + std::to_string(ask(kDeviceCapabilityMajor)) +
                          std::to_string(ask(kDeviceCapabilityMinor)));
  facts.sms = ask(kDeviceMultiprocessorCount);
  facts.max_resident_ctas = ask(kDeviceBlocksPerMultiprocessor);
  facts.smem_per_sm = ask(kDeviceSharedPerMultiprocessor);
  facts.smem_per_block = ask(kDeviceSharedPerBlockOptin);
  facts.registers_per_sm = ask(kDeviceRegistersPerMultiprocessor);
  facts.l2_bytes = ask(kDeviceL2CacheSize);
  // Both edges of the clock, a bus of so many bits.
  facts.dram_gbps = 2 * ask(kDeviceMemoryClockRate) *
                    (ask(kDeviceMemoryBusWidth) / 8) / 1000000;
  return facts;
}
