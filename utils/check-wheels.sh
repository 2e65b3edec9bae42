#!/usr/bin/env bash
# Builds the wheels, installs them where there is neither LLVM nor CUDA to find, and
# uses them: the commands, code for every known GPU, a run on the CPU, Python.
#
# Says SKIPPED where wheels cannot be built, which ATTN_REQUIRE_WHEELS=1 makes a failure.
#
# usage: utils/check-wheels.sh [DIR]   (DIR: wheels that are there, else they are built)
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "error: $*" >&2
  exit 1
}

skip() {
  [[ ${ATTN_REQUIRE_WHEELS:-} != 1 ]] || fail "$* (ATTN_REQUIRE_WHEELS=1)"
  echo "SKIPPED: the wheels: $*"
  exit 0
}

dist=${1:-}
if [[ -z $dist ]]; then
  for tool in clang++-22 ld.lld-22 ninja cmake; do
    command -v "$tool" >/dev/null || skip "no $tool here"
  done
  utils/wheels.sh --environment >"$scratch/log" 2>&1 ||
    skip "pip cannot install what builds them: $(tail -n 1 "$scratch/log")"
  dist=$scratch/dist
  utils/wheels.sh "$dist"
fi

# What a user has: a new environment, and little on the path. For our wheels the index of
# packages is not asked: they need nothing else.
python3 -m venv "$scratch/env"
clean() {
  (cd "$scratch" && env -i HOME="$scratch" PATH="$scratch/env/bin:/usr/bin:/bin" "$@")
}
clean pip install --quiet --disable-pip-version-check --no-index --find-links "$(realpath "$dist")" attn-mlir
clean pip uninstall --quiet --yes setuptools
cp examples/llama3-8b-prefill.mlir "$scratch/prefill.mlir"

clean attn-opt --version
# Not even the C++ library comes from the system, but libgcc's unwinder does.
library=$(clean python -c 'import attn_mlir_compiler; print(attn_mlir_compiler.library_path())')
needed=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
for name in $needed; do
  [[ $name =~ ^(libc|libm|libdl|libpthread|librt|libgcc_s|ld-linux-.*)\.so\.[0-9]+$ ]] ||
    fail "expected the library to need the C library alone, but it needs $name"
done

# targets PATTERN: the names of the known targets whose architecture is like that.
targets() {
  clean attn-opt --list-targets | sed -n "s/^\([a-z0-9-]*\) ($1[0-9a-z]*): .*/\1/p"
}
count=0
for target in $(targets sm_); do
  clean attn-compile prefill.mlir --target="$target" --emit=ptx -o code.ptx
  grep -q '\.visible \.entry' "$scratch/code.ptx" || fail "no kernel in the PTX for $target"
  echo "$target: $(grep -m 1 '^\.target' "$scratch/code.ptx")"
  count=$((count + 1))
done
for target in $(targets gfx); do
  clean attn-compile prefill.mlir --target="$target" --emit=hsaco -o code.hsaco
  readelf -h "$scratch/code.hsaco" | grep -q 'AMD GPU' || fail "no code object for $target"
  echo "$target: $(wc -c <"$scratch/code.hsaco") bytes"
  count=$((count + 1))
done
[[ $count -ge 9 ]] || fail "expected code for 9 targets or more, but got $count"

clean attn-compile prefill.mlir --run --size=batch=1,query=20,key=40

# From Python, on the CPU, with arrays of NumPy.
"$scratch/env/bin/pip" install --quiet --disable-pip-version-check numpy
clean python - <<'PYTHON'
import attn_mlir, numpy

random = numpy.random.default_rng(0)
q, k, v = (random.standard_normal((1, heads, 70, 64), dtype="float32") for heads in (4, 2, 2))
o = attn_mlir.attention(q, k, v, causal=True)
k, v = (numpy.repeat(x, 2, axis=1).astype("float64") for x in (k, v))
scores = numpy.where(numpy.tri(70, dtype=bool), q @ k.swapaxes(2, 3) / 8, -numpy.inf)
p = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
error = abs(o - p / p.sum(axis=-1, keepdims=True) @ v).max()
print(f"attn_mlir {attn_mlir.version()}: attention() on the CPU is off by {error:.1e}")
assert error < 1e-5, error
PYTHON
echo "the wheels work: code for $count targets"
