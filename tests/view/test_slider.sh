#!/bin/sh
# test_slider.sh WIRBEL-VIEW: a drag on a row of the panel sets the parameter and does not turn the camera; one on the picture turns
# the camera and sets nothing; a value out of range is refused and told.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
start_display
start falling-block --set sph.particles=1500 --quality 0 --lockstep 1 --size 800x500
next_frames 4

# the filter leaves one section with one row: its slider lies below the filter and the headlines
xdotool mousemove 100 52 click 1
next_frames 3
xdotool type --delay 60 sideRes
next_frames 3
xdotool mousemove 20 101
next_frames 3
xdotool mousedown 1
next_frames 3
xdotool mousemove 120 101
next_frames 3
xdotool mouseup 1
wait_for '^event set sph.sideRestitution '
next_frames 3
[ "$(count_lines '^event camera')" -eq 0 ] || fail "a drag on the panel turned the camera"
value=$(grep '^event set sph.sideRestitution' "$events" | tail -n 1 | cut -d ' ' -f 4)
awk -v v="$value" 'BEGIN { exit !(v > 0.2 && v < 1) }' || fail "the slider gave $value"
wait_for "^event value sph.sideRestitution $value"

sets=$(count_lines '^event set')
xdotool mousemove 560 250
next_frames 3 # the panels know where the cursor is a frame later
xdotool mousedown 1
next_frames 2
xdotool mousemove 620 280
next_frames 2
xdotool mouseup 1
wait_for '^event camera'
[ "$(count_lines '^event set')" -eq "$sets" ] || fail "a drag on the picture set a parameter"

# what is typed into a field is no key, also in the frame of the click
xdotool mousemove 100 52 click 1 key g key g key v
next_frames 4
xdotool key Escape
next_frames 2
[ "$(count_lines '^event set world.gravity')" -eq 0 ] || fail "a letter in a field was a key"
xdotool key g
wait_for '^event set world.gravity' # Escape has left the field
end
