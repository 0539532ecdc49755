#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Asks JAX again what it makes of tests/oracle/programs.py and says what changed; JAX comes from PyPI into a virtual
# environment in build/:
#   oracle.sh [--update] [NAME…]      all programs, or those named; --update takes over what changed
# JAX_VERSION (0.10.2) is the JAX that is asked. What the help page "What can be opened" says makes a module is run
# too, and read by the program of the release build or by $SHARDSCOPE, which also writes the kernels that Pallas' interpreter
# runs (tests/oracle/kernels.txt) and computes programs drawn at random (tests/oracle/drawn.py).
set -euo pipefail
cd "$(dirname "$0")/.."
version=${JAX_VERSION:-0.10.2}
update=
[ "${1:-}" != --update ] || { update=1; shift; }

venv=build/oracle-venv-$version
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet "jax==$version" || { rm -rf "$venv"; echo "error: cannot install jax==$version from PyPI" >&2; exit 1; }
fi
made=$(mktemp -d)
page=$(mktemp -d)
trap 'rm -rf "$made" "$page"' EXIT
"$venv/bin/python" tests/oracle/make.py "$made" "$@"

changed=0
for folder in "$made"/*/; do
  name=$(basename "$folder")
  for file in "$folder"*; do
    golden=tests/oracle/goldens/$name/$(basename "$file")
    cmp -s "$file" "$golden" && continue
    changed=$((changed + 1))
    if [ -f "$golden" ]; then
      echo "changed: $golden, $(diff "$golden" "$file" | grep -c '^[<>]') lines"
    else
      echo "new: $golden"
    fi
    [ -z "$update" ] || { mkdir -p "$(dirname "$golden")" && cp "$file" "$golden"; }
  done
done

sed -n '/^```python$/,/^```$/{/^```/!p}' assets/help/files.md >"$page/cells.py"
python=$(realpath -s "$venv/bin/python")
(cd "$page" && JAX_PLATFORMS=cpu XLA_FLAGS=--xla_force_host_platform_device_count=8 "$python" cells.py)
program=${SHARDSCOPE:-build/release/shardscope}
for file in "$page"/step*; do
  "$program" hlo run "$file" >/dev/null || { echo "error: not read: $(basename "$file"), made as the help page says" >&2; exit 1; }
done
# Kernels under Pallas' TPU interpreter.
"$python" tests/oracle/kernels.py "$program" >"$page/kernels.txt"
if ! cmp -s "$page/kernels.txt" tests/oracle/kernels.txt; then
  changed=$((changed + 1))
  diff tests/oracle/kernels.txt "$page/kernels.txt" || true
  [ -z "$update" ] || cp "$page/kernels.txt" tests/oracle/kernels.txt
fi
# Kernels that people wrote.
(cd tests/oracle/pallas && "$python" -W ignore ../read_kernels.py all_gather.py all_reduce.py exchange.py tiled_product.py) |
  grep '[.]py [0-9]' >"$page/arrays.txt"
if ! cmp -s "$page/arrays.txt" tests/oracle/pallas/arrays.txt; then
  changed=$((changed + 1))
  diff tests/oracle/pallas/arrays.txt "$page/arrays.txt" || true
  [ -z "$update" ] || cp "$page/arrays.txt" tests/oracle/pallas/arrays.txt
fi
# Programs that nobody wrote.
"$python" tests/oracle/drawn.py "$program" || changed=$((changed + 1))
echo "JAX $version: $changed files of $(find "$made" -type f | wc -l) are other than the goldens"
[ -n "$update" ] || [ "$changed" -eq 0 ]
