/* require.h - REQUIRE(condition): an assertion that prints its location and aborts. */
#ifndef REQUIRE_H
#define REQUIRE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../src/c/glassformer.h"

#define REQUIRE(condition)                                                    \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      abort();                                                                \
    }                                                                         \
  } while (0)

#endif
