#!/usr/bin/env bash
# Fails where a source is not formatted as .clang-format says (--fix formats).
set -euo pipefail
cd "$(dirname "$0")/.."

mapfile -t sources < <(git ls-files '*.cpp' '*.h')
if [[ ${1:-} == --fix ]]; then
  clang-format-22 -i "${sources[@]}"
else
  clang-format-22 --dry-run --Werror "${sources[@]}"
  echo "format: ${#sources[@]} files as they should be"
fi
