#!/bin/sh
# Tests scripts/check-solvers on a tree of a few lines.
set -eu
check=$(cd "$(dirname "$0")/.." && pwd)/scripts/check-solvers
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export CHECK_SOLVERS_ROOT="$folder"
fail() { echo "test_solvers: $1" >&2 && exit 1; }
mkdir -p "$folder/src/world" "$folder/src/other"
printf '#define WB_FLUID_SOLVERS(X, S) X(sph) S X(pbf)\n#define WB_SOLVERS(X) WB_FLUID_SOLVERS(X, ) X(toy)\n' \
    >"$folder/src/world/solver.h"
count() { "$check" --count "src/other" | awk '{ print $2 }'; }

# names in comments, and words that only hold one
cat >"$folder/src/other/clean.c" <<'END'
// as of sph
int sphere, wb_shapeSphere, atmosphere, toys; /* toy
 toy */
const char *text = "a sphere // toys";
END
"$check" src/other || fail "a clean file is refused"

cat >"$folder/src/other/names.c" <<'END'
#include "sph/model.h"
wbSphParams a;
int wb_solverPbf, toyCount; char *b = "sph";
enum { WB_TOY_SIZE };
int x = sph.spacing; // a comment behind code
int sphere; /* a comment */ int pbf_step;
END
[ "$(count)" = 6 ] || fail "6 lines name a solver, it counts $(count)"
if "$check" src/other >"$folder/out" 2>&1; then fail "names are let through"; fi
grep -q '^src/other/names.c:6: names a solver: int sphere' "$folder/out" || fail "a line is not told with its place"

# adapters may
mv "$folder/src/other/names.c" "$folder/src/other/check_toy.c"
"$check" src/other || fail "an adapter is refused"
if "$check" src/nowhere >/dev/null 2>&1; then fail "a folder that is not there passes"; fi
: >"$folder/src/world/solver.h"
if "$check" src/other 2>/dev/null; then fail "a tree without a table of solvers passes"; fi
