#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds the release and runs the main job: the window on the default preset, or, without
# a display, a sweep of that preset with its report and pictures in out/.
set -euo pipefail
cd "$(dirname "$0")/.."

bash packaging/install-deps.sh
[ -f build/release/build.ninja ] || cmake --preset release -DSHARDSCOPE_TESTS=OFF -DSHARDSCOPE_BENCH=OFF >/dev/null
cmake --build --preset release --target shardscope

if [ -n "${DISPLAY:-}${WAYLAND_DISPLAY:-}" ]; then
  exec build/release/shardscope --preset default "$@"
fi
echo "no display: running the default preset without a window; report and pictures go into out/"
mkdir -p out
build/release/shardscope sweep default --db out/default.shardscope --report out "$@"
