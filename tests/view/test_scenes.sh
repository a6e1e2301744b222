#!/bin/sh
# test_scenes.sh WIRBEL-VIEW: the list reads titles and draws thumbnails, each once, into the user's cache folder; a scene that is broken is
# listed, and has none; N goes through the list.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
start_display
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
mkdir "$XDG_CACHE_HOME" "$folder/scenes"
cd "$folder"
printf '{"title": "A ball", "world": {"seconds": 1}, "domain": {"min": [-1, 0, -1], "max": [1, 2, 1]},
"bodies": [{"name": "ball", "shape": "sphere", "radius": 0.3, "position": [0, 1.5, 0]}]}\n' >scenes/ball.json
sed 's/A ball/Another ball/' scenes/ball.json >scenes/other.json
echo '{"worlt": {}}' >scenes/wrong.json

launch --size 900x600 --quality 0
thumbnails=$XDG_CACHE_HOME/wirbel/thumbnails
for _ in $(seq 1000); do
    [ "$(find "$thumbnails" -name '????????????????.png' 2>/dev/null | wc -l)" -lt 2 ] || break
    sleep 0.03
done
count=$(find "$thumbnails" -name '????????????????.png' | wc -l)
[ "$count" -eq 2 ] || fail "$count thumbnails"
wait_for '^event thumbnail ball'
wait_for '^event thumbnail other'
for file in "$thumbnails"/*.png; do
    case $(od -A n -t u1 -j 16 -N 8 "$file" | tr -s ' ') in
    ' 0 0 0 160 0 0 0 90') ;;
    *) fail "$file is not 160 x 90" ;;
    esac
done
order 'key N'
wait_for '^event world 1 scenes/ball.json'
order 'key N'
wait_for '^event world 2 scenes/other.json'
order 'key N'
wait_for '^event message scenes/wrong.json:1:2: unknown key "worlt"'
quit 1

# they are kept: nothing is drawn again
touch -d '2001-01-01' "$thumbnails"/*.png
launch --size 900x600 --quality 0
wait_for '^event thumbnail other'
quit
[ -z "$(find "$thumbnails" -newermt 2002-01-01 -type f)" ] || fail "thumbnails were drawn again"
