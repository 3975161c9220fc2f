/* ctxfold keeps the conversation of a language model within its context window. This is its library for C, and for whatever can
 * load a shared library: the WebAssembly module, translated to C. It gives the very bytes that all other hosts give.
 *
 *   ctxfold_instance *c = ctxfold_new(NULL);
 *   ctxfold_records *records = ctxfold_records_new();
 *   ctxfold_request history = {.policy = CTXFOLD_TEXT("{\"window\":{\"tokens\":32000}}"), .messages = {messages, length}};
 *   ctxfold_answer answer;
 *   if (ctxfold_fit(c, records, &history, summarize, NULL, &answer) == CTXFOLD_OK) send(answer.messages.data, answer.messages.length);
 *   ctxfold_answer_free(&answer);
 *
 * Texts are UTF-8 with a length in bytes, and JSON where nothing else is said; docs/reference/abi.md has what is in them. They need no
 * zero at their end. What a function takes stays the caller's, and is not kept. What it gives belongs to the caller: an answer to be
 * given to ctxfold_answer_free, a buffer to ctxfold_free.
 *
 * Threads: one instance (ctxfold_instance) is for one thread at a time, whichever that is; so are records. Different ones work at the same time. No
 * function changes what belongs to the process: no signal handler, no locale, no file. A call needs less than 128 KiB of stack. */
#ifndef CTXFOLD_H
#define CTXFOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CTXFOLD_API
#if defined(__GNUC__) && !defined(_WIN32)
#define CTXFOLD_API __attribute__((visibility("default")))
#else
#define CTXFOLD_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char *data;
  size_t length; /* bytes */
} ctxfold_text;

/* The text of a string literal. */
#define CTXFOLD_TEXT(literal) {literal, sizeof(literal) - 1}

/* An instance of the module, with a memory of its own. */
typedef struct ctxfold_instance ctxfold_instance;

typedef struct {
  /* What the memory of the instance may have, in bytes, rounded down to whole pages of 64 KiB. A call takes about three times the
   * bytes of its request, and an idle instance 8 MB. 0: 4 GiB, the most that WebAssembly has. */
  uint64_t memory_limit;
} ctxfold_options;

/* Starts an instance. options may be NULL. NULL: there is no memory for it, or the limit is too small to start (16 MiB is enough). */
CTXFOLD_API ctxfold_instance *ctxfold_new(const ctxfold_options *options);
CTXFOLD_API void ctxfold_delete(ctxfold_instance *c);

/* The memory of an instance, in bytes. The peak is the most that it has had since ctxfold_new. */
typedef struct {
  uint64_t limit, current, peak;
} ctxfold_memory;
CTXFOLD_API ctxfold_memory ctxfold_memory_of(const ctxfold_instance *c);

/* The same, for languages whose calls cannot take a structure for a result. */
CTXFOLD_API void ctxfold_memory_into(const ctxfold_instance *c, ctxfold_memory *memory);

typedef enum {
  CTXFOLD_OK,
  CTXFOLD_ERROR,        /* the module refused the request: code, path and offset say why and where (docs/reference/errors.md) */
  CTXFOLD_TRAP,         /* the module gave up in the middle of the call; code is "trap" */
  CTXFOLD_MEMORY_LIMIT, /* the same, because it needs more than its memory limit, or than there is; code is "memory_limit" */
  CTXFOLD_NO_MEMORY,    /* malloc failed outside of the module; code is "no_memory" */
} ctxfold_status;

/* What came of a call. After CTXFOLD_TRAP and CTXFOLD_MEMORY_LIMIT the instance is a new one: the next call works, and sessions that
 * were open are gone. After any error nothing was done. */
typedef struct {
  ctxfold_status status;
  char *json; /* all of the answer, with a zero behind it; NULL where the module did not answer */
  size_t length;

  /* Parts of json, as they are there; length 0 where there is no such part. */
  ctxfold_text messages, edits, report, state;

  /* The error, with a zero at the end of each; empty without one. path and offset lead to the place in the text of the request that
   * in names ("policy", "messages", …). Where in is empty, they count in the request as a whole. offset counts bytes. */
  const char *code, *message, *path, *in;
  size_t offset;

  void *kept; /* the library's own */
} ctxfold_answer;
CTXFOLD_API void ctxfold_answer_free(ctxfold_answer *answer);

/* The keys of a request. Those that are not set are left out. The texts of the first group are JSON, those of the second are plain text.
 * bodies, summaries and the like are lists; messages may be an array or a request body that holds one. */
typedef struct {
  ctxfold_text policy, options, state, plan, summaries, memory, arguments, bodies, found, roles, messages;
  ctxfold_text text, name, file, time, query, after, before, to;
  ctxfold_text body; /* JSON */
  uint64_t session, tokens, limit; /* 0: not set */
} ctxfold_request;

/* The operations of docs/reference/abi.md, but fit, which is a loop here, and loop_start and loop_event, of which it is made. ctxfold_plan(c, request, answer) runs plan, and so on. */
#define CTXFOLD_OPERATIONS(OP)                                                                                                        \
  OP(info) OP(detect) OP(estimate) OP(check) OP(plan) OP(step) OP(prints) OP(validate) OP(repair) OP(convert) OP(restore) OP(digests) \
  OP(recall) OP(search) OP(open) OP(save) OP(session_open) OP(session_append) OP(session_close) OP(classify_error) OP(limit_tool_output)
#define CTXFOLD_DECLARE(op) CTXFOLD_API ctxfold_status ctxfold_##op(ctxfold_instance *c, const ctxfold_request *request, ctxfold_answer *answer);
CTXFOLD_OPERATIONS(CTXFOLD_DECLARE)
#undef CTXFOLD_DECLARE

/* Runs any operation by its name, also fit, on a request that the caller has written. */
CTXFOLD_API ctxfold_status ctxfold_call(ctxfold_instance *c, const char *operation, const char *request, size_t length, ctxfold_answer *answer);

/* What the model is asked for. The texts are there until the summarizer returns. Those that are no JSON have a zero after them, and may
 * have some inside. */
typedef struct {
  const char *scope;           /* what to summarize: docs/reference/abi.md, "plan and step" */
  ctxfold_text system, prompt; /* the system prompt, and the message of the user */
  uint64_t max_output_tokens, input_tokens;
  ctxfold_text json;           /* all of the request, as JSON */
  /* To be set, if the model gave one: what it ended with, such as "stop" or "length". It must be there until the loop returns. */
  const char *finish_reason;
  /* To be set where there is no summary: why, for the report (summary.error). It must be there until the loop returns. */
  const char *error;
  /* What to send for a request that is appended to the conversation (summary.request of the policy, with {"summary":{"prefix":true}} in the
   * options): the messages, or the request body that holds them. Empty for others. */
  ctxfold_text sent;
  /* To be set, if what is returned are the messages, as JSON, that a provider's own compaction gave: for a request with "provider". */
  bool gives_messages;
  /* To be set with NULL, if the model has no time: it is asked again after so many milliseconds, or when the library thinks it best (0). */
  bool busy;
  uint64_t after;
} ctxfold_ask;

/* Asks a model. The summary is plain text that ends with a zero and comes from malloc; the library frees it. NULL means that there is
 * none: the module writes a digest in its place, and no message is lost. user is what the loop was given. The requests of a round are made
 * one after the other; to make them at the same time, call ctxfold_plan and ctxfold_step. */
typedef char *(*ctxfold_summarizer)(void *user, ctxfold_ask *ask);

/* Compacts messages if that is due: plan, the summarizer for each request, step. Of the request policy, options, state and messages count. Keep
 * answer->state for the next time. summarize may be NULL: then digests are made without a model. */
CTXFOLD_API ctxfold_status ctxfold_compact(ctxfold_instance *c, const ctxfold_request *request, ctxfold_summarizer summarize, void *user,
                                           ctxfold_answer *answer);

/* What fit has made of one conversation, or of those of one owner, up to 64 compactions: the newest are kept. */
typedef struct ctxfold_records ctxfold_records;
CTXFOLD_API ctxfold_records *ctxfold_records_new(void);
CTXFOLD_API void ctxfold_records_delete(ctxfold_records *records);

/* The records as JSON, to be stored and to be read again by ctxfold_records_load, which replaces what is there; that also reads those of
 * ctxfold 0.2. save gives a buffer for
 * ctxfold_free, or NULL without memory. load is false where json is not what save has given; nothing is changed then. */
CTXFOLD_API char *ctxfold_records_save(const ctxfold_records *records, size_t *length);
CTXFOLD_API bool ctxfold_records_load(ctxfold_records *records, const char *json, size_t length);

/* Returns what to send for a whole history, which the caller keeps and passes again each turn, longer each time: what an earlier call has made of
 * its beginning is in place of these messages, and a compaction is made when it is due. Of the request policy, options and
 * messages count. A digest that was made because the summarizer failed is made again later: after a minute, then two, up to an hour. Records
 * may be NULL: then nothing is remembered. An error means that nothing was done: the history may be sent as it is. */
CTXFOLD_API ctxfold_status ctxfold_fit(ctxfold_instance *c, ctxfold_records *records, const ctxfold_request *request, ctxfold_summarizer summarize,
                                       void *user, ctxfold_answer *answer);

/* Goes through an object or an array: gives the next value as it is in json and, in an object, its key (without quotes, with its
 * escapes). *at is 0 at first. False: that was all. json must be valid JSON, as all answers are. */
CTXFOLD_API bool ctxfold_next(ctxfold_text json, size_t *at, ctxfold_text *key, ctxfold_text *value);

/* The value of a key in an object; its data is NULL where there is none. */
CTXFOLD_API ctxfold_text ctxfold_member(ctxfold_text json, const char *key);

/* The text of a JSON string, with a zero at its end, for ctxfold_free. length may be NULL; it counts without that zero. NULL where json is
 * no string, or without memory. */
CTXFOLD_API char *ctxfold_string(ctxfold_text json, size_t *length);

/* free(), for programs whose own is another. */
CTXFOLD_API void ctxfold_free(void *buffer);

#ifdef __cplusplus
}
#endif
#endif
