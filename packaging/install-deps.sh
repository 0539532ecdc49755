#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what building, running and testing Shardscope needs, with apt alone. Does nothing when all is there.
#   install-deps.sh            build and run
#   install-deps.sh --cli      build and run the program without its window
#   install-deps.sh --tests    also what the tests need, MPI among it
#   install-deps.sh --nightly  also oneDNN (a benchmark), clang, its sanitizer runtime and clang-tidy, and what a package is tested with
set -euo pipefail

cli=(
  g++ cmake ninja-build pkg-config make
  libtbb-dev libeigen3-dev libopenblas-dev libgfortran-12-dev libsqlite3-dev
  nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libfmt-dev libcmark-dev
  libprotobuf-dev zlib1g-dev libnlopt-cxx-dev
)
window=(
  qt6-base-dev libqt6opengl6-dev qt6-svg-dev libgl-dev libimgui-dev libstb-dev libfreetype-dev libpng-dev
  qt6-qpa-plugins libgl1 libgl1-mesa-dri fonts-dejavu-core
)
tests=(
  libgtest-dev libbenchmark-dev ccache mold libopenmpi-dev openmpi-bin
  python3 python3-numpy python3-venv xvfb xauth git poppler-utils chromium desktop-file-utils appstream shared-mime-info man-db zsh
)
nightly=(libdnnl-dev ocl-icd-opencl-dev debootstrap lintian clang-14 libclang-rt-14-dev clang-tidy-14 clang-format-14)

packages=("${cli[@]}" "${window[@]}")
case "${1:-}" in
  "") ;;
  --cli) packages=("${cli[@]}") ;;
  --tests) packages+=("${tests[@]}") ;;
  --nightly) packages+=("${tests[@]}" "${nightly[@]}") ;;
  *) echo "usage: install-deps.sh [--cli | --tests | --nightly]" >&2; exit 2 ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null || true)
  [ "${status:0:2}" = ii ] || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "error: missing packages: ${missing[*]}; run as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
