#!/bin/sh
# The layer check finds every breach in the folder beside this script, and nothing where there is none.
set -eu
cd "$(dirname "$0")"
rules=../../scripts/layers.awk
found=$(awk -f $rules src/sph/breaches.txt src/sph/kernels.cl src/io/breaches.txt || true)
echo "$found"
# each line of the examples that breaks a rule says so at its end
expected=$(grep -c 'BREACH' src/sph/breaches.txt src/sph/kernels.cl src/io/breaches.txt | awk -F: '{ sum += $2 } END { print sum }')
lines=$(echo "$found" | grep -c '^src/')
[ "$lines" -eq "$expected" ] || { echo "found $lines breaches, not $expected" && exit 1; }
