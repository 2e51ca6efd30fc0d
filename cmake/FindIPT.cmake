# SPDX-License-Identifier: Apache-2.0
# libipt: reads packets of Intel PT for decoder/ipt, and checks generated traces in the tests. Target IPT::ipt where found; all does without.
find_path(IPT_INCLUDE_DIR intel-pt.h)
find_library(IPT_LIBRARY ipt)
mark_as_advanced(IPT_INCLUDE_DIR IPT_LIBRARY)
if(IPT_INCLUDE_DIR AND IPT_LIBRARY AND NOT TARGET IPT::ipt)
	add_library(IPT::ipt UNKNOWN IMPORTED)
	set_target_properties(IPT::ipt PROPERTIES IMPORTED_LOCATION ${IPT_LIBRARY}
		INTERFACE_INCLUDE_DIRECTORIES ${IPT_INCLUDE_DIR} INTERFACE_COMPILE_DEFINITIONS SL_HAVE_IPT)
endif()
