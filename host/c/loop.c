/* The loops of ctxfold.h: jobs that the module controls, and whose effects are executed here (docs/inside/loop.md). */
#include "loop.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"

/* The record that jobs save. revision counts its changes. */
struct ctxfold_records {
  char *record;
  size_t length;
  uint64_t revision;
};

ctxfold_records *ctxfold_records_new(void) { return calloc(1, sizeof(ctxfold_records)); }

void ctxfold_records_delete(ctxfold_records *records) {
  if (records) free(records->record);
  free(records);
}

static char *copy_of(const char *text, size_t length) {
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

static void replace(ctxfold_records *records, char *record, size_t length) {
  free(records->record);
  *records = (ctxfold_records){record, length, records->revision + 1};
}

char *ctxfold_records_save(const ctxfold_records *records, size_t *length) {
  static const ctxfold_text none = CTXFOLD_TEXT("{\"version\":3}");
  ctxfold_text text = records->record ? (ctxfold_text){records->record, records->length} : none;
  *length = text.length;
  return copy_of(text.data, text.length);
}

bool ctxfold_records_load(ctxfold_records *records, const char *json, size_t length) {
  ctxfold_text all = {json, length}, version = ctxfold_member(all, "version"), entries = ctxfold_member(all, "entries");
  bool list = entries.data && entries.data[0] == '[';
  if (!text_is(version, "3") && !(text_is(version, "1") && list)) return false; /* 1 is the version of ctxfold 0.2 */
  char *copy = copy_of(json, length);
  if (copy) replace(records, copy, length);
  return copy != NULL;
}

/* A job, and what is needed to execute its effects. */
typedef struct {
  ctxfold_records *records;
  ctxfold_summarizer summarize;
  void *user;
  writer results;
  uint64_t until; /* when to call the module again, in milliseconds since 1970; 0: as soon as there are results */
} job;

static uint64_t now(void) {
  struct timespec t;
  timespec_get(&t, TIME_UTC);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void sleep_until(uint64_t until) {
  uint64_t at = now(), wait = until > at ? until - at : 0;
  struct timespec t = {.tv_sec = (time_t)(wait / 1000), .tv_nsec = (long)(wait % 1000) * 1000000};
  if (wait) nanosleep(&t, NULL); /* if a signal ends it early, the job waits again */
}

/* Writes the key of a member of the current result. */
static void write_key(writer *w, const char *key) {
  write_string(w, ",\"");
  write_string(w, key);
  write_string(w, "\":");
}

static void load(job *j) {
  if (!j->records->record) return;
  write_key(&j->results, "record");
  write_quoted(&j->results, (ctxfold_text){j->records->record, j->records->length});
  write_key(&j->results, "revision");
  write_string(&j->results, "\"");
  write_number(&j->results, j->records->revision);
  write_string(&j->results, "\"");
}

static void save(job *j, ctxfold_text effect) {
  ctxfold_text expected = ctxfold_member(effect, "if_revision");
  if (expected.length > 2) expected.data++, expected.length -= 2;
  uint64_t revision = j->records->record ? j->records->revision : 0;
  size_t length;
  char *record = number_of(expected) == revision ? ctxfold_string(ctxfold_member(effect, "record"), &length) : NULL;
  if (record) replace(j->records, record, length);
  write_key(&j->results, "done");
  write_string(&j->results, record ? "true" : "false");
}

/* Requests one summary and writes the result. */
static void ask_for(job *j, ctxfold_text effect) {
  ctxfold_text request = ctxfold_member(effect, "request");
  ctxfold_ask ask = {.json = request,
                     .sent = ctxfold_member(effect, "sent"),
                     .max_output_tokens = number_of(ctxfold_member(request, "max_output_tokens")),
                     .input_tokens = number_of(ctxfold_member(request, "input_tokens"))};
  char *scope = ctxfold_string(ctxfold_member(request, "scope"), NULL);
  char *system = ctxfold_string(ctxfold_member(request, "system"), &ask.system.length);
  char *prompt = ctxfold_string(ctxfold_member(request, "prompt"), &ask.prompt.length);
  ask.scope = scope, ask.system.data = system ? system : "", ask.prompt.data = prompt;
  char *summary = scope && prompt ? j->summarize(j->user, &ask) : NULL;
  writer *w = &j->results;
  if (summary) {
    write_key(w, "summary");
    write_string(w, ask.gives_messages ? "{\"messages\":" : "{\"text\":");
    if (ask.gives_messages) write_string(w, summary);
    else write_quoted(w, (ctxfold_text){summary, strlen(summary)});
    if (ask.finish_reason) {
      write_key(w, "finish_reason");
      write_quoted(w, (ctxfold_text){ask.finish_reason, strlen(ask.finish_reason)});
    }
    write_string(w, "}");
  } else {
    const char *why = ask.error && *ask.error ? ask.error : "there is no summary";
    write_string(w, ",\"error\":");
    write_quoted(w, (ctxfold_text){why, strlen(why)});
    if (ask.busy) {
      write_string(w, ",\"busy\":true");
      write_key(w, "after");
      write_number(w, ask.after < 86400000 ? ask.after : 86400000);
    }
  }
  free(summary), free(scope), free(system), free(prompt);
}

static void execute(job *j, ctxfold_text effect) {
  ctxfold_text name = ctxfold_member(effect, "effect"), id = ctxfold_member(effect, "id");
  if (text_is(name, "\"wait\"")) j->until = number_of(ctxfold_member(effect, "until"));
  if (!id.data) return;
  write_string(&j->results, j->results.length ? ",{\"id\":" : "{\"id\":");
  write_text(&j->results, id.data, id.length);
  if (text_is(name, "\"load\"")) load(j);
  else if (text_is(name, "\"save\"")) save(j, effect);
  else if (text_is(name, "\"ask\"")) ask_for(j, effect);
  else write_string(&j->results, ",\"refused\":true");
  write_string(&j->results, "}");
}

/* Effects are executed one after the other, so leases are not needed, and there is one request at a time. */
static void write_settings(writer *w, const job *j, const char *operation) {
  static uint64_t jobs;
  write_string(w, "{\"operation\":\"");
  write_string(w, operation);
  write_string(w, "\",\"records\":\"owner\",\"concurrency\":1,\"summary_timeout\":-1,\"can\":[\"wait\"");
  if (j->summarize) write_string(w, ",\"ask\"");
  if (j->records) write_string(w, ",\"load\",\"save\"");
  write_string(w, "],\"now\":");
  write_number(w, now());
  write_string(w, ",\"seed\":");
  write_number(w, (now() * 2654435761u + ++jobs) & 0xffffffffu);
  write_string(w, "}");
}

static void write_event(writer *w, const job *j) {
  write_string(w, "{\"now\":");
  write_number(w, now());
  write_string(w, ",\"results\":[");
  write_text(w, j->results.data, j->results.length);
  write_string(w, "]}");
}

/* Runs a job until it has a result. */
static ctxfold_status carry(ctxfold_instance *c, job *j, const char *operation, const ctxfold_request *request, ctxfold_answer *answer) {
  writer w = {0};
  job_request next = {.request = {.policy = request->policy, .options = request->options, .messages = request->messages}};
  if (!j->records) next.request.state = request->state;
  write_settings(&w, j, operation);
  next.settings = (ctxfold_text){w.data, w.length};
  run_job(c, "loop_start", &next, answer);
  for (;;) {
    free(w.data);
    ctxfold_text all = {answer->json, answer->length}, key, value, effects = ctxfold_member(all, "effects");
    if (answer->status != CTXFOLD_OK) return answer->status;
    j->until = 0;
    for (size_t at = 0; ctxfold_next(effects, &at, &key, &value);) execute(j, value);
    ctxfold_text stored = ctxfold_member(all, "job");
    if (!stored.data) break;
    if (!j->results.length && !j->results.failed) sleep_until(j->until);
    w = (writer){0};
    write_event(&w, j);
    bool failed = w.failed || j->results.failed;
    free(j->results.data);
    j->results = (writer){0};
    ctxfold_answer after;
    next = (job_request){.request = {.messages = request->messages}, .job = stored, .event = {w.data, w.length}};
    if (failed) {
      memset(&after, 0, sizeof after);
      no_memory(&after);
    } else {
      run_job(c, "loop_event", &next, &after);
    }
    ctxfold_answer_free(answer);
    *answer = after;
  }
  return end_job(answer);
}

ctxfold_status ctxfold_compact(ctxfold_instance *c, const ctxfold_request *request, ctxfold_summarizer summarize, void *user,
                               ctxfold_answer *answer) {
  job j = {.summarize = summarize, .user = user};
  return carry(c, &j, "plan", request, answer);
}

ctxfold_status ctxfold_fit(ctxfold_instance *c, ctxfold_records *records, const ctxfold_request *request, ctxfold_summarizer summarize, void *user,
                           ctxfold_answer *answer) {
  job j = {.records = records, .summarize = summarize, .user = user};
  ctxfold_request history = *request;
  history.state = (ctxfold_text){0};
  return carry(c, &j, "fit", &history, answer);
}
