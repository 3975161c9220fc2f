#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void write_text(writer *w, const char *data, size_t length) {
  if (w->failed || length == 0) return;
  if (length >= w->capacity - w->length) {
    size_t capacity = length < SIZE_MAX / 2 - w->length - 1 ? (w->length + length + 1) * 2 : 0;
    char *grown = capacity ? realloc(w->data, capacity) : NULL;
    if (!grown) {
      free(w->data);
      *w = (writer){.failed = true};
      return;
    }
    w->data = grown;
    w->capacity = capacity;
  }
  memcpy(w->data + w->length, data, length);
  w->length += length;
  w->data[w->length] = 0;
}

void write_string(writer *w, const char *text) { write_text(w, text, strlen(text)); }

void write_number(writer *w, uint64_t n) {
  char digits[24];
  snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
  write_string(w, digits);
}

void write_quoted(writer *w, ctxfold_text text) {
  write_text(w, "\"", 1);
  size_t from = 0;
  for (size_t i = 0; i < text.length; i++) {
    unsigned char b = (unsigned char)text.data[i];
    if (b >= 0x20 && b != '"' && b != '\\') continue;
    write_text(w, text.data + from, i - from);
    from = i + 1;
    char escape[8];
    snprintf(escape, sizeof escape, b < 0x20 ? "\\u%04x" : "\\%c", b);
    write_string(w, escape);
  }
  if (text.length > from) write_text(w, text.data + from, text.length - from);
  write_text(w, "\"", 1);
}

bool text_is(ctxfold_text text, const char *want) {
  return text.length == strlen(want) && (text.length == 0 || memcmp(text.data, want, text.length) == 0);
}

uint64_t number_of(ctxfold_text json) {
  uint64_t n = 0;
  for (size_t i = 0; i < json.length && json.data[i] >= '0' && json.data[i] <= '9'; i++) n = n * 10 + (uint64_t)(json.data[i] - '0');
  return n;
}

static size_t blank(ctxfold_text json, size_t at) {
  while (at < json.length && strchr(" \t\n\r", json.data[at]) && json.data[at]) at++;
  return at;
}

static size_t string_end(ctxfold_text json, size_t at) {
  for (at++; at < json.length && json.data[at] != '"'; at++)
    if (json.data[at] == '\\') at++;
  return at < json.length ? at + 1 : json.length;
}

/* Returns the offset after the value that begins at offset at. */
static size_t value_end(ctxfold_text json, size_t at) {
  size_t depth = 0;
  while (at < json.length) {
    char b = json.data[at];
    if (b == '"') {
      at = string_end(json, at);
    } else if (b == '{' || b == '[') {
      depth++, at++;
      continue;
    } else if (b == '}' || b == ']') {
      if (depth == 0) return at;
      depth--, at++;
    } else if (depth == 0 && (b == ',' || b == ' ' || b == '\t' || b == '\n' || b == '\r')) {
      return at;
    } else {
      at++;
      continue;
    }
    if (depth == 0) return at;
  }
  return json.length;
}

bool ctxfold_next(ctxfold_text json, size_t *at, ctxfold_text *key, ctxfold_text *value) {
  size_t start = blank(json, 0), p = *at;
  if (start == json.length || (json.data[start] != '{' && json.data[start] != '[')) return false;
  if (p == 0) {
    p = start + 1;
  } else {
    p = blank(json, p);
    if (p < json.length && json.data[p] == ',') p++;
  }
  p = blank(json, p);
  *key = (ctxfold_text){0};
  if (p < json.length && json.data[start] == '{') {
    if (json.data[p] != '"') return false;
    size_t end = string_end(json, p);
    *key = (ctxfold_text){json.data + p + 1, end - p - 2};
    p = blank(json, end);
    if (p < json.length && json.data[p] == ':') p = blank(json, p + 1);
  }
  size_t end = value_end(json, p);
  if (end == p) return false;
  *value = (ctxfold_text){json.data + p, end - p};
  *at = end;
  return true;
}

ctxfold_text ctxfold_member(ctxfold_text json, const char *key) {
  ctxfold_text name, value;
  for (size_t at = 0; ctxfold_next(json, &at, &name, &value);)
    if (name.data && text_is(name, key)) return value;
  return (ctxfold_text){0};
}

static unsigned hex(const char *p) {
  unsigned n = 0;
  for (int i = 0; i < 4; i++) {
    char b = p[i];
    n = n << 4 | (unsigned)(b <= '9' ? b - '0' : (b | 0x20) - 'a' + 10);
  }
  return n;
}

static char *put_rune(char *out, unsigned r) {
  if (r < 0x80) {
    *out++ = (char)r;
    return out;
  }
  if (r < 0x800) {
    *out++ = (char)(0xc0 | r >> 6);
  } else {
    if (r < 0x10000) {
      *out++ = (char)(0xe0 | r >> 12);
    } else {
      *out++ = (char)(0xf0 | r >> 18);
      *out++ = (char)(0x80 | (r >> 12 & 0x3f));
    }
    *out++ = (char)(0x80 | (r >> 6 & 0x3f));
  }
  *out++ = (char)(0x80 | (r & 0x3f));
  return out;
}

/* Decodes a JSON string. Answers contain only complete surrogate pairs; an incomplete one would become U+FFFD. */
char *ctxfold_string(ctxfold_text json, size_t *length) {
  if (json.length < 2 || json.data[0] != '"' || json.data[json.length - 1] != '"') return NULL;
  char *text = malloc(json.length), *out = text;
  if (!text) return NULL;
  const char *end = json.data + json.length - 1;
  for (const char *p = json.data + 1; p < end; p++) {
    if (*p != '\\' || ++p == end) {
      if (p < end) *out++ = *p;
      continue;
    }
    switch (*p) {
      case 'b': *out++ = '\b'; break;
      case 'f': *out++ = '\f'; break;
      case 'n': *out++ = '\n'; break;
      case 'r': *out++ = '\r'; break;
      case 't': *out++ = '\t'; break;
      case 'u': {
        if (end - p < 5) break;
        unsigned r = hex(p + 1);
        p += 4;
        if (r >= 0xd800 && r < 0xdc00 && end - p > 6 && p[1] == '\\' && p[2] == 'u') {
          unsigned low = hex(p + 3);
          if (low >= 0xdc00 && low < 0xe000) {
            r = 0x10000 + ((r - 0xd800) << 10) + (low - 0xdc00);
            p += 6;
          }
        }
        out = put_rune(out, r >= 0xd800 && r < 0xe000 ? 0xfffd : r);
        break;
      }
      default: *out++ = *p;
    }
  }
  *out = 0;
  if (length) *length = (size_t)(out - text);
  return text;
}

void ctxfold_free(void *buffer) { free(buffer); }
