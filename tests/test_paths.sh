#!/bin/sh
# The files of a run from outside: what it reads is not overwritten, runs that write the same file at once leave it whole,
# what is no file is not waited for, and files that lie about their size take no memory.
# Usage: test_paths.sh PROGRAM
set -u
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0
passed=0

# check DESCRIPTION COMMAND…: the command succeeds
check() {
    description=$1
    shift
    if "$@" >checked 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $description"
        sed 's/^/    /' checked said
    fi
}

# refuse TEXT ARGUMENT…: the program ends with 2, says the text, and all files are as they were
refuse() {
    wanted=$1
    shift
    before=$(find . ! -name said ! -name checked -type f -exec md5sum {} + | sort; find . ! -type f | sort)
    timeout 20 "$program" "$@" >said 2>&1
    got=$?
    after=$(find . ! -name said ! -name checked -type f -exec md5sum {} + | sort; find . ! -type f | sort)
    check "wirbel $* ends with 2, not $got" test $got -eq 2
    check "wirbel $* says: $wanted" grep -qF -e "$wanted" said
    check "wirbel $* leaves all files as they were" test "$before" = "$after"
}

cat >tank.json <<'END'
{
  "world": {"dimensions": 2, "dt": 0.001, "seconds": 0.1}, "sph": {"spacing": 0.1},
  "domain": {"min": [0, 0], "max": [1, 1]},
  "fluids": [{"name": "water", "blocks": [{"min": [0.2, 0.2], "max": [0.8, 0.8]}]}],
  "output": {"fps": 50, "size": [64, 48]}
}
END
mkdir meshes
cat >meshes/particles_000002.ply <<'END'
ply
format ascii 1.0
element vertex 4
property float x
property float y
property float z
element face 4
property list uchar int vertex_indices
end_header
0 0 0
0.2 0 0
0 0.2 0
0 0 0.2
3 0 2 1
3 0 1 3
3 0 3 2
3 1 2 3
END
cat >mesh.json <<'END'
{
  "world": {"dt": 0.01, "seconds": 0.1}, "domain": {"min": [-1, -1, -1], "max": [1, 1, 1]},
  "softBodies": [{"name": "cube", "shape": "cube", "size": [0.2, 0.2, 0.2], "counts": [3, 3, 3]}],
  "colliders": [{"name": "wedge", "mesh": "meshes/particles_000002.ply", "position": [0, -0.5, 0]}],
  "output": {"fps": 50, "size": [64, 48]}
}
END

# what is read, under its name, another path, a link of either kind
ln -s tank.json symbolic
ln tank.json hard
ln -s meshes elsewhere
for output in --stats --save --video; do
    for name in tank.json ./tank.json "$PWD/tank.json" symbolic hard; do
        refuse "$output would overwrite tank.json, which this run reads" run tank.json --quiet $output "$name"
    done
    refuse "$output would overwrite meshes/particles_000002.ply" run mesh.json --quiet $output meshes/particles_000002.ply
    refuse "$output would overwrite meshes/particles_000002.ply" run mesh.json --quiet $output elsewhere/particles_000002.ply
done
refuse "--ply meshes may overwrite meshes/particles_000002.ply" run mesh.json --quiet --ply meshes
refuse "--ply elsewhere may overwrite meshes/particles_000002.ply" run mesh.json --quiet --ply elsewhere
mkdir out
ln meshes/particles_000002.ply out/frame_000007.png
refuse "--png out may overwrite meshes/particles_000002.ply" run mesh.json --quiet --png out
rm out/frame_000007.png
ln -s ../tank.json out/particles.pvd
refuse "--vtk out may overwrite tank.json" run tank.json --quiet --vtk out
rm out/particles.pvd
refuse "--stats names out/frame_000001.png, as --png out may" run tank.json --quiet --png out --stats out/frame_000001.png
"$program" run tank.json --quiet --seconds 0.02 --save saved >said 2>&1
refuse "--stats would overwrite saved" run tank.json --quiet --resume saved --stats saved
refuse "--video would overwrite saved" run tank.json --quiet --resume saved --video saved
"$program" run tank.json --quiet --resume saved --save saved >said 2>&1
check "a checkpoint may take the place of the one that is resumed" test $? -eq 0
"$program" analyze solvers mesh.json --seconds 0.02 --save-colouring colours >said 2>&1
refuse "--save-colouring would overwrite mesh.json" analyze solvers mesh.json --save-colouring mesh.json
refuse "--save-colouring would overwrite colours" analyze solvers mesh.json --colouring colours --save-colouring ./colours
cp mesh.json out/plot.svg
sed -i 's,meshes/,../meshes/,' out/plot.svg
refuse "--plot out may overwrite out/plot.svg" analyze solvers out/plot.svg --plot out
rm -r out

# several runs with the same outputs at once: each ends well, and what is left is whole
film=
if command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null; then film="--video film.mp4"; fi
children=
for run in 1 2 3 4; do
    # shellcheck disable=SC2086 # words are wanted
    "$program" run tank.json --quiet --threads 1 --seconds 0.$run $film --stats table.csv --save state --save-every 0.02 \
        --png png --ply ply --vtk vtk >said.$run 2>&1 &
    children="$children $!"
done
run=0
for child in $children; do
    run=$((run + 1))
    wait "$child"
    got=$?
    cp said.$run said
    check "run $run of four at once ends with 0, not $got" test $got -eq 0
    check "run $run of four at once says what it made" grep -q "; made " said
done
check "nothing half made is left" test -z "$(find . -name '*part')"
"$program" run tank.json --quiet --resume state --seconds 0 >said 2>&1
check "the checkpoint is whole" test $? -eq 0
check "the table is one of a single run" \
    test "$(cut -d, -f1 table.csv | tail -n +2 | tr '\n' ' ')" = "$(seq 0 $(($(wc -l <table.csv) - 2)) | tr '\n' ' ')"
check "the list of VTK files is whole" grep -q "</VTKFile>" vtk/particles.pvd
if [ -n "$film" ]; then
    frames=$(ffprobe -v error -count_frames -select_streams v:0 -show_entries stream=nb_read_frames -of csv=p=0 film.mp4 2>said)
    check "the film has the frames of one run, not $frames" expr "$frames" : '\(6\|11\|16\|21\)$'
    check "ffprobe has nothing to say" test ! -s said
fi

# what is no file: refused, not waited for
mkfifo pipe.json pipe.ply
sed 's,meshes/particles_000002,pipe,' mesh.json >pipe-mesh.json
refuse "cannot read pipe.json: it is a device or a pipe, not a file" run pipe.json
refuse "cannot read pipe.ply: it is a device or a pipe, not a file" run pipe-mesh.json
refuse "cannot read pipe.ply: it is a device or a pipe, not a file" run tank.json --resume pipe.ply
refuse "cannot read pipe.json: it is a device or a pipe, not a file" analyze solvers mesh.json --colouring pipe.json

# a face that claims more corners than any memory holds
sed 's,uchar,int,; s,^3 0 2 1$,2000000000 0 2 1,' meshes/particles_000002.ply >liar.ply
sed 's,meshes/particles_000002,liar,' mesh.json >liar.json
refuse "liar.ply: face 0 promises a list of 2000000000" run liar.json

# Ctrl-C leaves whole files and no parts
# shellcheck disable=SC2086
"$program" run tank.json --quiet --seconds 100000 $film --stats stopped.csv >said 2>&1 &
child=$!
sleep 1
kill -INT $child
wait $child
check "Ctrl-C ends with 130" test $? -eq 130
check "Ctrl-C leaves the table" test -s stopped.csv
check "Ctrl-C leaves no part" test -z "$(find . -name '*part')"

echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
