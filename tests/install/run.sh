#!/bin/sh
# run.sh SOURCE BUILD CC CMAKE: installs BUILD into BUILD/tests/install/prefix, moves that, and builds and runs
# outside programs against it.
set -eu
source=$1
build=$2
cc=$3
cmake=$4
here=$source/tests/install
work=$build/tests/install
cflags='-std=c17 -O1 -Wall -Wextra -Werror'

rm -rf "$work/prefix" "$work/moved" "$work/cmake"
"$cmake" --install "$build" --prefix "$work/prefix" >"$work/install.log"
mv "$work/prefix" "$work/moved"
PKG_CONFIG_PATH=$(dirname "$(find "$work/moved" -name wirbel.pc)")
export PKG_CONFIG_PATH

# expect TEXT FILE: the file has a line that matches
expect() {
    grep -Eq "$1" "$2" || { echo "expected /$1/ in $2, which says:" && cat "$2" && exit 1; }
}

# the README's program, by pkg-config
awk '/^```/ { inside = $0 == "```c"; next } inside' "$source/README.md" >"$work/readme.c"
# shellcheck disable=SC2046,SC2086 # words are wanted
"$cc" $cflags "$work/readme.c" -o "$work/readme" $(pkg-config --cflags --libs wirbel)
"$work/readme" >"$work/readme.txt"
cat "$work/readme.txt"
awk '/^```/ { inside = $0 == "```text"; next } inside' "$source/README.md" >"$work/expected.txt"
[ -s "$work/expected.txt" ] || { echo "no output of the program in README.md" && exit 1; }
diff "$work/expected.txt" "$work/readme.txt"
grep -q '^Description: .*water, smoke, fire, cloth and soft bodies' "$PKG_CONFIG_PATH/wirbel.pc" || {
    echo "wirbel.pc does not say what the library is" && exit 1
}

# the same interface from C++, the README's program too
# shellcheck disable=SC2046 # words are wanted
if command -v g++ >/dev/null; then
    g++ -x c++ -std=c++17 -O1 -Wall -Wextra -Werror "$work/readme.c" -x none -o "$work/readme-cpp" \
        $(pkg-config --cflags --libs wirbel)
    "$work/readme-cpp" | diff "$work/expected.txt" -
    g++ -std=c++17 -O1 -Wall -Wextra -Werror "$here/outside.cpp" -o "$work/outside" $(pkg-config --cflags --libs wirbel)
    "$work/outside" >"$work/cpp.txt"
    expect '^[0-9]+ particles from C\+\+$' "$work/cpp.txt"
fi

# by find_package
"$cmake" -S "$here/find" -B "$work/cmake" -G Ninja -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$work/moved" \
    >"$work/cmake.log"
"$cmake" --build "$work/cmake" >>"$work/cmake.log"
"$work/cmake/scene" "$here/pool.json" >"$work/scene.txt"
expect '^pool: [0-9]+ particles$' "$work/scene.txt"

# the installed program finds the installed scenes
if [ -x "$work/moved/bin/wirbel" ]; then
    "$work/moved/bin/wirbel" scenes >"$work/scenes.txt"
    expect 'dam-break' "$work/scenes.txt"
fi
if grep -rIl "$work/prefix" "$work/moved"; then
    echo "these installed files name the prefix" && exit 1
fi
