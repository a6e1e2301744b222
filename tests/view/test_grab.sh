#!/bin/sh
# test_grab.sh WIRBEL-VIEW WIRBEL: a press on a corner of a cloth and a drag pull it to the cursor; right click pins it there. A press on
# nothing, or on what cannot be moved, turns the camera. All of it is done again without a window to the same hash.
# shellcheck disable=SC1091,SC2154,SC2046 # support.sh sets them; places are two words
set -eu
. "$(dirname "$0")/support.sh"
wirbel=$2
start_display
cat >"$folder/cloth.json" <<'END'
{
  "title": "Cloth and bodies",
  "world": {"seconds": 60, "dt": 0.016666667},
  "domain": {"min": [-2, 0, -2], "max": [2, 3, 2]},
  "pbd": {"method": "xpbd", "subSteps": 5},
  "softBodies": [{"name": "cloth", "shape": "cloth", "size": [1, 1, 1], "counts": [16, 16, 1], "position": [-0.6, 1.5, 0],
                  "rotation": [90, 0, 0], "density": 0.3}],
  "rigidBodies": [
    {"name": "crate", "size": [0.4, 0.4, 0.4], "position": [1, 0.2, 0]},
    {"name": "stone", "size": [0.4, 0.4, 0.4], "position": [0.2, 0.2, 1], "type": "static"}
  ],
  "camera": {"position": [0, 2, 6], "target": [0, 1, 0], "fov": 40}
}
END
start "$folder/cloth.json" --quality 0 --lockstep 1 --size 640x360 --paused --record "$folder/end.json"

# its near left corner, a little inside
set -- $(place -1.08,1.5,0.48)
x=$1 y=$2
xdotool mousemove "$x" "$y"
next_frames 2
xdotool mousedown 1
next_frames 2
[ "$(count_lines '^event grab')" -eq 0 ] || fail "a press alone holds something while it is paused"
xdotool mousemove $((x - 30)) $((y - 60))
wait_for '^event grab cloth particle'
next_frames 2
xdotool key space
wait_for '^event running'

# get_share: how far what is held is from its target, as a share of the way of the target from the corner
get_share() {
    grep '^event held' "$events" | tail -n 1 | awk '
        function distance(a, b, c, d, e, f) { return sqrt((a - d) ^ 2 + (b - e) ^ 2 + (c - f) ^ 2) }
        { print distance($3, $4, $5, $7, $8, $9) / distance(-1.1, 1.5, 0.5, $7, $8, $9) }'
}
for _ in $(seq 40); do
    next_frames 5
    share=$(get_share)
    awk -v s="$share" 'BEGIN { exit !(s < 0.05) }' && break
done
awk -v s="$share" 'BEGIN { exit !(s < 0.05) }' || fail "the corner stays away from its target: $share of the way"

# pinned, it stays; the hand is free again
xdotool click 3
wait_for '^event pin'
xdotool mouseup 1
next_frames 5
[ "$(count_lines '^event release')" -eq 0 ] || fail "what was pinned is let go of"

# a rigid body is lifted, and let go of by Esc
set -- $(place 1,0.2,0.2)
xdotool mousemove "$1" "$2"
next_frames 2
xdotool mousedown 1
next_frames 2
xdotool mousemove "$1" $(($2 - 70))
wait_for '^event grab crate'
next_frames 20
xdotool key Escape
wait_for '^event release'
xdotool mouseup 1
next_frames 2
height=$(grep '^event held' "$events" | tail -n 1 | cut -d ' ' -f 4)
awk -v h="$height" 'BEGIN { exit !(h > 0.4) }' || fail "the crate was only lifted to $height"

# drag_camera X Y: the camera turns, and nothing is held
drag_camera() {
    cameras=$(count_lines '^event camera')
    xdotool mousemove "$1" "$2"
    next_frames 2
    xdotool mousedown 1
    next_frames 2
    xdotool mousemove $(($1 + 40)) "$2"
    next_frames 2
    xdotool mouseup 1
    wait_for '^event camera' $((cameras + 1))
}
drag_camera 60 60
drag_camera $(place 0.2,0.2,1.2)
[ "$(count_lines '^event grab')" -eq 2 ] || fail "a press on nothing, or on a static body, holds something"
[ "$(count_lines '^event refused')" -eq 0 ] || fail "a command was refused"
end

hash=$(grep '^event end ' "$events" | cut -d ' ' -f 6)
grep -q '"mouse1.target"' "$folder/end.json" || fail "the hand is not in the recording"
grep -q "$hash" "$folder/end.json" || fail "the recording ends with another hash than $hash"
"$wirbel" run --replay "$folder/end.json" --quiet || fail "the recording is not done again"
