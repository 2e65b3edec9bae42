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

results=$(mktemp) clock=$(mktemp)
trap 'rm -f "$results" "$clock"' EXIT

# part NAME COMMAND...: runs it, and notes its processor time for utils/ci-times.py.
part() {
  local name=$1 status=0 TIMEFORMAT='%U %S'
  shift
  # The clock's line goes to a file, the command's errors where they always go.
  { time "$@" 2>&3; } 3>&2 2>"$clock" || status=$?
  mkdir -p build/times
  echo "$name $(cat "$clock")" >>build/times/parts
  return "$status"
}

rm -rf build/times
part "build" utils/build.sh
if [[ ${ATTN_REQUIRE_WHEELS:-} == 1 ]]; then
  utils/wheels.sh --environment
  # For tests that read machine code, which a user's machine may skip.
  build-wheel-env/bin/pip install --quiet --disable-pip-version-check \
    --target build/disassembler 'nvidia-cuda-nvdisasm>=13,<14'
  PATH=$(echo "$PWD"/build/disassembler/nvidia/*/bin):$PATH
fi
# For tests of the package with PyTorch, which a user's machine may skip.
if [[ ${ATTN_REQUIRE_TORCH:-} == 1 && -z ${ATTN_TORCH_PYTHON:-} ]]; then
  export ATTN_TORCH_PYTHON=$PWD/build-torch-env/bin/python
  [[ -x $ATTN_TORCH_PYTHON ]] || python3 -m venv build-torch-env
  "$ATTN_TORCH_PYTHON" -m pip install --quiet --disable-pip-version-check 'torch==2.11.*' numpy
fi
part "format" utils/check-format.sh
if [[ $quick == 0 ]]; then
  tidy=()
  [[ $full == 0 ]] || tidy=(--all)
  part "clang-tidy" utils/check-tidy.sh "${tidy[@]}"
fi

long=()
[[ $full == 0 ]] || long=(--full)
part "sanitizers" utils/sanitize.sh "${long[@]}"

lit=$(command -v lit-22 || echo /usr/lib/llvm-22/bin/llvm-lit)
status=0
"$lit" -v --order=lexical --param full="$full" --output "$results" build/test || status=$?
utils/ci-times.py || true
utils/count-tests.py "$results" || status=1
exit "$status"
