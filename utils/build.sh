#!/usr/bin/env bash
# Installs what is missing, then configures and builds into build/.
set -euo pipefail
cd "$(dirname "$0")/.."

utils/install-deps.sh
cmake --preset release >build-configure.log 2>&1 || {
  cat build-configure.log >&2
  exit 1
}
rm build-configure.log
ninja -C build
