#!/usr/bin/env bash
# Runs clang-tidy (.clang-tidy) over all sources of build/; fails on a finding.
set -euo pipefail
cd "$(dirname "$0")/.."

# clang-tidy reads no precompiled headers of another build: configure without.
cmake --preset release -B build-tidy -DATTN_ENABLE_PCH=OFF >/dev/null
ninja -C build-tidy AttnOpsIncGen AttnInterfacesIncGen AttnTransformsIncGen \
  AttnAnalysisIncGen AttnConversionIncGen AttnPipelinesIncGen AttnTestIncGen >/dev/null
git ls-files 'lib/*.cpp' 'tools/*.cpp' 'test/lib/*.cpp' | grep -v PCH.cpp |
  xargs -P "$(nproc)" -n 1 clang-tidy-22 -p build-tidy --quiet 2>/dev/null
echo "clang-tidy: clean"
