# Installation: headers, libraries, program, scenes, and the files by which pkg-config and CMake find them. Nothing
# installed names the prefix, so the whole may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS wirbel EXPORT wirbel-static ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/wirbel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET wirbel_app)
    install(TARGETS wirbel_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/wirbel FILES_MATCHING PATTERN "*.json" PATTERN "*.obj")
endif()
if(TARGET wirbel_view)
    install(TARGETS wirbel_view RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}) # wirbel view starts the one beside it
endif()

# CMake: find_package(wirbel), then wirbel::wirbel, the shared library if it was built, or wirbel::static; wirbel::render
set(cmakeDir ${CMAKE_INSTALL_LIBDIR}/cmake/wirbel)
set_target_properties(wirbel PROPERTIES EXPORT_NAME static)
install(EXPORT wirbel-static NAMESPACE wirbel:: FILE wirbel-static-targets.cmake DESTINATION ${cmakeDir})
if(WIRBEL_SHARED)
    install(EXPORT wirbel NAMESPACE wirbel:: FILE wirbel-targets.cmake DESTINATION ${cmakeDir})
endif()
configure_package_config_file(cmake/wirbel-config.cmake.in ${PROJECT_BINARY_DIR}/wirbel-config.cmake
                              INSTALL_DESTINATION ${cmakeDir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wirbel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wirbel-config.cmake ${PROJECT_BINARY_DIR}/wirbel-config-version.cmake
        DESTINATION ${cmakeDir})

# pkg-config: paths relative to the place of wirbel.pc. Programs link the static library's own libraries, too: with --static,
# or where there is no other.
set(pcPrivateLibs "-ljansson -lpthread -ldl -lm")
set(pcLibs "-lwirbel")
if(NOT WIRBEL_SHARED)
    string(APPEND pcLibs " ${pcPrivateLibs}")
endif()
file(RELATIVE_PATH prefixFromPc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" prefixFromPc "${prefixFromPc}")
configure_file(cmake/wirbel.pc.in ${PROJECT_BINARY_DIR}/wirbel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/wirbel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET wirbel_render_shared)
    configure_file(cmake/wirbel-render.pc.in ${PROJECT_BINARY_DIR}/wirbel-render.pc @ONLY)
    install(FILES ${PROJECT_BINARY_DIR}/wirbel-render.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
