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

# start ARGUMENTS: the window, with its events
start() {
    "$program" "$@" --events "$events" &
    viewer=$!
    wait_for '^frame 3 '
    xdotool mousemove 600 200 # without a window manager keys go to what is below the cursor
    next_frames 2
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

end() {
    xdotool key ctrl+q
    code=0
    wait "$viewer" || code=$?
    viewer=
    [ $code -eq 0 ] || fail "the window ended with $code"
}

# start_led ARGUMENTS: the window, told what to do by lines on its standard input
start_led() {
    mkfifo "$folder/orders"
    "$program" "$@" --events - <"$folder/orders" >"$events" &
    viewer=$!
    exec 9>"$folder/orders"
    wait_for '^event window '
}

# tell LINE: an order
tell() { echo "$1" >&9; }

# end_led [CODE]: closes it; it ends with the code
end_led() {
    tell 'key Ctrl+Q'
    code=0
    wait "$viewer" || code=$?
    viewer=
    exec 9>&-
    rm -f "$folder/orders"
    [ $code -eq "${1:-0}" ] || fail "the window ended with $code"
}
