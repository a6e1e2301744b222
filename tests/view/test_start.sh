#!/bin/sh
# test_start.sh WIRBEL-VIEW: five frames, the exit code, a picture that has many colours, and arguments that are refused.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"

refuses() {
    code=0
    "$program" "$@" 2>"$folder/error" || code=$?
    [ $code -eq 2 ] || fail "wirbel-view $* ends with $code"
    grep -q "$expected" "$folder/error" || fail "wirbel-view $* says: $(cat "$folder/error")"
}
expected='allowed is 0 to 3, or auto' refuses falling-block --quality 7
expected='allowed is WIDTHxHEIGHT' refuses falling-block --size 12
expected='no scene' refuses no-such-scene
expected='no scene' refuses falling-block --beside no-such-scene
expected='did you mean' refuses falling-block --beside sph.viscositi=1
expected='beside of' refuses --beside cloth
expected='did you mean' refuses falling-block --set sph.viscositi=1

# without a display
code=0
DISPLAY='' "$program" falling-block 2>"$folder/error" || code=$?
[ $code -eq 1 ] || fail "without a display it ends with $code"
grep -q 'no window' "$folder/error" || fail "without a display it says: $(cat "$folder/error")"

start_display
"$program" falling-block --set sph.particles=1500 --quality 0 --lockstep 1 --size 640x360 --frames 5 --shot "$folder/shot.png" --events "$events" ||
    fail "the window ends with $?"
[ "$(count_lines '^frame ')" -eq 5 ] || fail "not five frames"
grep -q '^event world 1 ' "$events" || fail "no world"
# a picture of few colours is packed to next to nothing
[ "$(wc -c <"$folder/shot.png")" -gt 15000 ] || fail "the picture is empty"
