#!/usr/bin/env bash
# Installs what is missing, builds, and runs all checks; the last line counts
# them. --quick leaves out what takes longest (clang-tidy); --full adds the longer
# runs, which docs/testing.md lists.
set -euo pipefail
cd "$(dirname "$0")/.."

quick=0 full=0
for argument in "$@"; do
  case $argument in
  --quick) quick=1 ;;
  --full) full=1 ;;
  *)
    echo "usage: utils/test.sh [--quick] [--full]; got '$argument'" >&2
    exit 2
    ;;
  esac
done

utils/build.sh
utils/check-format.sh
if [[ $quick == 0 ]]; then
  utils/check-tidy.sh
fi

results=$(mktemp)
trap 'rm -f "$results"' EXIT
lit=$(command -v lit-22 || echo /usr/lib/llvm-22/bin/llvm-lit)
status=0
"$lit" -v --order=lexical --param full="$full" --output "$results" build/test || status=$?
utils/count-tests.py "$results" || status=1
exit "$status"
