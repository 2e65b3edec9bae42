#!/usr/bin/env bash
# Feeds damaged inputs to launcher, emulator and pipelines, which must take or
# refuse each: libFuzzer targets of test/Fuzz, built with sanitizers, but for ir.
#
# usage: utils/fuzz.sh [--runs N] [--time S] [--seed N] [--jobs N] [--sanitize-ir] [TARGET[=N]...]
#
# TARGET is manifest, code-object, parse or ir (default: all). Each takes N inputs
# (default: --runs, 10000) or S seconds, whichever is first, in each of --jobs
# processes (default 1). --sanitize-ir builds ir with sanitizers too: all passes,
# which takes long. The inputs that once failed go first. A finding ends the target's
# run with its file, in build/fuzz/TARGET.failed; what led to new code is kept in
# build/fuzz/TARGET.new for the next run. The last lines say what each target took.
set -euo pipefail
cd "$(dirname "$0")/.."

runs=10000 time=0 seed=0 jobs=1 ir_build=build targets=() counts=()
while [[ $# -gt 0 ]]; do
  case $1 in
  --runs) runs=$2 && shift 2 ;;
  --time) time=$2 && shift 2 ;;
  --seed) seed=$2 && shift 2 ;;
  --jobs) jobs=$2 && shift 2 ;;
  --sanitize-ir) ir_build=build/sanitize && shift ;;
  manifest | code-object | parse | ir) targets+=("$1") counts+=("") && shift ;;
  manifest=* | code-object=* | parse=* | ir=*) targets+=("${1%=*}") counts+=("${1#*=}") && shift ;;
  *)
    sed -n 's/^# usage/usage/p' "$0" >&2
    exit 2
    ;;
  esac
done
[[ ${#targets[@]} -gt 0 ]] || targets=(manifest code-object parse ir)

# The build that TARGET is taken from.
build_of() { [[ $1 == ir ]] && echo "$ir_build" || echo build/sanitize; }

utils/install-deps.sh
[[ -f build/build.ninja ]] || cmake --preset release >/dev/null
ninja -C build attn-compile
for target in "${targets[@]}"; do
  build=$(build_of "$target")
  [[ -f $build/build.ninja ]] || cmake --preset sanitize >/dev/null
  ninja -C "$build" "fuzz-$target"
  [[ $target != manifest ]] || ninja -C "$build" AttnFakeCuda AttnFakeHip
done

python3 test/Fuzz/seeds.py --attn-compile=build/tools/attn-compile/attn-compile \
  --llvm-tools=/usr/lib/llvm-22/bin build/fuzz "${targets[@]}"
parallel=()
[[ $jobs -eq 1 ]] || parallel=(-jobs="$jobs" -workers="$jobs")
status=0 summary=""
for i in "${!targets[@]}"; do
  target=${targets[i]} outcome="nothing found" log=build/fuzz/${targets[i]}.log
  test/Fuzz/run.sh "$(build_of "$target")" build/fuzz "$target" -runs="${counts[i]:-$runs}" \
    -max_total_time="$time" -seed="$seed" "${parallel[@]}" 2>&1 | tee "$log" ||
    { status=1 && outcome="a finding"; }
  ran=$(awk '/^stat::number_of_executed_units/ { n += $2 } END { print n + 0 }' "$log")
  summary+="$target: $ran inputs, $outcome"$'\n'
done
printf '%s' "$summary"
exit "$status"
