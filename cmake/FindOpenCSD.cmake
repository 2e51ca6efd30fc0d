# SPDX-License-Identifier: Apache-2.0
# OpenCSD's C API as target OpenCSD::c_api. Debian ships no pkg-config file for the C API library itself.
find_path(OPENCSD_INCLUDE opencsd/c_api/opencsd_c_api.h REQUIRED)
find_library(OPENCSD_LIBRARY opencsd REQUIRED)
find_library(OPENCSD_C_API_LIBRARY opencsd_c_api REQUIRED)
add_library(OpenCSD::c_api INTERFACE IMPORTED)
target_include_directories(OpenCSD::c_api SYSTEM INTERFACE ${OPENCSD_INCLUDE})
target_link_libraries(OpenCSD::c_api INTERFACE ${OPENCSD_C_API_LIBRARY} ${OPENCSD_LIBRARY})
