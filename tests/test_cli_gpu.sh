#!/bin/sh
# wirbel run on a compute device: checkpoints, and what happens to them where there is no device.
# Usage: test_cli_gpu.sh PROGRAM
set -u
program=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mkdir no-drivers
failed=0

if ! "$program" info | grep -q '^opencl:0'; then
    echo "no compute device"
    [ -z "${WIRBEL_NEED_OPENCL-}" ] && exit 77
    exit 1
fi

cat >drop.json <<'END'
{
  "title": "Drop",
  "world": {"dimensions": 2, "seconds": 0.1},
  "domain": {"min": [0, 0], "max": [1, 1]},
  "sph": {"spacing": 0.05, "integrator": "leapfrog"},
  "fluids": [{"name": "water", "blocks": [{"min": [0.2, 0.2], "max": [0.8, 0.8]}]}],
  "rigid": {"contact": "particles"},
  "coupling": {"waterRigid": "off"},
  "bodies": [
    {"name": "stone", "type": "static", "shape": "sphere", "radius": 0.2, "position": [0.5, 0.1]},
    {"size": [0.1, 0.1], "position": [0.5, 0.36], "copies": {"counts": [2, 2], "spacing": [0.12, 0.12]}}
  ],
  "output": {"fps": 50}
}
END

# run ARGUMENT…: the hash of the run's end; the messages stand in err
run() {
    "$program" run drop.json --quiet "$@" 2>err | grep -o 'hash [0-9a-f]*' || {
        echo "FAILED: wirbel run $*" >&2
        cat err >&2
    }
}

# expect WHAT TEXT TEXT: both are the same
expect() {
    if [ -n "$2" ] && [ "$2" = "$3" ]; then return; fi
    failed=$((failed + 1))
    echo "FAILED: $1: \"$2\" is not \"$3\""
}

whole=$(run --backend opencl --seconds 0.2)
half=$(run --backend opencl --seconds 0.1 --save half.wbc)
expect "resumed as if not stopped" "$(run --resume half.wbc --seconds 0.2)" "$whole"
expect "resumed with the same command line" "$(run --backend opencl --resume half.wbc --seconds 0.2)" "$whole"
expect "without a word" "$(wc -c <err)" 0
expect "saved on the way" "$(run --backend opencl --seconds 0.2 --save way.wbc --save-every 0.05)" "$whole"
expect "half of it is something else" "$([ "$half" = "$whole" ] || echo yes)" yes

# what is written of the way does not disturb it; surfaces are made on the host, of the same particles
expect "with surfaces" "$(run --backend opencl --seconds 0.1 --surface device)" "$half"
run --backend cpu --seconds 0 --surface cores >out
expect "surface of the start" "$(cksum <device/surface_000000.ply)" "$(cksum <cores/surface_000000.ply)"
expect "surface of the end" "$(grep -ac 'element face' device/surface_000005.ply)" 1

# on the cores it goes on, too, whether by wish or because there is no device
cores=$(run --backend cpu --resume half.wbc --seconds 0.2)
expect "without a device" "$(OCL_ICD_VENDORS=$PWD/no-drivers run --resume half.wbc --seconds 0.2)" "$cores"
expect "and says so once" "$(wc -l <err) $(grep -c 'here it is "cpu" (OpenCL has no driver' err)" "1 1"
OCL_ICD_VENDORS=$PWD/no-drivers "$program" run drop.json --quiet --backend opencl --resume half.wbc --seconds 0.2 >out 2>err
expect "a device that is asked for must be there" "$? $(wc -c <out)" "1 0"
expect "and that is all it says" "$(wc -l <err) $(grep -c 'OpenCL has no driver' err)" "1 1"

echo "$failed failed"
[ "$failed" -eq 0 ]
