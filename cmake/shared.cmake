# wb_add_shared(shared static name exported): lib<name>.so, of the objects of a static library, installed as wirbel::<exported>.
# Until 1.0 a new minor version may break programs: the name for the loader has both numbers, libwirbel.so.0.1.
function(wb_add_shared shared static name exported)
    get_target_property(embedded ${static} SOURCES)
    list(FILTER embedded INCLUDE REGEX TARGET_OBJECTS) # a target's own objects are only those of its sources
    add_library(${shared} SHARED $<TARGET_OBJECTS:${static}> ${embedded})
    set_target_properties(${shared} PROPERTIES OUTPUT_NAME ${name} EXPORT_NAME ${exported} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
                          VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
    wb_public_headers(${shared})
    target_link_options(${shared} PRIVATE -Wl,-Bsymbolic-functions)
    # sanitizers leave their own names to the program
    if(NOT CMAKE_C_FLAGS MATCHES "-fsanitize")
        target_link_options(${shared} PRIVATE -Wl,-z,defs)
    endif()
    install(TARGETS ${shared} EXPORT wirbel LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()
