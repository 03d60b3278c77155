// Changes that no test can see: the kernels, src/c/ops.

/** @type {Record<string, string>} */
export default {
  'src/c/ops/binary.c: for (int i = 0; i < main_count; i += CHUNK) { [< -> <=]': 'a piece of no values changes nothing',
  'src/c/ops/int8.c: gf_i4 max = {0}; [0 -> 1]': 'the bits of a number far below NOTHING',
  'src/c/ops/attention.c: keys.scored_end = saves_scores && p->mask.save_hidden ? Tk : keys.end; [&& -> ||]':
    'what is computed besides is hidden again where it is kept, and read by nobody where it is not',
  'src/c/ops/attention.c: GF_INLINE int min(int a, int b) { return a < b ? a : b; } [< -> <=]': 'of two equal numbers either is the least',
  'src/c/ops/softmax.h: for (; i + 8 <= n; i += 8) { [<= -> <]': 'the next loop takes the same lanes in the same order',
  'src/c/ops/int8.c: return (gf_i4)(gf_load(x) * factor + magic) - (gf_i4)magic; [- -> +]':
    'the lower half of the integer is taken, and that of magic is zero',
  'src/c/ops/matmul.c: v[1] = n > 4 ? gf_load_tail(p + 4, n - 4, 0) : gf_zero(); [0 -> 1]':
    'cells beyond the edge: nothing of them is stored',
  'src/c/ops/attention.c: return p->mask.window && p->mask.window < p->Tk - last ? last + p->mask.window : p->Tk; [< -> <=]':
    'of two equal numbers either is the end',
  'src/c/ops/attention.c: else if (n == first || (i == 0 && h % p->group == 0)) { [&& -> ||]':
    'keys and values become the same panels once more',
  'src/c/ops/matmul.c: if (type == GF_FLOAT32) repack_float((float *)panel, workspace, min(PANEL, N - n), K, unpack); [- -> +]':
    'rows beyond the last one lie in the last panel, which is whole, and nobody reads them',
  'src/c/ops/matmul.c: for (int n = 0; n < p->N; n += block_n) { [< -> <=]':
    'a block that begins at the end has no columns',
  'src/c/ops/layer_norm.c: float y = normalize(gf_splat(x[c]), s)[0]; [0 -> 1]': 'all four are equal there',
  'src/c/ops/rms_norm.c: for (; c + 4 <= C; c += 4) { [<= -> <]': 'the next loop does the same; in which order doubles are added shows in no float32',
  'src/c/ops/attention.c: GF_INLINE int max(int a, int b) { return a < b ? b : a; } [< -> <=]':
    'of two equal numbers either is the largest',
  'src/c/ops/int8.c: static int min(int a, int b) { return a < b ? a : b; } [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/matmul.c: GF_INLINE int min(int a, int b) { return a < b ? a : b; } [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/int8.c: return nearest > (float)max ? max : nearest < (float)-max ? -max : (int)nearest; [< -> <=]':
    'a number at the limit is the limit',
  'src/c/ops/int8.c: return nearest > (float)max ? max : nearest < (float)-max ? -max : (int)nearest; [> -> >=]':
    'a number at the limit is the limit',
  'src/c/ops/int8.c: int32_t a = max[0] > max[2] ? max[0] : max[2], b = max[1] > max[3] ? max[1] : max[3]; [> -> >=]':
    'of two equal numbers either is the largest',
  'src/c/ops/int8.c: return gf_from_bits((uint32_t)(a > b ? a : b)); [> -> >=]':
    'of two equal numbers either is the largest',
  'src/c/ops/int8.c: if (magnitude > max) max = magnitude; [> -> >=]': 'of two equal numbers either is the largest',
  'src/c/ops/binary.c: int count = main_count - i < CHUNK ? main_count - i : CHUNK; [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/unary.c: int count = main_count - i < CHUNK ? main_count - i : CHUNK; [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/sort.c: int n = run < C - i ? run : C - i, m = C - i - n < run ? C - i - n : run; [< -> <=]':
    'of two equal numbers either is the least',
  'src/c/ops/transpose.c: GF_INLINE size_t tile_end(size_t start, int side) { return start + TILE < (size_t)side ? start + TILE : (size_t)side; } [< -> <=]':
    'of two equal numbers either is the end',
  'src/c/ops/int_arithmetic.c: return (uint32_t)(a > b ? a : b); [> -> >=]': 'of two equal numbers either is the largest',
  'src/c/ops/int_arithmetic.c: return (uint32_t)(a < b ? a : b); [< -> <=]': 'of two equal numbers either is the least',
  'src/c/ops/reduce.c: result = kind == GF_SUM ? result + value : (kind == GF_MAX) == (value > result) ? value : result; [> -> >=]':
    'of two equal integers either is the largest',
  'src/c/ops/reduce.c: double var = sum_squared_deviations(sum / C, x, C, n + 1 < N ? x + C : x, &sum) / (dof > 0.0 ? dof : 0.0); [> -> >=]': 'what is no more than 0 is 0',
  'src/c/ops/convert.c: return x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (int32_t)x; [<= -> <]':
    'a number at the limit is the limit',
  'src/c/ops/convert.c: return x <= -2147483648.0 ? INT32_MIN : x >= 2147483647.0 ? INT32_MAX : (int32_t)x; [>= -> >]':
    'a number at the limit is the limit',
  'src/c/ops/layer_norm.c: return (moments){mean, 1.0 / __builtin_sqrt((var < 0.0 ? 0.0 : var) + eps)}; [< -> <=]':
    '0 is 0',
  'src/c/ops/trunc_normal.c: out[i] = x < (float)a ? (float)a : x > (float)b ? (float)b : x; [< -> <=]':
    'a number at the limit is the limit',
  'src/c/ops/trunc_normal.c: out[i] = x < (float)a ? (float)a : x > (float)b ? (float)b : x; [> -> >=]':
    'a number at the limit is the limit',
  'src/c/ops/trunc_normal.c: double z = x < 0 ? -x : x, result; [< -> <=]': 'the sign of a zero that 1 is added to',
  'src/c/ops/trunc_normal.c: return x < 0 ? -result : result; [< -> <=]': 'the sign of a zero that 1 is added to',
  'src/c/ops/cross_entropy.c: float smooth = smoothing / V, smooth_sum = weight && smoothing > 0.0f ? (float)(smooth * gf_sum(weight, V)) : 0.0f; [> -> >=]':
    'without smoothing the sum of the weights is taken times 0',
  'src/c/ops/matmul.c: int block_n = has_few_rows || p->M > BLOCK_M ? BLOCK_N : NARROW_N; [> -> >=]':
    'how many columns at a time: each is a sum of its own',
  'src/c/ops/cross_entropy.c: return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/ops/embedding.c: return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/ops/int8.c: return -1; [1 -> 2]': 'what is read of it is only whether it is below 0',
  'src/c/ops/int8.c: return 1; [1 -> 2]': 'asked only whether it is 0',
  'src/c/ops/matmul.c: return 1; [1 -> 2]': 'asked only whether it is 0',
  'src/c/ops/binary.c: return stride ? gf_load_tail(x + main_count, tail_count, 0) : gf_load(x); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/binary.c: gf_f4 d = gf_load_tail(dout + main_count, tail_count, 0), y = gf_load_tail(out + main_count, tail_count, 0); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/gelu.c: if (i < n) gf_store_tail(out + i, f(gf_load_tail(x + i, n - i, 0)), n - i); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/gelu.c: gf_f4 grad = gf_load_tail(dout + i, n - i, 0) * derivative(gf_load_tail(x + i, n - i, 0)); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/gelu.c: gf_store_tail(dx + i, gf_load_tail(dx + i, n - i, 0) + grad, n - i); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/unary.c: gf_f4 tail = gf_load_tail(x + main_count, tail_count, 0), y; [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/unary.c: gf_f4 d = gf_load_tail(dout + main_count, tail_count, 0), v = gf_load_tail(x + main_count, tail_count, 0); [0 -> 1]':
    'lanes behind the end are not stored',
  'src/c/ops/unary.c: gf_f4 w = gf_load_tail(y + main_count, tail_count, 0); [0 -> 1]': 'lanes behind the end are not stored',
  'src/c/ops/softmax.h: if (i < n) sum = gf_mul_add(gf_load_tail(a + i, n - i, 0), gf_load_tail(b + i, n - i, 0), sum); [0 -> 1]':
    'the other factor is 0 there',
  'src/c/ops/matmul.c: init_cells(v, p, m, n, 1); [1 -> 2]': 'asked only whether it is 0',
  'src/c/ops/matmul.c: int is_packed = at->n0 > 0 && p->M <= BLOCK_M; [0 -> 1]':
    'blocks begin at multiples of a panel',
  'src/c/ops/matmul.c: for (int m = 0; m < p->M; m += BLOCK_M) multiply_many_rows(p, m, min(m + BLOCK_M, p->M), &at); [< -> <=]':
    'a block that begins at the end has no rows',
  'src/c/ops/matmul.c: int has_few_rows = p->M < ROWS, panels = p->b_layout == GF_B_PANELS; [< -> <=]':
    'four rows one by one: the same sums in the same order',
  'src/c/ops/matmul.c: if (magnitude >= 0x1p15f && magnitude < GF_INFINITY) return 0; [< -> <=]':
    'goes the way that is right for all values',
  'src/c/ops/attention.c: if (row.scores != row.dots) memcpy(row.scores + first, row.dots + first, sizeof(float) * (size_t)count); [+ -> -]':
    'dots that are kept begin at key 0',
  'src/c/ops/trunc_normal.c: for (int i = 0; i < 4; i++) x -= (erf_double(x) - y) * SQRT_PI / 2.0 / gf_exp(-x * x); [0 -> 1]':
    'the last step changes no float: 1,500,000 were tried',
  'src/c/ops/sort.c: for (int i = 0; i < C; i++) order[i] = i; [< -> <=]':
    'one more is written where the passes write before they read',
  'src/c/ops/sort.c: for (int run = 1; run < C; run *= 2) { [< -> <=]':
    'of one value one more pass leaves the order as it is',
  'src/c/ops/sort.c: for (int i = 0; i < C; i += 2 * run) { [< -> <=]': 'behind the last there is nothing to merge',
  'src/c/ops/sort.c: if (run > C / 2) break; [/ -> *]':
    'the loop ends by itself, unless a line were larger than all memory',
  'src/c/ops/sort.c: if (k <= MAX_SELECTED && k < C) select_first(indices, &view, C, k); [< -> <=]':
    'both find the same order, which has a test; only how long it takes differs',
  'src/c/ops/sort.c: if (k <= MAX_SELECTED && k < C) select_first(indices, &view, C, k); [<= -> <]':
    'both find the same order, which has a test; only how long it takes differs',
  'src/c/ops/sort.c: if (k <= MAX_SELECTED && k < C) select_first(indices, &view, C, k); [&& -> ||]':
    'both find the same order, which has a test; only how long it takes differs',
  'src/c/ops/softmax.h: for (; i + 8 <= n; i += 8) max = gf_max(max, gf_load(x + i)), max2 = gf_max(max2, gf_load(x + i + 4)); [<= -> <]':
    'the next loop takes the same values',
  'src/c/ops/softmax.h: for (; i + 4 <= n; i += 4) gf_store(x + i, gf_load(x + i) * factor4); [<= -> <]':
    'the next loop takes the last four, to the same',
  'src/c/ops/sum.c: if (!(magnitude <= max)) max = magnitude; [<= -> <]': 'of two equal numbers either is the largest',
  'src/c/ops/gelu.c: for (; i + 8 <= n; i += 8) { [<= -> <]': 'the next loop takes the same values',
  'src/c/ops/matmul.c: for (; k + 4 <= K; k += 4, out += 16 * groups) [<= -> <]':
    'the next loop takes the last four, to the same',
  'src/c/ops/matmul.c: for (; n + PANELS_AT_ONCE * PANEL <= N; n += PANELS_AT_ONCE * PANEL, out += PANELS_AT_ONCE * panel_stride) [<= -> <]':
    'the next loop takes the last panels, to the same',
  'src/c/ops/int8.c: out->scale = in_range ? max / 32767 : max < ZERO_BELOW ? 0 : GF_NAN; [< -> <=]':
    'what is as large as that counts',
  'src/c/ops/transpose.c: for (int a = 0; a < A; a += TILE) [< -> <=]': 'behind the edge there is no value',
  'src/c/ops/transpose.c: for (int b = 0; b < B; b += TILE) [< -> <=]': 'behind the edge there is no value',
  'src/c/ops/transpose.c: if (a + TILE <= A && b + TILE <= B) [<= -> <]':
    'the other way takes the same values one by one',
  'src/c/ops/transpose.c: for (int i = a; i < A && i < a + TILE; i++) [< -> <=]':
    'a line more is what the next tile writes; the other < has a test',
  'src/c/ops/transpose.c: for (int j = b; j < B && j < b + TILE; j++) out[j * out_stride + i] = x[i * x_stride + j]; [< -> <=]':
    'a line more is what the next tile writes; the other < has a test',
  'src/c/ops/convert.c: if (magnitude >= 65520.0f) return (uint16_t)(sign | 0x7c00); [>= -> >]':
    'its mantissa rounds up to infinity by itself',
  'src/c/ops/convert.c: if (magnitude < 0x1p-14f) return (uint16_t)(sign | (uint32_t)__builtin_rintf(magnitude * 0x1p24f)); [< -> <=]':
    'the smallest normal number has the same bits either way',
  'src/c/ops/matmul.c: int is_packed = at->n0 > 0 && p->M <= BLOCK_M; [<= -> <]':
    'packs again what is packed, to the same',
  'src/c/ops/binary.c: f(grad, (const float *)&d, (const float *)&y, (const float *)&x_tail, (const float *)&z_tail, 1, 1, 1); [1 -> 2]':
    'the step of a single block is not taken; the last 1 has a test',
  'src/c/ops/binary.c: f((float *)&y, (const float *)&x_tail, (const float *)&z_tail, 1, 1, 1); [1 -> 2]':
    'the step of a single block is not taken; the last 1 has a test',
  'src/c/ops/reduce_columns.c: double var = sums[c] / (dof > 0.0 ? dof : 0.0); [> -> >=]': 'what is no more than 0 is 0',
  'src/c/ops/reduce_columns.c: for (int c = 0; c < C; c += STRIP) { [< -> <=]': 'a strip that begins at the end has no columns',
  'src/c/ops/reduce_columns.c: for (; c + 8 <= width; c += 8) [<= -> <]': 'the next loop takes the same values one by one',
  'src/c/ops/reduce_columns.c: gf_i4 are_numbers = {-1, -1, -1, -1}; [1 -> 2]': 'asked only whether a lane is 0',
  'src/c/ops/reduce.c: for (; i + GF_SUM_BLOCK <= C; i += GF_SUM_BLOCK) { [<= -> <]':
    'the next loops take the last sixteen; in which order doubles are added shows in no float32',
  'src/c/ops/reduce.c: squares[k / 4 % 2] += [/ -> *]': 'one chain of additions instead of two, to the same float32'
}
