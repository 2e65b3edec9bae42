#!/usr/bin/env bash
# Runs one fuzz target on what seeds.py made.
#
# usage: run.sh BUILD SEEDS TARGET LIBFUZZER-OPTION...
set -euo pipefail
here=$(dirname "$0") build=$(realpath "$1") seeds=$2 target=$3
shift 3

# Memory that libLLVM handed out is not ASan's: it knows neither the ends of its
# containers nor what its allocators poison.
export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=1:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=print_stacktrace=1
export ATTN_FUZZ_BUNDLE=$seeds/$target.bundle
export ATTN_CUDA_DRIVER=$build/test/Launcher/libattn_fake_cuda.so ATTN_FAKE_CURRENT=0
export ATTN_HIP_RUNTIME=$build/test/Launcher/libattn_fake_hip.so
# Inputs that become machine code are slow, not less worth a look: -entropic=0.
most=16384
[[ $target != code-object ]] || most=65536
# An input may compute for 20 s (TimeLimit.h); -timeout is for one that waits.
mkdir -p "$seeds/$target.new" "$seeds/$target.failed"
directories=("$seeds/$target.new" "$seeds/$target")
[[ -d $here/Regressions/$target ]] && directories+=("$here/Regressions/$target")
exec "$build/test/Fuzz/fuzz-$target" -timeout=600 -rss_limit_mb=4096 -max_len=$most -len_control=0 \
  -entropic=0 -mutate_depth=2 -keep_seed=1 \
  -artifact_prefix="$seeds/$target.failed/" -print_final_stats=1 -print_funcs=0 "$@" \
  -dict="$here/$target.dict" "${directories[@]}"
