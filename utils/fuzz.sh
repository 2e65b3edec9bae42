#!/usr/bin/env bash
# Feeds damaged inputs to launcher, emulator and pipelines, which must take or
# refuse each: libFuzzer targets of test/Fuzz, built with sanitizers.
#
# usage: utils/fuzz.sh [--runs N] [--time S] [--seed N] [--jobs N] [TARGET...]
#
# TARGET is manifest, code-object, parse or ir (default: all). Each takes N inputs
# (default 10000) or S seconds, whichever is first, in each of --jobs processes
# (default 1). The inputs that once failed go first. A finding ends the run with
# its file, in build/fuzz/TARGET.failed; what led to new code is kept in
# build/fuzz/TARGET.new for the next run.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=10000 time=0 seed=0 jobs=1 targets=()
while [[ $# -gt 0 ]]; do
  case $1 in
  --runs) runs=$2 && shift 2 ;;
  --time) time=$2 && shift 2 ;;
  --seed) seed=$2 && shift 2 ;;
  --jobs) jobs=$2 && shift 2 ;;
  manifest | code-object | parse | ir) targets+=("$1") && shift ;;
  *)
    echo "usage: utils/fuzz.sh [--runs N] [--time S] [--seed N] [--jobs N] [manifest|code-object|parse|ir]..." >&2
    exit 2
    ;;
  esac
done
[[ ${#targets[@]} -gt 0 ]] || targets=(manifest code-object parse ir)

build=build/sanitize
utils/install-deps.sh
[[ -f build/build.ninja ]] || cmake --preset release >/dev/null
[[ -f $build/build.ninja ]] || cmake --preset sanitize >/dev/null
ninja -C build attn-compile
ninja -C "$build" AttnFakeCuda AttnFakeHip AttnHipEmulator "${targets[@]/#/fuzz-}"

python3 test/Fuzz/seeds.py --attn-compile=build/tools/attn-compile/attn-compile \
  --llvm-tools=/usr/lib/llvm-22/bin build/fuzz "${targets[@]}"
status=0
for target in "${targets[@]}"; do
  test/Fuzz/run.sh "$build" build/fuzz "$target" -runs="$runs" -max_total_time="$time" \
    -seed="$seed" $([[ $jobs -gt 1 ]] && echo "-jobs=$jobs -workers=$jobs") || status=$?
done
exit "$status"
