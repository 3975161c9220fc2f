/* Runs vectors: conformance FILE… Each request must return exactly the bytes of the answer in the file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctxfold.h"

static ctxfold_text read_file(const char *name) {
  FILE *f = fopen(name, "rb");
  if (!f || fseek(f, 0, SEEK_END) != 0) exit((perror(name), 2));
  ctxfold_text text = {NULL, (size_t)ftell(f)};
  char *data = malloc(text.length + 1);
  rewind(f);
  if (!data || fread(data, 1, text.length, f) != text.length) exit((perror(name), 2));
  fclose(f);
  text.data = data;
  return text;
}

/* Decodes base64 in place. */
static void decode(char *text, size_t *length) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  unsigned bits = 0, count = 0;
  size_t n = 0;
  for (size_t i = 0; i < *length && text[i] != '='; i++) {
    bits = bits << 6 | (unsigned)(strchr(letters, text[i]) - letters);
    if ((count += 6) >= 8) text[n++] = (char)(bits >> (count -= 8));
  }
  *length = n;
}

int main(int argc, char **argv) {
  ctxfold_instance *c = ctxfold_new(NULL);
  int run = 0, wrong = 0;
  for (int i = 1; c && i < argc; i++) {
    ctxfold_text file = read_file(argv[i]), key, vector;
    for (size_t at = 0; ctxfold_next(file, &at, &key, &vector);) {
      if (ctxfold_member(vector, "full").data) continue; /* only the full module gives this answer */
      size_t length, want_length;
      char *name = ctxfold_string(ctxfold_member(vector, "name"), NULL), *op = ctxfold_string(ctxfold_member(vector, "op"), NULL);
      char *request = ctxfold_string(ctxfold_member(vector, "request"), &length);
      if (!request && (request = ctxfold_string(ctxfold_member(vector, "request_base64"), &length))) decode(request, &length);
      char *want = ctxfold_string(ctxfold_member(vector, "answer"), &want_length);
      ctxfold_answer answer;
      ctxfold_call(c, op, request, length, &answer);
      if (answer.length != want_length || memcmp(answer.json, want, want_length) != 0) {
        printf("%s: %s: got %.200s\nwant %.200s\n", argv[i], name, answer.json ? answer.json : answer.message, want);
        wrong++;
      }
      run++;
      ctxfold_answer_free(&answer);
      free(name), free(op), free(request), free(want);
    }
    free((char *)file.data);
  }
  ctxfold_delete(c);
  printf("%d vectors, %d wrong\n", run, wrong);
  return run == 0 || wrong != 0;
}
