#!/bin/sh
# run.sh SOURCE BUILD CC CMAKE: installs BUILD into BUILD/tests/install/prefix, moves that, and builds and runs
# outside programs against it, with the shared and with the static library.
set -eu
source=$1
build=$2
cc=$3
cmake=$4
here=$source/tests/install
work=$build/tests/install
cflags='-std=c17 -O1 -Wall -Wextra -Werror'
cxxflags='-std=c++17 -O1 -Wall -Wextra -Werror'

rm -rf "$work/prefix" "$work/moved" "$work/cmake"
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log"
mv "$work/prefix" "$work/moved"
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name wirbel.pc)")
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH LD_LIBRARY_PATH

# expect TEXT FILE: the file has a line that matches
expect() {
    grep -Eq "$1" "$2" || { echo "expected /$1/ in $2, which says:" && cat "$2" && exit 1; }
}
# is_shared PROGRAM: it asks the loader for the library
is_shared() { readelf -d "$1" | grep -q 'NEEDED.*libwirbel\.so\.'; }
expect_shared() { is_shared "$1" || { echo "$1 is not linked with the shared library" && exit 1; }; }
expect_static() { ! is_shared "$1" || { echo "$1 is not linked with the static library" && exit 1; }; }

# the README's program, by pkg-config
awk '/^```/ { inside = $0 == "```c"; next } inside' "$source/README.md" >"$work/readme.c"
awk '/^```/ { inside = $0 == "```text"; next } inside' "$source/README.md" >"$work/expected.txt"
[ -s "$work/expected.txt" ] || { echo "no output of the program in README.md" && exit 1; }
# shellcheck disable=SC2046,SC2086 # words are wanted
"$cc" $cflags "$work/readme.c" -o "$work/readme" $(pkg-config --cflags --libs wirbel)
"$work/readme" | diff "$work/expected.txt" -
expect_shared "$work/readme"
# shellcheck disable=SC2046,SC2086 # words are wanted
"$cc" $cflags "$work/readme.c" -o "$work/readme-static" $(pkg-config --cflags wirbel) -Wl,--as-needed,-Bstatic -lwirbel -Wl,-Bdynamic \
    $(pkg-config --static --libs wirbel)
"$work/readme-static" | diff "$work/expected.txt" -
expect_static "$work/readme-static"
expect '^Description: .*water, smoke, fire, cloth and soft bodies' "$PKG_CONFIG_PATH/wirbel.pc"

# the examples, likewise
# shellcheck disable=SC2046,SC2086 # words are wanted
"$cc" $cflags -pthread "$source/examples/game_loop.c" -o "$work/game-loop" $(pkg-config --cflags --libs wirbel)
"$work/game-loop" | diff "$source/examples/game_loop.txt" -
expect_shared "$work/game-loop"

# the blocks of docs/embedding.md, which are one program
{
    echo '#include "embedding.h"'
    echo 'int main(void) {'
    awk '/^```/ { inside = $0 == "```c"; next } inside' "$source/docs/embedding.md"
    echo '}'
} >"$work/embedding.c"
# shellcheck disable=SC2046,SC2086 # words are wanted
"$cc" $cflags -I"$here" "$work/embedding.c" -o "$work/embedding" $(pkg-config --cflags --libs wirbel) -lm
"$work/embedding" >"$work/embedding.txt"
expect '^pbf: [1-9][0-9]* sub-steps$' "$work/embedding.txt"
expect '^[1-9][0-9]* particles, the highest at 0\.[0-9] m$' "$work/embedding.txt"
expect '^the ray met my crate$' "$work/embedding.txt"
expect '^rolled back: the same bits$' "$work/embedding.txt"
expect '^hose\.velocity is -1, allowed is 0 to' "$work/embedding.txt"
expect '^the hose is gone$' "$work/embedding.txt"

# the same interface from C++, the README's program too
# shellcheck disable=SC2046,SC2086 # words are wanted
if command -v g++ >/dev/null; then
    g++ -x c++ $cxxflags "$work/readme.c" -x none -o "$work/readme-cpp" $(pkg-config --cflags --libs wirbel)
    "$work/readme-cpp" | diff "$work/expected.txt" -
    g++ $cxxflags "$here/outside.cpp" -o "$work/outside" $(pkg-config --cflags --libs wirbel)
    "$work/outside" >"$work/cpp.txt"
    expect '^[0-9]+ particles from C\+\+$' "$work/cpp.txt"
fi

# by find_package
"$cmake" -S "$here/find" -B "$work/cmake" -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$work/moved" \
    >"$work/cmake.log"
"$cmake" --build "$work/cmake" >>"$work/cmake.log"
for program in scene scene-static; do
    "$work/cmake/$program" "$here/pool.json" >"$work/scene.txt"
    expect '^pool: [0-9]+ particles$' "$work/scene.txt"
done
expect_shared "$work/cmake/scene"
expect_static "$work/cmake/scene-static"

# pictures, both ways
if [ -e "$PKG_CONFIG_PATH/wirbel-render.pc" ]; then
    # shellcheck disable=SC2046,SC2086 # words are wanted
    "$cc" $cflags "$here/find/picture.c" -o "$work/picture" $(pkg-config --cflags --libs wirbel-render)
    "$work/picture" "$here/pool.json" >"$work/picture.txt"
    expect '^[1-9][0-9]+ blue pixels$' "$work/picture.txt"
    "$work/cmake/picture" "$here/pool.json" | diff "$work/picture.txt" -
fi

# one version everywhere
version=$(pkg-config --modversion wirbel)
[ -f "$LD_LIBRARY_PATH/libwirbel.so.$version" ] || { echo "no libwirbel.so.$version" && exit 1; }
readelf -d "$LD_LIBRARY_PATH/libwirbel.so" >"$work/soname.txt"
expect "SONAME.*\[libwirbel\.so\.${version%.*}\]" "$work/soname.txt"

# the installed program finds the installed scenes
if [ -x "$work/moved/bin/wirbel" ]; then
    "$work/moved/bin/wirbel" scenes >"$work/scenes.txt"
    expect 'dam-break' "$work/scenes.txt"
    "$work/moved/bin/wirbel" --version >"$work/version.txt"
    expect "^wirbel $version$" "$work/version.txt"
fi
# the Python module finds the installed library
if [ -d "$build/python" ] && python=$("$source/scripts/find-python" numpy); then
    PYTHONPATH=$(dirname "$(dirname "$(find "$work/moved" -name _api.py)")")
    export PYTHONPATH
    unset LD_LIBRARY_PATH
    PYTHONDONTWRITEBYTECODE=1 "$python" -c '
import sys, wirbel
world = wirbel.load_scene(sys.argv[1])
world.step()
wirbel.Renderer(world, (64, 48)).draw()
print(wirbel.__version__, wirbel.__file__, world.stats.particles)' "$here/pool.json" >"$work/python.txt"
    expect "^$version $work/moved/lib/python.*/wirbel/__init__.py 500$" "$work/python.txt"
fi
if grep -rIl "$work/prefix" "$work/moved"; then
    echo "these installed files name the prefix" && exit 1
fi
