#!/usr/bin/env python3
"""What a launch takes of energy where each kernel runs by itself without a pause: a chip at its power limit is as fast as its kernels are frugal.

    flex.py compile && energy.py run     on a GPU: attention with a bias, without one, FlexAttention with it, and a copy of the bias

bf16, 4 heads, one sequence, full. Time and clock are those of a second (`--seconds`) behind a third of one; energy is that of NVML's counter, of the whole
board, which is renewed some ten times a second, so that watts may be off by 5 %.
"""

import ctypes
import sys

import flex
from clocks import Clocks
from common import harness, markdown
from regions import Sizes


class Meter:
    """Millijoules that a board has taken since its driver was loaded (`nvmlDeviceGetTotalEnergyConsumption`), and its limit."""

    def __init__(self, torch):
        self._nvml = ctypes.CDLL("libnvidia-ml.so.1")
        self._call("nvmlInit_v2")
        properties = torch.cuda.get_device_properties(torch.cuda.current_device())
        name = "{:08x}:{:02x}:{:02x}.0".format(properties.pci_domain_id, properties.pci_bus_id, properties.pci_device_id).encode()
        self._device = ctypes.c_void_p()
        self._call("nvmlDeviceGetHandleByPciBusId_v2", name, ctypes.byref(self._device))

    def _call(self, name, *arguments):
        code = getattr(self._nvml, name)(*arguments)
        if code != 0:
            raise OSError(f"{name}: NVML answers {code}")

    def millijoules(self):
        found = ctypes.c_ulonglong()
        self._call("nvmlDeviceGetTotalEnergyConsumption", self._device, ctypes.byref(found))
        return found.value

    def limit(self):
        """In watts."""
        found = ctypes.c_uint()
        self._call("nvmlDeviceGetEnforcedPowerLimit", self._device, ctypes.byref(found))
        return found.value / 1e3


def of_launch(torch, call, meter, clocks, seconds):
    """Milliseconds, GHz, watts and millijoules of a launch among many."""
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def run(count):
        begin.record()
        for _ in range(count):
            call()
        end.record()
        torch.cuda.synchronize()
        return begin.elapsed_time(end)

    run(3)
    count = max(1, int(seconds * 1e3 / (run(10) / 10)))
    run(count // 3 + 1)
    energy, cycles = meter.millijoules(), clocks.record()
    passed = run(count)
    energy, cycles = meter.millijoules() - energy, clocks.between(cycles, clocks.record())
    return passed / count, cycles / passed / 1e6, energy / passed, energy / count


def calls_of(torch, attn_mlir, dim, length, generator, strict):
    """What is timed, by its name."""
    region = flex.cases.regions()["bias"]
    sizes = Sizes(1, flex.BIAS_HEADS, length, length)
    q, k, v = (flex.cases.normal(torch, generator, 1, flex.BIAS_HEADS, length, dim, dtype=torch.bfloat16) for _ in range(3))
    values = region.make(torch, generator, sizes)
    out, copy = torch.empty_like(q), torch.empty_like(values[0])
    bundle = flex.directory(region, dim, "default")
    if not (bundle / "manifest.json").is_file():
        harness.skip(f"no {bundle}, which `flex.py compile` makes", strict)
    kernel = attn_mlir.load(str(bundle))
    peer = flex.flex(torch, region, values, sizes)
    return {
        "a bias": lambda: harness.launch(kernel, [q, k, v, *values], [out]),
        "no bias": lambda: attn_mlir.attention(q, k, v),
        "no bias, PyTorch": lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v),
        "a bias, FlexAttention": lambda: peer(q, k, v),
        "the bias copied": lambda: copy.copy_(values[0]),
    }


def main():
    parser = harness.new_parser(__doc__)
    runner = parser.add_subparsers(dest="half", required=True).add_parser("run")
    harness.add_run_arguments(runner)
    runner.add_argument("--dims", type=int, nargs="+", default=(128,))
    runner.add_argument("--lengths", type=int, nargs="+", default=(16384,))
    runner.add_argument("--seconds", type=float, default=1)
    arguments = parser.parse_args()
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    generator = torch.Generator(device="cuda").manual_seed(1)
    meter, clocks = Meter(torch), Clocks(torch)
    rows = []
    for dim in arguments.dims:
        for length in arguments.lengths:
            for name, call in calls_of(torch, attn_mlir, dim, length, generator, arguments.strict).items():
                ms, clock, watts, energy = of_launch(torch, call, meter, clocks, arguments.seconds)
                rows.append([f"D {dim} S {length}: {name}", f"{ms:.3f}", f"{clock:.2f}", f"{watts:.0f}", f"{energy:.0f}"])
    print(f"{harness.describe_device(torch)}, {meter.limit():.0f} W")
    print(markdown(["", "ms", "GHz", "W", "mJ"], rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
