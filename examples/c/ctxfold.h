/* ctxfold for C, and for whatever can load a shared library: the module of docs/ABI.md, translated to C by wasm2c.
 *
 * Texts are UTF-8 JSON with a length in bytes; they need no zero at their end. What a function returns is the caller's, to
 * be given to free(). One ctxfold serves one thread at a time; make several for several threads. */
#ifndef CTXFOLD_H
#define CTXFOLD_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ctxfold ctxfold;

/* Starts an instance of the module. NULL when there is no memory for it. */
ctxfold *ctxfold_new(void);
void ctxfold_delete(ctxfold *c);

/* Runs an operation of docs/ABI.md, such as "plan". The answer has *len bytes, and may be {"error":…}. NULL means that there
 * is no such operation, or no memory: the instance was replaced then, and the next call works. */
char *ctxfold_call(ctxfold *c, const char *op, const char *request, size_t request_len, size_t *len);

/* Writes the summary that a request of the plan asks for. request is its JSON: id, scope, system, prompt,
 * max_output_tokens, input_tokens. The summary is plain text, from malloc(). NULL means that there is none: the core writes
 * a digest in its place. */
typedef char *(*ctxfold_summarizer)(void *user, const char *request, size_t len);

/* Does a whole compaction: plan, the summarizer for each request, step. messages is an array or a request body. policy and
 * state may be NULL. The answer has *len bytes and holds report, state and messages, or error. */
char *ctxfold_compact(ctxfold *c, const char *messages, size_t messages_len, const char *policy, const char *state,
                      ctxfold_summarizer summarizer, void *user, size_t *len);

/* Finds the value of a key in a JSON object, or NULL. It points into json, and *len is its length. json must be valid, as
 * all answers are. */
const char *ctxfold_member(const char *json, size_t json_len, const char *key, size_t *len);

/* Finds the value at an index of a JSON array, or NULL. */
const char *ctxfold_element(const char *json, size_t json_len, size_t index, size_t *len);

#ifdef __cplusplus
}
#endif
#endif
