# Installation: headers, library, pkg-config and CMake package files.
