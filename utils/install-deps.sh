#!/usr/bin/env bash
# Installs, from Debian 12's own packages, what the project builds and tests
# with. Does nothing where all of it is there.
set -euo pipefail

packages=(
  cmake ninja-build ccache git binutils python3 python3-venv python3-dev
  clang-22 libclang-rt-22-dev lld-22 clang-format-22 clang-tidy-22
  llvm-22-dev llvm-22-tools libmlir-22-dev mlir-22-tools liblld-22-dev
  libzstd-dev zlib1g-dev libedit-dev libcurl4-openssl-dev
  nlohmann-json3-dev
)

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true)
  [[ $status == "install ok installed" ]] || missing+=("$package")
done
[[ ${#missing[@]} -eq 0 ]] && exit 0

echo "installing: ${missing[*]}"
sudo=()
if [[ $(id -u) -ne 0 ]]; then
  command -v sudo >/dev/null || {
    echo "error: not root and no sudo; install these packages by hand" >&2
    exit 1
  }
  sudo=(sudo)
fi
export DEBIAN_FRONTEND=noninteractive
"${sudo[@]}" apt-get update -qq
for package in "${missing[@]}"; do
  apt-cache show "$package" >/dev/null 2>&1 || {
    echo "error: Debian has no package '$package' here; the project wants Debian 12" \
         "with its security updates (bookworm-security), which hold LLVM 22" >&2
    exit 1
  }
done
"${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
