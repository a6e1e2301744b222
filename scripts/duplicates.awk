# How alike two sets of C or OpenCL files are: which share of the tokens of each stands in a run of WINDOW tokens or more that
# the other has, too. Comments do not count, and the names of the two solvers are one name: sph, pbf, pbd → X.
# Input: lines "A file" or "B file". Output: share of A in B and of B in A in percent, tokens of both.
BEGIN { window = 12 }

function add_tokens(set, text,    n) {
    gsub(/[Ss][Pp][Hh]|[Pp][Bb][Ff]|[Pp][Bb][Dd]/, "X", text)
    n = count[set]
    while (match(text, /[A-Za-z0-9_]+|[^A-Za-z0-9_ \t\r]/)) {
        token[set, n++] = substr(text, RSTART, RLENGTH)
        text = substr(text, RSTART + RLENGTH)
    }
    count[set] = n
}

function read_file(set, path,    line, at, is_inside, end) {
    is_inside = 0
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
            add_tokens(set, substr(line, 1, at - 1))
            line = ""
            is_inside = 1
            break
        }
        sub(/\/\/.*/, "", line)
        add_tokens(set, line)
    }
    close(path)
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
    return count[set] ? 100 * common / count[set] : 0
}

{ read_file($1, $2) }

END {
    list_runs("A")
    list_runs("B")
    printf "%.1f %.1f %d %d\n", get_share("A", "B"), get_share("B", "A"), count["A"], count["B"]
}
