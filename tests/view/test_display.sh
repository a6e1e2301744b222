#!/bin/sh
# test_display.sh WIRBEL-VIEW WIRBEL: interrupts, a window that is closed, and a display that is lost end it with the recording written.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
wirbel=$2
start_display
begin() {
    rm -f "$folder/end.json"
    start falling-block --set sph.particles=1500 --quality 0 --size 640x360 --record "$folder/end.json"
    order set world.gravity 0,-5,0
    wait_for '^event set world.gravity'
    next_frames 3
}
check() {
    wait_end "$1"
    [ -s "$folder/end.json" ] || fail "no recording after $2"
    "$wirbel" run --replay "$folder/end.json" --quiet || fail "the recording is not done again after $2"
}
for signal in INT TERM; do
    begin
    kill -$signal "$viewer"
    check 130 "SIG$signal"
done
begin
kill -9 "$display"
display=
check 1 "the display was lost"
