# Installation: headers, library, program, scenes, and the files by which pkg-config and CMake find them. Nothing
# installed names the prefix, so the whole may be moved.
include(CMakePackageConfigHelpers)

install(TARGETS wirbel EXPORT wirbel ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/wirbel DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
if(TARGET wirbel_app)
    install(TARGETS wirbel_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/wirbel FILES_MATCHING PATTERN "*.json" PATTERN "*.obj")
endif()

# CMake: find_package(wirbel), then wirbel::wirbel
set(cmakeDir ${CMAKE_INSTALL_LIBDIR}/cmake/wirbel)
install(EXPORT wirbel NAMESPACE wirbel:: FILE wirbel-targets.cmake DESTINATION ${cmakeDir})
configure_package_config_file(cmake/wirbel-config.cmake.in ${PROJECT_BINARY_DIR}/wirbel-config.cmake
                              INSTALL_DESTINATION ${cmakeDir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wirbel-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wirbel-config.cmake ${PROJECT_BINARY_DIR}/wirbel-config-version.cmake
        DESTINATION ${cmakeDir})

# pkg-config: paths relative to the place of wirbel.pc
file(RELATIVE_PATH prefixFromPc /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
string(REGEX REPLACE "/$" "" prefixFromPc "${prefixFromPc}")
configure_file(cmake/wirbel.pc.in ${PROJECT_BINARY_DIR}/wirbel.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/wirbel.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
