# SPDX-License-Identifier: Apache-2.0
# Joins the layers in libsightline: sightline_static (which the program links) and sightline_shared.
get_property(layers GLOBAL PROPERTY SL_LAYERS)
get_property(links GLOBAL PROPERTY SL_LINKS)
get_property(headers GLOBAL PROPERTY SL_PUBLIC_HEADERS)
list(REMOVE_DUPLICATES links)
list(TRANSFORM layers REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
foreach(header ${headers})
	get_filename_component(folder ${header} DIRECTORY)
	list(APPEND folders ${folder})
endforeach()
list(REMOVE_DUPLICATES folders)

add_library(sightline_static STATIC ${objects})
add_library(sightline_shared SHARED ${objects})
foreach(library sightline_static sightline_shared)
	set_target_properties(${library} PROPERTIES OUTPUT_NAME sightline LINKER_LANGUAGE C)
	target_include_directories(${library} INTERFACE ${folders})
endforeach()
target_link_libraries(sightline_static PUBLIC ${links})
target_link_libraries(sightline_shared PRIVATE ${links})

# libiberty comes as an archive only: without the list its symbols would be exported as ours.
set(exports ${CMAKE_CURRENT_LIST_DIR}/libsightline.map)
set_target_properties(sightline_shared PROPERTIES
	VERSION ${PROJECT_VERSION}
	SOVERSION ${PROJECT_VERSION_MAJOR}
	LINK_DEPENDS ${exports}
	LINK_OPTIONS "LINKER:--version-script=${exports}")

file(RELATIVE_PATH SL_PC_UP /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
if(SQLITE_FOUND)
	set(SL_PC_SQLITE " -lsqlite3")
endif()
if(SL_IPT AND TARGET IPT::ipt)
	set(SL_PC_IPT " -lipt")
endif()
configure_file(${CMAKE_CURRENT_LIST_DIR}/sightline.pc.in sightline.pc @ONLY)

install(TARGETS sightline_static sightline_shared
	ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
	LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES ${headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sightline)
install(FILES ${PROJECT_BINARY_DIR}/sightline.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
