#!/bin/sh
# test_air_files.sh WIRBEL: what a run writes of smoke is the same in all formats, as other programs read them.
set -eu
wirbel=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/smoke.json" <<'END'
{"world": {"dt": 0.02}, "domain": {"min": [-1, 0, 2], "max": [1.6, 3.4, 3.5]}, "smoke": {"cellSize": 0.1, "fire": true},
 "sources": [{"name": "fire", "shape": "sphere", "position": [0.3, 0.6, 2.6], "radius": 0.3, "density": 1,
              "temperature": 300, "fuel": 0.5}], "output": {"fps": 50}}
END
"$wirbel" run "$work/smoke.json" --frames 3 --every 3 --quiet --vdb "$work/vdb" --vtk "$work/vtk" --raw "$work/raw" \
    >"$work/line"
grep -q "made .*vtk, .*vdb, .*raw" "$work/line"
[ "$(find "$work/vdb" "$work/vtk" "$work/raw" -type f | wc -l)" -eq $((2 + 3 + 2 * 2 * 6)) ]
[ "$(wc -c <"$work/raw/density_000003.raw")" -eq $((4 * 26 * 34 * 15)) ]

# without smoke there is nothing to write
echo '{"fluids": [{"name": "water", "blocks": [{"min": [0, 0, 0], "max": [0.1, 0.1, 0.1]}]}]}' >"$work/water.json"
for flag in vdb raw; do
    code=0
    "$wirbel" run "$work/water.json" --frames 1 --quiet "--$flag" "$work/none" 2>"$work/message" || code=$?
    [ $code -eq 2 ]
    grep -q -- "--$flag writes smoke, but the scene has none" "$work/message"
    [ ! -e "$work/none" ]
done

# the first Python that has one of the readers
code=77
echo "python3 is not installed: OpenVDB and VTK do not read the files here" >"$work/readers"
for python in python3 /usr/bin/python3; do
    if [ $code -ne 77 ] || ! command -v $python >/dev/null; then continue; fi
    code=0
    $python "$here/read_air.py" "$work" >"$work/readers" || code=$?
done
cat "$work/readers"
exit $code
