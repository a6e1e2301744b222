#!/bin/sh
# test_orbit.sh WIRBEL-VIEW: a drag turns the camera about its target by 0.4 degrees per pixel, and the corners of the domain are
# seen where the projection puts them; the wheel goes nearer.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
start_display
start falling-block --set sph.particles=1500 --quality 0 --lockstep 1 --size 640x360 --paused
xdotool key Tab # without panels the picture is the window
wait_for '^event window 640 x 360 picture 640 x 360 at 0 0'

# check_corners: those that were told last are where a pinhole camera sees them, within half a pixel
check_corners() {
    order corners
    wait_for '^event corner ' $((8 * $1))
    tail -n 400 "$events" | awk -v checks="$1" '
        /^event picture/ {
            w = $3; h = $5; px = $7; py = $8; pz = $9; fov = $15
            fx = $11 - px; fy = $12 - py; fz = $13 - pz
            l = sqrt(fx * fx + fy * fy + fz * fz); fx /= l; fy /= l; fz /= l
            rx = -fz; rz = fx; l = sqrt(rx * rx + rz * rz); rx /= l; rz /= l
            ux = -rz * fy; uy = rz * fx - rx * fz; uz = rx * fy
            t = sin(fov * 3.14159265 / 360) / cos(fov * 3.14159265 / 360); seen = 0
        }
        /^event corner/ {
            dx = $3 - px; dy = $4 - py; dz = $5 - pz
            depth = dx * fx + dy * fy + dz * fz
            x = 0.5 * w + 0.5 * h * (dx * rx + dz * rz) / (depth * t)
            y = 0.5 * h - 0.5 * h * (dx * ux + dy * uy + dz * uz) / (depth * t)
            if ((x - $7) ^ 2 + (y - $8) ^ 2 > 0.25) { print "corner", $3, $4, $5, "at", $7, $8, "not", x, y; bad = 1 }
            seen++
        }
        END { exit bad || seen != 8 }' >&2 || fail "corners are elsewhere"
}
check_corners 1

xdotool mousemove 300 150
next_frames 2
xdotool mousedown 1
next_frames 2
xdotool mousemove 350 170
next_frames 2
xdotool mouseup 1
wait_for '^event camera'
next_frames 2
check_corners 2
# 50 pixels to the right are 20 degrees, 20 down are 8
grep '^event picture' "$events" | awk '
    { x = $7 - $11; y = $8 - $12; z = $9 - $13; yaw[NR] = atan2(x, z); pitch[NR] = atan2(y, sqrt(x * x + z * z)) }
    END {
        d = 180 / 3.14159265
        if ((d * (yaw[2] - yaw[1]) + 20) ^ 2 > 1e-3 || (d * (pitch[2] - pitch[1]) - 8) ^ 2 > 1e-3) { print d * (yaw[2] - yaw[1]), d * (pitch[2] - pitch[1]); exit 1 }
    }' || fail "the camera turned otherwise"

xdotool click 4
wait_for '^event camera' 2
next_frames 2
check_corners 3
grep '^event camera' "$events" | awk '{ r[NR] = ($3 - $7) ^ 2 + ($4 - $8) ^ 2 + ($5 - $9) ^ 2 } END { exit !(r[2] < r[1]) }' ||
    fail "the wheel goes not nearer"
end
