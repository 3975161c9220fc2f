/* The loops of docs/start/languages.md: a compaction with a model, and what to send for a whole history. */
#include "loop.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "json.h"

/* Of a longer list the module reads the last 64 entries. */
enum { ENTRIES = 64, FIRST_WAIT = 60, LONGEST_WAIT = 3600 };

/* What fit has made. tries: how often in a row the model failed at it; again: when to ask it again, in seconds since 1970. */
typedef struct {
  char *entry;
  size_t length;
  uint64_t tries, again;
} record;

/* tries and again count for a history that stays as it is while the model fails (summary.on_failure "keep"). */
struct ctxfold_records {
  record list[ENTRIES];
  size_t count;
  uint64_t tries, again;
};

static uint64_t now(void) { return (uint64_t)time(NULL); }

static uint64_t later(uint64_t tries) {
  uint64_t wait = tries > 6 ? LONGEST_WAIT : (uint64_t)FIRST_WAIT << (tries - 1);
  return now() + (wait < LONGEST_WAIT ? wait : LONGEST_WAIT);
}

ctxfold_records *ctxfold_records_new(void) { return calloc(1, sizeof(ctxfold_records)); }

static void clear(ctxfold_records *records) {
  for (size_t i = 0; i < records->count; i++) free(records->list[i].entry);
  memset(records, 0, sizeof *records);
}

void ctxfold_records_delete(ctxfold_records *records) {
  if (!records) return;
  clear(records);
  free(records);
}

static void forget(ctxfold_records *records, size_t index) {
  free(records->list[index].entry);
  memmove(records->list + index, records->list + index + 1, (--records->count - index) * sizeof *records->list);
}

/* Without memory nothing is remembered: the next call compacts again. */
static bool remember(ctxfold_records *records, ctxfold_text entry, uint64_t tries, uint64_t again) {
  char *copy = malloc(entry.length);
  if (!copy) return false;
  memcpy(copy, entry.data, entry.length);
  if (records->count == ENTRIES) forget(records, 0);
  records->list[records->count++] = (record){copy, entry.length, tries, again};
  return true;
}

char *ctxfold_records_save(const ctxfold_records *records, size_t *length) {
  writer w = {0};
  write_string(&w, "{\"version\":1,\"tries\":");
  write_number(&w, records->tries);
  write_string(&w, ",\"again\":");
  write_number(&w, records->again);
  write_string(&w, ",\"entries\":[");
  for (size_t i = 0; i < records->count; i++) {
    const record *r = &records->list[i];
    write_string(&w, i ? ",{\"tries\":" : "{\"tries\":");
    write_number(&w, r->tries);
    write_string(&w, ",\"again\":");
    write_number(&w, r->again);
    write_string(&w, ",\"entry\":");
    write_text(&w, r->entry, r->length);
    write_string(&w, "}");
  }
  write_string(&w, "]}");
  *length = w.length;
  return w.data;
}

bool ctxfold_records_load(ctxfold_records *records, const char *json, size_t length) {
  ctxfold_text all = {json, length}, key, value, entries = ctxfold_member(all, "entries");
  if (!text_is(ctxfold_member(all, "version"), "1") || !entries.data || entries.data[0] != '[') return false;
  ctxfold_records read = {.tries = number_of(ctxfold_member(all, "tries")), .again = number_of(ctxfold_member(all, "again"))};
  for (size_t at = 0; ctxfold_next(entries, &at, &key, &value);) {
    ctxfold_text entry = ctxfold_member(value, "entry");
    if (!entry.data || entry.data[0] != '{' ||
        !remember(&read, entry, number_of(ctxfold_member(value, "tries")), number_of(ctxfold_member(value, "again")))) {
      clear(&read);
      return false;
    }
  }
  clear(records);
  *records = read;
  return true;
}

/* The entries as a list; of the whole ones only, which no failure of the model has made worse, or of all. */
static ctxfold_text entries(const ctxfold_records *records, bool whole, writer *w) {
  write_string(w, "[");
  for (size_t i = 0; records && i < records->count; i++) {
    if (whole && records->list[i].tries) continue;
    if (w->length > 1) write_string(w, ",");
    write_text(w, records->list[i].entry, records->list[i].length);
  }
  write_string(w, "]");
  return (ctxfold_text){w->data, w->length};
}

/* The options of a call, and those of the loop: force, and the digest of a program without a model. */
static ctxfold_text options(const ctxfold_request *request, bool force, bool local, writer *w) {
  if (!force && !local) return request->options;
  ctxfold_text key, value;
  write_string(w, "{");
  for (size_t at = 0; ctxfold_next(request->options, &at, &key, &value);) {
    if (force && text_is(key, "force")) continue;
    if (text_is(key, "summary")) local = false;
    if (w->length > 1) write_string(w, ",");
    write_string(w, "\"");
    write_text(w, key.data, key.length);
    write_string(w, "\":");
    write_text(w, value.data, value.length);
  }
  if (force) write_string(w, w->length > 1 ? ",\"force\":true" : "\"force\":true");
  if (local) write_string(w, w->length > 1 ? ",\"summary\":{\"mode\":\"local\"}" : "\"summary\":{\"mode\":\"local\"}");
  write_string(w, "}");
  return (ctxfold_text){w->data, w->length};
}

/* Asks for one summary and writes the answer to it. False: there is none. */
static bool ask_for(ctxfold_text request, ctxfold_summarizer summarize, void *user, writer *w) {
  ctxfold_ask ask = {.json = request,
                     .max_output_tokens = number_of(ctxfold_member(request, "max_output_tokens")),
                     .input_tokens = number_of(ctxfold_member(request, "input_tokens"))};
  char *scope = ctxfold_string(ctxfold_member(request, "scope"), NULL);
  char *system = ctxfold_string(ctxfold_member(request, "system"), &ask.system.length);
  char *prompt = ctxfold_string(ctxfold_member(request, "prompt"), &ask.prompt.length);
  ask.scope = scope, ask.system.data = system ? system : "", ask.prompt.data = prompt;
  char *summary = summarize && scope && prompt ? summarize(user, &ask) : NULL;
  ctxfold_text id = ctxfold_member(request, "id");
  write_string(w, "{\"id\":");
  write_text(w, id.data, id.length);
  if (summary) {
    write_string(w, ",\"text\":");
    write_quoted(w, (ctxfold_text){summary, strlen(summary)});
    if (ask.finish_reason) {
      write_string(w, ",\"finish_reason\":");
      write_quoted(w, (ctxfold_text){ask.finish_reason, strlen(ask.finish_reason)});
    }
  } else {
    const char *why = ask.error && *ask.error ? ask.error : "there is no summary";
    write_string(w, ",\"error\":");
    write_quoted(w, (ctxfold_text){why, strlen(why)});
  }
  write_string(w, "}");
  bool asked = summary != NULL;
  free(summary), free(scope), free(system), free(prompt);
  return asked;
}

static bool wants(const ctxfold_answer *answer) {
  ctxfold_text requests = ctxfold_member((ctxfold_text){answer->json, answer->length}, "requests"), key, value;
  size_t at = 0;
  return ctxfold_next(requests, &at, &key, &value);
}

/* Steps until the answer wants no summaries. *failed is set where one was not to be had. */
static ctxfold_status rounds(ctxfold_instance *c, ctxfold_text messages, ctxfold_text memory, ctxfold_summarizer summarize, void *user,
                             ctxfold_answer *answer, bool *failed) {
  while (answer->status == CTXFOLD_OK && wants(answer)) {
    ctxfold_text all = {answer->json, answer->length}, key, value, requests = ctxfold_member(all, "requests");
    writer w = {0};
    write_string(&w, "[");
    for (size_t at = 0; ctxfold_next(requests, &at, &key, &value);) {
      if (w.length > 1) write_string(&w, ",");
      if (!ask_for(value, summarize, user, &w)) *failed = true;
    }
    write_string(&w, "]");
    ctxfold_answer next;
    ctxfold_request step = {.plan = ctxfold_member(all, "plan"), .summaries = {w.data, w.length}, .memory = memory, .messages = messages};
    if (w.failed) {
      memset(&next, 0, sizeof next);
      no_memory(&next);
    } else {
      ctxfold_step(c, &step, &next);
    }
    free(w.data);
    ctxfold_answer_free(answer);
    *answer = next;
  }
  return answer->status;
}

ctxfold_status ctxfold_compact(ctxfold_instance *c, const ctxfold_request *request, ctxfold_summarizer summarize, void *user,
                               ctxfold_answer *answer) {
  writer w = {0};
  bool failed = false;
  ctxfold_request plan = {.policy = request->policy, .state = request->state, .messages = request->messages};
  plan.options = options(request, false, !summarize, &w);
  if (w.failed) {
    memset(answer, 0, sizeof *answer);
    return no_memory(answer);
  }
  ctxfold_plan(c, &plan, answer);
  free(w.data);
  return rounds(c, request->messages, (ctxfold_text){0}, summarize, user, answer, &failed);
}

/* One attempt of fit, with all entries or with the whole ones; force makes it compact whatever the gate says. */
typedef struct {
  ctxfold_records *records;
  const ctxfold_request *request;
  ctxfold_summarizer summarize;
  void *user;
  bool local; /* the program has no model */
} fitting;

static ctxfold_status begin(ctxfold_instance *c, const fitting *f, bool whole, bool force, writer *memory, ctxfold_answer *answer) {
  writer w = {0};
  ctxfold_request fit = {.policy = f->request->policy, .messages = f->request->messages};
  fit.options = options(f->request, force, f->local, &w);
  fit.memory = entries(f->records, whole, memory);
  if (w.failed || memory->failed) {
    memset(answer, 0, sizeof *answer);
    no_memory(answer);
  } else {
    fit_once(c, &fit, answer);
  }
  free(w.data);
  return answer->status;
}

static bool changed(const ctxfold_answer *answer) { return text_is(ctxfold_member(answer->report, "changed"), "true"); }

/* Remembers what a call has made. tries: how often the model has failed at it so far, and now it has or has not. asked: it was asked. */
static void keep(ctxfold_records *records, const ctxfold_answer *answer, bool asked, bool failed, uint64_t tries, uint64_t again) {
  if (!records || answer->status != CTXFOLD_OK) return;
  ctxfold_text made = ctxfold_member((ctxfold_text){answer->json, answer->length}, "memory");
  if (made.data) {
    remember(records, made, failed ? tries + 1 : tries, failed ? later(tries + 1) : again);
    records->tries = records->again = 0;
  } else if (asked && failed) {
    records->again = later(++records->tries);
  }
}

/* Whether a history begins with the messages that an entry was made of. Else it begins with what was sent for them: then the program has gone
 * on from that, and there is nothing to make the entry from again. */
static bool made_of(ctxfold_instance *c, const ctxfold_request *request, const record *r) {
  ctxfold_text entry = {r->entry, r->length}, key, value, print = ctxfold_member(entry, "print");
  uint64_t messages = number_of(ctxfold_member(entry, "messages"));
  ctxfold_request of = {.policy = request->policy, .options = request->options, .messages = request->messages};
  ctxfold_answer answer;
  bool same = false;
  if (ctxfold_prints(c, &of, &answer) == CTXFOLD_OK) {
    ctxfold_text prints = ctxfold_member((ctxfold_text){answer.json, answer.length}, "prints");
    for (size_t at = 0; messages > 0 && ctxfold_next(prints, &at, &key, &value);)
      if (--messages == 0) same = value.length == print.length && memcmp(value.data, print.data, value.length) == 0;
  }
  ctxfold_answer_free(&answer);
  return same;
}

/* Makes again what was made while the model failed. True: answer is the new one. Of a compaction that is due (must) the result counts
 * in any case, else only where no summary failed. */
static bool anew(ctxfold_instance *c, const fitting *f, record *stale, bool must, ctxfold_answer *answer) {
  writer memory = {0};
  ctxfold_answer made;
  bool failed = false;
  begin(c, f, true, true, &memory, &made);
  rounds(c, f->request->messages, (ctxfold_text){memory.data, memory.length}, f->summarize, f->user, &made, &failed);
  free(memory.data);
  if (made.status == CTXFOLD_OK && changed(&made) && (must || !failed)) {
    ctxfold_answer_free(answer);
    *answer = made;
    uint64_t tries = failed ? stale->tries : 0;
    forget(f->records, (size_t)(stale - f->records->list));
    keep(f->records, answer, true, failed, tries, 0);
    return true;
  }
  ctxfold_answer_free(&made);
  stale->again = later(++stale->tries);
  return false;
}

ctxfold_status ctxfold_fit(ctxfold_instance *c, ctxfold_records *records, const ctxfold_request *request, ctxfold_summarizer summarize, void *user,
                           ctxfold_answer *answer) {
  fitting f = {records, request, summarize, user, !summarize};
  writer memory = {0};
  bool failed = false;
  if (records && now() < records->again) f.summarize = NULL;
  if (begin(c, &f, false, false, &memory, answer) != CTXFOLD_OK) {
    free(memory.data);
    return answer->status;
  }
  ctxfold_text known = ctxfold_member((ctxfold_text){answer->json, answer->length}, "known");
  record *from = records && known.data && known.data[0] != '-' ? &records->list[number_of(known)] : NULL;
  if (from && from->tries && !made_of(c, request, from)) from = NULL;
  if (from && from->tries && summarize && (now() >= from->again || wants(answer)) && anew(c, &f, from, wants(answer), answer)) {
    free(memory.data);
    return answer->status;
  }
  uint64_t tries = from ? from->tries : 0, again = from ? from->again : 0;
  if (tries) f.summarize = NULL; /* it has failed just now, or not long ago */
  rounds(c, request->messages, (ctxfold_text){memory.data, memory.length}, f.summarize, user, answer, &failed);
  free(memory.data);
  keep(records, answer, f.summarize, failed && !f.local, tries, again);
  return answer->status;
}
