# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=file -DNAME=identifier -DOUTPUT=file.c -P embed.cmake: the bytes of a file as a C array, with a 0 behind them.
file(READ ${SOURCE} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
string(REGEX REPLACE "((0x[0-9a-f][0-9a-f],){20})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made by the build. */\n#include <stddef.h>\nextern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_len;\nconst unsigned char ${NAME}[] = {\n${bytes}0\n};\nconst size_t ${NAME}_len = sizeof(${NAME}) - 1;\n")
