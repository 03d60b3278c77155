/* memory.c - exports the allocator, and sets the stack pointer of a thread. */
#include <stdlib.h>

#include "glassformer.h"

void *gf_alloc(size_t bytes) { return malloc(bytes ? bytes : 1); }
void gf_free(void *block) { free(block); }

#ifdef __wasm_atomics__
void gf_set_stack(void *end) {
  __asm__ volatile(".globaltype __stack_pointer, i32\nlocal.get %0\nglobal.set __stack_pointer" : : "r"(end));
}
#endif
