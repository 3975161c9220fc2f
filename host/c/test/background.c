/* Tests of ctxfold_fit_with: compactions in the background, and effects that the program executes. */
#include <pthread.h>
#include <stdatomic.h>

#include "check.h"

static ctxfold_text member(const ctxfold_answer *a, const char *key) { return ctxfold_member((ctxfold_text){a->json, a->length}, key); }

/* Returns the first count messages of the sample. */
static ctxfold_text beginning(int count) {
  static char text[1 << 20];
  ctxfold_text all = sample(), key, value;
  size_t at = 0;
  for (int i = 0; i < count; i++) CHECK(ctxfold_next(all, &at, &key, &value));
  size_t length = (size_t)(value.data + value.length - all.data);
  memcpy(text, all.data, length);
  text[length] = ']';
  return (ctxfold_text){text, length + 1};
}

/* Returns a policy whose window is larger than the sample by more tokens. A compaction begins before the window is full. */
static ctxfold_text soon(ctxfold_instance *c, int more) {
  static char text[256];
  ctxfold_answer answer;
  ctxfold_request request = {.messages = sample()};
  CHECK(ctxfold_estimate(c, &request, &answer) == CTXFOLD_OK);
  int size = atoi(ctxfold_member((ctxfold_text){answer.json, answer.length}, "tokens").data);
  ctxfold_answer_free(&answer);
  int length = snprintf(text, sizeof text,
                        "{\"window\":{\"tokens\":%d,\"reserve\":0},\"gate\":{\"ratio\":1,\"start\":0.8,\"target\":0.3},\"passes\":[{\"pass\":\"fold\"}]}",
                        size + more);
  return (ctxfold_text){text, (size_t)length};
}

/* Sleeps for a millisecond. Loops that wait for another thread call it, so that they leave the processor to that thread. */
static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); }

/* A program that runs one background compaction at a time. */
typedef struct {
  atomic_int asked;
  atomic_bool slow; /* the model answers when this ends */
  ctxfold_work *work;
  int begun;
  pthread_t thread;
  ctxfold_status status;
  char code[32];
} program;

static char *summarize(void *user, ctxfold_ask *ask) {
  program *p = user;
  CHECK(ask->prompt.length > 0);
  p->asked++;
  while (p->slow) nap();
  return strdup("## Goal\nMake the rate limiter keep a constant amount of memory.\n\n## Done\nThe sweep was written and tested.");
}

static void begin(void *user, ctxfold_work *work) {
  program *p = user;
  if (p->work) ctxfold_work_delete(work);
  else p->work = work, p->begun++;
}

static void *work_on(void *user) {
  program *p = user;
  ctxfold_host host = {.summarize = summarize, .user = p};
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_answer answer;
  p->status = ctxfold_work_run(c, p->work, &host, &answer);
  snprintf(p->code, sizeof p->code, "%s", answer.code ? answer.code : "");
  ctxfold_answer_free(&answer);
  ctxfold_work_delete(p->work);
  ctxfold_delete(c);
  return NULL;
}

static void start(program *p) { CHECK(p->work && pthread_create(&p->thread, NULL, work_on, p) == 0); }

static void finish(program *p) {
  p->slow = false;
  CHECK(pthread_join(p->thread, NULL) == 0);
  p->work = NULL;
}

/* A turn over the soft limit returns at once, the compaction runs in the background, and the next turn uses it. */
static void compacts_behind(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  program p = {.slow = true};
  ctxfold_host host = {.summarize = summarize, .user = &p, .begin = begin};
  ctxfold_request history = {.policy = soon(c, 2000), .messages = sample()};
  ctxfold_answer answer;
  CHECK(ctxfold_fit_with(c, records, &history, &host, &answer) == CTXFOLD_OK && p.asked == 0 && p.begun == 1);
  CHECK(is(ctxfold_member(answer.report, "changed"), "false") && answer.messages.length == history.messages.length);
  ctxfold_answer_free(&answer);
  start(&p);
  while (!p.asked) nap();
  CHECK(ctxfold_fit_with(c, records, &history, &host, &answer) == CTXFOLD_OK && p.begun == 1); /* the compaction is still running */
  ctxfold_answer_free(&answer);
  finish(&p);
  CHECK(p.status == CTXFOLD_OK && p.asked > 0);
  int asked = p.asked;
  CHECK(ctxfold_fit_with(c, records, &history, &host, &answer) == CTXFOLD_OK && p.asked == asked && p.begun == 1);
  CHECK(is(member(&answer, "known"), "0") && answer.messages.length < history.messages.length / 2);
  ctxfold_answer_free(&answer);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
}

static void *release_soon(void *user) {
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  ((program *)user)->slow = false;
  return NULL;
}

/* At the limit, a turn waits for the background compaction instead of making the same one again. */
static void waits_for_it(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  program p = {.slow = true};
  ctxfold_host host = {.summarize = summarize, .user = &p, .begin = begin};
  ctxfold_request history = {.policy = soon(c, -1000), .messages = beginning(75)};
  ctxfold_answer answer;
  CHECK(ctxfold_fit_with(c, records, &history, &host, &answer) == CTXFOLD_OK && p.begun == 1 && p.asked == 0);
  ctxfold_answer_free(&answer);
  start(&p);
  while (!p.asked) nap();
  pthread_t later;
  CHECK(pthread_create(&later, NULL, release_soon, &p) == 0);
  history.messages = sample();
  CHECK(ctxfold_fit_with(c, records, &history, &host, &answer) == CTXFOLD_OK && p.asked == 1);
  CHECK(is(member(&answer, "known"), "0") && is(ctxfold_member(answer.report, "fits"), "true"));
  ctxfold_answer_free(&answer);
  pthread_join(later, NULL);
  finish(&p);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
}

/* Lets the model answer when a second compaction has asked it too. */
static void *release_second(void *user) {
  program *p = user;
  while (p->asked < 2) nap();
  p->slow = false;
  return NULL;
}

/* A forced compaction stops a background one, and so does deleting the records. */
static void stops(void) {
  for (int deleted = 0; deleted < 2; deleted++) {
    ctxfold_instance *c = ctxfold_new(NULL);
    ctxfold_records *records = ctxfold_records_new();
    program p = {.slow = true};
    ctxfold_host host = {.summarize = summarize, .user = &p, .begin = begin};
    ctxfold_request history = {.policy = soon(c, 2000), .messages = sample()};
    ctxfold_answer answer;
    CHECK(ctxfold_fit_with(c, records, &history, &host, &answer) == CTXFOLD_OK && p.begun == 1);
    ctxfold_answer_free(&answer);
    start(&p);
    while (!p.asked) nap();
    if (deleted) {
      ctxfold_records_delete(records);
      finish(&p);
    } else {
      pthread_t later;
      CHECK(pthread_create(&later, NULL, release_second, &p) == 0);
      history.options = (ctxfold_text)CTXFOLD_TEXT("{\"force\":true}");
      CHECK(ctxfold_fit_with(c, records, &history, &host, &answer) == CTXFOLD_OK && is(ctxfold_member(answer.report, "changed"), "true"));
      ctxfold_answer_free(&answer);
      pthread_join(later, NULL);
      finish(&p);
      ctxfold_records_delete(records);
    }
    CHECK(p.status == CTXFOLD_ERROR && strcmp(p.code, "cancelled") == 0);
    ctxfold_delete(c);
  }
}

/* Work that is deleted without having run has no effect, and the next turn begins another. */
static void drops(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  program p = {0};
  ctxfold_host host = {.summarize = summarize, .user = &p, .begin = begin};
  ctxfold_request history = {.policy = soon(c, 2000), .messages = sample()};
  ctxfold_answer answer;
  for (int turn = 1; turn < 3; turn++) {
    CHECK(ctxfold_fit_with(c, records, &history, &host, &answer) == CTXFOLD_OK && p.begun == turn);
    ctxfold_answer_free(&answer);
    ctxfold_work_delete(p.work);
    p.work = NULL;
  }
  ctxfold_records_delete(records);
  ctxfold_delete(c);
}

/* The store that two processes share: one record for each key, and one lease. */
typedef struct {
  char keys[64][80];
  char *record[64];
  int known, put, counted, emitted;
  bool leased, fails;
  program program;
} store;

static int find(const store *s, ctxfold_text key) {
  for (int i = 0; i < s->known; i++)
    if (is(key, s->keys[i])) return i;
  return -1;
}

static char *load(const store *s, ctxfold_text effect) {
  ctxfold_text key, none;
  int index = 0;
  for (size_t at = 0; ctxfold_next(ctxfold_member(effect, "keys"), &at, &none, &key); index++) {
    int found = find(s, key);
    if (found < 0) continue;
    char *result = malloc(strlen(s->record[found]) + 64);
    sprintf(result, "{\"at\":%d,\"revision\":\"1\",\"record\":%s}", index, s->record[found]);
    return result;
  }
  return strdup("{}");
}

static void save(store *s, ctxfold_text effect) {
  ctxfold_text key, none, record = ctxfold_member(effect, "record");
  for (size_t at = 0; ctxfold_next(ctxfold_member(effect, "keys"), &at, &none, &key);) {
    int i = find(s, key);
    if (i < 0) CHECK((i = s->known++) < 64);
    snprintf(s->keys[i], sizeof s->keys[i], "%.*s", (int)key.length, key.data);
    free(s->record[i]);
    s->record[i] = strndup(record.data, record.length);
  }
}

static char *summarize_shared(void *user, ctxfold_ask *ask) { return summarize(&((store *)user)->program, ask); }

static char *execute(void *user, const char *text, size_t length) {
  store *s = user;
  ctxfold_text effect = {text, length}, name = ctxfold_member(effect, "effect");
  if (is(name, "\"put\"")) return s->put++, s->fails ? strdup("{\"error\":\"the disk is full\"}") : strdup("{}");
  if (is(name, "\"count\"")) return s->counted++, NULL;
  if (is(name, "\"emit\"")) return s->emitted++, NULL;
  if (is(name, "\"load\"")) return load(s, effect);
  if (is(name, "\"release\"")) return s->leased = false, NULL;
  if (is(name, "\"lease\"")) return s->leased ? strdup("{\"done\":false}") : (s->leased = true, strdup("{\"done\":true}"));
  CHECK(is(name, "\"save\"") && s->leased);
  save(s, effect);
  return strdup("{\"done\":true}");
}

/* Processes that share a store make a compaction only once. Removed content goes into the store, and effects that the program refuses
 * are not needed. */
static void shares(void) {
  static store s;
  const ctxfold_host host = {.summarize = summarize_shared, .user = &s, .execute = execute, .settings = CTXFOLD_TEXT("{\"owner\":\"u1\"}"),
                             .can = CTXFOLD_TEXT("[\"load\",\"save\",\"lease\",\"release\",\"put\",\"count\",\"emit\"]")};
  ctxfold_request history = {.policy = CTXFOLD_TEXT("{\"window\":{\"tokens\":32000}}"), .messages = sample()};
  ctxfold_answer answer;
  int asked = 0;
  for (int process = 0; process < 2; process++) {
    ctxfold_instance *c = ctxfold_new(NULL);
    CHECK(ctxfold_fit_with(c, NULL, &history, &host, &answer) == CTXFOLD_OK && !s.leased && s.counted == process + 1);
    CHECK(process == 0 || (is(member(&answer, "known"), "0") && s.program.asked == asked && !s.put));
    CHECK(process == 1 || (s.put > 0 && s.program.asked > 0));
    asked = s.program.asked, s.put = 0;
    ctxfold_answer_free(&answer);
    ctxfold_delete(c);
  }
  ctxfold_host other = host;
  other.settings = (ctxfold_text)CTXFOLD_TEXT("{\"owner\":\"u2\"}");
  ctxfold_instance *c = ctxfold_new(NULL);
  s.fails = true;
  CHECK(ctxfold_fit_with(c, NULL, &history, &other, &answer) == CTXFOLD_ERROR && strcmp(answer.code, "store_failed") == 0 && !s.leased);
  ctxfold_answer_free(&answer);
  ctxfold_delete(c);
  for (int i = 0; i < s.known; i++) free(s.record[i]);
}

/* A host that could not work is refused when it is given, even if no compaction is due. */
static void refuses_half_a_host(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  const struct {
    const char *can, *says;
    bool executes;
  } cases[] = {
      {"[\"put\"]", "execute is NULL", false},           {"[]", "names no effects", true},
      {"", "names no effects", true},                    {"[\"load\"]", "load and save", true},
      {"[\"save\",\"put\"]", "load and save", true},     {"[\"load\",\"save\",\"lease\"]", "lease and release", true},
      {"[\"lease\",\"release\"]", "without load", true},
  };
  ctxfold_request history = {.policy = CTXFOLD_TEXT("{\"window\":{\"tokens\":1000000}}"), .messages = sample()};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ctxfold_host host = {.can = {cases[i].can, strlen(cases[i].can)}, .execute = cases[i].executes ? execute : NULL};
    ctxfold_answer answer;
    CHECK(ctxfold_fit_with(c, NULL, &history, &host, &answer) == CTXFOLD_ERROR && strcmp(answer.code, "invalid_option") == 0);
    CHECK(strstr(answer.message, cases[i].says) && !answer.json);
    ctxfold_answer_free(&answer);
  }
  ctxfold_delete(c);
}

int main(void) {
  compacts_behind(), waits_for_it(), stops(), drops(), shares(), refuses_half_a_host();
  puts("all tests of the background passed");
  return 0;
}
