# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=test_x.c -DOUTPUT=test_x_main.c -P make_main.cmake
# Writes the main() that runs every `void test_x__case(void **state)` of SOURCE, between group_setup() and
# group_teardown(), and each of them between case_setup() and case_teardown(), where SOURCE defines these.
file(READ ${SOURCE} text)
get_filename_component(module ${SOURCE} NAME_WE)

foreach(fixture group_setup group_teardown case_setup case_teardown)
	set(${fixture} NULL)
	if(text MATCHES "\nint ${fixture}\\(void \\*\\*")
		set(${fixture} ${fixture})
		string(APPEND prototypes "int ${fixture}(void **state);\n")
	endif()
endforeach()

string(REGEX MATCHALL "\nvoid test_[a-z0-9_]+__[a-z0-9_]+\\(void \\*\\*[a-z]+\\)" found "${text}")
if(NOT found)
	message(FATAL_ERROR "${SOURCE}: no line of the form 'void ${module}__<case>(void **state)'")
endif()
foreach(line ${found})
	string(REGEX REPLACE "\nvoid ([a-z0-9_]+).*" "\\1" name "${line}")
	if(NOT name MATCHES "^${module}__")
		message(FATAL_ERROR "${SOURCE}: ${name} must begin with ${module}__")
	endif()
	string(APPEND prototypes "void ${name}(void **state);\n")
	string(APPEND rows "\t\tcmocka_unit_test_setup_teardown(${name}, ${case_setup}, ${case_teardown}),\n")
endforeach()
file(WRITE ${OUTPUT} "/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

${prototypes}
int main(void)
{
	const struct CMUnitTest tests[] = {
${rows}	};

	return cmocka_run_group_tests_name(\"${module}\", tests, ${group_setup}, ${group_teardown}) ? 1 : 0;
}
")
