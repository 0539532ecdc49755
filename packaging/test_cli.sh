#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the program without its window (preset cli), looks that it needs nothing of Qt, that it says in a line what it
# does not draw and draws the rest, and runs the Python package's tests with it.
#   test_cli.sh           in build/cli
#   test_cli.sh --wheel   also that `pip install ./packaging/python` builds it into a wheel
set -euo pipefail
cd "$(dirname "$0")/.."
fail() { echo "test_cli: $1" >&2; exit 1; }

cmake --preset cli >/dev/null
cmake --build --preset cli
program=$PWD/build/cli/shardscope
needed=$(ldd "$program")
! grep -iE 'libQt|libGL|imgui|libpng|libX11|libfreetype' <<<"$needed" || fail "it needs a library of the window"
grep -q 'Qt6' build/cli/CMakeCache.txt && fail "Qt was looked for"

folder=$(mktemp -d)
trap 'rm -rf --one-file-system "$folder"' EXIT
"$program" run teaching --strategy wang.os --db "$folder/w.shardscope" --json | grep -q '"allclose": true' || fail "run"
record=(--db "$folder/w.shardscope" --run 1)
# refused FORMAT WORDS…: exit status 2 and one line that names the format.
refused() {
  local format=$1 code=0 said
  said=$("$program" "${@:2}" 2>&1) || code=$?
  [ $code -eq 2 ] && [ "$(wc -l <<<"$said")" -eq 1 ] || fail "${*:2}: exit $code, $said"
  grep -q "^error: this program .*$format" <<<"$said" || fail "${*:2}: $said"
}
refused PNG render "${record[@]}" --view ring -o "$folder/ring.png"
refused PDF render "${record[@]}" --view ring --figure -o "$folder/ring.pdf"
refused PDF compare --db "$folder/w.shardscope" --runs 1 --format pdf -o "$folder/r.pdf"
refused PDF compare --db "$folder/w.shardscope" --runs 1 -o "$folder/r.tex"
refused window
refused window --screenshot "$folder/window.png"
"$program" render "${record[@]}" --view ring -o "$folder/ring.svg"
"$program" render "${record[@]}" --view ring --figure -o "$folder/figure.svg"
"$program" render "${record[@]}" --view ring -o "$folder/ring.html"
"$program" sweep teaching --numerics off --report "$folder/report" >/dev/null
for file in ring.svg figure.svg ring.html report/report.html report/report.md report/report.json report/runs.csv; do
  [ -s "$folder/$file" ] || fail "no $file"
done
"$program" lesson list --json | python3 -c 'import json, sys; print(*[l["name"] for l in json.load(sys.stdin)["lessons"]])' |
  tr ' ' '\n' | while read -r lesson; do "$program" lesson check "$lesson" >/dev/null || fail "lesson $lesson"; done
"$program" doctor >/dev/null
SHARDSCOPE=$program bash packaging/test_python.sh

if [ "${1:-}" = --wheel ]; then
  python3 -m venv "$folder/venv"
  env -u SHARDSCOPE "$folder/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w "$folder" ./packaging/python
  wheel=$(ls "$folder"/shardscope-*.whl)
  echo "wheel: $(basename "$wheel"), $(stat -c %s "$wheel") bytes"
  [ "$(stat -c %s "$wheel")" -le 30000000 ] || fail "the wheel is larger than 30 MB"
  "$folder/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
  ldd "$folder/venv/bin/shardscope" 2>&1 | grep -q 'not a dynamic executable' || fail "the wheel's program needs libraries"
  (cd "$folder" && env -u SHARDSCOPE venv/bin/python -c '
import shardscope as ss
print(ss.run("wang.os", mesh={"row": 2, "col": 4}, m=64, k=64, n=64).time)')
fi
echo "test_cli: the program without its window does what it says"
