#!/bin/sh
# test_pictures.sh WIRBEL-VIEW WIRBEL COMPARE_PICTURES: water, cloth, rigid bodies and smoke as the window draws them look like stored pictures:
# their colours differ by less than 2 % on average, and 10 % in blocks of 20 pixels. WRITE_PICTURES=1 stores them anew.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
compare=$3
stored=$(dirname "$0")/pictures
start_display

# draw NAME SCENE ARGUMENTS: after 25 steps, as films
draw() {
    name=$1
    shift
    "$program" "$@" --quality 3 --lockstep 1 --size 320x180 --frames 25 --shot "$folder/$name.png" --events "$events" ||
        fail "$name ends with $?"
    if [ -n "${WRITE_PICTURES:-}" ]; then
        cp "$folder/$name.png" "$stored/$name.png"
    fi
    "$compare" "$folder/$name.png" "$stored/$name.png" 2 || fail "$name looks otherwise"
}
draw water falling-block --set sph.particles=1500
draw cloth cloth
draw bodies box-stack
draw smoke plume --set smoke.cellSize=0.05
