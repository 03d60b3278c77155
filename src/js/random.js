import { describe, expect, expectBoolean, expectNumber, expectOneOf, expectOptions, formatShape, expectInteger } from './errors.js'
import { checkShape, expectFloatTensor, expectTensor } from './ops/checks.js'
import { replaceLastSize } from './shape.js'
import { setRequiresGrad, tensor } from './from_values.js'
import { Tensor } from './tensor.js'

/** @typedef {import('./engine.js').Engine} Engine */

/**
 * The low 32 bits of a seed, which PyTorch's generator uses.
 * @param {string} where @param {any} seed
 */
export function readSeed(where, seed) {
  expect(Number.isInteger(seed) || typeof seed === 'bigint', 'type',
    () => `${where}: seed must be an integer, got ${describe(seed)}`)
  expect(typeof seed === 'bigint' || Number.isSafeInteger(seed), 'range',
    () => `${where}: seed must be a bigint from 2^53 on, such as 2n ** 63n, got ${seed}`)
  expect(seed >= -(2n ** 63n) && seed < 2n ** 64n, 'range',
    () => `${where}: seed must be from -2^63 to 2^64 - 1, got ${describe(seed)}`)
  return Number(BigInt.asUintN(32, BigInt(seed)))
}

/**
 * Seeds the random generator: torch.manual_seed. The numbers that follow are PyTorch's CPU values, bit for bit.
 * @param {Engine} engine
 * @param {number | bigint} seed an integer from -2^63 to 2^64 - 1, beyond 2^53 as a bigint; only its low 32 bits
 *   count, as in PyTorch
 * @example
 * gf.manualSeed(42)                               // torch.manual_seed(42); torch.rand(2): the same numbers
 * gf.rand([2])                                    // [0.8823, 0.915]
 */
export function manualSeed(engine, seed) {
  engine.c.gf_seed(engine.generator, readSeed('manualSeed', seed))
}

/**
 * Random numbers, uniform in [0, 1): torch.rand.
 * @param {Engine} engine @param {readonly number[]} shape
 * @param {{ requiresGrad?: boolean, dtype?: 'float32' | 'float64' }} [options] requiresGrad: false; dtype: 'float32'
 */
export function rand(engine, shape, options) {
  const sides = checkShape('rand', shape)
  const { requiresGrad = false, dtype = 'float32' } = expectOptions('rand', options, ['requiresGrad', 'dtype'])
  expectOneOf('rand', 'dtype', dtype, ['float32', 'float64'])
  const out = engine.empty(sides, dtype)
  if (dtype === 'float64') engine.c.gf_uniform_double(out.dataPtr(), engine.generator, out.size)
  else engine.c.gf_uniform(out.dataPtr(), engine.generator, out.size, 0, 1)
  return setRequiresGrad(out, requiresGrad)
}

/**
 * Random numbers from the standard normal distribution: torch.randn.
 * @param {Engine} engine @param {readonly number[]} shape
 * @param {{ requiresGrad?: boolean }} [options] requiresGrad: false
 */
export function randn(engine, shape, options) {
  const sides = checkShape('randn', shape), { requiresGrad = false } = expectOptions('randn', options, ['requiresGrad'])
  const out = engine.empty(sides)
  engine.c.gf_normal(out.dataPtr(), engine.generator, out.size, 0, 1)
  return setRequiresGrad(out, requiresGrad)
}

/**
 * Random numbers, uniform in [0, 1), with the shape of x: torch.rand_like.
 * @param {Tensor} x float32 or float64 @param {Parameters<typeof rand>[2]} [options] requiresGrad: false; dtype: x's
 */
export function randLike(x, options) {
  const { engine, shape, dtype } = expectTensor('randLike', 'x', x)
  return rand(engine, shape, { dtype: /** @type {any} */ (dtype), ...expectOptions('randLike', options, ['requiresGrad', 'dtype']) })
}

/**
 * Random numbers from the standard normal distribution with the shape of x: torch.randn_like.
 * @param {Tensor} x float32 @param {Parameters<typeof randn>[2]} [options] requiresGrad: false
 */
export function randnLike(x, options) {
  const { engine, shape } = expectFloatTensor('randnLike', 'x', x)
  return randn(engine, shape, expectOptions('randnLike', options, ['requiresGrad']))
}

/**
 * Random integers from low to high - 1: torch.randint. int32, or float64 if the numbers do not fit into int32.
 * @param {Engine} engine @param {number} low @param {number} high @param {readonly number[]} shape
 */
export function randint(engine, low, high, shape) {
  for (const [name, value] of /** @type {const} */ ([['low', low], ['high', high]])) {
    expectNumber('randint', name, value, 'an integer below 2^53', Number.isSafeInteger)
  }
  expect(high > low, 'range', () => `randint: high must be above low (${low}), got ${high}`)
  const sides = checkShape('randint', shape), float64s = engine.empty(sides, 'float64')
  engine.c.gf_randint(float64s.dataPtr(), engine.generator, float64s.size, low, high - low)
  if (low < -(2 ** 31) || high > 2 ** 31) return float64s
  const out = engine.empty(sides, 'int32')
  out.values.set(float64s.values)
  float64s.dispose()
  return out
}

/**
 * Random numbers from a normal distribution: torch.normal.
 * @param {Engine} engine @param {readonly number[]} shape
 * @param {{ mean?: number, std?: number, requiresGrad?: boolean }} [options] mean: 0; std: 1; requiresGrad: false
 */
export function normal(engine, shape, options) {
  const { mean = 0, std = 1, requiresGrad = false } = expectOptions('normal', options, ['mean', 'std', 'requiresGrad'])
  expectNumber('normal', 'mean', mean, 'a finite number', Number.isFinite)
  expectNumber('normal', 'std', std, 'a number >= 0', v => v >= 0 && v < Infinity)
  return setRequiresGrad(fillNormal(engine.empty(checkShape('normal', shape)), mean, std), requiresGrad)
}

/** @param {Engine} engine @param {string} where @param {any} p @returns {import('./tensor.js').Tensor} */
function toWeights(engine, where, p) {
  return expectFloatTensor(where, 'p', p instanceof Tensor ? p : tensor(engine, p, { dtype: 'float32' }, `${where}: p`))
}

/**
 * 1 with probability p, else 0, for each value p: torch.bernoulli.
 * @param {Engine} engine @param {import('./tensor.js').Tensor | import('./tensor.js').NestedArray} p
 */
export function bernoulli(engine, p) {
  const probabilities = toWeights(engine, 'bernoulli', p), wrong = probabilities.values.findIndex(v => !(v >= 0 && v <= 1))
  expect(wrong < 0, 'range',
    () => `bernoulli: p must hold numbers from 0 to 1, got ${probabilities.values[wrong]} at index ${wrong}`)
  const out = engine.empty(probabilities.shape)
  engine.c.gf_bernoulli(out.dataPtr(), engine.generator, probabilities.dataPtr(), out.size)
  return out
}

/**
 * Samples classes with probabilities proportional to weights: torch.multinomial.
 * @param {Engine} engine @param {import('./tensor.js').Tensor | import('./tensor.js').NestedArrays} p [C] or [N, C],
 *   weights that need not sum to 1
 * @param {number} n samples per row
 * @param {{ replacement?: boolean }} [options] replacement: false, each class at most once
 * @returns {import('./tensor.js').Tensor} int32, [n] or [N, n]
 */
export function multinomial(engine, p, n, options) {
  const { replacement = false } = expectOptions('multinomial', options, ['replacement'])
  const weights = toWeights(engine, 'multinomial', p), { shape } = weights, C = shape.at(-1) ?? 0
  const values = /** @type {Float32Array} */ (weights.values)
  expect(shape.length === 1 || shape.length === 2, 'shape',
    () => `multinomial: p must have shape [C] or [N, C], got ${formatShape(shape)}`)
  expectBoolean('multinomial', 'replacement', replacement)
  expectInteger('multinomial', 'n', n, 1, replacement ? undefined : C)
  const wrong = values.findIndex(v => !(v >= 0 && v < Infinity))
  expect(wrong < 0, 'range',
    () => `multinomial: p must hold finite numbers >= 0, got ${values[wrong]} at index ${wrong}`)
  const rows = C ? weights.size / C : 0, sums = Array.from({ length: rows }, (_, r) =>
    values.subarray(r * C, (r + 1) * C).reduce((s, v) => s + v, 0))
  expect(sums.every(sum => sum > 0), 'range', () => 'multinomial: each row of p must have a number above 0')
  const out = engine.empty(replaceLastSize(shape, n), 'int32'), work = engine.scratch(2 * C)
  engine.c.gf_multinomial(out.dataPtr(), engine.generator, work, work + 4 * C, weights.dataPtr(), rows, C, n,
    Number(replacement))
  return out
}

/** The integers 0 to n - 1 in random order: torch.randperm. @param {Engine} engine @param {number} n */
export function randperm(engine, n) {
  const out = engine.empty([expectInteger('randperm', 'n', n)], 'int32')
  engine.c.gf_randperm(out.dataPtr(), engine.generator, n)
  return out
}

/**
 * Fills a tensor in place: torch.nn.init.uniform_. Bounds are rounded as PyTorch rounds them.
 * @param {import('./tensor.js').Tensor} tensor @param {number} low @param {number} high
 */
export function fillUniform(tensor, low, high) {
  const { engine } = tensor
  if (engine.initializesWeights) engine.c.gf_uniform(tensor.dataPtr(), engine.generator, tensor.size, low, high)
  return tensor
}

/**
 * Fills a tensor in place: torch.nn.init.normal_.
 * @param {import('./tensor.js').Tensor} tensor @param {number} [mean] 0 @param {number} [std] 1
 */
export function fillNormal(tensor, mean = 0, std = 1) {
  const { engine } = tensor
  if (engine.initializesWeights) engine.c.gf_normal(tensor.dataPtr(), engine.generator, tensor.size, mean, std)
  return tensor
}
