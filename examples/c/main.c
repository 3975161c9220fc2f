/* Compacts a transcript: example WINDOW < transcript.json > shorter.json */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctxfold.h"

/* A program would ask its model here, with the request's "system" and "prompt". */
static char *summarize(void *user, const char *request, size_t len) {
  (void)user, (void)request, (void)len;
  return strdup("## Goal\nFinish what the user asked for.\n\n## Progress\nThe \"first\" half is done.");
}

static char *read_all(FILE *f, size_t *len) {
  size_t cap = 1 << 16;
  char *text = malloc(cap);
  for (*len = 0; text; ) {
    size_t n = fread(text + *len, 1, cap - *len, f);
    if (n == 0) return text;
    *len += n;
    if (*len == cap) text = realloc(text, cap *= 2);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s WINDOW < transcript.json > shorter.json\n", argv[0]);
    return 2;
  }
  char policy[64];
  snprintf(policy, sizeof policy, "{\"window\":{\"tokens\":%d}}", atoi(argv[1]));
  size_t len, answer_len, n;
  char *messages = read_all(stdin, &len);
  ctxfold *c = ctxfold_new();
  if (!messages || !c) {
    fputs("there is no memory\n", stderr);
    return 2;
  }
  char *answer = ctxfold_compact(c, messages, len, policy, NULL, summarize, NULL, &answer_len);
  const char *shorter = answer ? ctxfold_member(answer, answer_len, "messages", &n) : NULL;
  if (!shorter) {
    fprintf(stderr, "%.*s\n", answer ? (int)answer_len : 0, answer ? answer : "");
    return 2;
  }
  fwrite(shorter, 1, n, stdout);
  const char *report = ctxfold_member(answer, answer_len, "report", &n);
  const char *tokens = ctxfold_member(report, n, "tokens", &n);
  fprintf(stderr, "%.*s\n", (int)n, tokens);
  free(answer);
  free(messages);
  ctxfold_delete(c);
  return 0;
}
