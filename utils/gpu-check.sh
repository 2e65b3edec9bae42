#!/usr/bin/env bash
# Checks kernels on this machine's GPU against float64: compiles what it can, then
# runs what was compiled. Without a GPU or PyTorch it says SKIPPED, loudly, before
# anything is compiled (with --strict, the status is 77).
# Arguments go to test/gpu/check.py (--filter REGEX, --determinism N, --json FILE).
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
status=0
"$python" test/gpu/available.py || status=$?
if [[ $status != 0 ]]; then
  [[ $status == 77 && " $* " != *" --strict "* ]] && exit 0
  exit "$status"
fi
"$python" test/gpu/self_test.py
# Kernels that do not compile are counted as failures below.
"$python" test/gpu/compile.py || status=$?
"$python" test/gpu/check.py "$@" || status=$?
"$python" test/gpu/check_regions.py compile || status=$?
"$python" test/gpu/check_regions.py run || status=$?
exit "$status"
