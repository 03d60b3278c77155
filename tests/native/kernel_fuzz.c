/* kernel_fuzz.c - fuzzes every family of kernels with libFuzzer, at random sizes and seeds. Buffers have exactly the
 * size needed, so AddressSanitizer reports reads and writes beyond them. Repeating a call must give the same bits.
 */
#define main digest_main
#include "digest.c"
#undef main

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4) return 0;
  uint32_t digests[2];
  for (int run = 0; run < 2; run++) {
    gf_seed(&generator, data[3]);
    digests[run] = digest_of(2166136261u, data[0] % KERNELS, 1 + data[1] % 70, 1 + data[2] % 70);
  }
  if (digests[0] != digests[1]) abort();
  return 0;
}
