/* SPDX-License-Identifier: Apache-2.0 */
#include "snapshot_write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

static FILE *create(const char *dir, const char *name)
{
	char path[4096];
	int len = snprintf(path, sizeof(path), "%s/%s", dir, name);

	if (len < 0 || (size_t)len >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	return fopen(path, "wb");
}

/* The first error of the file decides. */
static int done(FILE *f)
{
	int bad = ferror(f);

	return fclose(f) == 0 && !bad ? SL_OK : SL_ERR_IO;
}

int snapshot_write_file(const char *dir, const char *name, const void *data, size_t len)
{
	FILE *f = create(dir, name);

	if (!f)
		return SL_ERR_IO;
	if (len > 0)
		fwrite(data, 1, len, f);
	return done(f);
}

static int write_list(const struct snapshot *s, const char *dir)
{
	FILE *f = create(dir, "snapshot.ini");

	if (!f)
		return SL_ERR_IO;
	fprintf(f, "[snapshot]\nversion=1.0\n\n[device_list]\n");
	for (size_t i = 0; i < s->core_count; i++)
		fprintf(f, "device%zu=cpu_%zu.ini\ndevice%zu=etm_%zu.ini\n", 2 * i, i, 2 * i + 1, i);
	fprintf(f, "\n[trace]\nmetadata=trace.ini\n");
	return done(f);
}

static int write_trace(const struct snapshot *s, const char *dir)
{
	FILE *f = create(dir, "trace.ini");

	if (!f)
		return SL_ERR_IO;
	fprintf(f, "[trace_buffers]\nbuffers=buffer0\n\n[buffer0]\nname=ETB_0\nfile=%s\nformat=%s\n",
		s->buffer_file, s->buffer_format);
	fprintf(f, "\n[source_buffers]\n");
	for (size_t i = 0; i < s->core_count; i++)
		fprintf(f, "ETM_%zu=ETB_0\n", i);
	fprintf(f, "\n[core_trace_sources]\n");
	for (size_t i = 0; i < s->core_count; i++)
		fprintf(f, "cpu_%zu=ETM_%zu\n", i, i);
	if (s->timestamp_hz > 0)
		fprintf(f, "\n[timestamp]\nfrequency=%" PRIu64 "\n", s->timestamp_hz);
	return done(f);
}

static void write_dump(FILE *f, size_t number, const struct snapshot_dump *d)
{
	fprintf(f, "\n[dump%zu]\nfile=%s\naddress=0x%" PRIx64 "\nlength=0x%" PRIx64 "\n", number, d->file,
		d->address, d->length);
	if (d->offset > 0)
		fprintf(f, "offset=0x%" PRIx64 "\n", d->offset);
}

static int write_core(const struct snapshot_core *core, size_t index, const char *dir)
{
	char name[32];
	FILE *f;

	snprintf(name, sizeof(name), "cpu_%zu.ini", index);
	f = create(dir, name);
	if (!f)
		return SL_ERR_IO;
	fprintf(f, "[device]\nname=cpu_%zu\nclass=core\ntype=%s\n\n[regs]\n", index, core->type);
	fprintf(f, "PC(size:64)=0x0\nSP(size:64)=0x0\nSCTLR_EL1=0x0\nCPSR=0x3c5\n");
	for (size_t i = 0; i < core->dump_count; i++)
		write_dump(f, i + 1, &core->dumps[i]);
	return done(f);
}

static int write_source(const struct snapshot_core *core, size_t index, const char *dir)
{
	char name[32];
	FILE *f;

	snprintf(name, sizeof(name), "etm_%zu.ini", index);
	f = create(dir, name);
	if (!f)
		return SL_ERR_IO;
	fprintf(f, "[device]\nname=ETM_%zu\nclass=trace_source\ntype=%s\n\n[regs]\n", index,
		core->source_type);
	for (size_t i = 0; i < core->reg_count; i++)
		fprintf(f, "%s(0x%03" PRIX32 ")=0x%08" PRIX32 "\n", core->regs[i].name, core->regs[i].offset,
			core->regs[i].value);
	return done(f);
}

int snapshot_write(const struct snapshot *s, const char *dir)
{
	if (write_list(s, dir) < 0 || write_trace(s, dir) < 0)
		return SL_ERR_IO;
	for (size_t i = 0; i < s->core_count; i++)
		if (write_core(&s->cores[i], i, dir) < 0 || write_source(&s->cores[i], i, dir) < 0)
			return SL_ERR_IO;
	return SL_OK;
}
