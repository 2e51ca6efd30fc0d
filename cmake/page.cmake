# SPDX-License-Identifier: Apache-2.0
# cmake -DDIR=directory -DPAGE=page.html -DSTYLES=a.css,b.css -DSCRIPTS=a.js,b.js -DOUTPUT=file -P page.cmake: DIR/PAGE with its styles and its
# scripts, in that order and in one scope, inside; its policy allows these two by their hash, and nothing else.

# sha256 of a text as base64 (RFC 4648), from what CMake has: hex.
function(hash_of text ret)
	set(digits ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
	string(SHA256 hex "${text}")
	string(APPEND hex 00) # 22 groups of three digits are 44 characters; the last one holds nothing
	foreach(i RANGE 0 63 3)
		string(SUBSTRING ${hex} ${i} 3 group)
		math(EXPR high "0x${group} >> 6")
		math(EXPR low "0x${group} & 63")
		string(SUBSTRING ${digits} ${high} 1 first)
		string(SUBSTRING ${digits} ${low} 1 second)
		string(APPEND out ${first}${second})
	endforeach()
	string(SUBSTRING ${out} 0 43 out)
	set(${ret} "${out}=" PARENT_SCOPE)
endfunction()

set(script "'use strict';\n(() => {\n")
string(REPLACE "," ";" SCRIPTS "${SCRIPTS}")
foreach(name ${SCRIPTS})
	file(READ ${DIR}/${name} part)
	string(APPEND script "${part}")
endforeach()
string(APPEND script "})();\n")
string(REPLACE "," ";" STYLES "${STYLES}")
foreach(name ${STYLES})
	file(READ ${DIR}/${name} part)
	string(APPEND style "${part}")
endforeach()
file(READ ${DIR}/${PAGE} page)
if(script MATCHES "</[sS]cript" OR script MATCHES "@(TITLE|DATA|CONNECT)@")
	message(FATAL_ERROR "a script holds what ends it or marks a place in the page")
endif()
hash_of("${script}" script_hash)
hash_of("${style}" style_hash)
string(REPLACE "@POLICY@" "default-src 'none'; script-src 'sha256-${script_hash}'; style-src 'sha256-${style_hash}'; base-uri 'none'; form-action 'none'@CONNECT@"
	page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
file(WRITE ${OUTPUT} "${page}")
