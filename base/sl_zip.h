/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_ZIP_H
#define SL_ZIP_H
/*
 * What files a zip archive (an APK) holds, and where their bytes are. Nothing is unpacked, and archives beyond 4 GiB are
 * not read. Format: PKWARE's APPNOTE.TXT, 4.3.7 (local header), 4.3.12 (central directory), 4.3.16 (its end).
 */
#include "sl_base.h"

struct sl_zip {
	struct sl_bytes file;	  /* borrowed */
	struct sl_bytes directory; /* the central one */
};
struct sl_zip_entry {
	const char *name; /* in the archive, not terminated */
	size_t name_len;
	uint64_t offset, len; /* of its bytes in the archive */
	bool stored;	      /* as they are: neither compressed nor encrypted */
};

/* SL_OK; SL_ERR_FORMAT where it is no zip archive; SL_ERR_UNSUPPORTED where it is one of 64 bits. */
int sl_zip_open(struct sl_bytes file, struct sl_zip *ret);
/* The next entry behind *cursor, from 0 on; one whose local header or bytes do not lie in the archive is passed over. False
 * at the end, also at damage. */
bool sl_zip_next(const struct sl_zip *zip, size_t *cursor, struct sl_zip_entry *ret);
/* The first entry of a name, and the one whose bytes are at an offset of the archive. */
bool sl_zip_find_name(const struct sl_zip *zip, const char *name, struct sl_zip_entry *ret);
bool sl_zip_find_offset(const struct sl_zip *zip, uint64_t offset, struct sl_zip_entry *ret);
#endif
