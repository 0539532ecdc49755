#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the release and runs the main job: the window on the default preset, or, without
# a display, a sweep of that preset with its report and pictures in out/.
set -euo pipefail
cd "$(dirname "$0")/.."

echo "1 of 3: looking for what is missing (packaging/install-deps.sh)"
bash packaging/install-deps.sh
if [ -x build/release/shardscope ]; then
  echo "2 of 3: building what changed in build/release"
else
  echo "2 of 3: building build/release/shardscope, the first time some 10 minutes on two cores ($(nproc) here)"
fi
[ -f build/release/build.ninja ] || cmake --preset release -DSHARDSCOPE_TESTS=OFF -DSHARDSCOPE_BENCH=OFF >/dev/null
cmake --build --preset release --target shardscope

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  echo "3 of 3: opening the window on the default preset"
  exec build/release/shardscope --preset default "$@"
fi
echo "3 of 3: no display, so running the default preset without a window; report and pictures go into out/"
mkdir -p out
build/release/shardscope sweep default --db out/default.shardscope --report out "$@"
