/* Code that the tests share. A test is linked with the static library. The environment variable SAMPLE names the sample session. */
#ifndef CTXFOLD_TEST_CHECK_H
#define CTXFOLD_TEST_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctxfold.h"

/* Ends the program with status 1 if a condition does not hold. */
#define CHECK(what)                                                      \
  do {                                                                   \
    if (!(what)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #what); \
      exit(1);                                                           \
    }                                                                    \
  } while (0)

static inline bool is(ctxfold_text text, const char *want) { return text.length == strlen(want) && memcmp(text.data, want, text.length) == 0; }

/* Returns the messages of the sample session, without the line feed at their end. */
static inline ctxfold_text sample(void) {
  static char text[1 << 20];
  static size_t length;
  if (!length) {
    FILE *f = fopen(getenv("SAMPLE"), "rb");
    CHECK(f);
    length = fread(text, 1, sizeof text, f);
    fclose(f);
    CHECK(length > 100000 && length < sizeof text);
    while (text[length - 1] == '\n') length--;
  }
  return (ctxfold_text){text, length};
}

#endif
