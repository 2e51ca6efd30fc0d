/* SPDX-License-Identifier: Apache-2.0 */
#include "say.h"

#include <stdarg.h>
#include <stdio.h>

#include "sl_text.h"

void say(const char *format, ...)
{
	char text[1200], shown[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	fprintf(stderr, "sightline: %s\n", sl_printable(text, shown, sizeof(shown)));
}

void say_try(const char *command)
{
	fprintf(stderr, "try 'sightline %s%s-h'\n", command, *command ? " " : "");
}
