# wb_embed(target output.c prefix files…): compiles texts into the target. With the prefix wb_cl, sort.cl becomes
# `const char wb_clSort[]` and sph_formula.h `wb_clSphFormula`; a header of the target declares them. The same file is
# run as a script by the build: cmake -DOUTPUT=file.c -DPREFIX=wb_cl -DINPUTS=a.cl,b.cl -P embed.cmake
function(wb_embed target output prefix)
    set(inputs)
    foreach(file ${ARGN})
        get_filename_component(file ${file} ABSOLUTE)
        list(APPEND inputs ${file})
    endforeach()
    list(JOIN inputs "," joined)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${output})
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DPREFIX=${prefix} -DINPUTS=${joined}
                -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
        DEPENDS ${inputs} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
        VERBATIM)
    # an object library, because a rule is seen only by targets of its own folder
    get_filename_component(name ${output} NAME_WE)
    set(object ${target}_${name})
    add_library(${object} OBJECT ${output})
    wb_options(${object})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
    return()
endif()
string(REPLACE "," ";" inputs "${INPUTS}")
set(text "")
foreach(input ${inputs})
    get_filename_component(name ${input} NAME_WE)
    string(REPLACE "_" ";" words ${name})
    set(symbol ${PREFIX})
    foreach(word ${words})
        string(SUBSTRING ${word} 0 1 first)
        string(SUBSTRING ${word} 1 -1 rest)
        string(TOUPPER ${first} first)
        string(APPEND symbol ${first}${rest})
    endforeach()
    file(READ ${input} bytes HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
    string(APPEND text "extern const char ${symbol}[];\nconst char ${symbol}[] = {\n${bytes}0};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
