// Changes that no test can see: the rest of src/c.

/** @type {Record<string, string>} */
export default {
  'src/c/math.c: return x < 0.0 ? -rest : rest; [< -> <=]': 'asked only of numbers of at least 2^20, on either side of 0',
  'src/c/math.c: gf_i4 is_subnormal = x < GF_CONSTANT(0x1p-126f); [< -> <=]':
    'the smallest normal number times 2^23 is exact, and 23 is taken from its exponent again',
  'src/c/math.c: if (y[0] == 1.0f) return x; [0 -> 1]': 'all four are equal there',
  'src/c/math.c: if (y[0] == 2.0f) return x * x; [0 -> 1]': 'all four are equal there',
  'src/c/math.c: if (y[0] == 3.0f) return x * x * x; [0 -> 1]': 'all four are equal there',
  'src/c/math.c: if (__builtin_floorf(y) != y || y - y != 0.0f) return y - y != 0.0f ? 0 : -1; /* an infinity counts as even */ [1 -> 2]':
    'what is read of it is only whether it is below 0',
  'src/c/math.c: if (y - y != 0.0f) result = abs_x == 1.0f ? 1.0f : (abs_x > 1.0f) == (y > 0.0f) ? GF_INFINITY : 0.0f; [> -> >=]':
    'size is not 1 there, and y not 0',
  'src/c/math.c: else if (abs_x == 0.0f || abs_x == GF_INFINITY) result = (abs_x == 0.0f) == (y > 0.0f) ? 0.0f : GF_INFINITY; [> -> >=]':
    'y is not 0 there',
  'src/c/simd.h: float x = a[0] < a[2] ? a[2] : a[0], y = a[1] < a[3] ? a[3] : a[1]; [< -> <=]':
    'of two equal numbers either is the largest',
  'src/c/simd.h: return x < y ? y : x; [< -> <=]': 'of two equal numbers either is the largest',
  'src/c/math.h: GF_INLINE float gf_exp1(float x) { return gf_exp4(gf_splat(x))[0]; } [0 -> 1]':
    'all four are equal there',
  'src/c/glassformer.h: typedef enum { GF_OK = 0, GF_NO_MEMORY = -1, GF_BAD_INPUT = -2 } gf_status; [0 -> 1]':
    'it is told from the others by not being negative'
}
