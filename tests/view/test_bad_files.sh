#!/bin/sh
# test_bad_files.sh WIRBEL-VIEW WIRBEL: bad files of each kind are refused with their place, before a window opens.
# shellcheck disable=SC1091,SC2154 # support.sh sets them
set -eu
. "$(dirname "$0")/support.sh"
wirbel=$2
root=$PWD
DISPLAY=
XDG_CACHE_HOME=$folder/cache
export DISPLAY XDG_CACHE_HOME
mkdir "$XDG_CACHE_HOME"

refuses() {
    code=0
    "$program" "$@" 2>"$folder/error" || code=$?
    [ $code -eq 2 ] || fail "wirbel-view $* ends with $code"
    grep -q "$expected" "$folder/error" || fail "wirbel-view $* says: $(cat "$folder/error")"
}

cd "$folder"
cp "$root/scenes/falling-block.json" block.json
checkpoint=block-000003.checkpoint
"$wirbel" run block.json --set sph.particles=800 --frames 3 --save $checkpoint --quiet >/dev/null
"$wirbel" run block.json --set sph.particles=800 --frames 3 --record block-recording.json --quiet >/dev/null
echo '{"settings": [{"set": "sph.viscosity", "value": 1}]}' >block-settings.json

head -c 2000 $checkpoint >cut.checkpoint
expected='cut.checkpoint' refuses block.json --resume cut.checkpoint
expected='checkpoint of this scene' refuses "$root/scenes/cloth.json" --resume $checkpoint
cp $checkpoint unknown-7.checkpoint
expected='does not say which scene' refuses --resume unknown-7.checkpoint
sed 's/"end"/"ende"/' block-recording.json >bad.json
expected='bad.json:[0-9]*:[0-9]*: unknown key "ende"' refuses --replay bad.json
expected='is a list of settings' refuses block-settings.json
echo '{"settings": [{"set": "sph.viscositi", "value": 1}]}' >bad-settings.json
expected='bad-settings.json:1:.*did you mean' refuses block.json --settings bad-settings.json
echo 'v 0 0' >bad.obj
expected='bad.obj' refuses bad.obj
expected='leave out SCENE' refuses block.json --replay block-recording.json
sed -i 's/"title"/ "title"/' block.json
expected='another text' refuses --replay block-recording.json
