#!/bin/sh
# test_resize.sh WIRBEL-VIEW: larger, tiny and back; panels and picture fill the window and no more; it goes on when it is hidden.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
start_display
start falling-block --set sph.particles=1500 --quality 0 --lockstep 1 --size 800x500
window=$(xdotool search --pid "$viewer" | tail -n 1)

# resize WIDTH HEIGHT: and a picture of it
resize() {
    xdotool windowsize "$window" "$1" "$2"
    wait_for "^event window $1 x $2 "
    order shot "$folder/$1x$2.png"
    wait_for "^event note written: $folder/$1x$2.png"
}
resize 1000 600
resize 64 64
order key F1
order key Ctrl+O
next_frames 3
order key Esc
resize 320 900
xdotool windowunmap "$window"
next_frames 5
xdotool windowmap "$window"
next_frames 5
resize 800 500
awk '/^event window/ { if ($9 < 0 || $10 < 0 || $6 < 1 || $8 < 1 || $6 + $10 > $3 || $8 + $11 > $5) bad = 1; n++ } END { exit bad || n < 4 }' \
    "$events" || fail "panels reach out of the window"
# width and height are the first numbers of a PNG's head
for size in 1000x600 64x64 320x900; do
    [ "$(od -An -tu1 -j16 -N8 "$folder/$size.png" | awk '{ print 256 * $3 + $4 "x" 256 * $7 + $8 }')" = "$size" ] ||
        fail "a picture is not $size"
done
[ "$(count_lines '^event message')" -eq 0 ] || fail "a message"
end
