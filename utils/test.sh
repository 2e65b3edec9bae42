#!/usr/bin/env bash
# Installs what is missing, builds, and runs all checks; the last line counts
# them. With --quick, what takes longest (clang-tidy) is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/build.sh
utils/check-format.sh
if [[ ${1:-} != --quick ]]; then
  utils/check-tidy.sh
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
lit=$(command -v lit-22 || echo /usr/lib/llvm-22/bin/llvm-lit)
status=0
"$lit" -v --order=lexical build/test | tee "$log" || status=$?

count() {
  awk -v what="$1" '$1 == what || $1 == what":" { gsub(":", " "); print $2; exit }' \
    <(sed 's/^ *//' "$log")
}
passed=$(count Passed) failed=$(count Failed) unresolved=$(count Unresolved)
echo "${passed:-0} passed, $((${failed:-0} + ${unresolved:-0})) failed"
# No test is no success.
[[ ${passed:-0} -gt 0 ]] || exit 1
exit "$status"
