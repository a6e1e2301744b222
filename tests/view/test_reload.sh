#!/bin/sh
# test_reload.sh WIRBEL-VIEW: a scene's file that changes is told, and read again by a key or by itself; an error in it shows its place
# and leaves the old world; a world that becomes unstable stands still, says why, and can be rewound.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
start_display
root=$PWD
cd "$folder"
cp "$root/scenes/falling-block.json" scene.json
launch scene.json --set sph.particles=800 --quality 0 --lockstep 1 --size 640x360
wait_for '^frame 5 '

# saved beside and renamed, as editors do
change() {
    "$@" >scene.new
    mv scene.new scene.json
}
change sed 's/"sph"/"sqh"/' scene.json
wait_for '^event note scene.json has changed'
order 'key R'
wait_for '^event message scene.json:[0-9]+:[0-9]+: unknown key "sqh"'
before=$(get_step)
next_frames 3
[ "$(get_step)" -gt "$before" ] || fail "the old world does not go on"
[ "$(count_lines '^event world ')" -eq 1 ] || fail "another world came"

order 'key Ctrl+R'
wait_for '^event note a scene.s file that changes is read again at once'
change sed 's/"sqh"/"sph"/' scene.json
wait_for '^event world 2 scene.json'
next_frames 3

# a step that no water can follow
order 'key Ctrl+R'
order 'set world.dt 0.5'
wait_for '^event message .*step'
next_frames 2
broken=$(get_step)
next_frames 3
[ "$(get_step)" -eq "$broken" ] || fail "an unstable world goes on"
seeks=$(count_lines '^event seek')
order 'key Shift+Left'
wait_for '^event seek' $((seeks + 1))
next_frames 3
[ "$(get_step)" -lt "$broken" ] || fail "an unstable world cannot be rewound: step $(get_step) after $broken"
quit
