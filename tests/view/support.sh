# Helpers of the window's tests: a display of their own, and lines that are waited for instead of sleeping.
# shellcheck shell=sh
program=$1
folder=$(mktemp -d)
events=$folder/events
display=
viewer=

skip() {
    echo "skipped: $1"
    exit 77
}
[ -x "$program" ] || skip "wirbel-view was not built (scripts/install-deps view)"
command -v Xvfb >/dev/null || skip "there is no Xvfb (scripts/install-deps view-tests)"
command -v xdotool >/dev/null || skip "there is no xdotool (scripts/install-deps view-tests)"

finish() {
    code=$?
    [ -z "$viewer" ] || kill "$viewer" 2>/dev/null || true
    [ -z "$display" ] || kill "$display" 2>/dev/null || true
    rm -rf "$folder"
    exit $code
}
trap finish EXIT

fail() {
    echo "failed: $1" >&2
    [ ! -f "$events" ] || grep -v "^frame" "$events" | tail -n 20 >&2
    [ ! -f "$events" ] || tail -n 3 "$events" >&2
    exit 1
}

start_display() {
    Xvfb -displayfd 3 -screen 0 1400x900x24 -nolisten tcp 3>"$folder/display" 2>/dev/null &
    display=$!
    for _ in $(seq 200); do
        [ ! -s "$folder/display" ] || break
        sleep 0.05
    done
    [ -s "$folder/display" ] || skip "Xvfb does not start"
    DISPLAY=:$(cat "$folder/display")
    LP_NUM_THREADS=1
    export DISPLAY LP_NUM_THREADS
}

# launch ARGUMENTS: the window, with its events, and with orders of ours
launch() {
    rm -f "$folder/orders" "$events"
    mkfifo "$folder/orders"
    "$program" "$@" --events - <"$folder/orders" >"$events" &
    viewer=$!
    exec 4>"$folder/orders"
    wait_for '^event window '
}

# start ARGUMENTS: the same, until its scene runs and the cursor is in the picture
start() {
    launch "$@"
    wait_for '^frame 3 '
    xdotool mousemove 600 200 # without a window manager keys go to what is below the cursor
    next_frames 2
}

# order WORDS: as docs/viewer.md has them
order() { echo "$*" >&4; }

# place X,Y,Z: where a point of the world stands in the window, as "X Y" in whole pixels
place() {
    places=$(count_lines '^event place')
    order project "$1"
    wait_for '^event place' $((places + 1))
    grep '^event place' "$events" | tail -n 1 | awk '{ printf "%d %d", $3 + 0.5, $4 + 0.5 }'
}

count_lines() {
    [ -f "$events" ] || touch "$events"
    grep -cE "$1" "$events" || true
}

# wait_for PATTERN [COUNT]: until so many lines have it
wait_for() {
    for _ in $(seq 2000); do
        [ "$(count_lines "$1")" -lt "${2:-1}" ] || return 0
        kill -0 "$viewer" 2>/dev/null || break
        sleep 0.03
    done
    [ "$(count_lines "$1")" -ge "${2:-1}" ] || fail "no line with $1 (${2:-1})"
}

# next_frames COUNT: so many more
next_frames() { wait_for '^frame ' $(($(count_lines '^frame ') + $1)); }

# get_step: of the last frame
get_step() { grep '^frame ' "$events" | tail -n 1 | cut -d ' ' -f 4; }

# wait_end CODE: until it has ended, with this code
wait_end() {
    code=0
    wait "$viewer" || code=$?
    viewer=
    exec 4>&-
    [ $code -eq "$1" ] || fail "the window ended with $code"
}

end() {
    xdotool key ctrl+q
    wait_end 0
}

# quit [CODE]: closes it by an order; it ends with the code
quit() {
    order key Ctrl+Q
    wait_end "${1:-0}"
}

# get_end step|hash: of the end
get_end() { sed -n "s/^event end step \([0-9]*\) hash \([0-9a-f]*\)\$/step \1 hash \2/p" "$events" | sed "s/.*$1 \([0-9a-f]*\).*/\1/"; }
