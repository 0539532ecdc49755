#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs the fuzzers of build/fuzz, as many at a time as there are cores (or JOBS), each for SECONDS from its stored corpus:
#   tests/fuzz/run.sh SECONDS [READER…]
# One line a reader; what was found stays in build/fuzz/found/READER. With GROW=1 inputs that reach new code are added to
# the stored corpus, smallest first, up to 32 kB each and 200 in all.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=$1
shift
readers=("$@")
[ ${#readers[@]} -gt 0 ] || mapfile -t readers < <(ls tests/fuzz/corpus)

fuzz() {
  local reader=$1 program=build/fuzz/tests/fuzz/fuzz_$1 found=build/fuzz/found/$1 grown corpora
  grown=$(mktemp -d)
  mkdir -p "$found"
  corpora=(tests/fuzz/corpus/"$reader")
  case $reader in
    hlo) corpora+=(presets/hlo) ;;
    toml) corpora+=(presets/experiments presets/hardware presets/models) ;;
    lesson) corpora+=(presets/lessons) ;;
  esac
  local code=0
  "$program" -max_total_time="$2" -timeout=20 -rss_limit_mb=2560 -malloc_limit_mb=2048 -max_len=32768 -artifact_prefix="$found/" \
    "$grown" "${corpora[@]}" >"$found/log" 2>&1 || code=$?
  if [ "${GROW:-0}" = 1 ] && [ $code -eq 0 ]; then
    local before
    before=$(ls tests/fuzz/corpus/"$reader" | wc -l)
    "$program" -merge=1 -max_len=32768 tests/fuzz/corpus/"$reader" "$grown" >>"$found/log" 2>&1 || true
    ls -Sr tests/fuzz/corpus/"$reader" | tail -n +$((before > 200 ? before : 200)) | sed "s|^|tests/fuzz/corpus/$reader/|" | xargs -r rm -f
  fi
  rm -rf "$grown"
  if [ $code -eq 0 ]; then echo "fuzz_$reader: nothing found in $2 s, $(grep -o 'Done [0-9]* runs' "$found/log")"; else
    echo "fuzz_$reader: exit $code, see $found"
    tail -n 30 "$found/log"
  fi
  return $code
}
export -f fuzz
printf '%s\n' "${readers[@]}" | xargs -P "${JOBS:-$(nproc)}" -I{} bash -c 'fuzz "$@"' - {} "$seconds"
