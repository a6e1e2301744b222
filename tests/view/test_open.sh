#!/bin/sh
# test_open.sh WIRBEL-VIEW WIRBEL: what the window writes it opens again: recordings, which are done again and compared, checkpoints,
# lists of settings; and meshes.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
wirbel=$2
root=$PWD
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
mkdir "$XDG_CACHE_HOME"
small="--quality 0 --lockstep 1 --size 640x360"

start_display
cd "$folder"
cp "$root/scenes/falling-block.json" block.json

# shellcheck disable=SC2086 # words are wanted
launch block.json --set sph.particles=800 $small
wait_for '^frame 5 '
order 'set sph.viscosity 0.5'
wait_for '^event set sph.viscosity'
next_frames 5
order 'mark here'
next_frames 2
order 'key Space'
wait_for '^event paused'
next_frames 2
order 'key Ctrl+Shift+S'
wait_for '^event note written: block-[0-9]+.checkpoint'
order 'key Ctrl+E'
wait_for '^event note written: block-settings.json'
order 'key Ctrl+Shift+E'
wait_for '^event note written: block-changed.json'
order 'key Ctrl+S'
wait_for '^event note written: block-recording.json'
last=$(get_step)
quit
checkpoint=$(ls block-*.checkpoint)
hash=$(grep '^event end ' "$events" | cut -d ' ' -f 6)
grep -q '"text": "here"' block-recording.json || fail "the mark is not in the recording"
grep -q 'sph.viscosity.*0.5' block-settings.json || fail "what was set is not among the settings"
"$wirbel" run --replay block-recording.json --quiet || fail "the recording is not done again without a window"
"$wirbel" run block.json --settings block-settings.json --frames 1 --quiet >/dev/null || fail "settings are refused"
"$wirbel" run block-changed.json --frames 1 --quiet >/dev/null || fail "the scene with its settings is refused"

# the recording, done again in the window: its line of time is known, it comes to the same end, and can be rewound
# shellcheck disable=SC2086
launch --replay block-recording.json $small
wait_for "^frame [0-9]+ step $((last + 3)) "
[ "$(count_lines '^event message')" -eq 0 ] || fail "the recording differs"
order 'key Space'
wait_for '^event paused'
next_frames 2
[ "$(count_lines '^event note the future')" -eq 0 ] || fail "a replay was cut off"
quit

# one that was tampered with: DIVERGED
sed 's/"0.5"/"0.6"/' block-recording.json >wrong.json
# shellcheck disable=SC2086
launch wrong.json $small
wait_for "^event message DIVERGED: step $last differs from the recording"
quit 1

# the checkpoint goes on where it was, in the scene that its name tells
# shellcheck disable=SC2086
launch --resume "$checkpoint" --paused $small
wait_for "^frame [0-9]+ step $last "
quit
[ "$(grep '^event end ' "$events" | cut -d ' ' -f 6)" = "$hash" ] || fail "the checkpoint holds another world"

# a recording may begin there: it is done again without a window and in one, where it can be rewound to the checkpoint
# shellcheck disable=SC2086
launch --resume "$checkpoint" --set sph.viscosity=0.3 --record later.json $small
wait_for "^frame [0-9]+ step $((last + 4)) "
order 'set world.gravity 1,-5,0'
wait_for '^event set world.gravity'
next_frames 6
quit
later=$(get_end step)
hash=$(get_end hash)
"$wirbel" run --replay later.json --quiet >out || fail "a recording that begins with a checkpoint is not done again"
grep -q "$hash" out || fail "a recording that begins with a checkpoint ends otherwise"
# shellcheck disable=SC2086
launch later.json $small
wait_for "^frame [0-9]+ step $later "
[ "$(count_lines '^event message')" -eq 0 ] || fail "the recording that begins with a checkpoint differs in the window"
order "seek $((last + 1))"
wait_for "^frame [0-9]+ step $((last + 1)) time"
quit

# dropped files: settings that are fixed wait, a mesh becomes a scene, and what is no file is told
# shellcheck disable=SC2086
launch block.json --set sph.particles=800 $small
wait_for '^frame 3 '
order 'open block-settings.json'
wait_for '^event set sph.viscosity 0.5'
wait_for '^event note block-settings.json: 1 of 2 settings wait for a restart'
order "open $checkpoint"
wait_for '^event world 2 block.json'
# several at once: settings come with their world, and a second scene beside it
printf 'open block-settings.json\tblock-changed.json\tblock.json\tblock.json\n' >&4
wait_for '^event beside block.json'
wait_for '^event note 3 of 4 files are opened'
wait_for '^event world 3 block-changed.json'
wait_for '^event set sph.viscosity 0.5' 2
order "open $root/scenes/goblet.obj"
wait_for '^event world 4 .*goblet-.*json'
next_frames 3
order 'open nothing.json'
wait_for '^event message .*nothing.json'
quit 1
