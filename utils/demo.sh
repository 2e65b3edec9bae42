#!/usr/bin/env bash
# The main job on a fresh Debian 12: builds the compiler, then shows what it makes of
# attention of Llama 3 8B, and what that is good for, in two screens (utils/demo.py).
# --show prints the IR of every level in place of that.
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
'' | --show) ;;
*)
  echo "usage: utils/demo.sh [--show]; got '$1'" >&2
  exit 2
  ;;
esac

utils/build.sh
if [[ ${1:-} != --show ]]; then
  exec utils/demo.py
fi
build/tools/attn-compile/attn-compile examples/llama3-8b-prefill.mlir \
  --target=cpu --show --run --size=batch=1,query=512,key=512 \
  --schedule='tiles=query=128,key=64 grid-order=swizzled-head-first persistent sawtooth=force'
