/* memory.c - the allocator as the library outside sees it. */
#include <stdlib.h>

#include "glassformer.h"

void *gf_alloc(size_t bytes) { return malloc(bytes ? bytes : 1); }
void gf_free(void *block) { free(block); }
