#!/bin/sh
# test_allocations.sh WIRBEL-VIEW WIRBEL COMPARE_PICTURES COUNT_ALLOCATIONS: once it is warm, a frame of the window with its step, still, picture and
# panels allocates nothing.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
start_display
count() { [ -f "$folder/count" ] && wc -c <"$folder/count" || echo 0; }
WB_ALLOCATIONS=$folder/count
export WB_ALLOCATIONS
for scene in "falling-block --set sph.particles=1500" "box-stack"; do
    rm -f "$folder/count"
    LD_PRELOAD=$4
    export LD_PRELOAD
    # without states to go back to, which are kept and not per frame
    # shellcheck disable=SC2086 # words
    start $scene --quality 1 --lockstep 1 --size 1000x400 --memory 0 --threads 1
    unset LD_PRELOAD
    wait_for '^frame 40 '
    [ "$(count)" -gt 100 ] || fail "$scene: allocations are not counted"
    before=$(count)
    next_frames 20
    [ "$(count)" -eq "$before" ] || fail "$scene: $(($(count) - before)) allocations in 20 frames"
    end
done
