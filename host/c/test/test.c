/* Tests of the library, linked statically so that they can break an instance from inside. */
#include <pthread.h>
#include <stdarg.h>

#include "check.h"
#include "module.h"

static bool same(ctxfold_text a, ctxfold_text b) { return a.length == b.length && memcmp(a.data, b.data, a.length) == 0; }

static const char digest[] = "## Goal\nMake the rate limiter keep a constant amount of memory.\n\n## Done\nThe \"sweep\" was written and tested.";
static int asked;
static bool down;

/* A text that is built piece by piece. */
typedef struct {
  char text[1 << 18];
  size_t length;
} text;

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(t->text + t->length, sizeof t->text - t->length, format, arguments);
  va_end(arguments);
  CHECK(n >= 0 && t->length + (size_t)n < sizeof t->text);
  t->length += (size_t)n;
}

static char *summarize(void *user, ctxfold_ask *ask) {
  CHECK(user == &asked && ask->prompt.length == strlen(ask->prompt.data) && ask->prompt.length > 0 && ask->system.length > 0 && ask->scope[0]);
  CHECK(ask->max_output_tokens > 0 && ask->input_tokens > 0 && ask->json.data[0] == '{');
  asked++;
  ask->finish_reason = "stop";
  return down ? NULL : strdup(digest);
}

/* Makes a digest that was written without a model due for its next attempt. tries is the number of failed attempts so far. */
static void let_come(ctxfold_records *records, const char *tries) {
  size_t length;
  char *saved = ctxfold_records_save(records, &length), *again = strstr(saved, tries);
  CHECK(again && (again = strstr(again, "\"again\":1")));
  again[strlen("\"again\":1")] = '0'; /* the year 2003 or so: milliseconds since 1970 */
  CHECK(ctxfold_records_load(records, saved, length));
  free(saved);
}

static const ctxfold_text policy = CTXFOLD_TEXT("{\"window\":{\"tokens\":32000}}");

/* As the history grows, the beginning of what is sent stays the same, and the model is called only once. */
static void fits(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  ctxfold_request history = {.policy = policy, .messages = sample()};
  ctxfold_answer first, again;
  asked = 0;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &first) == CTXFOLD_OK && asked > 0);
  CHECK(is(ctxfold_member(first.report, "changed"), "true") && first.messages.length < history.messages.length);
  CHECK(is(ctxfold_member(ctxfold_member(first.report, "summary"), "source"), "\"model\""));
  int before = asked;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &again) == CTXFOLD_OK && asked == before);
  CHECK(is(ctxfold_member(again.report, "changed"), "false") && is(ctxfold_member((ctxfold_text){again.json, again.length}, "known"), "0"));
  ctxfold_answer_free(&first);
  first = again;

  size_t length;
  char *saved = ctxfold_records_save(records, &length);
  ctxfold_records *other = ctxfold_records_new();
  CHECK(ctxfold_records_load(other, saved, length) && asked == before);
  CHECK(ctxfold_fit(c, other, &history, summarize, &asked, &again) == CTXFOLD_OK && asked == before && same(first.messages, again.messages));
  CHECK(!ctxfold_records_load(other, "{\"version\":2,\"entries\":[]}", 26) && !ctxfold_records_load(other, "[]", 2));
  free(saved);
  ctxfold_answer_free(&again);
  ctxfold_answer_free(&first);
  ctxfold_records_delete(other);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
}

/* A digest that was written because the model failed is made again, but not at once. */
static void fails(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  ctxfold_request history = {.policy = policy, .messages = sample()};
  ctxfold_answer answer;
  asked = 0, down = true;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &answer) == CTXFOLD_OK && asked > 0);
  CHECK(is(ctxfold_member(answer.report, "changed"), "true"));
  ctxfold_answer_free(&answer);
  int before = asked;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &answer) == CTXFOLD_OK && asked == before);
  ctxfold_answer_free(&answer);

  let_come(records, "\"tries\":1,");
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &answer) == CTXFOLD_OK && asked > before);
  ctxfold_answer_free(&answer);
  before = asked;
  let_come(records, "\"tries\":2,");
  down = false;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &answer) == CTXFOLD_OK && asked > before);
  CHECK(is(ctxfold_member(ctxfold_member(answer.report, "summary"), "source"), "\"model\""));
  ctxfold_answer_free(&answer);
  before = asked;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &answer) == CTXFOLD_OK && asked == before);
  ctxfold_answer_free(&answer);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
}

/* If the policy keeps the history when there is no summary, the model is not called again in every call. */
static void pauses(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  ctxfold_request history = {.policy = CTXFOLD_TEXT("{\"window\":{\"tokens\":80000},\"passes\":[{\"pass\":\"fold\"}],\"summary\":{\"on_failure\":\"keep\"}}"),
                             .messages = sample()};
  ctxfold_answer answer;
  asked = 0, down = true;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &answer) == CTXFOLD_OK && asked > 0);
  CHECK(is(ctxfold_member(answer.report, "changed"), "false") && same(answer.messages, history.messages));
  ctxfold_answer_free(&answer);
  int before = asked;
  size_t length, later_length;
  char *saved = ctxfold_records_save(records, &length);
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &answer) == CTXFOLD_OK && asked == before);
  ctxfold_answer_free(&answer);
  char *later = ctxfold_records_save(records, &later_length);
  CHECK(strcmp(saved, later) == 0 && strstr(saved, "\"attempts\":[{"));
  let_come(records, "\"attempts\"");
  down = false;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &answer) == CTXFOLD_OK && asked > before);
  CHECK(is(ctxfold_member(answer.report, "changed"), "true"));
  ctxfold_answer_free(&answer);
  free(saved), free(later);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
}

/* If a program keeps only the compacted list, its digest cannot be made again. */
static void goes_on(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  ctxfold_request history = {.policy = policy, .messages = sample()};
  ctxfold_answer first, next;
  asked = 0, down = true;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &first) == CTXFOLD_OK && asked > 0);
  let_come(records, "\"tries\":1,");
  int before = asked;
  down = false;
  history.messages = first.messages;
  CHECK(ctxfold_fit(c, records, &history, summarize, &asked, &next) == CTXFOLD_OK && asked == before);
  CHECK(same(next.messages, first.messages));
  size_t length;
  char *saved = ctxfold_records_save(records, &length);
  CHECK(strstr(saved, "\"tries\":1,\"again\":10")); /* nothing was tried */
  free(saved);
  ctxfold_answer_free(&first);
  ctxfold_answer_free(&next);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
}

/* A busy model is called again. Records saved by ctxfold 0.2 are found. */
static int refusals, status;
static char *busy(void *user, ctxfold_ask *ask) {
  if (refusals-- <= 0) return summarize(user, ask);
  if (status) ask->status = status, ask->retry_after_ms = "1", ask->error = "no more today";
  else ask->busy = true, ask->after = 1;
  return NULL;
}

/* The module decides from the response whether to call the summarizer again. */
static void decides(int of, const char *source) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_request history = {.policy = policy, .messages = sample()};
  ctxfold_answer answer;
  asked = 0, down = false, refusals = 1, status = of;
  CHECK(ctxfold_fit(c, NULL, &history, busy, &asked, &answer) == CTXFOLD_OK);
  CHECK(is(ctxfold_member(ctxfold_member(answer.report, "summary"), "source"), source));
  ctxfold_answer_free(&answer);
  ctxfold_delete(c);
  status = 0;
}

static void waits(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  ctxfold_request history = {.policy = policy, .messages = sample()};
  ctxfold_answer answer;
  asked = 0, down = false, refusals = 1;
  CHECK(ctxfold_fit(c, records, &history, busy, &asked, &answer) == CTXFOLD_OK && refusals < 0);
  CHECK(is(ctxfold_member(ctxfold_member(answer.report, "summary"), "source"), "\"model\""));
  ctxfold_answer_free(&answer);

  size_t length;
  char *saved = ctxfold_records_save(records, &length);
  ctxfold_text key, value, entries = ctxfold_member((ctxfold_text){saved, length}, "entries");
  size_t at = 0;
  CHECK(ctxfold_next(entries, &at, &key, &value));
  ctxfold_text entry = ctxfold_member(value, "entry");
  char *old = malloc(length + 200);
  int size = sprintf(old, "{\"version\":1,\"tries\":0,\"again\":0,\"entries\":[{\"tries\":0,\"again\":0,\"entry\":%.*s}]}", (int)entry.length, entry.data);
  ctxfold_records *others = ctxfold_records_new();
  CHECK(ctxfold_records_load(others, old, (size_t)size));
  int before = asked;
  CHECK(ctxfold_fit(c, others, &history, busy, &asked, &answer) == CTXFOLD_OK && asked == before);
  CHECK(is(ctxfold_member((ctxfold_text){answer.json, answer.length}, "known"), "0"));
  ctxfold_answer_free(&answer);
  free(saved), free(old);
  ctxfold_records_delete(others);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
  decides(429, "\"model\"");
  decides(402, "\"local\"");
}

/* How an app changes the history between calls: not at all, or in the messages after the compacted ones. */
enum habit { PLAIN, RETRIEVED, CLOCK, REMINDER, REWORDED, REGENERATED, HABITS };

static void answer_of(text *t, int turn, const char *before) {
  add(t, "{\"role\":\"assistant\",\"content\":\"%sAnswer %d. ", before, turn);
  for (int i = 0; i < 30; i++) add(t, "The file has lines, words and letters. ");
  add(t, "\"},");
}

static void history_of(text *t, enum habit habit, int turn, int call) {
  t->length = 0;
  add(t, "[");
  if (habit == CLOCK) add(t, "{\"role\":\"system\",\"content\":\"It is 10:%02d:%02d.\"},", call / 60, call % 60);
  for (int i = 0; i < turn; i++) {
    char before[64] = "";
    if (habit == REGENERATED && i == turn - 1) snprintf(before, sizeof before, "Attempt %d. ", call);
    add(t, "{\"role\":\"user\",\"content\":\"Question %d: what is in file %d?", i, i);
    if (habit == REWORDED && i == turn - 1) add(t, " In words of call %d?", call);
    add(t, "\"},");
    answer_of(t, i, before);
  }
  add(t, "{\"role\":\"user\",\"content\":\"");
  if (habit == RETRIEVED) {
    add(t, "Context %d: ", call);
    for (int i = 0; i < 20 + call % 5; i++) add(t, "It was found. ");
  }
  add(t, "Question %d: what is in file %d?\"}", turn, turn);
  if (habit == REMINDER) add(t, ",{\"role\":\"user\",\"content\":\"Reminder %d: be brief.\"}", call);
  add(t, "]");
}

/* Over 60 turns in a window of 8,000 tokens, with two calls each, an app that changes messages after the cut causes no more compactions
 * and no more model calls than one that changes nothing. */
static void volatile_histories(void) {
  static text history;
  int plain[2] = {0, 0};
  for (enum habit habit = PLAIN; habit < HABITS; habit++) {
    ctxfold_instance *c = ctxfold_new(NULL);
    ctxfold_records *records = ctxfold_records_new();
    int compactions = 0;
    asked = 0;
    for (int call = 0; call < 120; call++) {
      history_of(&history, habit, call / 2, call);
      ctxfold_request request = {.policy = CTXFOLD_TEXT("{\"format\":\"openai-chat\",\"window\":{\"tokens\":8000,\"reserve\":500}}"),
                                 .messages = {history.text, history.length}};
      ctxfold_answer answer;
      CHECK(ctxfold_fit(c, records, &request, summarize, &asked, &answer) == CTXFOLD_OK);
      compactions += is(ctxfold_member(answer.report, "changed"), "true");
      ctxfold_answer_free(&answer);
    }
    if (habit == PLAIN) {
      plain[0] = compactions, plain[1] = asked;
      CHECK(compactions >= 3 && compactions <= 6 && asked == compactions);
    }
    CHECK(compactions >= plain[0] - 1 && compactions <= plain[0] + 1 && asked <= plain[1] + 1);
    ctxfold_records_delete(records);
    ctxfold_delete(c);
  }
}

static char *sees_no_secret(void *user, ctxfold_ask *ask) {
  CHECK(!strstr(ask->prompt.data, "hunter2"));
  if (strstr(ask->prompt.data, "[PASSWORD]")) ++*(int *)user;
  ask->error = "the model is \"down\"";
  return NULL;
}

/* Secrets found by the option redact reach neither the model nor the digest, and the report contains the reason why there is no summary. */
static void redacts(void) {
  static text history;
  history.length = 0;
  add(&history, "[{\"role\":\"user\",\"content\":\"The password is hunter2!, and it is never to be changed.\"},");
  for (int i = 0; i < 40; i++) {
    answer_of(&history, i, "");
    add(&history, "{\"role\":\"user\",\"content\":\"And file %d?\"}%s", i, i < 39 ? "," : "]");
  }
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  ctxfold_request request = {.policy = CTXFOLD_TEXT("{\"format\":\"openai-chat\",\"window\":{\"tokens\":8000,\"reserve\":500}}"),
                             .options = CTXFOLD_TEXT("{\"redact\":{\"texts\":[{\"text\":\"hunter2!\",\"placeholder\":\"[PASSWORD]\"}]}}"),
                             .messages = {history.text, history.length}};
  ctxfold_answer answer;
  int calls = 0;
  CHECK(ctxfold_fit(c, records, &request, sees_no_secret, &calls, &answer) == CTXFOLD_OK && calls > 0);
  CHECK(is(ctxfold_member(answer.report, "changed"), "true") && !strstr(answer.json, "hunter2") && strstr(answer.json, "[PASSWORD]"));
  CHECK(is(ctxfold_member(ctxfold_member(answer.report, "summary"), "error"), "\"the model is \\\"down\\\"\""));
  ctxfold_answer_free(&answer);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
}

/* An error's path and offset refer to the caller's own text. */
static void errors(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_answer answer;
  ctxfold_request request = {.policy = CTXFOLD_TEXT("{\"window\":{\"tokens\":0.5}}"), .messages = CTXFOLD_TEXT("[{\"role\":\"user\",\"content\":\"cut o")};
  CHECK(ctxfold_check(c, &request, &answer) == CTXFOLD_ERROR && strcmp(answer.in, "policy") == 0 && answer.offset >= 20);
  CHECK(strcmp(answer.path, "policy.window.tokens") == 0 && answer.code[0] && answer.message[0]);
  ctxfold_answer_free(&answer);
  request.policy = (ctxfold_text){0};
  CHECK(ctxfold_compact(c, &request, NULL, NULL, &answer) == CTXFOLD_ERROR && strcmp(answer.code, "truncated_json") == 0);
  CHECK(strcmp(answer.in, "messages") == 0 && answer.offset == request.messages.length && !answer.messages.data);
  ctxfold_answer_free(&answer);
  ctxfold_records *records = ctxfold_records_new();
  request = (ctxfold_request){.policy = CTXFOLD_TEXT("{\"window\":{\"tokens\":100},\"format\":\"openai-chat\"}"),
                              .messages = CTXFOLD_TEXT("[{\"role\":\"user\",\"content\":\"a\"},{\"content\":\"b\"}]")};
  CHECK(ctxfold_fit(c, records, &request, NULL, NULL, &answer) == CTXFOLD_ERROR && strcmp(answer.code, "missing_role") == 0);
  CHECK(strcmp(answer.in, "messages") == 0 && strcmp(answer.path, "messages[1]") == 0 && answer.offset == 31);
  ctxfold_answer_free(&answer);
  ctxfold_records_delete(records);
  CHECK(ctxfold_call(c, "nope", "{}", 2, &answer) == CTXFOLD_ERROR && strcmp(answer.code, "unknown_op") == 0 && !answer.json);
  CHECK(ctxfold_call(c, "function", "{}", 2, &answer) == CTXFOLD_ERROR && strcmp(answer.code, "needs_full") == 0);
  CHECK(ctxfold_call(c, "plan", NULL, 0, &answer) == CTXFOLD_ERROR && answer.code[0]);
  ctxfold_answer_free(&answer);
  ctxfold_delete(c);
}

/* The header has every operation of the module, and the module every operation in the header. */
static void operations(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_answer info;
  CHECK(ctxfold_info(c, NULL, &info) == CTXFOLD_OK);
  size_t of_module = 0, of_header = 3, at = 0; /* fit, loop_start and loop_event, which the list lacks */
  for (ctxfold_text key, value; ctxfold_next(ctxfold_member((ctxfold_text){info.json, info.length}, "ops"), &at, &key, &value);) of_module++;
#define COUNT(op) of_header++;
  CTXFOLD_OPERATIONS(COUNT)
  CHECK(of_module == of_header);
  ctxfold_answer_free(&info);

  ctxfold_answer answer;
  ctxfold_request request = {.text = CTXFOLD_TEXT("a \"quoted\"\n text")};
  CHECK(ctxfold_estimate(c, &request, &answer) == CTXFOLD_OK && ctxfold_member((ctxfold_text){answer.json, answer.length}, "tokens").data);
  ctxfold_answer_free(&answer);
  request = (ctxfold_request){.policy = CTXFOLD_TEXT("{\"format\":\"openai-chat\"}"), .to = CTXFOLD_TEXT("anthropic"), .messages = CTXFOLD_TEXT("[{\"role\":\"user\",\"content\":\"hello\"}]")};
  CHECK(ctxfold_convert(c, &request, &answer) == CTXFOLD_OK && answer.messages.length > 10);
  ctxfold_answer_free(&answer);
  ctxfold_delete(c);
}

/* Memory is limited and reported. A call that exceeds the limit costs the instance, but the next call works. */
static void memory(void) {
  CHECK(!ctxfold_new(&(ctxfold_options){.memory_limit = 1 << 20}));
  ctxfold_instance *c = ctxfold_new(&(ctxfold_options){.memory_limit = (16 << 20) + 100});
  ctxfold_memory m = ctxfold_memory_of(c);
  CHECK(m.limit == 16 << 20 && m.current > 0 && m.current < m.limit && m.peak == m.current);
  size_t n = 12 << 20;
  char *big = malloc(n);
  memset(big, ' ', n);
  ctxfold_answer answer;
  CHECK(ctxfold_call(c, "plan", big, n, &answer) == CTXFOLD_MEMORY_LIMIT && strcmp(answer.code, "memory_limit") == 0);
  CHECK(!answer.json && answer.message[0]);
  ctxfold_answer_free(&answer);
  ctxfold_memory after = ctxfold_memory_of(c);
  CHECK(after.current == m.current && after.peak <= after.limit);
  ctxfold_request history = {.policy = policy, .messages = sample()};
  CHECK(ctxfold_compact(c, &history, summarize, &asked, &answer) == CTXFOLD_OK);
  CHECK(ctxfold_memory_of(c).peak > m.current);
  ctxfold_answer_free(&answer);
  free(big);
  ctxfold_delete(c);
}

/* An instance that one large call has left swollen is replaced after enough small calls, unless a session is open. */
static void swollen(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  size_t n = 30 << 20, at = 0;
  char *big = malloc(n + 256);
  at += (size_t)sprintf(big, "{\"policy\":{\"format\":\"openai-chat\"},\"messages\":[{\"role\":\"user\",\"content\":\"");
  while (at < n) at += (size_t)sprintf(big + at, "lorem ipsum ");
  at += (size_t)sprintf(big + at, "\"}]}");
  const char *small = "{\"policy\":{\"format\":\"openai-chat\"},\"messages\":[{\"role\":\"user\",\"content\":\"Hello.\"}]}";
  const char *opening = "{\"policy\":{\"format\":\"openai-chat\",\"window\":{\"tokens\":9000}},\"messages\":[{\"role\":\"user\",\"content\":\"Hello.\"}]}";
  ctxfold_answer answer;
  for (int session = 0; session < 2; session++) {
    CHECK(ctxfold_call(c, "estimate", big, at, &answer) == CTXFOLD_OK);
    ctxfold_answer_free(&answer);
    uint64_t grown = ctxfold_memory_of(c).current;
    CHECK(grown > 32 << 20);
    if (session) {
      CHECK(ctxfold_call(c, "session_open", opening, strlen(opening), &answer) == CTXFOLD_OK);
      ctxfold_answer_free(&answer);
    }
    for (int i = 0; i < 70; i++) {
      CHECK(ctxfold_call(c, "estimate", small, strlen(small), &answer) == CTXFOLD_OK);
      ctxfold_answer_free(&answer);
    }
    CHECK(session ? ctxfold_memory_of(c).current == grown : ctxfold_memory_of(c).current < 16 << 20);
  }
  free(big);
  ctxfold_delete(c);
}

/* A trap is reported as an error. The next call works, and sessions are lost. */
static void traps(void) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_answer answer;
  ctxfold_request open = {.policy = policy, .messages = sample()};
  CHECK(ctxfold_session_open(c, &open, &answer) == CTXFOLD_OK);
  ctxfold_request of = {.session = 1};
  ctxfold_answer_free(&answer);
  CHECK(ctxfold_estimate(c, &of, &answer) == CTXFOLD_OK);
  ctxfold_answer_free(&answer);
  ((Z_ctxfold_instance_t *)(void *)c)->w2c_T0.size = 0; /* makes every indirect call trap */
  CHECK(ctxfold_estimate(c, &of, &answer) == CTXFOLD_TRAP && strcmp(answer.code, "trap") == 0 && strstr(answer.message, "new instance"));
  ctxfold_answer_free(&answer);
  CHECK(ctxfold_estimate(c, &of, &answer) == CTXFOLD_ERROR && strcmp(answer.code, "session_closed") == 0);
  ctxfold_answer_free(&answer);
  ((Z_ctxfold_instance_t *)(void *)c)->w2c_memory.depth = UINT32_MAX - 1; /* as if it were deep in calls */
  CHECK(ctxfold_info(c, NULL, &answer) == CTXFOLD_TRAP && strstr(answer.message, "inside each other"));
  ctxfold_answer_free(&answer);
  CHECK(ctxfold_info(c, NULL, &answer) == CTXFOLD_OK);
  ctxfold_answer_free(&answer);
  ctxfold_delete(c);
}

static void *work(void *out) {
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_request history = {.policy = policy, .messages = sample()};
  for (int i = 0; i < 3; i++) {
    ctxfold_answer_free(out);
    CHECK(ctxfold_compact(c, &history, NULL, NULL, out) == CTXFOLD_OK);
  }
  ctxfold_delete(c);
  return NULL;
}

/* Instances in several threads are independent, with stacks of 128 KiB. A trap in one does not affect the others. */
static void threads(void) {
  enum { COUNT = 4 };
  pthread_t thread[COUNT];
  pthread_attr_t small;
  ctxfold_answer answers[COUNT] = {0};
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 128 << 10);
  sample();
  for (int i = 0; i < COUNT; i++) CHECK(pthread_create(&thread[i], &small, work, &answers[i]) == 0);
  traps();
  for (int i = 0; i < COUNT; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < COUNT; i++) CHECK(same(answers[i].messages, answers[0].messages) && answers[i].messages.length > 0);
  for (int i = 0; i < COUNT; i++) ctxfold_answer_free(&answers[i]);
  pthread_attr_destroy(&small);
}

static void strings(void) {
  static const struct {
    const char *json, *text;
  } cases[] = {
      {"\"a\\n\\u00e4\\ud83d\\ude00\\\"\\/\"", "a\n\u00e4\U0001F600\"/"}, {"\"\\ud83d\"", "\xef\xbf\xbd"}, {"\"\"", ""}, {"\"\\t\\b\\f\\r\\\\\"", "\t\b\f\r\\"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    size_t length;
    char *text = ctxfold_string((ctxfold_text){cases[i].json, strlen(cases[i].json)}, &length);
    CHECK(text && strcmp(text, cases[i].text) == 0 && length == strlen(text));
    free(text);
  }
  CHECK(!ctxfold_string((ctxfold_text)CTXFOLD_TEXT("12"), NULL) && !ctxfold_string((ctxfold_text){0}, NULL));
  ctxfold_text object = CTXFOLD_TEXT(" { \"a\\\"}\" : [1, {\"b\":\"]\"}] , \"b\":-1.5e3,\"c\":{} }"), key, value;
  CHECK(is(ctxfold_member(object, "b"), "-1.5e3") && is(ctxfold_member(object, "c"), "{}") && !ctxfold_member(object, "d").data);
  size_t at = 0;
  CHECK(ctxfold_next(object, &at, &key, &value) && is(key, "a\\\"}") && is(value, "[1, {\"b\":\"]\"}]"));
  ctxfold_text list = value;
  at = 0;
  CHECK(ctxfold_next(list, &at, &key, &value) && is(value, "1") && !key.data && ctxfold_next(list, &at, &key, &value) && !ctxfold_next(list, &at, &key, &value));
  for (const char *empty = "[] {}null \"x"; *empty; empty++) {
    at = 0;
    CHECK(*empty == '"' || !ctxfold_next((ctxfold_text){empty, 2}, &at, &key, &value));
  }
}

int main(void) {
  strings(), fits(), fails(), pauses(), goes_on(), volatile_histories(), redacts(), waits(), errors(), operations(), memory(), swollen(), traps(), threads();
  puts("all tests passed");
  return 0;
}
