#include "wasm-rt.h"

#include <stdarg.h>
#include <stdlib.h>

#if WASM_RT_MEMCHECK_SIGNAL_HANDLER
#include <sys/mman.h>
#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif
#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif
#endif

enum { PAGE = 65536 };

_Thread_local jmp_buf *wasm_rt_target;

_Noreturn void wasm_rt_trap(wasm_rt_trap_t trap) {
  if (!wasm_rt_target) abort();
  longjmp(*wasm_rt_target, (int)trap);
}

const char *wasm_rt_strerror(wasm_rt_trap_t trap) {
  switch (trap) {
    case WASM_RT_TRAP_OOB: return "an access outside of the memory";
    case WASM_RT_TRAP_INT_OVERFLOW: return "an integer overflow";
    case WASM_RT_TRAP_DIV_BY_ZERO: return "a division by zero";
    case WASM_RT_TRAP_INVALID_CONVERSION: return "a conversion of what is no number";
    case WASM_RT_TRAP_UNREACHABLE: return "it gave up";
    case WASM_RT_TRAP_CALL_INDIRECT: return "a call of what is no function of this type";
    case WASM_RT_TRAP_EXHAUSTION: return "too many calls inside each other";
    case WASM_RT_TRAP_NONE: break;
  }
  return "no trap";
}

/* Function types, each as its numbers of parameters and results, followed by their types. */
enum { TYPES = 64, LENGTH = 32 };
static unsigned char types[TYPES][LENGTH];
static uint32_t known;

uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...) {
  unsigned char type[LENGTH] = {0};
  if (params + results + 2 > LENGTH) abort();
  type[0] = (unsigned char)params;
  type[1] = (unsigned char)results;
  va_list args;
  va_start(args, results);
  for (uint32_t i = 0; i < params + results; i++) type[2 + i] = (unsigned char)va_arg(args, wasm_rt_type_t);
  va_end(args);
  uint32_t i = 0;
  while (i < known && memcmp(types[i], type, LENGTH) != 0) i++;
  if (i == TYPES) abort();
  if (i == known) memcpy(types[known++], type, LENGTH);
  return i + 1;
}

#if WASM_RT_MEMCHECK_SIGNAL_HANDLER
/* The address range that an address, an offset and the widest access can reach. */
#define REACH ((size_t)(2ull << 32) + PAGE)

static uint8_t *first(size_t size) {
  uint8_t *data = mmap(NULL, REACH, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) return NULL;
  if (mprotect(data, size, PROT_READ | PROT_WRITE) == 0) return data;
  munmap(data, REACH);
  return NULL;
}

static uint8_t *more(uint8_t *data, size_t old, size_t size) {
  return mprotect(data + old, size - old, PROT_READ | PROT_WRITE) == 0 ? data : NULL;
}

static void give(uint8_t *data) {
  if (data) munmap(data, REACH);
}
#else
static uint8_t *first(size_t size) { return calloc(size, 1); }

static uint8_t *more(uint8_t *data, size_t old, size_t size) {
  data = realloc(data, size);
  if (data) memset(data + old, 0, size - old);
  return data;
}

static void give(uint8_t *data) { free(data); }
#endif

/* If memory cannot be allocated, the module's memory stays empty, and initializing it traps. */
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages) {
  *memory = (wasm_rt_memory_t){.max_pages = max_pages, .data = first((size_t)pages * PAGE)};
  if (memory->data) {
    memory->pages = pages;
    memory->size = (uint64_t)pages * PAGE;
  } else {
    memory->refused = true;
  }
}

uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t delta) {
  uint32_t old = memory->pages;
  if (delta == 0) return old;
  uint64_t pages = (uint64_t)old + delta, size = pages * PAGE;
  uint8_t *data = pages <= memory->max_pages && size <= SIZE_MAX ? more(memory->data, (size_t)memory->size, (size_t)size) : NULL;
  if (!data) {
    memory->refused = true;
    return UINT32_MAX;
  }
  memory->data = data;
  memory->pages = (uint32_t)pages;
  memory->size = size;
  return old;
}

void wasm_rt_free_memory(wasm_rt_memory_t *memory) {
  give(memory->data);
  memory->data = NULL;
}

/* If memory cannot be allocated, the table stays empty, and initializing it traps. */
void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t size, uint32_t max_size) {
  *table = (wasm_rt_funcref_table_t){.max_size = max_size, .data = calloc(size, sizeof *table->data)};
  if (table->data) table->size = size;
}

void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table) {
  free(table->data);
  table->data = NULL;
}
