#!/bin/sh
# test_rewind.sh WIRBEL-VIEW WIRBEL: back to step 10 of 60 and on again gives the same hash; a click on the line of time goes there; a
# command in the past cuts the future off, which is written and can be done again.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
wirbel=$2
start_display
root=$PWD
cd "$folder" # recordings of what was cut off go to the current folder
begin() { start "$root/scenes/falling-block.json" --set sph.particles=1500 --quality 0 --lockstep 1 --size 640x360 --paused "$@"; }

begin
order step 60
wait_for '^frame [0-9]+ step 60 '
end
hash=$(get_end hash)
[ "$(get_end step)" -eq 60 ] || fail "it ends with step $(get_end step)"

begin --record "$folder/end.json"
order step 60
wait_for '^frame [0-9]+ step 60 '
order seek 10
wait_for '^frame [0-9]+ step 10 '
order step 50
wait_for '^frame [0-9]+ step 60 ' 2
end
[ "$(get_end hash)" = "$hash" ] || fail "after going back the hash is $(get_end hash), not $hash"

begin --record "$folder/end.json"
order step 60
wait_for '^frame [0-9]+ step 60 '
xdotool mousemove 320 338
next_frames 2
xdotool mousedown 1
next_frames 2
xdotool mouseup 1
wait_for '^event seek time 0\.[45]'
wait_for '^frame [0-9]+ step (29|30|31) '
order seek 10
wait_for '^frame [0-9]+ step 10 '
order set world.gravity 0,0,0
wait_for '^event note the future that was is written: falling-block-1.json'
order step 15
wait_for '^frame [0-9]+ step 25 '
end
[ "$(get_end step)" -eq 25 ] || fail "it ends with step $(get_end step)"
grep -q "$(get_end hash)" end.json || fail "the recording ends with another hash"
grep -q "$hash" falling-block-1.json || fail "the future that was cut off ends with another hash"
"$wirbel" run --replay end.json --quiet || fail "the recording is not done again"
"$wirbel" run --replay falling-block-1.json --quiet || fail "the future that was cut off is not done again"
