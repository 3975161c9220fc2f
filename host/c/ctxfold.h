/* ctxfold keeps an LLM conversation inside the context window. This is its library for C, and for other languages that can load a shared
 * library: the WebAssembly module, translated to C. It returns the same bytes as all other hosts.
 *
 *   ctxfold_instance *c = ctxfold_new(NULL);
 *   ctxfold_records *records = ctxfold_records_new();
 *   ctxfold_request history = {.policy = CTXFOLD_TEXT("{\"window\":{\"tokens\":32000}}"), .messages = {messages, length}};
 *   ctxfold_answer answer;
 *   if (ctxfold_fit(c, records, &history, summarize, NULL, &answer) == CTXFOLD_OK) send(answer.messages.data, answer.messages.length);
 *   ctxfold_answer_free(&answer);
 *
 * Texts are UTF-8 with a length in bytes, and JSON unless stated otherwise; docs/reference/abi.md describes them. They
 * need not be zero-terminated. Arguments still belong to the caller and are not kept. Results belong to the caller too:
 * free an answer with ctxfold_answer_free, a buffer with ctxfold_free.
 *
 * Threads: only one thread at a time, but any thread, may use an instance (ctxfold_instance); different ones may be used concurrently.
 * Several threads may share records: if two calls need the same compaction, it is made only once. No function changes the state of the
 * process: signal handlers, the locale, files. A call needs less than 128 KiB of stack. */
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

/* A string literal as a ctxfold_text. */
#define CTXFOLD_TEXT(literal) {literal, sizeof(literal) - 1}

/* An instance of the module with its own memory. */
typedef struct ctxfold_instance ctxfold_instance;

typedef struct {
  /* The maximum memory of the instance in bytes, rounded down to whole pages of 64 KiB. A call takes about three
   * times the bytes of its request, and an idle instance 8 MB. 0 means 4 GiB, the maximum of WebAssembly. */
  uint64_t memory_limit;
} ctxfold_options;

/* Starts an instance. options may be NULL. Returns NULL if there is not enough memory, or the limit is too small to
 * start (16 MiB is enough). */
CTXFOLD_API ctxfold_instance *ctxfold_new(const ctxfold_options *options);

/* Ends an instance and frees its memory. Its sessions are lost. c may be NULL. */
CTXFOLD_API void ctxfold_delete(ctxfold_instance *c);

/* The memory of an instance, in bytes. The peak is the maximum since ctxfold_new. */
typedef struct {
  uint64_t limit, current, peak;
} ctxfold_memory;
CTXFOLD_API ctxfold_memory ctxfold_memory_of(const ctxfold_instance *c);

/* Like ctxfold_memory_of, for languages that cannot call functions that return a structure. */
CTXFOLD_API void ctxfold_memory_into(const ctxfold_instance *c, ctxfold_memory *memory);

typedef enum {
  CTXFOLD_OK,
  CTXFOLD_ERROR,        /* the module rejected the request: code, path and offset say why and where (docs/reference/errors.md) */
  CTXFOLD_TRAP,         /* the module trapped during the call; code is "trap" */
  CTXFOLD_MEMORY_LIMIT, /* the call needs more memory than its limit, or than is available; code is "memory_limit" */
  CTXFOLD_NO_MEMORY,    /* malloc failed outside of the module; code is "no_memory" */
} ctxfold_status;

/* The outcome of a call. After CTXFOLD_TRAP and CTXFOLD_MEMORY_LIMIT the instance has been replaced: the next call works, but open
 * sessions are lost. An error of any kind means that nothing was changed. */
typedef struct {
  ctxfold_status status;
  char *json; /* the whole answer, zero-terminated; NULL if the module did not answer */
  size_t length;

  /* Members of json, unchanged. A member that is missing has length 0. */
  ctxfold_text messages, edits, report, state;

  /* The error, as zero-terminated strings, which are NULL if there was none. path and offset (in bytes) locate the error in the text of
   * the request that in names ("policy", "messages", …), or in the whole request if in is empty. */
  const char *code, *message, *path, *in;
  size_t offset;

  void *kept; /* used by the library */
} ctxfold_answer;

/* Frees what an answer points to, and clears the answer, so that it may be freed twice. */
CTXFOLD_API void ctxfold_answer_free(ctxfold_answer *answer);

/* The members of a request. Members that are not set are omitted. The first group is JSON, the second plain text. bodies, summaries and
 * the like are lists; messages may be an array or a request body that contains one. */
typedef struct {
  ctxfold_text policy, options, state, plan, summaries, memory, arguments, bodies, found, roles, messages;
  ctxfold_text text, name, file, time, query, after, before, to;
  ctxfold_text body; /* JSON */
  uint64_t session, tokens, limit; /* 0: not set */
} ctxfold_request;

/* The operations of docs/reference/abi.md, except fit, which has a function of its own, and loop_start and loop_event, which that
 * function uses. ctxfold_plan(c, request, answer) runs plan, and so on. */
#define CTXFOLD_OPERATIONS(OP)                                                                                                        \
  OP(info) OP(detect) OP(estimate) OP(check) OP(plan) OP(step) OP(prints) OP(validate) OP(repair) OP(convert) OP(restore) OP(digests) \
  OP(recall) OP(search) OP(open) OP(save) OP(session_open) OP(session_append) OP(session_close) OP(classify_error) OP(limit_tool_output)
#define CTXFOLD_DECLARE(op) CTXFOLD_API ctxfold_status ctxfold_##op(ctxfold_instance *c, const ctxfold_request *request, ctxfold_answer *answer);
CTXFOLD_OPERATIONS(CTXFOLD_DECLARE)
#undef CTXFOLD_DECLARE

/* Runs any operation by name, including fit, on a request that the caller has written. */
CTXFOLD_API ctxfold_status ctxfold_call(ctxfold_instance *c, const char *operation, const char *request, size_t length, ctxfold_answer *answer);

/* A request for the model. The texts are valid until the summarizer returns. Plain texts are zero-terminated, but may also contain
 * zeros. */
typedef struct {
  const char *scope;           /* what to summarize: docs/reference/abi.md, "plan and step" */
  ctxfold_text system, prompt; /* the system prompt and the user message */
  uint64_t max_output_tokens;  /* the maximum length of the summary */
  uint64_t input_tokens;       /* the estimated tokens of system and prompt */
  ctxfold_text json;           /* the whole request, as JSON */
  /* Set this to the model's finish reason, if there is one, such as "stop" or "length". It must stay valid until the
   * loop returns. */
  const char *finish_reason;
  /* If there is no summary, set this to the reason, which the report shows (summary.error). It must stay valid until the loop returns. */
  const char *error;
  /* For a request that extends the conversation (summary.request of the policy, with {"summary":{"prefix":true}} in the options): what
   * to send, either the messages or the request body that contains them. Empty for other requests. */
  ctxfold_text sent;
  /* Set this if you return the result of a provider's own compaction, as a JSON array of messages, for a request with "provider". */
  bool gives_messages;
  /* Set this and return NULL if the provider is overloaded. The summarizer is then called again after this many milliseconds, or after a
   * default delay if it is 0. */
  bool busy;
  uint64_t after;
  /* If the provider has responded with an error, set these to the HTTP status and to the values of its headers Retry-After,
   * Retry-After-Ms and X-Should-Retry (NULL for those that it doesn't have), error to the response's body, and return NULL. The module then decides whether and when the
   * summarizer is called again. The texts must stay valid until the loop returns. */
  int status;
  const char *retry_after, *retry_after_ms, *should_retry;
} ctxfold_ask;

/* Calls a model. Returns the summary as a zero-terminated string from malloc, which the library frees, or NULL if there is none: then
 * the module writes a digest instead, and no message is lost. user is the argument passed to the loop. The requests of a round are made
 * one after the other; to make them concurrently, use ctxfold_plan and ctxfold_step. */
typedef char *(*ctxfold_summarizer)(void *user, ctxfold_ask *ask);

/* Compacts messages if compaction is due: calls plan, the summarizer for each request, and step. Uses only policy, options, state and
 * messages of the request. Store answer->state for the next call. If summarize is NULL, the module writes digests without a model. */
CTXFOLD_API ctxfold_status ctxfold_compact(ctxfold_instance *c, const ctxfold_request *request, ctxfold_summarizer summarize, void *user,
                                           ctxfold_answer *answer);

/* The compactions that fit remembers for one conversation or one owner. The newest 64 are kept. ctxfold_records_new returns NULL if there
 * is no memory. */
typedef struct ctxfold_records ctxfold_records;
CTXFOLD_API ctxfold_records *ctxfold_records_new(void);
CTXFOLD_API void ctxfold_records_delete(ctxfold_records *records);

/* Saves the records as JSON, or replaces the current ones with saved ones. load also reads records of ctxfold 0.2. save returns a buffer
 * to free with ctxfold_free, or NULL if there is no memory. load returns false, and changes nothing, if json was not written by save or
 * there is no memory. */
CTXFOLD_API char *ctxfold_records_save(const ctxfold_records *records, size_t *length);
CTXFOLD_API bool ctxfold_records_load(ctxfold_records *records, const char *json, size_t length);

/* Returns what to send for a whole history, which the caller keeps and passes again each turn, longer each time. The result of an earlier
 * call replaces the messages that it compacted, and a new compaction is made when one is due. Uses only policy, options and messages of the
 * request. A digest that was written because the summarizer failed is made again later: after a minute, then two, up to an hour. records
 * may be NULL: then nothing is remembered. An error means that nothing was changed: the history may be sent as it is. */
CTXFOLD_API ctxfold_status ctxfold_fit(ctxfold_instance *c, ctxfold_records *records, const ctxfold_request *request, ctxfold_summarizer summarize,
                                       void *user, ctxfold_answer *answer);

/* A compaction that begins in the background, before it is due. */
typedef struct ctxfold_work ctxfold_work;

/* The functions and settings that a program provides to ctxfold_fit_with. Members that are not set are not used. The module makes all
 * decisions and requests effects (docs/inside/loop.md). */
typedef struct {
  ctxfold_summarizer summarize;
  void *user; /* the first argument of the functions here */
  /* Members of JobSettings (docs/inside/loop.md) that the library does not set itself, such as {"owner":"u1","model":"m"}. */
  ctxfold_text settings;
  /* The names of the effects that execute handles, as a JSON array: ["put"] to store removed content, ["count"] for a tokenizer,
   * ["emit"] for a log, ["load","save","lease","release"] for records that processes share. */
  ctxfold_text can;
  /* Executes an effect. Returns the members of its result, without the id, as a JSON object in a zero-terminated string from malloc,
   * which the library frees. {"error":"…"} reports why the effect failed. NULL means that the effect is not supported; it is not
   * requested again. If execute and can don't match, or one of load and save or of lease and release is missing, the call fails at once
   * with the code "invalid_option". */
  char *(*execute)(void *user, const char *effect, size_t length);
  /* Starts a thread that calls ctxfold_work_run and then ctxfold_work_delete. Used only if there are records and the policy has
   * gate.start. */
  void (*begin)(void *user, ctxfold_work *work);
} ctxfold_host;

/* Like ctxfold_fit, with everything that a program can provide. If the program executes load, records are used only for background
 * compactions and may be NULL. A lease lasts two minutes: if a summary takes longer, another call may make the same compaction. */
CTXFOLD_API ctxfold_status ctxfold_fit_with(ctxfold_instance *c, ctxfold_records *records, const ctxfold_request *request, const ctxfold_host *host,
                                            ctxfold_answer *answer);

/* Makes a compaction in the background, with an instance that serves no other call meanwhile. The next ctxfold_fit with the same records
 * uses the result, or waits for it at the limit. host must execute the same effects as the host of the call that began the work, but in
 * another thread. The error "cancelled" means that the compaction has become useless: the history was edited, a forced compaction has
 * replaced it, or the records were deleted. A ctxfold_work may be deleted without being run. */
CTXFOLD_API ctxfold_status ctxfold_work_run(ctxfold_instance *c, ctxfold_work *work, const ctxfold_host *host, ctxfold_answer *answer);
CTXFOLD_API void ctxfold_work_delete(ctxfold_work *work);

/* Iterates over an object or an array. Sets value to the next value, unchanged, and for an object also sets key (without quotes, with
 * its escapes). *at must be 0 at first. Returns false at the end. json must be valid JSON, as all answers are. */
CTXFOLD_API bool ctxfold_next(ctxfold_text json, size_t *at, ctxfold_text *key, ctxfold_text *value);

/* Returns the value of a key in an object. Its data is NULL if there is no such key. */
CTXFOLD_API ctxfold_text ctxfold_member(ctxfold_text json, const char *key);

/* Decodes a JSON string into a zero-terminated buffer to free with ctxfold_free. length excludes the zero and may be NULL. Returns NULL
 * if json is not a string, or if there is no memory. */
CTXFOLD_API char *ctxfold_string(ctxfold_text json, size_t *length);

/* The library's free(), for programs that use a different allocator. */
CTXFOLD_API void ctxfold_free(void *buffer);

#ifdef __cplusplus
}
#endif
#endif
