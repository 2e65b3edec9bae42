import os
import shutil
import subprocess
import sys

# Workers of lit import what tests refer to: this file's folder is not on their path.
sys.path.insert(0, os.path.dirname(__file__))
from timed_format import TimedShTest

sys.path.append(os.path.join(os.path.dirname(__file__), os.pardir, "benchmarks"))
from sass import find_disassembler

config.name = "attn-mlir"
config.test_format = TimedShTest(
    os.path.join(config.attn_binary_dir, "times", "tests"), execute_external=True
)
config.suffixes = [".mlir", ".td", ".test"]
config.excludes = ["Inputs", "lib", "Regressions"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.attn_binary_dir, "test")

tools = [
    os.path.join(config.attn_binary_dir, *parts)
    for parts in (
        ("tools", "attn-opt"),
        ("tools", "attn-compile"),
        ("tools", "attn-emulate"),
        ("tools", "attn-tblgen"),
        ("test", "lib"),
        ("test", "Compiler"),
        ("test", "Emulator", "Unit"),
        ("test", "Host"),
    )
]
python = f'"{sys.executable}"'
if config.asan_runtime:
    # Only launcher and emulator are built with sanitizers (utils/sanitize.sh); another
    # build compiles. Python is neither, so it loads the runtime first, and its own memory
    # is not looked through.
    tools.append(lit_config.params["compiler"])
    config.environment["ASAN_OPTIONS"] = "detect_container_overflow=0:allow_user_poisoning=0"
    config.environment["UBSAN_OPTIONS"] = "print_stacktrace=1"
    preload = f'LD_PRELOAD="{config.asan_runtime}" ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0'
    python = f"env {preload} {python}"
config.environment["PATH"] = os.pathsep.join(
    tools + [config.llvm_tools_dir, os.environ.get("PATH", "")]
)
config.substitutions += [
    ("%lit", f'"{sys.executable}" "{os.path.realpath(sys.argv[0])}"'),
    ("%python", python),
    ("%examples", os.path.join(config.attn_source_dir, "examples")),
    ("%source", config.attn_source_dir),
    ("%llvm_tools", config.llvm_tools_dir),
    ("%build", config.attn_binary_dir),
    ("%cmake", config.cmake),
    ("%ctest", os.path.join(os.path.dirname(config.cmake), "ctest")),
    ("%cxx", config.cxx),
    ("%mlir_dir", config.mlir_dir),
    ("%plugin", os.path.join(config.attn_binary_dir, "tools", "attn-plugin", "AttnMLIRPlugin.so")),
]

# Tests that assemble machine code run where attn-compile finds ptxas (the same
# places), and must run where ATTN_REQUIRE_PTXAS=1 says so.
for variable in ("CUDA_HOME", "CUDA_PATH", "ATTN_REQUIRE_PTXAS"):
    if os.environ.get(variable):
        config.environment[variable] = os.environ[variable]
places = [os.path.join(os.environ.get(v, ""), "bin") for v in ("CUDA_HOME", "CUDA_PATH")]
places += [os.environ.get("PATH", ""), "/usr/local/cuda/bin"]
if shutil.which("ptxas", path=os.pathsep.join(places)) or (
    os.environ.get("ATTN_REQUIRE_PTXAS") == "1"
):
    config.available_features.add("ptxas")

# Its code is looked at where nvdisasm or cuobjdump is found, in a Triton if nowhere else.
disassembler = find_disassembler()
if disassembler:
    config.available_features.add("nvdisasm")
    config.substitutions.append(("%disassembler", disassembler[0]))

# Wheels are built by the environment that utils/wheels.sh makes, and must be where
# ATTN_REQUIRE_WHEELS=1 says so.
if os.environ.get("ATTN_REQUIRE_WHEELS"):
    config.environment["ATTN_REQUIRE_WHEELS"] = os.environ["ATTN_REQUIRE_WHEELS"]
wheel_tools = os.path.join(config.attn_source_dir, "build-wheel-env", "bin")
if os.path.exists(os.path.join(wheel_tools, "auditwheel")) or (
    os.environ.get("ATTN_REQUIRE_WHEELS") == "1"
):
    config.available_features.add("wheels")
    config.substitutions.append(("%pip_python", os.path.join(wheel_tools, "python")))

# Triton is no dependency: a Python that has it, if any.
for python in (os.environ.get("ATTN_TRITON_PYTHON"), sys.executable):
    if python and not subprocess.run(
        [python, "-c", "import importlib.util as u, sys; sys.exit(not u.find_spec('triton'))"]
    ).returncode:
        config.available_features.add("triton")
        config.substitutions.append(("%triton_python", f'"{python}"'))
        break

# Nor are torch and NumPy, and what has attention of ours in it: a Python that has them, if any; it must have the first two
# where ATTN_REQUIRE_TORCH=1 says so.
for package in ("torch", "numpy", "transformers", "jax"):
    is_required = package in ("torch", "numpy") and os.environ.get("ATTN_REQUIRE_TORCH") == "1"
    for python in (os.environ.get("ATTN_TORCH_PYTHON"), sys.executable):
        if python and not subprocess.run(
            [python, "-c", f"import importlib.util as u, sys; sys.exit(not u.find_spec('{package}'))"]
        ).returncode or is_required:
            config.available_features.add(package)
            config.substitutions.append((f"%{package}_python", f'"{python or sys.executable}"'))
            break

# Kernels for the emulator of gfx942 are compiled by LLVM's own clang and lld.
if all(shutil.which(tool, path=config.llvm_tools_dir) for tool in ("clang", "ld.lld")):
    config.available_features.add("clang")

# What takes longer than CI has time for: `lit --param full=1`, `utils/test.sh --full`.
# Whole tests say `REQUIRES: full`, counts `%if full %{64%} %else %{16%}`.
if lit_config.params.get("full", "0") not in ("", "0"):
    config.available_features.add("full")
