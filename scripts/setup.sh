#!/usr/bin/env bash
# Installs the Debian packages eqm needs, if any is missing; with --lint or --fuzz also those of `make lint` or
# `make fuzz`, with --docs only what `make docs` needs. Asks nothing, safe to repeat.
set -euo pipefail

packages=(
  g++ cmake ninja-build pkg-config git ca-certificates binutils
  libtorch-dev libopenblas0-openmp
  libcli11-dev libtomlplusplus-dev nlohmann-json3-dev libspdlog-dev libfmt-dev
  libspng-dev libturbojpeg0-dev zlib1g-dev libarchive-dev libcairo2-dev fonts-dejavu-core
  librandom123-dev libhwy-dev
  libgtest-dev libgmock-dev librapidcheck-dev protobuf-compiler
  dataset-fashion-mnist
  clang-format
)
if [ "${1:-}" = "--lint" ]; then
  packages+=(clang clang-tidy libomp-dev)
fi
if [ "${1:-}" = "--fuzz" ]; then
  packages+=(clang libclang-rt-dev)
fi
if [ "${1:-}" = "--docs" ]; then
  packages=(doxygen)
fi

if ! command -v dpkg-query > /dev/null; then
  echo "setup: this is not Debian; install the equivalents of: ${packages[*]}" >&2
  exit 0
fi

# A LibTorch of the user's own takes the place of Debian's.
if [ -n "${CMAKE_PREFIX_PATH:-}" ]; then
  packages=("${packages[@]/libtorch-dev/}")
fi

missing=()
for package in "${packages[@]}"; do
  [ -n "$package" ] || continue
  dpkg-query -W -f='${Status}' "$package" 2> /dev/null | grep -q 'ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "== packages: all there"
  exit 0
fi

exec "$(dirname "$0")/apt_install.sh" setup "${missing[@]}"
