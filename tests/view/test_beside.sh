#!/bin/sh
# test_beside.sh WIRBEL-VIEW WIRBEL COMPARE_PICTURES: two worlds in two halves at the same step, which look alike until they differ; the
# first is recorded as if it were alone.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
wirbel=$2
compare=$3
start_display
start falling-block --set sph.particles=1500 --beside sph.viscosity=20 --quality 0 --lockstep 1 --size 642x360 --paused --record "$folder/end.json"
xdotool key Tab
wait_for '^event window 642 x 360 picture 320 x 360 at 0 0'

# are_alike NAME: the halves of the window
are_alike() {
    order shot "$folder/$1.png"
    wait_for "^event note written: $folder/$1.png"
    "$compare" "$folder/$1.png" halves 0.3
}
order step 1
wait_for '^frame [0-9]+ step 1 '
are_alike first || fail "the worlds differ after a step"
order step 40
wait_for '^frame [0-9]+ step 41 '
! are_alike second || fail "the worlds are still alike"
end
"$wirbel" run --replay "$folder/end.json" --quiet || fail "the recording is not done again"
