#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) over the sources of build/ that the last commits changed
# (since $ATTN_TIDY_BASE, default HEAD~5) or that the working tree does; with --all, or
# where the history is too short, over all of them. Fails on a finding.
set -euo pipefail
cd "$(dirname "$0")/.."

# AbsentParts.cpp includes what the wheel's configuration generates.
left_out='PCH.cpp\|tools/wheel/AbsentParts.cpp'
base=${ATTN_TIDY_BASE:-HEAD~5}
sources=('lib/*.cpp' 'tools/*.cpp' 'test/lib/*.cpp')
if [[ ${1:-} == --all ]] || ! git rev-parse -q --verify "$base^{commit}" >/dev/null; then
  mapfile -t files < <(git ls-files "${sources[@]}" | grep -v "$left_out")
else
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- "${sources[@]}" |
    grep -v "$left_out")
fi
if [[ ${#files[@]} == 0 ]]; then
  echo "clang-tidy: no source changed since $base"
  exit 0
fi

# clang-tidy reads no precompiled headers of another build, and each source by itself.
cmake --preset release -B build-tidy -DATTN_ENABLE_PCH=OFF -DCMAKE_UNITY_BUILD=OFF >/dev/null
ninja -C build-tidy AttnOpsIncGen AttnInterfacesIncGen AttnTransformsIncGen \
  AttnAnalysisIncGen AttnCompilerIncGen AttnConversionIncGen AttnPipelinesIncGen \
  AttnRaiseIncGen AttnTuningIncGen \
  AttnTestIncGen >/dev/null
printf '%s\n' "${files[@]}" |
  xargs -P "$(nproc)" -n 1 clang-tidy-22 -p build-tidy --quiet 2>/dev/null
echo "clang-tidy: ${#files[@]} files clean"
