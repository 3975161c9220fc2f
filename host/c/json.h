/* Reads the JSON of answers and writes the JSON of requests. */
#ifndef CTXFOLD_JSON_H
#define CTXFOLD_JSON_H

#include "ctxfold.h"

/* A growing text buffer. If memory runs out, failed is set and data is NULL. */
typedef struct {
  char *data;
  size_t length, capacity;
  bool failed;
} writer;

void write_text(writer *w, const char *data, size_t length);
void write_string(writer *w, const char *text); /* zero-terminated */
void write_quoted(writer *w, ctxfold_text text);
void write_number(writer *w, uint64_t n);

bool text_is(ctxfold_text text, const char *want);

/* Returns the number at the start of json, or 0 if there is none. */
uint64_t number_of(ctxfold_text json);

#endif
