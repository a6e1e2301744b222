#!/bin/sh
# test_steps.sh WIRBEL-VIEW: a pause stops the steps, each key makes one, also many quick ones; then it runs on.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
start_display
start falling-block --set sph.particles=1500 --quality 0 --lockstep 1 --size 640x360

xdotool key space
wait_for '^event paused'
next_frames 3
before=$(get_step)
next_frames 5
[ "$(get_step)" -eq "$before" ] || fail "steps run while it is paused"

xdotool key period
wait_for '^event step' 1
next_frames 2
[ "$(get_step)" -eq $((before + 1)) ] || fail "a key made $(($(get_step) - before)) steps"
for _ in $(seq 20); do xdotool key --delay 0 period; done
wait_for '^event step' 21
next_frames 2
[ "$(get_step)" -eq $((before + 21)) ] || fail "21 keys made $(($(get_step) - before)) steps"

xdotool key space
wait_for '^event running'
next_frames 3
[ "$(get_step)" -gt $((before + 21)) ] || fail "it does not run on"
end
