/* kernel_fuzz.c - libFuzzer: every family of kernels at drawn sizes and seeds, on blocks of exactly the size needed, so
 * that a kernel that reads or writes beyond them is caught by AddressSanitizer. Twice the same call gives the same
 * bits.
 */
#define main digest_main
#include "digest.c"
#undef main

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4) return 0;
  uint32_t digests[2];
  for (int turn = 0; turn < 2; turn++) {
    gf_seed(&generator, data[3]);
    digests[turn] = digest_of(2166136261u, data[0] % KERNELS, 1 + data[1] % 70, 1 + data[2] % 70);
  }
  if (digests[0] != digests[1]) abort();
  return 0;
}
