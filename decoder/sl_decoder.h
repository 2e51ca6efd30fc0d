/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SL_DECODER_H
#define SL_DECODER_H
/*
 * One lane's bytes in, elements out: feed, drain with next until SL_END, feed the next bytes; finish at the end of
 * the lane and drain again. Any chunking of the same bytes gives the same elements. A decoder reads no files, knows
 * no threads (one thread at a time may use it) and allocates only while its queue grows to its largest burst.
 */
#include "sl_config.h"
#include "sl_elem.h"
#include "sl_image.h"

struct sl_decoder;

/* What decodes. AUTO: our own engine where it covers the protocol, else OpenCSD. */
enum sl_engine { SL_ENGINE_AUTO, SL_ENGINE_FAST, SL_ENGINE_OPENCSD, SL_ENGINES };
/* "auto" and so on, as --engine takes it; NULL beyond the last. */
const char *sl_engine_name(unsigned engine);

/* A packet of the protocol, before it becomes elements. */
struct sl_packet {
	uint64_t offset;  /* of its first byte in the lane */
	const uint8_t *bytes;
	size_t len;
	const char *name;  /* "I_ATOM_F3" */
	const char *text;  /* what it says; NULL unless details were asked for */
	bool not_synced;   /* bytes that were skipped in search of a sync point */
	bool sync;	   /* an A-sync or its like */
	bool bad;	   /* reserved header or bad sequence */
	bool has_time;	   /* it carries a timestamp */
	uint64_t time;	   /* which is this, in ticks */
};
/* Called from within feed/next/finish, in order; what it is lent lives for the call. */
typedef void sl_packet_fn(void *ctx, const struct sl_packet *packet);

/* When what lies from an offset on was traced, and of which task, as far as the capture knows. */
struct sl_moment {
	struct sl_window window;
	bool task_known;
	uint32_t task;
	uint64_t until;	   /* offset in the lane; from there on it is to be asked for again */
};
/* The moment of the packet at offset. Called from within feed/next/finish, with ascending offsets. */
typedef void sl_moment_fn(void *ctx, uint64_t offset, struct sl_moment *ret);

struct sl_decoder_options {
	const struct sl_image *image;
	uint32_t core;		     /* whose memory, for sl_image_bytes; until a context names a task of the image */
	sl_packet_fn *packet;	     /* may be NULL */
	void *packet_ctx;
	sl_moment_fn *moment;	     /* may be NULL: any time, and no task but those of contexts */
	void *moment_ctx;
	bool packet_text;	     /* whether to spell packets out */
	bool packets_only;	     /* no elements: works without an image */
	enum sl_engine engine;
	/*
	 * For who counts instructions and follows calls, but does not look at each range. Ranges inside of one symbol that
	 * follow one from another, by a direct branch without link or behind the last instruction, may come as one element
	 * with SL_FLAG_MERGED: offset and start are the first one's, all else is the last one's, count is the sum of all. One
	 * that contradicts the image (sl_flow_check.h) stays alone. An engine need not do it, and how many are merged
	 * depends on how the bytes are fed.
	 */
	bool merge;
};

/*
 * Not to be called by two threads at once (OpenCSD keeps a list of its decoders).
 * SL_OK; SL_ERR_CONFIG or SL_ERR_UNSUPPORTED with diag; SL_ERR_NOMEM.
 */
int sl_decoder_new(const struct sl_trace_config *config, const struct sl_decoder_options *options,
		   struct sl_decoder **ret, struct sl_diag *diag);
void sl_decoder_free(struct sl_decoder *dec);
/* Which engine it is: never SL_ENGINE_AUTO. */
enum sl_engine sl_decoder_kind(const struct sl_decoder *dec);

/*
 * Trace says some things twice, and the image says some of them once more. Marks tell where the two were compared: they are
 * no elements, and stand beside them. Elements with offsets from a mark's on come behind it.
 */
enum sl_mark_kind {
	SL_MARK_SYNC,	   /* a sync point has told address and context: what follows depends on nothing before it. Where the flow
			    * had come to is not known, or elsewhere: then a mark SL_MARK_ADDRESS at the same offset lies before it */
	SL_MARK_CONFIRMED, /* the same, and the flow had come there */
	SL_MARK_ADDRESS,   /* the trace tells an address which is not where the flow had come to */
	SL_MARK_ATOM,	   /* it goes on behind an indirect branch without having told where to */
	SL_MARK_NOT_TAKEN, /* a branch without condition was not taken */
	SL_MARK_PACKET,	   /* bytes that are no packets, or packets that cannot be here: a gap of bad packets or a decode error */
	SL_MARKS,
};
/* "a branch without condition was not taken"; static, never NULL. */
const char *sl_mark_help(unsigned kind);
struct sl_mark {
	uint64_t offset;  /* in the lane, of the packet that told */
	uint64_t address; /* where the flow had come to; 0: not known */
	enum sl_mark_kind kind;
};

/* Lends the lane's next bytes until next() says SL_END. in.offset is their position in the lane. */
void sl_decoder_feed(struct sl_decoder *dec, struct sl_bytes in);
/* No more bytes: what was held back comes out of next(), with SL_ELEM_END last. */
void sl_decoder_finish(struct sl_decoder *dec);
/* The bytes that follow do not continue those before (a barrier, a new AUX piece): what is pending ends here, and
 * decoding waits for the next sync point; the moment is asked for again. To be called when next() has said SL_END. */
void sl_decoder_restart(struct sl_decoder *dec);
/* The next elements, copied: SL_OK with 1..cap of them; SL_END when all that was fed is used up; SL_ERR_NOMEM. */
int sl_decoder_next(struct sl_decoder *dec, struct sl_elem *ret, size_t cap, size_t *ret_len);
/* The same without a copy: they are lent until the next call for this decoder, and the caller may change them. */
int sl_decoder_lend(struct sl_decoder *dec, struct sl_elem **ret, size_t *ret_len);
/* The marks among the elements lent last, or where it said SL_END since those before; until the next call of it. OpenCSD's
 * engine has none. */
size_t sl_decoder_marks(const struct sl_decoder *dec, const struct sl_mark **ret);

/* How many ranges came in another one's element, so far: of each merged element all but one. */
uint64_t sl_decoder_merged(const struct sl_decoder *dec);

/*
 * Parts of a lane may be decoded at once, by forks of its decoder. Each begins behind a sync point, where most of what a
 * decoder knows has been said anew and the rest is guessed; when the part before has been decoded, the guess is compared with
 * the truth, and where they differ the part is decoded again. A seam is all that a decoder knows at a place of the lane: seams
 * and decoders of one lane go together, and a seam, like a decoder, is used by one thread at a time.
 */
struct sl_seam;
/* Whether it can be forked: not where it tells packets, nor where the trace unit speculates. */
bool sl_decoder_can_fork(const struct sl_decoder *dec);
/* Another decoder of the same lane, which knows nothing yet: to be resumed. It reads dec. SL_OK or SL_ERR_NOMEM. */
int sl_decoder_fork(const struct sl_decoder *dec, struct sl_decoder **ret);
/* Notes what dec knows, when next() has said SL_END, into a seam that is made where *mark is NULL. SL_OK or SL_ERR_NOMEM. */
int sl_decoder_note(struct sl_decoder *dec, struct sl_seam **mark);
void sl_seam_free(struct sl_seam *mark);
/* From here on dec is where the mark was made; moment_ctx takes the place of the option. SL_OK or SL_ERR_NOMEM. */
int sl_decoder_resume(struct sl_decoder *dec, const struct sl_seam *mark, void *moment_ctx);
/*
 * Looks into the lane for a place where a part may begin, a little behind its first sync points, and marks what is to be known
 * there if the bytes before it say nothing unusual. now: an earlier place of the lane; what it costs to look is taken from it.
 * dec is any fork; it has to be resumed afterwards. SL_OK; SL_END where there is no such place; SL_ERR_NOMEM.
 */
int sl_decoder_foresee(struct sl_decoder *dec, struct sl_seam *now, struct sl_bytes lane, void *moment_ctx,
		       struct sl_seam **mark, uint64_t *ret_offset);
/*
 * A part was decoded from begin to end, and what lies before it up to before. True where the part's elements are those that
 * follow, and end is what is known then. False: it is to be decoded again, from before.
 */
bool sl_seam_join(struct sl_seam *before, const struct sl_seam *begin, struct sl_seam *end);
/*
 * What sl_decoder_lend() of a decoder that can be forked has lent last becomes the caller's, to be freed by free(), in exchange
 * for other memory of that kind, or NULL and 0; cap: elements that there is room for.
 */
void sl_decoder_exchange(struct sl_decoder *dec, struct sl_elem **elems, size_t *cap);

/* Errata of Intel PT that libipt works around on the CPU of that CPUID.1:EAX, into ret: "bdm70 apl12", "none"; or that it is not
 * known. Returns ret. */
const char *sl_ipt_errata(uint32_t cpuid_eax, char *ret, size_t cap);

/* "OpenCSD 1.3.3": what decodes, for info. Static. */
const char *sl_decoder_engine(void);
#endif
