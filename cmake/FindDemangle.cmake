# SPDX-License-Identifier: Apache-2.0
# GNU libiberty's demangler (C++ and Rust) as target Demangle::iberty.
find_path(IBERTY_INCLUDE demangle.h PATH_SUFFIXES libiberty REQUIRED)
find_library(IBERTY_LIBRARY NAMES iberty REQUIRED)
add_library(Demangle::iberty INTERFACE IMPORTED)
target_include_directories(Demangle::iberty SYSTEM INTERFACE ${IBERTY_INCLUDE})
target_link_libraries(Demangle::iberty INTERFACE ${IBERTY_LIBRARY})
