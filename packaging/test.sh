#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what is missing, builds and runs all tests: the release build with the window's tests under Xvfb, the Python
# package with it, then the engine under AddressSanitizer and the quick checks of UBSan (preset asan-quick). `test.sh --nightly` is nightly.sh,
# which builds the benchmarks too and sanitizes with every check.
set -euo pipefail
cd "$(dirname "$0")/.."

[ "${1:-}" != --nightly ] || exec bash packaging/nightly.sh
bash packaging/install-deps.sh --tests

export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)}
export LIBGL_ALWAYS_SOFTWARE=1
passed=0 failed=0

# Runs ctest of one preset and adds its counts; its own output is kept whole.
tests_of() {
  local log code=0
  log=$(mktemp)
  "${@:2}" ctest --preset "$1" --no-tests=error 2>&1 | tee "$log" || code=$?
  local line
  line=$(grep -E '^[0-9]+% tests passed, [0-9]+ tests failed out of [0-9]+' "$log" || true)
  if [[ $line =~ ,\ ([0-9]+)\ tests\ failed\ out\ of\ ([0-9]+) ]]; then
    failed=$((failed + BASH_REMATCH[1]))
    passed=$((passed + BASH_REMATCH[2] - BASH_REMATCH[1]))
  elif [ "$code" -ne 0 ]; then
    failed=$((failed + 1))
  fi
  rm -f "$log"
}

cmake --preset release -DSHARDSCOPE_TESTS=ON -DSHARDSCOPE_BENCH=OFF >/dev/null
cmake --build --preset release
tests_of release xvfb-run -a -s "-screen 0 1600x1000x24 +extension GLX -nolisten tcp"

log=$(mktemp)
python_code=0
bash packaging/test_python.sh 2>&1 | tee "$log" || python_code=$?
line=$(grep -E '^([0-9]+ [a-z]+, )*[0-9]+ [a-z]+ in [0-9.]+s' "$log" || true)
[[ ! $line =~ ([0-9]+)\ passed ]] || passed=$((passed + BASH_REMATCH[1]))
if [[ $line =~ ([0-9]+)\ failed ]]; then
  failed=$((failed + BASH_REMATCH[1]))
elif [ "$python_code" -ne 0 ]; then
  failed=$((failed + 1))
fi
rm -f "$log"

cmake --preset asan-quick -DSHARDSCOPE_BENCH=OFF >/dev/null
cmake --build --preset asan-quick
tests_of asan-quick

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
