# What doxygen reads of a public header: its first comment is that of the file, and structs that are made of a table of
# parameters have its rows as fields, with sentence, unit, default and range.

# "1e-6f" as it is meant
function number_of(text) {
    if (text ~ /^[-+0-9.e]+f$/) sub(/f$/, "", text)
    return text == "NAN" ? "auto" : text
}
function string_of(text) {
    gsub(/^"|"$/, "", text)
    return text
}

# splits "F(a, b, …) rest" into argument[1…]; returns the rest
function split_row(text,    i, c, depth, quoted) {
    argument_count = 1
    argument[1] = ""
    depth = 1
    for (i = index(text, "(") + 1; depth > 0; i++) {
        c = substr(text, i, 1)
        if (c == "\"") quoted = !quoted
        if (!quoted && c == "(") depth++
        if (!quoted && c == ")" && --depth == 0) continue
        if (!quoted && c == "," && depth == 1) {
            argument[++argument_count] = ""
            continue
        }
        if (c != " " || argument[argument_count] != "") argument[argument_count] = argument[argument_count] c
    }
    return substr(text, i)
}

# "2.1; 1.1 to 6 spacings", of numbers that stand before min, max and unit
function facts_of(values, min, max, unit) {
    unit = string_of(unit)
    return values "; " number_of(min) " to " number_of(max) (unit == "" ? "" : " " unit)
}

function print_field(kind,    type, first, facts) {
    first = number_of(argument[2])
    if (kind == "B") {
        type = "bool"
        facts = first ? "true" : "false"
    } else if (kind == "E") {
        type = argument[2]
        facts = argument[3] "; " string_of(argument[4])
        gsub(/\|/, ", ", facts)
    } else if (kind == "V") {
        type = "wbVec3"
        facts = facts_of(first ", " number_of(argument[3]) ", " number_of(argument[4]), argument[5], argument[6], argument[7])
    } else if (kind == "S") {
        type = "wbSize"
        facts = facts_of(first " x " number_of(argument[3]), argument[4], argument[5], argument[6])
    } else {
        type = kind == "I" ? "int" : "float"
        # 0 stands for auto, or NAN where the range has a 0 of its own
        if (kind == "A" && first == "0") first = "auto"
        facts = facts_of(first, argument[3], argument[4], argument[5])
    }
    printf "    %s %s; ///< %s. Default %s%s\n", type, argument[1], string_of(argument[argument_count]), facts,
        argument[argument_count - 1] + 0 ? "" : "; fixed when the world is made"
}

function print_fields(text,    kind) {
    while (match(text, /[FAIBEVS]\(/)) {
        text = substr(text, RSTART)
        kind = substr(text, 1, 1)
        text = split_row(text)
        print_field(kind)
    }
}

FNR == 1 {
    print "/// @file"
    in_head = 1
    next
}
in_head && /^\/\// {
    print "/" $0
    next
}
{ in_head = 0 }

/^#define WB_[A-Z_]+_PARAMS\(/ {
    table = $0
    sub(/^#define /, "", table)
    sub(/\(.*/, "", table)
    rows[table] = ""
    in_table = 1
    print ""
    next
}
in_table {
    line = $0
    in_table = sub(/ *\\$/, "", line)
    rows[table] = rows[table] line
    print ""
    next
}
/^ *WB_PARAM_FIELDS\(WB_[A-Z_]+\)/ {
    table = $0
    gsub(/^.*\(|\).*$/, "", table)
    print_fields(rows[table])
    next
}
{ print }
