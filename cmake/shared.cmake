# The shared library, of the objects of the static one. Until 1.0 a new minor version may break programs: its name for the
# loader has both numbers, libwirbel.so.0.1.
get_target_property(embedded wirbel SOURCES)
list(FILTER embedded INCLUDE REGEX TARGET_OBJECTS) # a target's own objects are only those of its sources
add_library(wirbel_shared SHARED $<TARGET_OBJECTS:wirbel> ${embedded})
set_target_properties(wirbel_shared PROPERTIES OUTPUT_NAME wirbel VERSION ${PROJECT_VERSION}
                                               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
wb_public_headers(wirbel_shared)
get_target_property(libraries wirbel LINK_LIBRARIES)
target_link_libraries(wirbel_shared PRIVATE ${libraries})
target_link_options(wirbel_shared PRIVATE -Wl,-Bsymbolic-functions)
