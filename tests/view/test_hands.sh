#!/bin/sh
# test_hands.sh WIRBEL-VIEW WIRBEL: handles set parameters, and undo takes them back; Shift and a drag push water, B throws a ball, a
# click selects a particle; a press in the same frame in which the cursor left a panel counts.
# shellcheck disable=SC1091,SC2154,SC2046 # support.sh sets them; places are two words
set -eu
. "$(dirname "$0")/support.sh"
wirbel=$2
start_display
cat >"$folder/tank.json" <<'END'
{
  "title": "Tank",
  "world": {"seconds": 60},
  "domain": {"min": [0, 0, 0], "max": [2, 2, 1]},
  "sph": {"spacing": 0.08, "soundSpeed": 25},
  "fluids": [{"name": "water", "blocks": [{"min": [0, 0, 0], "max": [1, 0.6, 1]}]}],
  "emitters": [{"name": "tap", "position": [0.4, 1.6, 0.5], "direction": [0, -1, 0], "radius": 0.1, "open": false}],
  "colliders": [{"name": "plate", "size": [0.16, 0.5, 0.9], "position": [1.5, 0.4, 0.5]}],
  "mechanisms": [{"name": "gate", "kind": "gate", "colliders": ["plate"], "travel": [0, 0.5, 0], "duration": 1}],
  "camera": {"position": [1, 1.4, 6], "target": [1, 0.8, 0.5], "fov": 35}
}
END
start "$folder/tank.json" --quality 0 --lockstep 1 --size 640x360 --record "$folder/end.json"

# drag FROM-X FROM-Y RIGHT DOWN [BUTTON]
drag() {
    xdotool mousemove "$1" "$2"
    next_frames 2
    xdotool mousedown 1
    next_frames 1
    xdotool mousemove $(($1 + $3 / 2)) $(($2 + $4 / 2))
    next_frames 2
    xdotool mousemove $(($1 + $3)) $(($2 + $4))
    next_frames 3
    xdotool mouseup 1
    next_frames 2
}

# a valve
xdotool mousemove $(place 0.4,1.6,0.5)
next_frames 2
xdotool click 1
wait_for '^event set tap.open true'

# a gate, pulled by half of its way, and back by undo
set -- $(place 1.5,0.4,0.5) $(place 1.5,0.65,0.5)
drag "$1" "$2" 0 $(($4 - $2))
value=$(grep '^event set gate.open' "$events" | tail -n 1 | cut -d ' ' -f 4)
awk -v v="$value" 'BEGIN { exit !(v > 0.4 && v < 0.6) }' || fail "the gate was pulled by half of its way, and is set to $value"
xdotool key ctrl+z
wait_for '^event note undone: gate.open is 0 again'

# a side of the domain: its handles are shown on demand
set -- $(place 2,1,0.5)
cameras=$(count_lines '^event camera')
drag "$1" "$2" -30 0
[ "$(count_lines '^event set domain.max')" -eq 0 ] || fail "a side moves without its handle"
[ "$(count_lines '^event camera')" -gt "$cameras" ] || fail "a drag beside handles does not turn the camera"
xdotool key Home
next_frames 3
xdotool key h
wait_for '^event note handles of things and'
drag "$1" "$2" -30 0
wait_for '^event set domain.max 1[.]'

# water is pushed, and a ball is thrown into it
set -- $(place 0.5,0.3,1)
xdotool keydown shift
drag "$1" "$2" 60 -10
xdotool keyup shift
[ "$(count_lines '^event push')" -eq 1 ] || fail "Shift and a drag do not push water"
[ "$(count_lines '^event release')" -eq 1 ] || fail "a push does not end"
xdotool key b
wait_for '^event throw'
next_frames 10
# also through the glass at its feet, where the way in is under water: the ball begins above it
set -- $(place 0.4,0.05,1)
xdotool mousemove "$1" "$2"
next_frames 2
xdotool key b
wait_for '^event throw' 2
next_frames 10
[ "$(count_lines '^event refused')" -eq 0 ] || fail "a ball that is thrown at water behind glass is refused"

# one particle
xdotool key space
wait_for '^event paused'
next_frames 2
xdotool click 1
wait_for '^event select water, particle [0-9]+; ?at '
xdotool key f
next_frames 2

# off a panel and pressed, in one frame
cameras=$(count_lines '^event camera')
xdotool mousemove 300 10
next_frames 3
xdotool mousemove 60 60 mousedown 1
next_frames 2
xdotool mousemove 90 70
next_frames 2
xdotool mouseup 1
wait_for '^event camera' $((cameras + 1))
[ "$(count_lines '^event refused')" -eq 0 ] || fail "a command was refused"
end

hash=$(grep '^event end ' "$events" | cut -d ' ' -f 6)
grep -q "$hash" "$folder/end.json" || fail "the recording ends with another hash than $hash"
grep -q 'addRigidBody' "$folder/end.json" || fail "the ball is not in the recording"
"$wirbel" run --replay "$folder/end.json" --quiet || fail "the recording is not done again"
