#!/usr/bin/env bash
# Builds launcher, emulator and the parsers with address and undefined-behaviour
# sanitizers, into BUILD/sanitize; runs the tests of launcher and emulator on them,
# and some thousand fuzz inputs, the same ones each time. BUILD (default: build) has
# attn-compile.
#
# usage: utils/sanitize.sh [BUILD]
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build}") sanitized=$(realpath "${1:-build}")/sanitize
llvm=/usr/lib/llvm-22/bin
lit=$(command -v lit-22 || echo "$llvm/llvm-lit")

[[ -f $sanitized/build.ninja ]] || cmake --preset sanitize -B "$sanitized" >/dev/null
ninja -C "$sanitized" AttnMLIRLauncher AttnFakeCuda AttnFakeHip attn-launch-test \
  attn-hip-launch-test attn-emulate attn-emulator-test AttnHipEmulator attn-hip-test \
  fuzz-manifest fuzz-code-object fuzz-parse

# What runs kernels for minutes says no more about memory than what runs them once.
"$lit" -v "$sanitized/test" --param "compiler=$build/tools/attn-compile" \
  --filter '^attn-mlir :: (Launcher|Emulator/(unit|hip|launch))'

corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT
python3 test/Fuzz/seeds.py --attn-compile="$build/tools/attn-compile/attn-compile" \
  --llvm-tools="$llvm" "$corpus" manifest code-object parse
for target in manifest=3000 code-object=500 parse=3000; do
  echo "--- ${target%=*}"
  test/Fuzz/run.sh "$sanitized" "$corpus" "${target%=*}" -runs="${target#*=}" -seed=1 2>&1 |
    tee "$corpus/log" | grep -aE '^(#[0-9]+[[:space:]]+DONE|finding|SUMMARY|==|    #)' || true
  grep -qa "DONE" "$corpus/log"
done
echo "sanitizers: nothing found"
