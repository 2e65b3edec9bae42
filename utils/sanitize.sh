#!/usr/bin/env bash
# Builds launcher, emulator and the stand-ins for drivers with address and
# undefined-behaviour sanitizers, into BUILD/sanitize; runs their tests on them, and
# some thousand damaged manifests and code objects, the same ones each time. --full
# adds modules into the dialect's parsers, whose sources include MLIR and take long
# to compile. BUILD (default: build) has attn-compile.
#
# usage: utils/sanitize.sh [--full] [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
inputs=(manifest=3000 code-object=500)
if [[ ${1:-} == --full ]]; then
  inputs+=(parse=3000) && shift
fi
build=$(realpath "${1:-build}") sanitized=$(realpath "${1:-build}")/sanitize
llvm=/usr/lib/llvm-22/bin
lit=$(command -v lit-22 || echo "$llvm/llvm-lit")
targets=("${inputs[@]%=*}")

# Two builds of one folder at a time would write the same files.
exec 9>"$build/sanitize.lock"
flock 9
# Once: under another PATH, CMake would find the same compiler elsewhere, and start anew.
[[ -f $sanitized/build.ninja ]] || cmake --preset sanitize -B "$sanitized" >/dev/null
ninja -C "$sanitized" AttnMLIRLauncher AttnFakeCuda AttnFakeHip AttnNoMemfd attn-launch-test \
  attn-hip-launch-test attn-emulate attn-emulator-test AttnHipEmulator attn-hip-test \
  "${targets[@]/#/fuzz-}"

# Python loads the sanitizers' runtime, which makes what it starts slower: not the compiler, which is built without them.
mkdir -p "$sanitized/compiler"
cat >"$sanitized/compiler/attn-compile" <<END
#!/bin/sh
exec env -u LD_PRELOAD "$build/tools/attn-compile/attn-compile" "\$@"
END
chmod +x "$sanitized/compiler/attn-compile"

# What runs kernels for minutes says no more about memory than what runs them once; a hardware kit is scripts. Kernels for
# the CPU are built without sanitizers: three tests of many of them are left out, which cpu and cpu-threads stand for.
"$lit" -v "$sanitized/test" --param "compiler=$sanitized/compiler" \
  --filter '^attn-mlir :: (Launcher|Emulator/(unit|hip|launch))' --filter-out 'Launcher/(kit|cpu-(lengths|regions|steps))'

corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
python3 test/Fuzz/seeds.py --attn-compile="$build/tools/attn-compile/attn-compile" \
  --llvm-tools="$llvm" "$corpus" "${targets[@]}"

# fuzz TARGET OPTION...: its summary, and that of a finding.
fuzz() {
  local target=$1 status=0
  shift
  test/Fuzz/run.sh "$sanitized" "$corpus" "$target" "$@" >"$corpus/$target.log" 2>&1 || status=$?
  echo "--- $target"
  grep -aE '^(#[0-9]+[[:space:]]+DONE|finding|SUMMARY|==|    #)' "$corpus/$target.log" || true
  return "$status"
}

# Failures are seen: the emulator's tables take longer to make than this.
seen=$(ATTN_FUZZ_SECONDS=0.01 fuzz code-object -runs=1 || true)
if ! grep -q '^finding: the input computes for too long' <<<"$seen"; then
  echo "error: expected a finding of an input that has no time, but got: $seen" >&2
  exit 1
fi

running=()
for target in "${inputs[@]}"; do
  fuzz "${target%=*}" -runs="${target#*=}" -seed=1 &
  running+=($!)
done
status=0
for process in "${running[@]}"; do
  wait "$process" || status=1
done
[[ $status == 0 ]] && echo "sanitizers: nothing found"
exit "$status"
