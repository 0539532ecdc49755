#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Everything that is too long for each change, one step behind the other, with a summary at the end; goes on where a
# step fails. Logs and the summary stay in build/nightly-logs:
#   nightly.sh [STEP…]        all steps, or those named
# FUZZ_SECONDS (600) is how long each fuzzer runs.
set -uo pipefail
cd "$(dirname "$0")/.."
logs=build/nightly-logs
mkdir -p "$logs"
export XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-$(mktemp -d)} LIBGL_ALWAYS_SOFTWARE=1
screen=(xvfb-run -a -s "-screen 0 1600x1000x24 +extension GLX -nolisten tcp")

# Each step is a function; `said` of its log is what the summary shows.
built() { cmake --preset "$1" "${@:2}" >/dev/null && cmake --build --preset "$1"; }
step_tools() { bash packaging/install-deps.sh --nightly; }
step_tests() { built nightly -DSHARDSCOPE_TESTS=ON -DSHARDSCOPE_BENCH=ON && "${screen[@]}" ctest --preset nightly --no-tests=error; }
step_asan() { built asan -DSHARDSCOPE_BENCH=OFF && ctest --preset asan --no-tests=error; }
step_tsan() { built tsan -DSHARDSCOPE_BENCH=OFF && ctest --preset tsan --no-tests=error; }
step_tidy() { cmake --preset tidy >/dev/null && cmake --build --preset tidy -- -k 0; }
step_fuzz() {
  cmake --preset fuzz -DSHARDSCOPE_TESTS=ON -DSHARDSCOPE_BENCH=OFF >/dev/null && cmake --build --preset fuzz --target fuzzers || return 1
  tests/fuzz/run.sh "${FUZZ_SECONDS:-600}"
}
step_oracle() { bash packaging/oracle.sh; }
step_python() { built release -DSHARDSCOPE_TESTS=OFF -DSHARDSCOPE_BENCH=OFF && bash packaging/test_python.sh --jax; }
step_cli() { bash packaging/test_cli.sh --wheel; }
step_package() {
  [ "$(id -u)" -eq 0 ] || { echo "not done: a chroot needs root"; return 77; }
  built release -DSHARDSCOPE_TESTS=OFF -DSHARDSCOPE_BENCH=OFF && bash packaging/test_deb.sh build/release || return 1
  built cli && bash packaging/test_deb.sh build/cli
}

said() {
  local line
  line=$(case $1 in
    tests | asan | tsan) grep -oE '[0-9]+ tests failed out of [0-9]+' "$2" | tail -1 ;;
    fuzz) ! grep -q '^fuzz_' "$2" || echo "$(grep -c ': nothing found' "$2") fuzzers found nothing, $(grep -cE '^fuzz_[a-z]+: exit' "$2") found something" ;;
    tidy) echo "$(grep -cE '(warning|error): .*\[[a-z-]+' "$2") findings" ;;
  esac)
  echo "${line:-$(tail -1 "$2")}"
}

steps=("$@")
[ ${#steps[@]} -gt 0 ] || steps=(tools tests asan tsan tidy fuzz oracle python cli package)
for step in "${steps[@]}"; do
  declare -F "step_$step" >/dev/null || { echo "nightly.sh: no step $step" >&2; exit 2; }
done

failed=0
: >"$logs/summary"
for step in "${steps[@]}"; do
  start=$SECONDS
  "step_$step" 2>&1 | tee "$logs/$step.log"
  code=${PIPESTATUS[0]}
  verdict=passed
  [ "$code" -eq 0 ] || verdict=FAILED
  [ "$code" -ne 77 ] || verdict=skipped
  [ $verdict != FAILED ] || failed=$((failed + 1))
  printf '%-8s %-8s %6d s  %s\n' "$step" $verdict $((SECONDS - start)) "$(said "$step" "$logs/$step.log")" >>"$logs/summary"
done

echo
echo "nightly of $(git describe --always --dirty 2>/dev/null || echo an archive)"
cat "$logs/summary"
for step in $(awk '$2 == "FAILED" {print $1}' "$logs/summary"); do
  echo
  echo "== $step, see $logs/$step.log"
  grep -E '\(Failed\)|CMake Error|^FAILED: |\(Timeout\)|^fuzz_[a-z]+: exit|error:|ERROR: |WARNING: ThreadSanitizer|^E: ' "$logs/$step.log" | sort | uniq -c | sort -rn | head -20
done
[ $failed -eq 0 ]
