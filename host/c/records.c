/* The records of ctxfold.h, with the leases of the jobs that use them and their background compactions. */
#include "records.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  char *key, *holder; /* JSON strings */
  uint64_t until;     /* in milliseconds since 1970 */
} lease;

struct ctxfold_records {
  pthread_mutex_t lock;
  pthread_cond_t changed; /* a lease has ended, or a work is to stop */
  char *record;
  size_t length;
  uint64_t revision; /* counts the changes of the record */
  lease *leases;
  size_t leased;
  uint64_t ended; /* how many leases have ended */
  ctxfold_work *works;
  uint64_t begun; /* how many works have begun */
  size_t users;   /* the owner, and each work */
};

char *copy_of(ctxfold_text text) {
  char *copy = malloc(text.length + 1);
  if (!copy) return NULL;
  if (text.length) memcpy(copy, text.data, text.length);
  copy[text.length] = 0;
  return copy;
}

ctxfold_records *ctxfold_records_new(void) {
  ctxfold_records *r = calloc(1, sizeof *r);
  if (!r) return NULL;
  r->users = 1;
  if (pthread_mutex_init(&r->lock, NULL) != 0 || pthread_cond_init(&r->changed, NULL) != 0) return free(r), NULL;
  return r;
}

/* Drops a reference to the records, which must be locked. The last one frees them. */
static void leave(ctxfold_records *r) {
  bool last = --r->users == 0;
  pthread_mutex_unlock(&r->lock);
  if (!last) return;
  for (size_t i = 0; i < r->leased; i++) free(r->leases[i].key), free(r->leases[i].holder);
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->lock);
  free(r->leases), free(r->record), free(r);
}

void ctxfold_records_delete(ctxfold_records *r) {
  if (!r) return;
  pthread_mutex_lock(&r->lock);
  for (ctxfold_work *w = r->works; w; w = w->next) w->stopped = true; /* nobody would use what they make */
  pthread_cond_broadcast(&r->changed);
  leave(r);
}

static void replace(ctxfold_records *r, char *record, size_t length) {
  free(r->record);
  r->record = record, r->length = length, r->revision++;
}

char *ctxfold_records_save(const ctxfold_records *records, size_t *length) {
  static const ctxfold_text none = CTXFOLD_TEXT("{\"version\":3}");
  ctxfold_records *r = (ctxfold_records *)records; /* they are locked, but not changed */
  pthread_mutex_lock(&r->lock);
  ctxfold_text text = r->record ? (ctxfold_text){r->record, r->length} : none;
  *length = text.length;
  char *copy = copy_of(text);
  pthread_mutex_unlock(&r->lock);
  return copy;
}

bool ctxfold_records_load(ctxfold_records *r, const char *json, size_t length) {
  ctxfold_text all = {json, length}, version = ctxfold_member(all, "version"), entries = ctxfold_member(all, "entries");
  bool list = entries.data && entries.data[0] == '[';
  if (!text_is(version, "3") && !(text_is(version, "1") && list)) return false; /* 1 is the version of ctxfold 0.2 */
  char *copy = copy_of(all);
  if (!copy) return false;
  pthread_mutex_lock(&r->lock);
  replace(r, copy, length);
  pthread_mutex_unlock(&r->lock);
  return true;
}

void records_load(ctxfold_records *r, writer *result) {
  pthread_mutex_lock(&r->lock);
  if (r->record) {
    write_string(result, ",\"record\":");
    write_quoted(result, (ctxfold_text){r->record, r->length});
    write_string(result, ",\"revision\":\"");
    write_number(result, r->revision);
    write_string(result, "\"");
  }
  pthread_mutex_unlock(&r->lock);
}

static bool is(const char *text, ctxfold_text other) { return strlen(text) == other.length && memcmp(text, other.data, other.length) == 0; }

static lease *find_lease(ctxfold_records *r, ctxfold_text key) {
  for (size_t i = 0; i < r->leased; i++)
    if (is(r->leases[i].key, key)) return &r->leases[i];
  return NULL;
}

static void write_done(writer *result, bool done) { write_string(result, done ? ",\"done\":true" : ",\"done\":false"); }

void records_save(ctxfold_records *r, ctxfold_text effect, writer *result) {
  ctxfold_text expected = ctxfold_member(effect, "if_revision"), holder = ctxfold_member(effect, "holder");
  size_t length;
  char *record = ctxfold_string(ctxfold_member(effect, "record"), &length);
  pthread_mutex_lock(&r->lock);
  uint64_t revision = r->record ? r->revision : 0;
  bool same = !expected.data || number_of((ctxfold_text){expected.data + 1, expected.length - 2}) == revision;
  const lease *mine = holder.data ? find_lease(r, ctxfold_member(effect, "lease")) : NULL;
  bool done = record && same && (!holder.data || (mine && is(mine->holder, holder)));
  if (done) replace(r, record, length);
  pthread_mutex_unlock(&r->lock);
  if (!done) free(record);
  write_done(result, done);
}

/* Adds a lease. Returns false if there is no memory. */
static bool add_lease(ctxfold_records *r, ctxfold_text key, ctxfold_text holder, uint64_t until) {
  lease *grown = realloc(r->leases, (r->leased + 1) * sizeof *grown);
  if (!grown) return false;
  r->leases = grown;
  lease added = {copy_of(key), copy_of(holder), until};
  if (!added.key || !added.holder) return free(added.key), free(added.holder), false;
  r->leases[r->leased++] = added;
  return true;
}

static void end_lease(ctxfold_records *r, lease *ended) {
  free(ended->key), free(ended->holder);
  *ended = r->leases[--r->leased];
  r->ended++;
}

void records_lease(ctxfold_records *r, ctxfold_text effect, uint64_t now, writer *result) {
  ctxfold_text keys = ctxfold_member(effect, "keys"), holder = ctxfold_member(effect, "holder"), none, key, first = {0};
  uint64_t until = now + number_of(ctxfold_member(effect, "ttl")), index = 0;
  bool done = true;
  pthread_mutex_lock(&r->lock);
  for (size_t i = r->leased; i-- > 0;)
    if (r->leases[i].until <= now) end_lease(r, &r->leases[i]);
  for (size_t at = 0; done && ctxfold_next(keys, &at, &none, &key); index++) {
    const lease *other = find_lease(r, key);
    if (!first.data) first = key;
    if (other && !is(other->holder, holder)) {
      done = false;
      write_string(result, ",\"at\":");
      write_number(result, index);
    }
  }
  lease *mine = done ? find_lease(r, first) : NULL;
  if (mine) mine->until = until;
  else if (done) done = add_lease(r, first, holder, until);
  pthread_mutex_unlock(&r->lock);
  write_done(result, done);
}

void records_release(ctxfold_records *r, ctxfold_text effect) {
  ctxfold_text none, key;
  size_t at = 0;
  if (!ctxfold_next(ctxfold_member(effect, "keys"), &at, &none, &key)) return;
  pthread_mutex_lock(&r->lock);
  lease *mine = find_lease(r, key);
  if (mine && is(mine->holder, ctxfold_member(effect, "holder"))) {
    end_lease(r, mine);
    pthread_cond_broadcast(&r->changed);
  }
  pthread_mutex_unlock(&r->lock);
}

uint64_t records_ended(ctxfold_records *r) {
  pthread_mutex_lock(&r->lock);
  uint64_t ended = r->ended;
  pthread_mutex_unlock(&r->lock);
  return ended;
}

void records_wait(ctxfold_records *r, uint64_t until, uint64_t ended, const ctxfold_work *work) {
  struct timespec t = {.tv_sec = (time_t)(until / 1000), .tv_nsec = (long)(until % 1000) * 1000000};
  pthread_mutex_lock(&r->lock);
  while (r->ended == ended && !(work && work->stopped) && pthread_cond_timedwait(&r->changed, &r->lock, &t) == 0) continue;
  pthread_mutex_unlock(&r->lock);
}

static ctxfold_work *find_work(ctxfold_records *r, uint64_t id) {
  ctxfold_work *w = r->works;
  while (w && w->id != id) w = w->next;
  return w;
}

bool records_begin(ctxfold_records *r, ctxfold_work *work, uint64_t target) {
  pthread_mutex_lock(&r->lock);
  bool begins = !find_work(r, target);
  if (begins) {
    work->records = r, work->id = ++r->begun, work->next = r->works;
    r->works = work;
    r->users++;
  }
  pthread_mutex_unlock(&r->lock);
  return begins;
}

void records_stop(ctxfold_records *r, uint64_t id) {
  pthread_mutex_lock(&r->lock);
  ctxfold_work *work = find_work(r, id);
  if (work) work->stopped = true;
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
}

bool work_stopped(const ctxfold_work *work) {
  pthread_mutex_lock(&work->records->lock);
  bool stopped = work->stopped;
  pthread_mutex_unlock(&work->records->lock);
  return stopped;
}

void work_leases(ctxfold_work *work, ctxfold_text keys) {
  char *copy = copy_of(keys);
  if (!copy) return;
  pthread_mutex_lock(&work->records->lock);
  free(work->keys);
  work->keys = copy;
  pthread_mutex_unlock(&work->records->lock);
}

void records_running(ctxfold_records *r, writer *settings) {
  pthread_mutex_lock(&r->lock);
  write_string(settings, ",\"running\":[");
  for (const ctxfold_work *w = r->works, *before = NULL; w; before = w, w = w->next) {
    write_string(settings, before ? ",{\"id\":" : "{\"id\":");
    write_number(settings, w->id);
    write_string(settings, ",\"keys\":");
    write_string(settings, w->keys);
    write_string(settings, "}");
  }
  write_string(settings, "]");
  pthread_mutex_unlock(&r->lock);
}

void ctxfold_work_delete(ctxfold_work *work) {
  if (!work) return;
  ctxfold_records *r = work->records;
  if (r) {
    pthread_mutex_lock(&r->lock);
    ctxfold_work **at = &r->works;
    while (*at != work) at = &(*at)->next;
    *at = work->next;
    leave(r);
  }
  free((char *)work->request.policy.data), free((char *)work->request.options.data), free((char *)work->request.messages.data);
  free((char *)work->settings.data), free(work->keys), free(work);
}
