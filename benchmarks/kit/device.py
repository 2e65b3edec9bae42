"""Facts of the device: what driver and PyTorch say, and two rates that are measured."""

import ctypes
import platform
import shutil
import subprocess
import time
from ctypes import c_char, c_int32, c_int64

from kernels import ROOT  # noqa: F401  (puts the other folders on the path)

import harness
from common import median

COPY_BYTES = 1 << 30
MATMUL = 8192
NVIDIA_SMI = ["name", "driver_version", "clocks.max.sm", "clocks.max.mem", "power.limit", "ecc.mode.current"]


class Facts(ctypes.Structure):
    """AttnDeviceFacts (include/attn-mlir-c/Launcher.h)."""

    _fields_ = [
        ("name", c_char * 128), ("arch", c_char * 32),
        *((name, c_int64) for name in (
            "sms", "max_resident_ctas", "smem_per_sm", "smem_per_block", "registers_per_sm", "l2_bytes",
            "dram_gbps",
        )),
    ]


def ask_launcher(package, kind):
    """What `--target=native` asks the driver, or why it does not say."""
    facts = Facts()
    library = package._library.library()
    ask = library.attnDeviceFacts
    ask.restype, ask.argtypes = c_int32, [ctypes.c_char_p, c_int32, ctypes.POINTER(Facts)]
    try:
        package._library.check(ask(kind.encode(), 0, ctypes.byref(facts)))
    except package.Error as error:
        return {"error": str(error)}
    values = {name: getattr(facts, name) for name, _ in Facts._fields_}
    return {n: v.decode(errors="replace") if isinstance(v, bytes) else v for n, v in values.items()}


def ask_torch(torch):
    properties = torch.cuda.get_device_properties(0)
    names = ("name", "major", "minor", "gcnArchName", "multi_processor_count", "L2_cache_size",
             "total_memory", "shared_memory_per_block_optin", "shared_memory_per_multiprocessor",
             "regs_per_multiprocessor", "max_threads_per_multi_processor", "warp_size",
             "clock_rate", "memory_clock_rate", "memory_bus_width")
    return {n: getattr(properties, n) for n in names if hasattr(properties, n)}


def ask_smi(fields):
    """What nvidia-smi says of the first GPU, or why it does not."""
    if not shutil.which("nvidia-smi"):
        return {"error": "there is no nvidia-smi"}
    try:
        done = subprocess.run(
            ["nvidia-smi", "-i", "0", "--query-gpu=" + ",".join(fields), "--format=csv,noheader,nounits"],
            capture_output=True, text=True, timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return {"error": str(error)}
    values = [v.strip() for v in done.stdout.strip().split(",")]
    if done.returncode or len(values) != len(fields):
        return {"error": (done.stderr or done.stdout).strip()[:300]}
    return dict(zip(fields, values))


def milliseconds(torch, call, rounds=10):
    for _ in range(3):
        call()
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end))
    return median(times)


def copy_gbps(torch):
    """Bytes read and written by a copy within memory, a nanosecond."""
    free, _ = torch.cuda.mem_get_info()
    size = min(COPY_BYTES, free // 4)
    source = torch.empty(size, dtype=torch.uint8, device="cuda").zero_()
    target = torch.empty_like(source)
    return 2 * size / milliseconds(torch, lambda: target.copy_(source)) * 1e-6


def matmul_gflops(torch):
    """bf16, square; and the clock that nvidia-smi sees meanwhile."""
    a, b = (torch.randn(MATMUL, MATMUL, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    rate = 2 * MATMUL**3 / milliseconds(torch, lambda: a @ b) * 1e-6
    for _ in range(40):
        a @ b
    clock = ask_smi(["clocks.sm"])
    torch.cuda.synchronize()
    return rate, clock.get("clocks.sm", clock.get("error"))


def guarded(record, name, call):
    """A failure is a line in the record."""
    try:
        record[name] = call()
    except Exception as error:
        record[name] = {"error": " ".join(f"{type(error).__name__}: {error}".split())[:300]}


def describe(arguments, plan):
    torch, package = harness.require_gpu(strict=True)
    kind = "hip" if torch.version.hip else "cuda"
    record = {
        "date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()),
        "host": {"system": platform.system(), "machine": platform.machine(), "python": platform.python_version()},
        "torch": str(torch.__version__), "cuda": torch.version.cuda, "hip": torch.version.hip,
    }
    guarded(record, "properties", lambda: ask_torch(torch))
    guarded(record, "launcher", lambda: ask_launcher(package, kind))
    guarded(record, "smi", lambda: ask_smi(NVIDIA_SMI))
    guarded(record, "copy_gbps", lambda: copy_gbps(torch))

    def matmul():
        record["matmul_gflops"], record["clock_mhz_under_load"] = matmul_gflops(torch)
        return MATMUL

    guarded(record, "matmul_size", matmul)
    return record
