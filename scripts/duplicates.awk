# How alike two sets of C or OpenCL files are: which share of the tokens of each stands in a run of WINDOW tokens or more that
# the other has, too. The names of the two solvers are one name: sph, pbf, pbd → X. Left out are comments, #include and #pragma,
# and declarations of functions, which say again what their definitions say; a run ends where a function or a file does.
# The loop over the candidates of a walk (space/walk.cl) is one word: whoever searches says it.
# Input: lines "A file" or "B file". Output: share of A in B and of B in A in percent, tokens of both.
BEGIN { window = 12 }

function add_token(set, text) { token[set, count[set]++] = text }

function add_tokens(set, text) {
    gsub(/[Ss][Pp][Hh]|[Pp][Bb][Ff]|[Pp][Bb][Dd]/, "X", text)
    gsub(/while \(next_(octave|run|run_around|candidate)\([^()]*\)\)/, "SEARCH", text)
    while (match(text, /[A-Za-z0-9_]+|->|\+\+|--|<<|>>|[<>=!+*\/|&-]=|&&|\|\||##|[^A-Za-z0-9_ \t\r]/)) {
        add_token(set, substr(text, RSTART, RLENGTH))
        real[set]++
        text = substr(text, RSTART + RLENGTH)
    }
}

# a token that no other is like
function end_run(set) { add_token(set, "end " set " " ++ends) }

# A statement at the left edge that may be the declaration of a function is held until it shows that it is not.
function add_line(set, line) {
    if (line ~ /^[ \t]*#[ \t]*(include|pragma)/) return
    if (held == "" && line ~ /^[A-Za-z][A-Za-z0-9_ *]*\(/ && line !~ /^(extern|typedef|static const)/) held = " "
    if (held != "") {
        held = held " " line
        if (held !~ /[;{]/) return
        line = held ~ /^[^{};]*\);[ \t]*$/ ? ";" : held
        held = ""
    }
    add_tokens(set, line)
    if (line ~ /^}/) end_run(set)
}

function read_file(set, path,    line, at, is_inside, end) {
    is_inside = 0
    held = ""
    while ((getline line < path) > 0) {
        # block comments may span lines
        while (1) {
            if (is_inside) {
                end = index(line, "*/")
                if (!end) { line = ""; break }
                line = substr(line, end + 2)
                is_inside = 0
            }
            at = index(line, "/*")
            if (!at || (index(line, "//") && index(line, "//") < at)) break
            end = index(substr(line, at + 2), "*/")
            if (end) { line = substr(line, 1, at - 1) " " substr(line, at + end + 3); continue }
            line = substr(line, 1, at - 1)
            is_inside = 1
            break
        }
        sub(/\/\/.*/, "", line)
        add_line(set, line)
    }
    close(path)
    end_run(set)
}

function run_at(set, i,    k, text) {
    text = token[set, i]
    for (k = 1; k < window; k++) text = text " " token[set, i + k]
    return text
}

function list_runs(set,    i) {
    for (i = 0; i + window <= count[set]; i++) runs[set, run_at(set, i)] = 1
}

# percent of a set's tokens that lie in runs of the other
function get_share(set, other,    i, end, common) {
    end = common = 0 # end: of the last common run
    for (i = 0; i + window <= count[set]; i++) {
        if (!((other, run_at(set, i)) in runs)) continue
        common += i + window - (i > end ? i : end)
        end = i + window
    }
    return real[set] ? 100 * common / real[set] : 0
}

{ read_file($1, $2) }

END {
    list_runs("A")
    list_runs("B")
    printf "%.1f %.1f %d %d\n", get_share("A", "B"), get_share("B", "A"), real["A"], real["B"]
}
