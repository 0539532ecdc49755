#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs the Python package into a virtual environment in build/ and runs its tests and doctests, with the program of
# the release build or with $SHARDSCOPE:
#   test_python.sh          on recorded programs
#   test_python.sh --jax    also on what JAX (JAX_VERSION, 0.10.2) lowers and measures
set -euo pipefail
cd "$(dirname "$0")/.."
version=${JAX_VERSION:-0.10.2}
SHARDSCOPE=$(realpath "${SHARDSCOPE:-build/release/shardscope}")
export SHARDSCOPE PYTHONDONTWRITEBYTECODE=1 JAX_PLATFORMS=cpu XLA_FLAGS=--xla_force_host_platform_device_count=8

venv=build/python-venv needs=("pytest>=7" numpy)
[ "${1:-}" != --jax ] || venv=build/python-venv-jax-$version needs+=("jax==$version" nbclient ipykernel)
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --disable-pip-version-check "${needs[@]}"
"$venv/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps ./packaging/python
# From a folder of its own, so that the installed package is tested and not its source.
tests=$PWD/tests/python python=$(realpath -s "$venv/bin/python")
cd "$(mktemp -d)"
exec "$python" -m pytest -q -p no:cacheprovider --doctest-modules --doctest-ignore-import-errors --pyargs shardscope "$tests"
