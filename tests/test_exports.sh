#!/bin/sh
# test_exports.sh WIRBEL: surfaces, soft bodies and poses in files, as other programs read them.
set -eu
wirbel=$1
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# refuse SCENE FLAG WORDS: the flag has nothing to write, and leaves no folder
refuse() {
    code=0
    "$wirbel" run "$work/$1.json" --frames 1 --quiet "$2" "$work/none" 2>"$work/message" || code=$?
    [ $code -eq 2 ]
    grep -q -- "$3" "$work/message"
    [ ! -e "$work/none" ]
}

# surface NAME SPACING: frame 4 of $work/NAME.json, with its particles, which tell its volume
surface() {
    "$wirbel" run "$work/$1.json" --quiet --frames 4 --every 4 --surface "$work/$1" --ply "$work/$1" >"$work/line"
    grep -q "made .*$1" "$work/line"
    [ "$(find "$work/$1" -name 'surface*' | wc -l)" -eq 5 ]
    echo "$*" >>"$work/cases"
}

# boxes SPACING: "domain" and "blocks" of a dam break
boxes() {
    awk -v s="$1" 'BEGIN {
        print "\"domain\": {\"min\": [0, 0, 0], \"max\": [" 24 * s ", " 16 * s ", " 6 * s "]}, "
        print "\"world\": {\"gravity\": [0, " (-981 * s) ", 0]}, \"output\": {\"fps\": 20}, "
        print "\"fluids\": [{\"name\": \"water\", \"solver\": \"SOLVER\", "
        print "  \"blocks\": [{\"min\": [0, 0, 0], \"max\": [" 8 * s ", " 8 * s ", " 6 * s "]}]}]" }'
}

# dam breaks in motion, of particles of a millimetre and of a metre
for spacing in 0.001 1; do
    echo "{$(boxes $spacing), \"sph\": {\"spacing\": $spacing, \"soundSpeed\": \"auto\"}}" |
        sed s/SOLVER/sph/ >"$work/sph-$spacing.json"
    echo "{$(boxes $spacing), \"pbf\": {\"spacing\": $spacing}}" | sed s/SOLVER/pbf/ >"$work/pbf-$spacing.json"
    surface "sph-$spacing" $spacing
    surface "pbf-$spacing" $spacing
done
cat >"$work/plane.json" <<'END'
{"world": {"dimensions": 2}, "domain": {"min": [0, 0], "max": [0.6, 0.4]}, "output": {"fps": 20},
 "fluids": [{"name": "water", "blocks": [{"min": [0, 0], "max": [0.2, 0.2]}]}]}
END
surface plane 0.02
# two fluids, one that has no particles, and a drop far out
cat >"$work/drops.json" <<'END'
{"world": {"gravity": [0, 0, 0]}, "output": {"fps": 200}, "sph": {"spacing": 0.02}, "fluids": [
 {"name": "water", "balls": [{"position": [0, 0, 0], "radius": 0.05}], "particles": [{"position": [30, 20, 1]}]},
 {"name": "none"},
 {"name": "oil", "restDensity": 800, "blocks": [{"min": [0.1, 0, 0], "max": [0.18, 0.06, 0.06]}]}]}
END
surface drops 0.02

# soft bodies beside water, and colliders that move
cat >"$work/soft.json" <<'END'
{"domain": {"min": [0, 0, 0], "max": [1, 1, 1]}, "output": {"fps": 50},
 "fluids": [{"name": "water", "blocks": [{"min": [0.5, 0, 0], "max": [0.6, 0.1, 0.1]}]}],
 "softBodies": [{"name": "cloth", "shape": "cloth", "counts": [5, 6, 1], "size": [0.3, 0.3, 1], "position": [0.3, 0.6, 0.5]},
                {"name": "jelly", "shape": "cube", "counts": [3, 3, 3], "size": [0.1, 0.1, 0.1], "position": [0.8, 0.6, 0.8]}],
 "colliders": [{"name": "floor-1", "shape": "box", "size": [0.2, 0.02, 0.2], "position": [0.8, 0.3, 0.8]},
               {"name": "paddle", "shape": "box", "size": [0.02, 0.2, 0.2], "position": [0.3, 0.2, 0.8]}],
 "script": [{"at": 0, "set": "paddle.position", "value": [0.5, 0.2, 0.8]}]}
END
"$wirbel" run "$work/soft.json" --quiet --frames 4 --every 2 --ply "$work/soft/ply" --vtk "$work/soft/vtk" \
    --poses "$work/poses" --surface "$work/soft/surface" --set output.surfaceCell=0.8 >"$work/line"
grep -q "made .*ply, .*vtk, .*surface, .*poses" "$work/line"
[ -z "$(find "$work" -name '*.part')" ]

# Ctrl-C leaves whole files
"$wirbel" run "$work/soft.json" --quiet --seconds 1000 --surface "$work/stopped" --poses "$work/stopped" >"$work/line" &
job=$!
while [ ! -e "$work/stopped/surface_000002.vtp" ]; do
    kill -0 $job
    sleep 0.05
done
kill -INT $job
code=0
wait $job || code=$?
[ $code -eq 130 ]
[ -z "$(find "$work" -name '*.part')" ]
grep -q surface_000002.vtp "$work/stopped/surface.pvd"
grep -q "^2,.*,paddle," "$work/stopped/poses.csv"

# there must be something to write, and it may not take the place of what is read
sed 's/"fluids".*//; s/"colliders".*//; s/^ *{"name": "paddle".*//; s/^ "script".*/ "world": {}}/' "$work/soft.json" >"$work/cloth.json"
refuse cloth --surface "writes the surface of fluids, but the scene has none"
echo '{"domain": {"min": [0, 0, 0], "max": [1, 1, 1]}, "fluids": [{"name": "water"}]}' >"$work/dry.json"
refuse dry --surface "the scene has none with particles, and nothing emits any"
refuse plane --poses "writes where colliders and rigid bodies are, but the scene has none"
mkdir "$work/mesh"
cp "$work/poses/paddle.ply" "$work/mesh/ball.ply"
echo '{"colliders": [{"name": "ball", "shape": "mesh", "mesh": "ball.ply"}]}' >"$work/mesh/scene.json"
code=0
"$wirbel" run "$work/mesh/scene.json" --frames 1 --quiet --poses "$work/mesh" 2>"$work/message" || code=$?
[ $code -eq 2 ]
grep -q -- "--poses .*mesh may overwrite .*ball.ply" "$work/message"
cmp "$work/poses/paddle.ply" "$work/mesh/ball.ply"

# the first Python that has VTK, if one has
for python in python3 /usr/bin/python3; do
    if $python -c "import vtk" 2>/dev/null; then break; fi
done
if ! command -v "$python" >/dev/null; then
    echo "python3 is not installed: nothing reads the files here"
    exit 77
fi
$python "$here/read_exports.py" "$work"
