#!/bin/sh
# Tests scripts/golden with the program that is its only argument: what is computed again is equal, and a change shows.
set -eu
GOLDEN_PROGRAM=$1
GOLDEN_BACKENDS=cpu
export GOLDEN_PROGRAM GOLDEN_BACKENDS
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() { echo "test_golden: $1" >&2 && exit 1; }

set -- tests/golden.json scenes/rope.json # all there is; a body alone
scripts/golden --write "$folder/golden" "$@"
for line in 'golden 20 cpu particles' 'rope 5 cpu bodies' 'golden 1 cpu poses' 'golden 5 cpu air'; do
    grep -q "^$line [0-9a-f]\{16\}$" "$folder/golden" || fail "no line \"$line\""
done
scripts/golden --compare "$folder/golden" "$@" || fail "the same program gave other hashes"

# the scenes that are asked for are compared, others are not
sed 's/^\(rope 5 cpu bodies\) .*/\1 0000000000000000/' "$folder/golden" >"$folder/changed"
scripts/golden --compare "$folder/changed" tests/golden.json || fail "a scene was compared that was not asked for"
if scripts/golden --compare "$folder/changed" scenes/rope.json >"$folder/out"; then fail "a change did not show"; fi
grep -q '^> rope 5 cpu bodies' "$folder/out" || fail "the difference was not shown"

# another physics shows
sed 's/"world": *{/&"gravity": [0, -1, 0], /' scenes/rope.json >"$folder/rope.json"
if scripts/golden --compare "$folder/golden" "$folder/rope.json" >"$folder/out"; then fail "another gravity did not show"; fi

if scripts/golden --compare "$folder/none" 2>/dev/null; then fail "a missing file was compared"; fi
echo '{' >"$folder/broken.json"
if scripts/golden --write "$folder/none" "$folder/broken.json" 2>/dev/null; then fail "a broken scene was hashed"; fi
[ ! -e "$folder/none" ] || fail "hashes were written of a broken scene"
