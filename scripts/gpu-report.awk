# Turns lines "COLUMN JSON" of scripts/gpu-report into two tables.

# the value behind a key that stands once in the line
function value(key,    rest) {
    rest = $0
    if (!sub(".*\"" key "\": *\"?", "", rest)) return ""
    sub(/[",}].*/, "", rest)
    return rest
}

function table_line(count,    k) {
    printf "|---|"
    for (k = 1; k <= count; k++) printf "---|"
    printf "\n"
}

{
    name = value("name")
    ms[$1, name] = value("ms_per_step")
    if ($0 !~ /ms_kernels/) next
    list = $0
    sub(/.*"ms_kernels": *[{]/, "", list)
    sub(/[}].*/, "", list)
    count = split(list, parts, ", *")
    for (k = 1; k <= count; k++) {
        split(parts[k], pair, /": */)
        sub(/"/, "", pair[1])
        kernel[$1, pair[1]] = pair[2]
        if (name == kernels_of && !(pair[1] in seen)) {
            seen[pair[1]] = 1
            order[++kernels] = pair[1]
        }
    }
}

END {
    column_count = split(columns, column, " ")
    name_count = split(names, benchmark, " ")
    size_count = split(sizes, size, " ")
    printf "\n| benchmark |"
    for (c = 1; c <= column_count; c++) printf " %s |", column[c]
    printf " OpenCL / all cores |\n"
    table_line(column_count + 1)
    for (n = 1; n <= name_count; n++) {
        printf "| %s |", benchmark[n]
        for (c = 1; c <= column_count; c++) printf " %.2f |", ms[column[c], benchmark[n]]
        printf " %.2f |\n", ms[column[3], benchmark[n]] / ms[column[2], benchmark[n]]
    }
    printf "\n%s by group size:\n\n| kernel, ms per step |", kernels_of
    for (s = 1; s <= size_count; s++) printf " %s |", size[s]
    printf "\n"
    table_line(size_count)
    for (k = 1; k <= kernels; k++) {
        printf "| %s |", order[k]
        for (s = 1; s <= size_count; s++) printf " %.3f |", kernel[size[s], order[k]]
        printf "\n"
    }
    printf "| whole step |"
    for (s = 1; s <= size_count; s++) printf " %.2f |", ms[size[s], kernels_of]
    printf "\n"
}
