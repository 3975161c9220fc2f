#include "ctxfold.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"
#include "wasm-rt-impl.h"

struct ctxfold {
  Z_module_instance_t module;
};

/* The operations are the exports of the module, which the build lists in ops.inc. */
typedef u64 (*operation)(Z_module_instance_t *, u32, u32);
static const struct {
  const char *name;
  operation run;
} operations[] = {
#define OP(name) {#name, Z_moduleZ_ctxfold_##name},
#include "ops.inc"
#undef OP
};

static int start(ctxfold *c) {
  if (wasm_rt_impl_try() != 0) return 0;
  Z_module_instantiate(&c->module);
  return 1;
}

ctxfold *ctxfold_new(void) {
  static int started;
  if (!started) {
    wasm_rt_init();
    Z_module_init_module();
    started = 1;
  }
  ctxfold *c = calloc(1, sizeof *c);
  if (c && !start(c)) {
    free(c);
    return NULL;
  }
  return c;
}

void ctxfold_delete(ctxfold *c) {
  if (!c) return;
  Z_module_free(&c->module);
  free(c);
}

/* The crossing of docs/ABI.md section 1. The memory may move in every call, so its address is read anew. */
static char *cross(ctxfold *c, operation run, const char *request, u32 request_len, size_t *len) {
  Z_module_instance_t *m = &c->module;
  u32 at = Z_moduleZ_ctxfold_alloc(m, request_len);
  memcpy(Z_moduleZ_memory(m)->data + at, request, request_len);
  u64 answer = run(m, at, request_len);
  u32 from = (u32)(answer >> 32), n = (u32)answer;
  char *out = malloc((size_t)n + 1);
  if (out) {
    memcpy(out, Z_moduleZ_memory(m)->data + from, n);
    out[n] = 0;
    *len = n;
  }
  Z_moduleZ_ctxfold_free(m, at);
  Z_moduleZ_ctxfold_free(m, from);
  return out;
}

char *ctxfold_call(ctxfold *c, const char *op, const char *request, size_t request_len, size_t *len) {
  operation run = NULL;
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (strcmp(operations[i].name, op) == 0) run = operations[i].run;
  if (!run || request_len > UINT32_MAX) return NULL;
  if (wasm_rt_impl_try() != 0) { /* it trapped: out of memory */
    Z_module_free(&c->module);
    memset(&c->module, 0, sizeof c->module);
    start(c);
    return NULL;
  }
  return cross(c, run, request, (u32)request_len, len);
}

/* Text that grows. Once there was no memory for it, data stays NULL. */
typedef struct {
  char *data;
  size_t len, cap;
  int failed;
} text;

static void add(text *t, const char *s, size_t n) {
  if (t->failed) return;
  if (t->len + n + 1 > t->cap) {
    size_t cap = (t->len + n + 1) * 2;
    char *data = realloc(t->data, cap);
    if (!data) {
      free(t->data);
      t->data = NULL;
      t->failed = 1;
      return;
    }
    t->data = data;
    t->cap = cap;
  }
  memcpy(t->data + t->len, s, n);
  t->len += n;
  t->data[t->len] = 0;
}

static void add_string(text *t, const char *s) { add(t, s, strlen(s)); }

/* Adds a text as a JSON string. */
static void add_quoted(text *t, const char *s) {
  static const char hex[] = "0123456789abcdef";
  add(t, "\"", 1);
  for (; *s; s++) {
    unsigned char b = (unsigned char)*s;
    if (b == '"' || b == '\\') {
      char escaped[2] = {'\\', (char)b};
      add(t, escaped, 2);
    } else if (b < 0x20) {
      char escaped[6] = {'\\', 'u', '0', '0', hex[b >> 4], hex[b & 15]};
      add(t, escaped, 6);
    } else {
      add(t, s, 1);
    }
  }
  add(t, "\"", 1);
}

char *ctxfold_compact(ctxfold *c, const char *messages, size_t messages_len, const char *policy, const char *state,
                      ctxfold_summarizer summarizer, void *user, size_t *len) {
  text request = {0};
  const char *op = "plan";
  add_string(&request, "{");
  if (policy) add_string(&request, "\"policy\":"), add_string(&request, policy), add_string(&request, ",");
  if (state) add_string(&request, "\"state\":"), add_string(&request, state), add_string(&request, ",");
  for (;;) {
    add_string(&request, "\"messages\":");
    add(&request, messages, messages_len);
    add_string(&request, "}");
    char *answer = request.data ? ctxfold_call(c, op, request.data, request.len, len) : NULL;
    free(request.data);
    if (!answer) return NULL;

    size_t requests_len, plan_len, one_len;
    const char *requests = ctxfold_member(answer, *len, "requests", &requests_len);
    const char *one = requests ? ctxfold_element(requests, requests_len, 0, &one_len) : NULL;
    if (!one) return answer;

    const char *plan = ctxfold_member(answer, *len, "plan", &plan_len);
    request = (text){0};
    op = "step";
    add_string(&request, "{\"plan\":");
    add(&request, plan, plan_len);
    add_string(&request, ",\"summaries\":[");
    for (size_t i = 0; (one = ctxfold_element(requests, requests_len, i, &one_len)); i++) {
      size_t id_len;
      const char *id = ctxfold_member(one, one_len, "id", &id_len);
      char *summary = summarizer ? summarizer(user, one, one_len) : NULL;
      add_string(&request, i ? ",{\"id\":" : "{\"id\":");
      add(&request, id, id_len);
      add_string(&request, summary ? ",\"text\":" : ",\"error\":");
      add_quoted(&request, summary ? summary : "there is no summary");
      add_string(&request, "}");
      free(summary);
    }
    add_string(&request, "],");
    free(answer);
  }
}

static const char *space(const char *p, const char *end) {
  while (p < end && (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r')) p++;
  return p;
}

static const char *skip_string(const char *p, const char *end) {
  for (p++; p < end && *p != '"'; p++)
    if (*p == '\\') p++;
  return p < end ? p + 1 : end;
}

/* Gives the end of the value that begins at p. */
static const char *skip(const char *p, const char *end) {
  int depth = 0;
  while (p < end) {
    if (*p == '"') {
      p = skip_string(p, end);
    } else if (*p == '{' || *p == '[') {
      depth++, p++;
    } else if (*p == '}' || *p == ']') {
      if (depth == 0) return p;
      depth--, p++;
    } else if (depth == 0 && (*p == ',' || *p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) {
      return p;
    } else {
      p++;
      continue;
    }
    if (depth == 0) return p;
  }
  return end;
}

const char *ctxfold_member(const char *json, size_t json_len, const char *key, size_t *len) {
  const char *end = json + json_len, *p = space(json, end);
  size_t n = strlen(key);
  if (p == end || *p != '{') return NULL;
  for (p = space(p + 1, end); p < end && *p == '"'; p = space(p, end)) {
    const char *name = p + 1, *name_end = skip_string(p, end);
    p = space(name_end, end);
    if (p == end || *p != ':') return NULL;
    const char *value = space(p + 1, end);
    p = skip(value, end);
    if ((size_t)(name_end - name) == n + 1 && memcmp(name, key, n) == 0) {
      *len = (size_t)(p - value);
      return value;
    }
    p = space(p, end);
    if (p < end && *p == ',') p = space(p + 1, end);
  }
  return NULL;
}

const char *ctxfold_element(const char *json, size_t json_len, size_t index, size_t *len) {
  const char *end = json + json_len, *p = space(json, end);
  if (p == end || *p != '[') return NULL;
  for (p = space(p + 1, end); p < end && *p != ']'; index--) {
    const char *value = p;
    p = skip(value, end);
    if (index == 0) {
      *len = (size_t)(p - value);
      return value;
    }
    p = space(p, end);
    if (p < end && *p == ',') p = space(p + 1, end);
  }
  return NULL;
}
