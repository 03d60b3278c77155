/* kernel_fuzz.c - libFuzzer: every family of kernels at drawn sizes and seeds, on blocks of exactly the size needed, so
 * that a kernel that reads or writes beyond them is caught by AddressSanitizer. Twice the same call gives the same bits.
 */
#define main digest_main
#include "digest.c"
#undef main

static uint32_t family(int which, int n, int keys) {
  uint32_t d = 2166136261u;
  switch (which) {
    case 0:
      return random_numbers(d, n);
    case 1:
      return stored_product(matrix_product(d, n), n);
    case 2:
      return curves(d, n);
    case 3:
      return rows(d, n);
    case 4:
      return attention(attention(d, n, keys, 5, 1), n, 7, n, 0);
    case 5:
      return tables(d, n);
    case 6:
      return steps(d, n);
    case 7:
      return moved(d, n);
    default:
      return elements(d, n);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4) return 0;
  uint32_t digests[2];
  for (int turn = 0; turn < 2; turn++) {
    gf_seed(&generator, data[3]);
    digests[turn] = family(data[0] % KERNELS, 1 + data[1] % 70, 1 + data[2] % 70);
  }
  if (digests[0] != digests[1]) abort();
  return 0;
}
