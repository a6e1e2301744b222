# Compiler options shared by all targets, and files that are compiled once per instruction set.

# Floats mean what is written: no contraction, no fast maths, or an unrelated edit changes a result. Only the public headers
# show names (WB_API_BEGIN), and calls of those within the library stay in it.
function(wb_options target)
    target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow
                                             $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes> $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
                                             -Wpointer-arith -Wvla -ffp-contract=off -fno-math-errno
                                             -fvisibility=hidden -fno-semantic-interposition)
    if(WIRBEL_WERROR)
        target_compile_options(${target} PRIVATE -Werror)
    endif()
endfunction()

# What uses the library finds its headers.
function(wb_public_headers target)
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endfunction()

if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(WB_SIMD_SETS scalar sse avx2 avx512)
else()
    set(WB_SIMD_SETS scalar)
endif()
set(WB_LANES_scalar 1)
set(WB_LANES_sse 4)
set(WB_LANES_avx2 8)
set(WB_LANES_avx512 16)
set(WB_FLAGS_scalar "")
set(WB_FLAGS_sse -msse4.1 -mpopcnt)
set(WB_FLAGS_avx2 -mavx2 -mfma -mbmi2 -mpopcnt)
set(WB_FLAGS_avx512 -mavx512f -mavx512dq -mavx512bw -mavx512vl -mfma -mbmi2 -mpopcnt -mprefer-vector-width=512)

# Sanitizers look at all that the portable code does, and at what vectors do with memory: checks of undefined behaviour in
# vectors take the compiler a minute for each file. SSE is the same code with other lanes.
if(CMAKE_C_FLAGS MATCHES "-fsanitize=[a-z,-]*undefined")
    list(APPEND WB_FLAGS_sse -fno-sanitize=all)
    list(APPEND WB_FLAGS_avx2 -fno-sanitize=undefined)
    list(APPEND WB_FLAGS_avx512 -fno-sanitize=undefined)
endif()

# Wide files keep pointers out of vectors (no SLP), and gcc from moving so much out of loops that it spills (lists and
# forces 1 to 2 % faster on one machine; 24 addresses still leave the filter loop, by -ftree-pre, at no cost).
# wb_add_wide(target folder/file_wide.c): adds the file once per instruction set, with WB_LANES and the suffix of its
# external names (WB_SUFFIX) set.
function(wb_add_wide target file)
    get_filename_component(name ${file} NAME_WE)
    foreach(set ${WB_SIMD_SETS})
        set(object ${name}_${set})
        add_library(${object} OBJECT ${file})
        wb_options(${object})
        target_compile_definitions(${object} PRIVATE WB_LANES=${WB_LANES_${set}} WB_SUFFIX=_${set})
        target_compile_options(${object} PRIVATE ${WB_FLAGS_${set}} -Wno-psabi -fno-tree-slp-vectorize
                                       $<$<C_COMPILER_ID:GNU>:-fno-move-loop-invariants>)
        target_include_directories(${object} PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
        target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    endforeach()
endfunction()
