/* Compacts a transcript: example WINDOW < transcript.json > shorter.json */
#include <ctxfold.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A real program would ask its model here, with ask->system and ask->prompt. */
static char *summarize(void *user, ctxfold_ask *ask) {
  (void)user, (void)ask;
  return strdup("## Goal\nFinish what the user asked for.\n\n## Progress\nThe \"first\" half is done.");
}

static ctxfold_text read_all(FILE *f) {
  size_t capacity = 1 << 16, length = 0, n;
  char *text = malloc(capacity);
  while (text && (n = fread(text + length, 1, capacity - length, f)) > 0) {
    length += n;
    if (length == capacity) text = realloc(text, capacity *= 2);
  }
  return (ctxfold_text){text, length};
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s WINDOW < transcript.json > shorter.json\n", argv[0]);
    return 2;
  }
  char policy[64];
  snprintf(policy, sizeof policy, "{\"window\":{\"tokens\":%d}}", atoi(argv[1]));
  ctxfold_instance *c = ctxfold_new(NULL);
  ctxfold_records *records = ctxfold_records_new();
  ctxfold_request request = {.policy = {policy, strlen(policy)}, .messages = read_all(stdin)};
  if (!c || !records || !request.messages.data) {
    fputs("there is no memory\n", stderr);
    return 2;
  }
  ctxfold_answer answer;
  if (ctxfold_fit(c, records, &request, summarize, NULL, &answer) != CTXFOLD_OK) {
    fprintf(stderr, "%s: %s (at %s, byte %zu of %s)\n", answer.code, answer.message, answer.path, answer.offset, answer.in);
    return 2;
  }
  fwrite(answer.messages.data, 1, answer.messages.length, stdout);
  ctxfold_text tokens = ctxfold_member(answer.report, "tokens");
  fprintf(stderr, "%.*s\n", (int)tokens.length, tokens.data);
  ctxfold_answer_free(&answer);
  free((char *)request.messages.data);
  ctxfold_records_delete(records);
  ctxfold_delete(c);
  return 0;
}
