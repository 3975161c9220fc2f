/* The loops of ctxfold.h: runs jobs, which the module controls, and executes their effects (docs/inside/loop.md). */
#include "loop.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"
#include "records.h"

/* The duration of a lease, in milliseconds. A lease is not renewed while a summarizer works. */
enum { LEASE = 120000 };

/* A job and everything that is needed to execute its effects. */
typedef struct {
  ctxfold_records *records;
  const ctxfold_host *host;
  const ctxfold_request *request;
  ctxfold_work *own; /* the work that the job does, if it runs in the background */
  bool shares;       /* the program executes load, save and lease */
  writer results;
  uint64_t until; /* when to call the module again, in milliseconds since 1970; 0: at once */
  uint64_t ended; /* how many leases had ended when the job asked for its own */
  char *release;  /* the effect that ends the job's lease; NULL if it has none */
} job;

static uint64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void sleep_until(uint64_t until) {
  uint64_t at = now(), wait = until > at ? until - at : 0;
  struct timespec t = {.tv_sec = (time_t)(wait / 1000), .tv_nsec = (long)(wait % 1000) * 1000000};
  if (wait) nanosleep(&t, NULL); /* if a signal ends it early, the job waits again */
}

/* Writes a key within the result that is being written. */
static void write_key(writer *w, const char *key) {
  write_string(w, ",\"");
  write_string(w, key);
  write_string(w, "\":");
}

/* Appends the members of an object to the object that is being written, except for those that the library sets itself. */
static void write_members(writer *w, ctxfold_text object) {
  ctxfold_text key, value;
  for (size_t at = 0; ctxfold_next(object, &at, &key, &value);) {
    if (text_is(key, "now") || text_is(key, "seed")) continue;
    write_string(w, w->data && w->data[w->length - 1] != '{' ? ",\"" : "\"");
    write_text(w, key.data, key.length);
    write_string(w, "\":");
    write_text(w, value.data, value.length);
  }
}

/* Writes a header of the provider's response, unless the response lacks it. */
static void write_header(writer *w, const char *key, const char *value) {
  if (!value) return;
  write_key(w, key);
  write_quoted(w, (ctxfold_text){value, strlen(value)});
}

/* Writes what the summarizer reported about the provider's response, if it reported anything. */
static void write_failure(writer *w, const ctxfold_ask *ask) {
  if (ask->status <= 0) return;
  write_string(w, ",\"failure\":{\"status\":");
  write_number(w, (uint64_t)ask->status);
  write_header(w, "retry_after", ask->retry_after);
  write_header(w, "retry_after_ms", ask->retry_after_ms);
  write_header(w, "should_retry", ask->should_retry);
  write_string(w, "}");
}

/* Requests one summary from the summarizer and writes the result. */
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
  char *summary = scope && prompt ? j->host->summarize(j->host->user, &ask) : NULL;
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
    write_failure(w, &ask);
  }
  free(summary), free(scope), free(system), free(prompt);
}

/* Returns whether the program can execute an effect. */
static bool program_can(const ctxfold_host *host, const char *name) {
  ctxfold_text none, can;
  for (size_t at = 0; host->execute && ctxfold_next(host->can, &at, &none, &can);)
    if (text_is(can, name)) return true;
  return false;
}

/* Returns what is missing in a host, or NULL if nothing is. Without this check, the mistake
 * would show only when a compaction is due, or never. */
static const char *missing(const ctxfold_host *host) {
  ctxfold_text none, first;
  size_t at = 0;
  bool shares = program_can(host, "\"load\""), leases = program_can(host, "\"lease\"");
  bool names = host->can.length && ctxfold_next(host->can, &at, &none, &first);
  if (names && !host->execute) return "the host's can names effects, but its execute is NULL";
  if (!names && host->execute) return "the host has execute, but its can names no effects";
  if (shares != program_can(host, "\"save\"")) return "the host's can names only one of the effects load and save, and records need both";
  if (leases != program_can(host, "\"release\"")) return "the host's can names only one of the effects lease and release, and leases need both";
  if (leases && !shares) return "the host's can names the effects lease and release without load and save";
  return NULL;
}

/* Has the program execute an effect, and writes the result if one is expected. */
static void pass_on(job *j, ctxfold_text effect, bool answered) {
  char *result = j->host->execute(j->host->user, effect.data, effect.length);
  if (answered && result) write_members(&j->results, (ctxfold_text){result, strlen(result)});
  else if (answered) write_string(&j->results, ",\"refused\":true");
  free(result);
}

/* Copies a text. The copy of an empty text is empty. Returns false if there is no memory. */
static bool keep(ctxfold_text text, ctxfold_text *copy) {
  char *data = text.data ? copy_of(text) : NULL;
  if (data) *copy = (ctxfold_text){data, text.length};
  return data || !text.data;
}

/* Passes a background compaction to the program, which runs it. */
static void begin(job *j, ctxfold_text effect) {
  ctxfold_work *work = calloc(1, sizeof *work);
  if (!work) return;
  ctxfold_text keys = ctxfold_member(effect, "keys"), none = CTXFOLD_TEXT("[]");
  work->keys = copy_of(keys.data ? keys : none);
  bool kept = work->keys && keep(ctxfold_member(effect, "settings"), &work->settings) && keep(j->request->policy, &work->request.policy) &&
              keep(j->request->options, &work->request.options) && keep(j->request->messages, &work->request.messages);
  if (kept && records_begin(j->records, work, number_of(ctxfold_member(effect, "target")))) j->host->begin(j->host->user, work);
  else ctxfold_work_delete(work);
}

/* Executes an effect on the records of this process. Returns false if it is an effect of another kind. */
static bool use_records(job *j, ctxfold_text name, ctxfold_text effect) {
  if (!j->records || j->shares) return false;
  if (text_is(name, "\"load\"")) records_load(j->records, &j->results);
  else if (text_is(name, "\"save\"")) records_save(j->records, effect, &j->results);
  else if (text_is(name, "\"release\"")) records_release(j->records, effect);
  else if (text_is(name, "\"lease\"")) j->ended = records_ended(j->records), records_lease(j->records, effect, now(), &j->results);
  else return false;
  return true;
}

/* Remembers the job's lease, so that it can be released if the job fails, and the keys of a background compaction. */
static void note_lease(job *j, ctxfold_text name, ctxfold_text effect) {
  bool leases = text_is(name, "\"lease\"");
  if (!leases && !text_is(name, "\"release\"")) return;
  free(j->release);
  j->release = NULL;
  if (!leases) return;
  ctxfold_text keys = ctxfold_member(effect, "keys"), none, first, second;
  size_t at = 0;
  if (!ctxfold_next(keys, &at, &none, &first)) return;
  if (j->own && ctxfold_next(keys, &at, &none, &second)) work_leases(j->own, keys);
  ctxfold_text holder = ctxfold_member(effect, "holder");
  writer w = {0};
  write_string(&w, "{\"effect\":\"release\",\"keys\":[");
  write_text(&w, first.data, first.length);
  write_string(&w, "],\"holder\":");
  write_text(&w, holder.data, holder.length);
  write_string(&w, "}");
  j->release = w.data;
}

/* Executes an effect, and writes the members of its result if it has an id. */
static void carry_out(job *j, ctxfold_text name, ctxfold_text effect, bool answered) {
  char quoted[16] = {0}; /* all names that a program may execute are shorter */
  if (name.length < sizeof quoted) memcpy(quoted, name.data, name.length);
  if (use_records(j, name, effect)) return;
  if (text_is(name, "\"wait\"")) j->until = number_of(ctxfold_member(effect, "until"));
  else if (text_is(name, "\"begin\"")) begin(j, effect);
  else if (text_is(name, "\"stop\"")) records_stop(j->records, number_of(ctxfold_member(effect, "target")));
  else if (text_is(name, "\"ask\"") && j->host->summarize) ask_for(j, effect);
  else if (program_can(j->host, quoted)) pass_on(j, effect, answered);
  else if (answered) write_string(&j->results, ",\"refused\":true");
}

static void execute(job *j, ctxfold_text effect) {
  ctxfold_text name = ctxfold_member(effect, "effect"), id = ctxfold_member(effect, "id");
  if (id.data && j->own && work_stopped(j->own)) return; /* the job is cancelled next */
  note_lease(j, name, effect);
  if (id.data) {
    write_string(&j->results, j->results.length ? ",{\"id\":" : "{\"id\":");
    write_text(&j->results, id.data, id.length);
  }
  carry_out(j, name, effect, id.data);
  if (id.data) write_string(&j->results, "}");
}

static void write_time_and_seed(writer *w) {
  static atomic_ulong jobs;
  write_string(w, ",\"now\":");
  write_number(w, now());
  write_string(w, ",\"seed\":");
  write_number(w, (now() * 2654435761u + 40503u * atomic_fetch_add(&jobs, 1)) & 0xffffffffu);
  write_string(w, "}");
}

/* Writes the settings of a job. Effects are executed one after the other, so the job may have only one request at a time, without a time
 * limit. */
static void write_settings(writer *w, const job *j, const char *operation) {
  const ctxfold_host *host = j->host;
  write_string(w, "{\"operation\":\"");
  write_string(w, operation);
  write_string(w, "\"");
  write_members(w, host->settings);
  write_key(w, "lease");
  write_number(w, LEASE);
  write_string(w, ",\"concurrency\":1,\"summary_timeout\":-1,\"can\":[\"wait\"");
  if (host->summarize) write_string(w, ",\"ask\"");
  if (j->records && !j->shares) write_string(w, ",\"load\",\"save\",\"lease\"");
  if (j->records && host->begin) write_string(w, ",\"begin\",\"stop\"");
  ctxfold_text none, can;
  for (size_t at = 0; host->execute && ctxfold_next(host->can, &at, &none, &can);) {
    write_string(w, ",");
    write_text(w, can.data, can.length);
  }
  write_string(w, "]");
  if (j->records && !j->shares) {
    write_string(w, ",\"records\":\"owner\",\"loaded\":{\"id\":0");
    records_load(j->records, w);
    write_string(w, "}");
  }
  if (j->records) records_running(j->records, w);
  write_time_and_seed(w);
}

static void write_event(writer *w, const job *j) {
  write_string(w, "{\"now\":");
  write_number(w, now());
  if (j->own && work_stopped(j->own)) write_string(w, ",\"cancel\":true");
  write_string(w, ",\"results\":[");
  write_text(w, j->results.data, j->results.length);
  write_string(w, "]}");
}

/* Waits until the time at which the job continues. With records, also returns when a lease ends or the job should stop. */
static void wait_for(job *j) {
  if (!j->records) {
    sleep_until(j->until);
    return;
  }
  records_wait(j->records, j->until, j->ended, j->own);
  j->ended = records_ended(j->records);
}

/* Executes the effects of an answer and writes the event with their results. Returns false if there is no memory. */
static bool advance(job *j, ctxfold_text progress, bool goes_on, writer *event) {
  ctxfold_text effects = ctxfold_member(progress, "effects"), key, value;
  j->until = 0;
  for (size_t at = 0; ctxfold_next(effects, &at, &key, &value);) execute(j, value);
  if (goes_on && !j->results.length && !j->results.failed && !(j->own && work_stopped(j->own))) wait_for(j);
  if (goes_on) write_event(event, j);
  bool made = !event->failed && !j->results.failed;
  free(j->results.data);
  j->results = (writer){0};
  return made;
}

/* Releases the lease of a job that had to be abandoned. */
static void leave(job *j) {
  char *release = j->release; /* execute forgets j->release */
  j->release = NULL;
  if (release) execute(j, (ctxfold_text){release, strlen(release)});
  free(release);
}

/* Runs a job with the given settings until it has a result. */
static ctxfold_status carry(ctxfold_instance *c, job *j, writer settings, ctxfold_answer *answer) {
  const ctxfold_request *r = j->request;
  job_request next = {.request = {.policy = r->policy, .options = r->options, .state = r->state, .messages = r->messages},
                      .settings = {settings.data, settings.length}};
  if (settings.failed) {
    memset(answer, 0, sizeof *answer);
    return no_memory(answer);
  }
  run_job(c, "loop_start", &next, answer);
  free(settings.data);
  while (answer->status == CTXFOLD_OK) {
    ctxfold_text all = {answer->json, answer->length}, stored = ctxfold_member(all, "job");
    writer event = {0};
    bool made = advance(j, all, stored.data, &event);
    if (!stored.data) break;
    ctxfold_answer after;
    next = (job_request){.request = {.messages = r->messages}, .job = stored, .event = {event.data, event.length}};
    if (made) {
      run_job(c, "loop_event", &next, &after);
    } else {
      memset(&after, 0, sizeof after);
      no_memory(&after);
    }
    free(event.data);
    ctxfold_answer_free(answer);
    *answer = after;
  }
  leave(j);
  return answer->status == CTXFOLD_OK ? end_job(answer) : answer->status;
}

ctxfold_status ctxfold_compact(ctxfold_instance *c, const ctxfold_request *request, ctxfold_summarizer summarize, void *user,
                               ctxfold_answer *answer) {
  ctxfold_host host = {.summarize = summarize, .user = user};
  job j = {.host = &host, .request = request};
  writer settings = {0};
  write_settings(&settings, &j, "plan");
  return carry(c, &j, settings, answer);
}

ctxfold_status ctxfold_fit(ctxfold_instance *c, ctxfold_records *records, const ctxfold_request *request, ctxfold_summarizer summarize, void *user,
                           ctxfold_answer *answer) {
  ctxfold_host host = {.summarize = summarize, .user = user};
  return ctxfold_fit_with(c, records, request, &host, answer);
}

ctxfold_status ctxfold_fit_with(ctxfold_instance *c, ctxfold_records *records, const ctxfold_request *request, const ctxfold_host *host,
                                ctxfold_answer *answer) {
  const char *lacks = missing(host);
  if (lacks) return wrong_host(answer, lacks);
  ctxfold_request history = *request;
  history.state = (ctxfold_text){0};
  job j = {.records = records, .host = host, .request = &history, .shares = program_can(host, "\"load\"")};
  writer settings = {0};
  write_settings(&settings, &j, "fit");
  return carry(c, &j, settings, answer);
}

ctxfold_status ctxfold_work_run(ctxfold_instance *c, ctxfold_work *work, const ctxfold_host *host, ctxfold_answer *answer) {
  const char *lacks = missing(host);
  if (lacks) return wrong_host(answer, lacks);
  job j = {.records = work->records, .host = host, .request = &work->request, .own = work, .shares = program_can(host, "\"load\"")};
  writer settings = {0};
  write_string(&settings, "{");
  write_members(&settings, work->settings);
  write_time_and_seed(&settings);
  return carry(c, &j, settings, answer);
}
