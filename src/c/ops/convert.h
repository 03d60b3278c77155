/* convert.h - reads element i of a buffer of any dtype as a double. */
#ifndef GF_CONVERT_H
#define GF_CONVERT_H

#include "../glassformer.h"

double gf_read(const void *x, size_t i, int type);

#endif
