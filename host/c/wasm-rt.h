/* The runtime for C code written by wasm2c 1.0.32, as far as ctxfold's module needs it: one memory, one table, traps.
 *
 * Unlike the runtime that comes with wasm2c, it is fit for a library: it installs no signal handler and no signal stack, a trap ends only
 * the call of its own thread, and running out of memory is a trap instead of the end of the process. */
#ifndef WASM_RT_H_
#define WASM_RT_H_

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
#error "the translated module is C"
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define wasm_rt_memcpy __builtin_memcpy

/* Prefixed names, so that they don't clash with another module in the same program. */
#define wasm_rt_allocate_funcref_table ctxfold_rt_allocate_funcref_table
#define wasm_rt_allocate_memory ctxfold_rt_allocate_memory
#define wasm_rt_free_funcref_table ctxfold_rt_free_funcref_table
#define wasm_rt_free_memory ctxfold_rt_free_memory
#define wasm_rt_grow_memory ctxfold_rt_grow_memory
#define wasm_rt_register_func_type ctxfold_rt_register_func_type
#define wasm_rt_strerror ctxfold_rt_strerror
#define wasm_rt_target ctxfold_rt_target
#define wasm_rt_trap ctxfold_rt_trap

/* A memory reserves 8 GiB of addresses, as far as a 32-bit address plus an offset can reach. Only the part in use is accessible: an
 * access outside of it reads nothing and ends the process, but the module makes none. With CTXFOLD_CHECKED, with 32-bit pointers and on
 * Windows, every access is checked instead, and an invalid one is a trap. That doubles the code and is slower. */
#if !defined(CTXFOLD_CHECKED) && UINTPTR_MAX > 0xffffffff && !defined(_WIN32)
#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 1
#else
#define WASM_RT_MEMCHECK_SIGNAL_HANDLER 0
#endif

/* Nested calls are counted, so that they cannot overflow the thread's stack. The vectors need fewer than 50, however deeply a transcript
 * is nested, because Go's own stack is in the module's memory. */
#define WASM_RT_USE_STACK_DEPTH_COUNT 1
#define wasm_rt_call_stack_depth instance->w2c_memory.depth
#ifndef WASM_RT_MAX_CALL_STACK_DEPTH
#define WASM_RT_MAX_CALL_STACK_DEPTH 500
#endif

typedef enum {
  WASM_RT_TRAP_NONE,
  WASM_RT_TRAP_OOB,
  WASM_RT_TRAP_INT_OVERFLOW,
  WASM_RT_TRAP_DIV_BY_ZERO,
  WASM_RT_TRAP_INVALID_CONVERSION,
  WASM_RT_TRAP_UNREACHABLE,
  WASM_RT_TRAP_CALL_INDIRECT,
  WASM_RT_TRAP_EXHAUSTION,
} wasm_rt_trap_t;

typedef enum { WASM_RT_I32, WASM_RT_I64, WASM_RT_F32, WASM_RT_F64, WASM_RT_FUNCREF, WASM_RT_EXTERNREF } wasm_rt_type_t;

typedef void (*wasm_rt_function_ptr_t)(void);

typedef struct {
  uint32_t func_type;
  wasm_rt_function_ptr_t func;
  void *module_instance;
} wasm_rt_funcref_t;

typedef struct {
  wasm_rt_funcref_t *data;
  uint32_t max_size, size;
} wasm_rt_funcref_table_t;

/* The translated code mentions these types but never uses them. */
typedef void *wasm_rt_externref_t;
typedef struct {
  wasm_rt_externref_t *data;
  uint32_t max_size, size;
} wasm_rt_externref_table_t;
static const wasm_rt_externref_t wasm_rt_externref_null_value = 0;

/* A page is 64 KiB. size counts bytes and may be 4 GiB. depth counts the instance's nested calls; it is stored here because every
 * function has the memory at hand. refused is set if the memory could not grow, because of max_pages or because none was left. */
typedef struct {
  uint8_t *data;
  uint32_t pages, max_pages;
  uint64_t size;
  uint32_t depth;
  bool refused;
} wasm_rt_memory_t;

/* The jump target for a trap in this thread: set before a call, NULL outside of one. setjmp returns the wasm_rt_trap_t. */
extern _Thread_local jmp_buf *wasm_rt_target;

_Noreturn void wasm_rt_trap(wasm_rt_trap_t trap);
const char *wasm_rt_strerror(wasm_rt_trap_t trap);

static inline bool wasm_rt_is_initialized(void) { return true; }
uint32_t wasm_rt_register_func_type(uint32_t params, uint32_t results, ...);

void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint32_t pages, uint32_t max_pages);
uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint32_t pages);
void wasm_rt_free_memory(wasm_rt_memory_t *memory);

void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t size, uint32_t max_size);
void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table);

#endif
