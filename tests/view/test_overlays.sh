#!/bin/sh
# test_overlays.sh WIRBEL-VIEW: each overlay changes the picture, and the picture without it is as before; keys change its kind and its
# colours; none of it changes the world.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
command -v convert >/dev/null || skip "there is no ImageMagick (scripts/install-deps view-tests)"
start_display

# lead SCENE STEPS: the window, led by orders; it goes on to that step and waits there
lead() {
    launch "$1" --quality 1 --lockstep 1 --size 320x200 --paused --threads 1
    wait_for '^frame 2 '
    order step "$2"
    wait_for "^frame [0-9]+ step $2 "
    order key Tab # the picture alone
    next_frames 3
    shots=0
}

# shoot NAME: the lower part of the picture, as notes stand above
shoot() {
    order shot "$folder/$1.png"
    shots=$((shots + 1))
    wait_for '^event note written' $shots
    convert "$folder/$1.png" -crop 320x110+0+90 +repage "ppm:$folder/$1.ppm"
}

differ() { ! cmp -s "$folder/$1.ppm" "$folder/$2.ppm"; }

# switch NAME…: each on and off again; the picture follows
switch() {
    for name in "$@"; do
        order overlay "$name" on
        shoot with
        differ with plain || fail "the overlay $name shows nothing"
        order overlay "$name" off
    done
    shoot without
    ! differ without plain || fail "overlays leave something behind"
}

# give ORDER EVENT: changes the picture for good
give() {
    order "$1"
    wait_for "$2"
    shoot other
    differ other plain || fail "$1 changes nothing"
    mv "$folder/other.ppm" "$folder/plain.ppm"
}

# finish_led: closes it; step and hash at the end
finish_led() {
    order key Ctrl+Q
    wait_end 0
    grep '^event end ' "$events" | cut -d ' ' -f 4,6
}

cat >"$folder/water.json" <<'END'
{"sph": {"spacing": 0.06}, "domain": {"min": [0, 0, 0], "max": [1, 0.8, 0.6]},
 "fluids": [{"name": "water", "blocks": [{"min": [0, 0, 0], "max": [0.5, 0.5, 0.6]}]}],
 "colliders": [{"name": "post", "shape": "box", "size": [0.1, 0.4, 0.1], "position": [0.8, 0.2, 0.3]}],
 "probes": [{"name": "gauge", "kind": "pressure", "position": [0.2, 0.1, 0.3]}],
 "emitters": [{"name": "pipe", "fluid": "water", "position": [0.7, 0.3, 0.5], "direction": [0, -1, 0], "radius": 0.08, "start": 9}],
 "output": {"colour": "speed", "colourMax": 2}}
END
lead "$folder/water.json" 6
shoot plain
switch arrows cells domain bounds wires emitters probes
give "key Shift+3" '^event set output.water points'
give "key K" '^event set output.colour size'
give "set output.colour neighbours" '^event set output.colour neighbours'
finish_led >"$folder/with"

lead "$folder/water.json" 6
finish_led >"$folder/without"
cmp "$folder/with" "$folder/without" || fail "overlays changed the world"

cat >"$folder/air.json" <<'END'
{"domain": {"min": [0, 0, 0], "max": [1, 1, 1]}, "smoke": {"cellSize": 0.0625},
 "sources": [{"name": "vent", "position": [0.5, 0.2, 0.5], "radius": 0.15, "temperature": 400}],
 "softBodies": [{"name": "rag", "shape": "cloth", "size": [0.4, 0.4, 1], "counts": [8, 8, 1], "position": [0.7, 0.3, 0.7]}],
 "bodies": [{"name": "crate", "size": [0.2, 0.2, 0.2], "position": [0.2, 0.1, 0.2]},
                 {"name": "lid", "size": [0.2, 0.05, 0.2], "position": [0.2, 0.225, 0.2]}],
 "joints": [{"name": "pin", "kind": "hinge", "bodies": ["lid", null], "anchor": [0.1, 0.225, 0.2]}]}
END
lead "$folder/air.json" 6
shoot plain
switch sources constraints contacts joints
give "set output.field velocityY" '^event set output.field velocityY'
switch air
give "key ]" '^event set output.sliceAt'
finish_led >/dev/null
