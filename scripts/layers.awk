# Reads C files given as arguments; prints "file:line: what is wrong" and ends with 1 if anything is.

function layer(folder, allowed) { may[folder] = " " folder " wirbel " allowed " " }

BEGIN {
    # folder, then the folders, or single headers, that it may include besides its own and the public ones
    layer("include", "")
    layer("core", "")
    layer("gpu", "core")
    layer("shape", "core gpu")
    layer("contour", "core shape")
    layer("space", "core gpu shape")
    layer("sph", "core gpu space shape")
    layer("pbd", "core gpu space")
    layer("rigid", "core gpu space shape")
    layer("smoke", "core gpu space")
    layer("apbf", "core gpu space pbd")
    layer("coupling", "core gpu shape space sph pbd rigid smoke apbf")
    layer("diffuse", "core space")
    layer("world", "core gpu shape contour space sph pbd rigid smoke apbf coupling diffuse")
    layer("scene", "")
    layer("io", "")
    layer("render", "")
    layer("app", "scene io render bench")
    layer("bench", "core gpu shape contour space sph pbd rigid smoke apbf coupling diffuse world scene io render")

    # what the folders that live on the public interface may take from the core
    outer = " scene io render app "
    helpers = " core/memory.h core/log.h core/array.h core/status.h core/text.h core/hash.h core/param_table.h core/renamed.h core/output_file.h core/input_file.h core/timer.h core/worker.h "

    # header of another library, and the only folders that may include it
    only["CL/"] = " gpu "
    only["jansson.h"] = " scene "
    only["png.h"] = " io "
    # and of those that one file alone may include
    alone["GLFW/"] = "app/view/window.c"
    alone["imgui"] = alone["backends/imgui"] = "app/view/ui.cpp"
    only["epoxy/"] = only["EGL/"] = only["GL/"] = " render "
    only["pthread.h"] = only["threads.h"] = only["stdatomic.h"] = only["semaphore.h"] = only["sched.h"] = " core "
    only["immintrin.h"] = only["x86intrin.h"] = only["emmintrin.h"] = only["arm_neon.h"] = only["cpuid.h"] = " core "

    word = "(^|[^A-Za-z0-9_.>])"
    heap = word "(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|strdup|strndup|asprintf)[ \t]*\\("
    threads = word "(_Atomic|atomic_[a-z]+|__atomic_[a-z_]+|__sync_[a-z_]+|pthread_[a-z_]+|_Thread_local|__thread)([^A-Za-z0-9_]|$)"
    intrinsics = word "(_mm[0-9]*_[a-z0-9_]+|__m(128|256|512)[id]?|__builtin_ia32_[a-z0-9_]+)([^A-Za-z0-9_]|$)"
}

function wrong(text) {
    printf "%s:%d: %s\n", FILENAME, FNR, text
    errors++
}

# the line without comments, strings and characters
function code_of(line,    out, c, two) {
    out = ""
    while (line != "") {
        two = substr(line, 1, 2)
        c = substr(line, 1, 1)
        if (in_comment) {
            if (two == "*/") in_comment = 0
            line = substr(line, two == "*/" ? 3 : 2)
        } else if (two == "//") {
            break
        } else if (two == "/*") {
            in_comment = 1
            line = substr(line, 3)
        } else if (c == "\"" || c == "'") {
            line = substr(line, 2)
            while (line != "" && substr(line, 1, 1) != c) line = substr(line, substr(line, 1, 1) == "\\" ? 3 : 2)
            line = substr(line, 2)
            out = out c c
        } else {
            out = out c
            line = substr(line, 2)
        }
    }
    return out
}

function check_quoted(name,    target) {
    if (name !~ /^([a-z0-9_]+|app\/view)\/[A-Za-z0-9_]+\.(h|inc|c)$/) {
        wrong("write the include as \"folder/file.h\", not \"" name "\"")
        return
    }
    target = name
    sub(/\/.*/, "", target)
    if (index(may[folder], " " target " ") || index(may[folder], " " name " ")) return
    if (index(outer, " " folder " ") && index(helpers, " " name " ")) return
    wrong("\"" name "\" is out of reach of " folder "; allowed:" may[folder])
}

function check_angled(name,    key) {
    for (key in only)
        if (index(name, key) == 1 && !index(only[key], " " folder " "))
            wrong("<" name "> belongs to" only[key] "alone")
    for (key in alone)
        if (index(name, key) == 1 && FILENAME != alone[key]) wrong("<" name "> belongs to " alone[key] " alone")
    if (folder == "include" && name !~ /^(stdbool|stddef|stdint)\.h$/) wrong("a public header includes <" name ">")
    if (name ~ /^wirbel\//) wrong("write the include as \"" name "\"")
}

FNR == 1 {
    in_comment = 0
    folder = FILENAME
    sub(/^src\//, "", folder)
    sub(/\/.*/, "", folder)
    if (!(folder in may)) wrong("folder '" folder "' has no place in scripts/layers.awk")
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    name = $0
    sub(/^[^"<]*["<]/, "", name)
    sub(/[">].*/, "", name)
    if ($0 ~ /include[ \t]*"/) check_quoted(name)
    else check_angled(name)
    next
}

{
    code = code_of($0)
    if (code ~ heap && FILENAME != "src/core/memory.c") wrong("only src/core/memory.c calls the C library's allocator")
    # a kernel has no other means to count
    if (code ~ threads && folder != "core" && FILENAME !~ /\.cl$/) wrong("threads and atomics belong to src/core")
    if (code ~ intrinsics && folder != "core") wrong("intrinsics belong to src/core")
    if (code ~ /#[ \t]*pragma[ \t]+omp/) wrong("threads are started by wbParallelFor only")
}

END {
    if (errors) printf "%d breaches of the layers\n", errors
    exit errors > 0
}
