/* Instances of the module and calls into them. */
#include "ctxfold.h"

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "loop.h"
#include "module.h"

enum {
  PAGE = 64 << 10,
  /* A module's memory never shrinks. If an instance without sessions is larger than this, in bytes, after a call, it is stopped, and the next
   * call starts a new one, which takes a few milliseconds. */
  MAX_IDLE = 256 << 20,
  /* So is an instance with more than ROOMY bytes after CALM consecutive calls that each used at most 1/SHARE of its memory for the request
   * and the answer. */
  ROOMY = 32 << 20,
  CALM = 64,
  SHARE = 32,
};

struct ctxfold_instance {
  Z_ctxfold_instance_t module;
  uint32_t max_pages;
  uint64_t peak;     /* of the previous instances, in bytes */
  uint64_t sessions; /* number of open sessions */
  uint64_t calm;     /* consecutive calls that used little of the memory */
  bool started;
};

typedef u64 (*operation)(Z_ctxfold_instance_t *, u32, u32);
static const struct {
  const char *name;
  operation run;
} operations[] = {
#define OP(name) {#name, Z_ctxfoldZ_ctxfold_##name},
#include "operations.inc"
#undef OP
};

/* Registers the module's function types, once per program. */
static void prepare(void) {
  static atomic_int state; /* 0: not started, 1: in progress, 2: done */
  int none = 0;
  if (atomic_compare_exchange_strong(&state, &none, 1)) {
    Z_ctxfold_init_module();
    atomic_store(&state, 2);
  }
  while (atomic_load(&state) != 2) continue;
}

static uint64_t size_of(const ctxfold_instance *c) { return c->started ? c->module.w2c_memory.size : 0; }

static void stop(ctxfold_instance *c) {
  if (size_of(c) > c->peak) c->peak = size_of(c);
  if (c->started) Z_ctxfold_free(&c->module);
  c->started = false;
  c->sessions = c->calm = 0;
}

static bool start(ctxfold_instance *c) {
  if (c->started) return true;
  memset(&c->module, 0, sizeof c->module);
  jmp_buf here, *before = wasm_rt_target;
  wasm_rt_target = &here;
  c->started = true;
  if (setjmp(here) == 0) {
    Z_ctxfold_instantiate(&c->module);
    c->module.w2c_memory.max_pages = c->max_pages;
  } else {
    stop(c);
  }
  wasm_rt_target = before;
  if (c->started && c->module.w2c_memory.pages > c->max_pages) stop(c);
  return c->started;
}

ctxfold_instance *ctxfold_new(const ctxfold_options *options) {
  prepare();
  ctxfold_instance *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  uint64_t pages = options ? options->memory_limit / PAGE : 0;
  c->max_pages = (!options || options->memory_limit == 0 || pages > 65536) ? 65536 : (uint32_t)pages;
  if (start(c)) return c;
  ctxfold_delete(c);
  return NULL;
}

void ctxfold_delete(ctxfold_instance *c) {
  if (!c) return;
  stop(c);
  free(c);
}

ctxfold_memory ctxfold_memory_of(const ctxfold_instance *c) {
  uint64_t current = size_of(c);
  return (ctxfold_memory){(uint64_t)c->max_pages * PAGE, current, current > c->peak ? current : c->peak};
}

void ctxfold_memory_into(const ctxfold_instance *c, ctxfold_memory *memory) { *memory = ctxfold_memory_of(c); }

void ctxfold_answer_free(ctxfold_answer *answer) {
  free(answer->json);
  free(answer->kept);
  memset(answer, 0, sizeof *answer);
}

/* Sets an error of the library itself. code and message must be string literals. */
static ctxfold_status fail(ctxfold_answer *answer, ctxfold_status status, const char *code, const char *message) {
  ctxfold_answer_free(answer);
  answer->status = status;
  answer->code = code;
  answer->message = message;
  answer->path = answer->in = "";
  return status;
}

ctxfold_status no_memory(ctxfold_answer *answer) {
  return fail(answer, CTXFOLD_NO_MEMORY, "no_memory", "there is no memory for the request or its answer");
}

ctxfold_status wrong_host(ctxfold_answer *answer, const char *message) {
  memset(answer, 0, sizeof *answer);
  return fail(answer, CTXFOLD_ERROR, "invalid_option", message);
}

/* Calls an operation as described in docs/reference/abi.md. The memory may move during any call, so its address is read again
 * afterwards. Returns false if memory cannot be allocated. */
static bool cross(Z_ctxfold_instance_t *m, operation run, const char *request, u32 length, ctxfold_answer *answer) {
  u32 at = Z_ctxfoldZ_ctxfold_alloc(m, length);
  if ((uint64_t)at + length > m->w2c_memory.size) wasm_rt_trap(WASM_RT_TRAP_OOB);
  if (length) memcpy(m->w2c_memory.data + at, request, length);
  u64 packed = run(m, at, length);
  u32 from = (u32)(packed >> 32), size = (u32)packed;
  if ((uint64_t)from + size > m->w2c_memory.size) wasm_rt_trap(WASM_RT_TRAP_OOB);
  answer->json = malloc((size_t)size + 1);
  if (answer->json) {
    memcpy(answer->json, m->w2c_memory.data + from, size);
    answer->json[size] = 0;
    answer->length = size;
  }
  Z_ctxfoldZ_ctxfold_free(m, at);
  Z_ctxfoldZ_ctxfold_free(m, from);
  return answer->json != NULL;
}

/* Reports why a call trapped, and starts a new instance. */
static ctxfold_status trapped(ctxfold_instance *c, int trap, ctxfold_answer *answer) {
  bool refused = c->module.w2c_memory.refused;
  stop(c);
  start(c);
  if (refused)
    return fail(answer, CTXFOLD_MEMORY_LIMIT, "memory_limit",
                "the call needs more memory than an instance may have; a new instance has taken its place");
  fail(answer, CTXFOLD_TRAP, "trap", "");
  char text[160];
  snprintf(text, sizeof text, "the module trapped (%s); a new instance has taken its place", wasm_rt_strerror((wasm_rt_trap_t)trap));
  answer->kept = strdup(text);
  answer->message = answer->kept ? answer->kept : "the module trapped; a new instance has taken its place";
  return CTXFOLD_TRAP;
}

/* Sets the fields of an answer from its JSON: the members, or the error. */
static ctxfold_status read_answer(ctxfold_answer *answer) {
  ctxfold_text key, value, error = {0};
  for (size_t at = 0; ctxfold_next((ctxfold_text){answer->json, answer->length}, &at, &key, &value);) {
    if (text_is(key, "error")) error = value;
    if (text_is(key, "messages")) answer->messages = value;
    if (text_is(key, "edits")) answer->edits = value;
    if (text_is(key, "report")) answer->report = value;
    if (text_is(key, "state")) answer->state = value;
  }
  if (!error.data || error.data[0] != '{') return answer->status = CTXFOLD_OK;
  char *code = ctxfold_string(ctxfold_member(error, "code"), NULL), *message = ctxfold_string(ctxfold_member(error, "message"), NULL);
  char *path = ctxfold_string(ctxfold_member(error, "path"), NULL);
  writer w = {0};
  write_text(&w, code ? code : "", (code ? strlen(code) : 0) + 1);
  write_text(&w, message ? message : "", (message ? strlen(message) : 0) + 1);
  write_text(&w, path ? path : "", (path ? strlen(path) : 0) + 1);
  free(code), free(message), free(path);
  if (w.failed) return no_memory(answer);
  answer->status = CTXFOLD_ERROR;
  answer->kept = w.data;
  answer->code = w.data;
  answer->message = answer->code + strlen(answer->code) + 1;
  answer->path = answer->message + strlen(answer->message) + 1;
  answer->in = "";
  answer->offset = (size_t)number_of(ctxfold_member(error, "offset"));
  return CTXFOLD_ERROR;
}

static operation find(const char *name) {
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (strcmp(operations[i].name, name) == 0) return operations[i].run;
  return NULL;
}

ctxfold_status ctxfold_call(ctxfold_instance *c, const char *name, const char *request, size_t length, ctxfold_answer *answer) {
  memset(answer, 0, sizeof *answer);
  const operation run = find(name);
  if (!run && strcmp(name, "function") == 0)
    return fail(answer, CTXFOLD_ERROR, "needs_full", "single steps are in ctxfold-full.wasm: build the library of it");
  if (!run) return fail(answer, CTXFOLD_ERROR, "unknown_op", "there is no operation of this name");
  if (length > UINT32_MAX) return fail(answer, CTXFOLD_MEMORY_LIMIT, "memory_limit", "the request has more bytes than an instance can have");
  if (!start(c)) return no_memory(answer);
  c->module.w2c_memory.refused = false;
  jmp_buf here, *before = wasm_rt_target;
  wasm_rt_target = &here;
  int trap = setjmp(here);
  bool answered = trap == 0 && cross(&c->module, run, request, (u32)length, answer);
  wasm_rt_target = before;
  if (trap) return trapped(c, trap, answer);
  if (!answered) return no_memory(answer);
  ctxfold_status status = read_answer(answer);
  if (status == CTXFOLD_OK && strcmp(name, "session_open") == 0) c->sessions++;
  if (status == CTXFOLD_OK && strcmp(name, "session_close") == 0 && c->sessions > 0) c->sessions--;
  c->calm = ((uint64_t)length + answer->length) * SHARE > size_of(c) ? 0 : c->calm + 1;
  if (c->sessions == 0 && (size_of(c) > MAX_IDLE || (size_of(c) > ROOMY && c->calm >= CALM))) stop(c);
  return status;
}

/* The keys of a request, in the order in which they are written. The transcript comes last, because the other members determine how it
 * is read. */
typedef enum { JSON, PLAIN, NUMBER } kind;
static const struct {
  const char *name;
  size_t at;
  kind kind;
} keys[] = {
#define KEY(name, kind) {#name, offsetof(ctxfold_request, name), kind}
#define OF_JOB(name) {#name, offsetof(job_request, name), JSON}
    KEY(policy, JSON), KEY(options, JSON),   KEY(state, JSON),     KEY(plan, JSON),   KEY(summaries, JSON), KEY(memory, JSON),
    OF_JOB(settings), OF_JOB(job), OF_JOB(event),
    KEY(session, NUMBER), KEY(name, PLAIN),  KEY(text, PLAIN),     KEY(to, PLAIN),    KEY(file, PLAIN),     KEY(tokens, NUMBER),
    KEY(time, PLAIN),  KEY(query, PLAIN),    KEY(limit, NUMBER),   KEY(after, PLAIN), KEY(before, PLAIN),   KEY(roles, JSON),
    KEY(arguments, JSON), KEY(body, JSON),   KEY(found, JSON),     KEY(bodies, JSON), KEY(messages, JSON),
#undef KEY
#undef OF_JOB
};
enum { KEYS = sizeof keys / sizeof *keys };

/* Finds the text of the request that contains the error, and the error's offset in it. The first key of the error's path names the text;
 * an error without a path belongs to the text that contains its offset. */
static void locate(ctxfold_answer *answer, const size_t *starts, const size_t *lengths) {
  ctxfold_text root = {answer->path, strcspn(answer->path, ".[")};
  for (size_t i = 0; i < KEYS; i++) {
    if (!starts[i] || keys[i].kind != JSON) continue;
    size_t end = starts[i] + lengths[i];
    if (root.length ? !text_is(root, keys[i].name) : answer->offset < starts[i] || answer->offset > end) continue;
    answer->in = keys[i].name;
    answer->offset = answer->offset < starts[i] ? 0 : answer->offset > end ? lengths[i] : answer->offset - starts[i];
    return;
  }
}

ctxfold_status run_job(ctxfold_instance *c, const char *operation, const job_request *request, ctxfold_answer *answer) {
  const char *fields = (const char *)request;
  size_t starts[KEYS] = {0}, lengths[KEYS] = {0};
  writer w = {0};
  for (size_t i = 0; i < KEYS; i++) {
    const ctxfold_text *text = (const ctxfold_text *)(const void *)(fields + keys[i].at);
    const uint64_t *number = (const uint64_t *)(const void *)(fields + keys[i].at);
    if (keys[i].kind == NUMBER ? *number == 0 : text->data == NULL) continue;
    write_string(&w, w.length ? ",\"" : "{\"");
    write_string(&w, keys[i].name);
    write_string(&w, "\":");
    starts[i] = w.length;
    switch (keys[i].kind) {
      case JSON: write_text(&w, text->data, text->length); break;
      case PLAIN: write_quoted(&w, *text); break;
      case NUMBER: write_number(&w, *number); break;
    }
    lengths[i] = w.length - starts[i];
  }
  write_string(&w, w.length ? "}" : "{}");
  if (w.failed) {
    memset(answer, 0, sizeof *answer);
    return no_memory(answer);
  }
  ctxfold_status status = ctxfold_call(c, operation, w.data, w.length, answer);
  if (status == CTXFOLD_ERROR) locate(answer, starts, lengths);
  free(w.data);
  return status;
}

ctxfold_status end_job(ctxfold_answer *answer) {
  ctxfold_text all = {answer->json, answer->length}, failure = ctxfold_member(all, "failure"), result = ctxfold_member(all, "result");
  writer w = {0};
  if (failure.data) { /* in the form of an error answer, which read_answer expects */
    write_string(&w, "{\"error\":");
    write_text(&w, failure.data, failure.length);
    write_string(&w, "}");
  } else {
    write_text(&w, result.data, result.length);
  }
  ctxfold_answer_free(answer);
  if (w.failed) return no_memory(answer);
  answer->json = w.data;
  answer->length = w.length;
  if (read_answer(answer) != CTXFOLD_ERROR) return answer->status;
  ctxfold_text root = {answer->path, strcspn(answer->path, ".[")};
  for (size_t i = 0; i < KEYS; i++)
    if (root.length && text_is(root, keys[i].name)) answer->in = keys[i].name; /* the offset is relative to the messages */
  return answer->status;
}

static ctxfold_status run(ctxfold_instance *c, const char *operation, const ctxfold_request *request, ctxfold_answer *answer) {
  job_request whole = {0};
  if (request) whole.request = *request;
  return run_job(c, operation, &whole, answer);
}

#define DEFINE(op) \
  ctxfold_status ctxfold_##op(ctxfold_instance *c, const ctxfold_request *request, ctxfold_answer *answer) { return run(c, #op, request, answer); }
CTXFOLD_OPERATIONS(DEFINE)
