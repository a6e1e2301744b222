# WIRBEL_VERSION, from the macros of the public headers.
set(versionHeader ${CMAKE_CURRENT_LIST_DIR}/../include/wirbel/base.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${versionHeader})
file(STRINGS ${versionHeader} versionLines REGEX "^#define WB_VERSION_(MAJOR|MINOR|PATCH) +[0-9]+$")
list(TRANSFORM versionLines REPLACE "^.* " "")
list(JOIN versionLines "." WIRBEL_VERSION)
