#!/usr/bin/env bash
# The main job on a fresh Debian 12: builds the compiler, then takes attention of
# Llama 3 8B, written as one op, through every level, and runs it.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/build.sh
echo
build/tools/attn-compile/attn-compile examples/llama3-8b-prefill.mlir \
  --target=cpu --show --run --size=batch=1,query=512,key=512 \
  --schedule='tiles=query=128,key=64 grid-order=swizzled-head-first persistent sawtooth=force'
