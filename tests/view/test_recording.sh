#!/bin/sh
# test_recording.sh WIRBEL-VIEW WIRBEL: what a user does in 100 steps is recorded, and done again without a window to the same hash;
# also what was done after going back in time, whose first future is a recording of its own.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
wirbel=$2
start_display
root=$PWD
cd "$folder" # recordings of what was cut off go to the current folder
start "$root/scenes/falling-block.json" --set sph.particles=1500 --quality 0 --lockstep 2 --size 640x360 --record "$folder/end.json"

xdotool key g
wait_for '^event set world.gravity 0,0,0'
next_frames 20
xdotool key g
wait_for '^event set world.gravity' 2
next_frames 20
xdotool key space
wait_for '^event paused'
next_frames 2
last=$(get_step)
[ "$last" -gt 60 ] || fail "only $last steps"

# ten steps back, and on without a command: what is known comes again
xdotool key shift+Left
wait_for "^event seek $((last - 10))\$"
wait_for "^frame [0-9]+ step $((last - 10)) "
xdotool key space
wait_for '^event running'
wait_for "^frame [0-9]+ step $((last + 2)) "
[ "$(count_lines '^event message')" -eq 0 ] || fail "the known steps differ"

# twenty steps back, and a command there: the future is cut off and written
xdotool key space
wait_for '^event paused' 2
next_frames 2
xdotool key shift+Left
wait_for '^event seek' 2
next_frames 2
xdotool key g
wait_for '^event note the future that was is written: falling-block-1.json'
xdotool key space
wait_for '^event running' 2
next_frames 10
end

hash=$(grep '^event end ' "$events" | cut -d ' ' -f 6)
step=$(grep '^event end ' "$events" | cut -d ' ' -f 4)
grep -q "$hash" end.json || fail "the recording ends with another hash than $hash"
grep -q "$step" end.json || fail "the recording ends with another step than $step"
"$wirbel" run --replay end.json --quiet || fail "the recording is not done again"
"$wirbel" run --replay falling-block-1.json --quiet || fail "the future that was cut off is not done again"
# and one that was tampered with is told
sed 's/0,0,0/0,1,0/' end.json >wrong.json
! cmp -s end.json wrong.json || fail "nothing to tamper with"
code=0
"$wirbel" run --replay wrong.json --quiet 2>/dev/null || code=$?
[ $code -eq 1 ] || fail "another recording ends with $code"
