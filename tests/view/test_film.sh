#!/bin/sh
# test_film.sh WIRBEL-VIEW: a film of a tenth of a second at a hundred pictures per simulated second has
# ten pictures, whatever the window shows meanwhile; without ffmpeg it is said what is missing.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
command -v ffprobe >/dev/null || skip "there is no ffprobe (scripts/install-deps demo)"
start_display
root=$PWD
cd "$folder"
launch "$root/scenes/falling-block.json" --set sph.particles=800 --set output.size=160x90 --set output.fps=100 --paused --quality 0 \
    --lockstep 1 --size 640x360
wait_for '^frame 3 '
order 'key F9'
wait_for '^event filmed 1 step 0$'
for picture in $(seq 2 10); do
    # steps are a hundredth of a second long
    order 'key .'
    wait_for "^event filmed $picture step $((picture - 1))\$"
done
next_frames 3 # a pause takes no pictures
order 'key F9'
wait_for '^event note written: falling-block-film.mp4, 10 pictures'
frames=$(ffprobe -v error -count_frames -show_entries stream=nb_read_frames,width,height,r_frame_rate -of csv=p=0 falling-block-film.mp4)
[ "$frames" = 160,90,100/1,10 ] || fail "the film has $frames"

# a seek ends a film, and the next one has another name
order 'key F9'
wait_for '^event filmed 1 ' 2
order 'key Left'
wait_for '^event note written: falling-block-film-1.mp4, 1 picture$'
quit

# nothing is found on an empty path
# shellcheck disable=SC2016 # the wrapper expands it
printf '#!/bin/sh\nPATH=%s exec "%s" "$@"\n' "$folder/nowhere" "$program" >without
chmod +x without
program=$folder/without
launch "$root/scenes/falling-block.json" --set sph.particles=800 --quality 0 --lockstep 1 --size 640x360
wait_for '^frame 3 '
order 'key F9'
wait_for '^event note ffmpeg not found: install the package ffmpeg'
quit
