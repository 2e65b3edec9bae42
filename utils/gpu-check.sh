#!/usr/bin/env bash
# Checks kernels on this machine's GPU against float64: compiles what it can, then
# runs what was compiled. Without a GPU or PyTorch it says SKIPPED, loudly.
# Arguments go to test/gpu/check.py (--filter REGEX, --determinism N, --json FILE).
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
status=0
"$python" test/gpu/self_test.py
# Kernels that do not compile are counted as failures below.
"$python" test/gpu/compile.py || status=$?
"$python" test/gpu/check.py "$@" || status=$?
exit "$status"
