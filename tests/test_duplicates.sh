#!/bin/sh
# Tests scripts/check-duplicates on two solvers of a few lines.
set -eu
check=$(cd "$(dirname "$0")/.." && pwd)/scripts/check-duplicates
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "test_duplicates: $1" >&2 && exit 1; }
mkdir -p "$folder/src/sph" "$folder/src/pbd"

# sums OF FROM TO: lines that add numbers, no two alike
sums() {
    i=$2
    while [ "$i" -lt "$3" ]; do
        echo "    $1 += weight$i * wb$1_Get$i(state, $i);"
        i=$((i + 1))
    done
}
row() { "$check" "$folder" | awk -v name="$1" '$1 == name { print $2, $4 }'; }

# half of one in all of the other; names of solvers and comments do not count
{ echo '/* a comment'; sums Sph 0 9; echo 'of lines */'; sums Sph 0 100; } >"$folder/src/sph/sph_gpu.c"
sums Pbf 0 50 | sed 's,$, // why,' >"$folder/src/pbd/pbf_gpu.c"
[ "$(row sph_gpu.c)" = '50.0 100.0' ] || fail "half and whole are $(row sph_gpu.c)"
[ "$(row all-gpu)" = '50.0 100.0' ] || fail "the sum is $(row all-gpu)"
[ "$(row all-C)" = '0.0 0.0' ] || fail "files of devices count as C"

# short runs are chance
sums Pbf 200 300 >"$folder/src/pbd/pbf_gpu.c"
[ "$(row sph_gpu.c)" = '0.0 0.0' ] || fail "different files are $(row sph_gpu.c)"

"$check" --limit 10 "$folder" >/dev/null || fail "nothing is alike, and yet it is above the limit"
sums Pbf 0 100 >"$folder/src/pbd/pbf_gpu.c"
if "$check" --limit 99 "$folder" >"$folder/out"; then fail "equal files are not above the limit"; fi
grep -q '^99 % and more: all-gpu$' "$folder/out" || fail "the sums above the limit are not named"
if "$check" --limit 100 "$folder" >"$folder/out"; then fail "a limit that is reached was passed"; fi

# what is alike on purpose: what a file includes, and what a header declares; a run ends where a function does
{ printf '#include "x/a.h"\n#include "x/b.h"\n#include "x/c.h"\n'
  printf 'wbStatus wbSph_Do(int a, int b, int c, int d,\n                  int e, int f);\n'
  printf 'int f(void) {\n    return 1;\n}\nint g(void) {\n    return 2;\n}\n'; } >"$folder/src/sph/sph_x.c"
sed 's/Sph/Pbf/' "$folder/src/sph/sph_x.c" >"$folder/src/pbd/pbf_x.c"
[ "$(row all-C)" = '0.0 0.0' ] || fail "includes, declarations and ends of functions count: $(row all-C)"
if "$check" --limit some "$folder" 2>/dev/null; then fail "a limit that is no number was taken"; fi
