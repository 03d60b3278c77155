import { expect, expectBoolean, expectNumber, expectOneOf, expectOptions, formatShape, expectInteger } from '../errors.js'
import { checkShape, expectFloatTensor, expectTensor } from '../ops/checks.js'
import { generatorAddress, readSeed } from './generator.js'
import { replaceLastSize } from './shape.js'
import { setRequiresGrad, tensor } from './from_values.js'
import { Tensor } from './tensor.js'
import { TENSOR_DTYPES } from './dtype.js'
import { convertInto } from '../ops/convert.js'

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('./generator.js').Generator} RandomGenerator a random stream other than the engine's own
 */

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
 * @param {{ requiresGrad?: boolean, dtype?: 'float32' | 'float64', generator?: RandomGenerator }} [options]
 *   requiresGrad: false; dtype: 'float32'; generator: the engine's own
 */
export function rand(engine, shape, options) {
  const sides = checkShape('rand', shape)
  const { requiresGrad = false, dtype = 'float32', generator } =
    expectOptions('rand', options, ['requiresGrad', 'dtype', 'generator'])
  const address = generatorAddress('rand', engine, generator)
  expectOneOf('rand', 'dtype', dtype, ['float32', 'float64'])
  const out = engine.empty(sides, dtype)
  if (dtype === 'float64') engine.c.gf_uniform_double(out.dataPtr(), address, out.numel())
  else engine.c.gf_uniform(out.dataPtr(), address, out.numel(), 0, 1)
  return setRequiresGrad(out, requiresGrad)
}

/**
 * Random numbers from the standard normal distribution: torch.randn.
 * @param {Engine} engine @param {readonly number[]} shape
 * @param {{ requiresGrad?: boolean, generator?: RandomGenerator }} [options] requiresGrad: false; generator: the
 *   engine's own
 */
export function randn(engine, shape, options) {
  const sides = checkShape('randn', shape)
  const { requiresGrad = false, generator } = expectOptions('randn', options, ['requiresGrad', 'generator'])
  const address = generatorAddress('randn', engine, generator), out = engine.empty(sides)
  engine.c.gf_normal(out.dataPtr(), address, out.numel(), 0, 1)
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
 * @param {{ generator?: RandomGenerator, dtype?: import('./dtype.js').DType }} [options] generator: the engine's own;
 *   dtype: as above
 */
export function randint(engine, low, high, shape, options) {
  for (const [name, value] of /** @type {const} */ ([['low', low], ['high', high]])) {
    expectNumber('randint', name, value, 'an integer below 2^53', Number.isSafeInteger)
  }
  expect(high > low, 'range', () => `randint: high must be above low (${low}), got ${high}`)
  const sides = checkShape('randint', shape)
  const { generator, dtype } = expectOptions('randint', options, ['generator', 'dtype'])
  const address = generatorAddress('randint', engine, generator)
  if (dtype !== undefined) expectOneOf('randint', 'dtype', dtype, TENSOR_DTYPES)
  const float64s = engine.empty(sides, 'float64')
  engine.c.gf_randint(float64s.dataPtr(), address, float64s.numel(), low, high - low)
  const type = dtype ?? (low < -(2 ** 31) || high > 2 ** 31 ? 'float64' : 'int32')
  if (type === 'float64') return float64s
  const out = engine.empty(sides, type)
  convertInto(out, float64s)
  float64s.dispose()
  return out
}

/**
 * Random numbers from a normal distribution: torch.normal.
 * @param {Engine} engine @param {readonly number[]} shape
 * @param {{ mean?: number, std?: number, requiresGrad?: boolean, generator?: RandomGenerator }} [options] mean: 0; std:
 *   1; requiresGrad: false; generator: the engine's own
 */
export function normal(engine, shape, options) {
  const { mean = 0, std = 1, requiresGrad = false, generator } =
    expectOptions('normal', options, ['mean', 'std', 'requiresGrad', 'generator'])
  const address = generatorAddress('normal', engine, generator)
  expectNumber('normal', 'mean', mean, 'a finite number', Number.isFinite)
  expectNumber('normal', 'std', std, 'a number >= 0', v => v >= 0 && v < Infinity)
  return setRequiresGrad(fillNormal(engine.empty(checkShape('normal', shape)), mean, std, address), requiresGrad)
}

/** @param {Engine} engine @param {string} where @param {any} p @returns {import('./tensor.js').Tensor} */
function toWeights(engine, where, p) {
  return expectFloatTensor(where, 'p', p instanceof Tensor ? p : tensor(engine, p, { dtype: 'float32' }, `${where}: p`))
}

/**
 * 1 with probability p, else 0, for each value p: torch.bernoulli.
 * @param {Engine} engine @param {import('./tensor.js').Tensor | import('./tensor.js').NestedArray} p
 * @param {{ generator?: RandomGenerator }} [options] generator: the engine's own
 */
export function bernoulli(engine, p, options) {
  const address = generatorAddress('bernoulli', engine, expectOptions('bernoulli', options, ['generator']).generator)
  const probabilities = toWeights(engine, 'bernoulli', p), wrong = probabilities.values.findIndex(v => !(v >= 0 && v <= 1))
  expect(wrong < 0, 'range',
    () => `bernoulli: p must hold numbers from 0 to 1, got ${probabilities.values[wrong]} at index ${wrong}`)
  const out = engine.empty(probabilities.shape)
  engine.c.gf_bernoulli(out.dataPtr(), address, probabilities.dataPtr(), out.numel())
  return out
}

/**
 * Samples classes with probabilities proportional to weights: torch.multinomial.
 * @param {Engine} engine @param {import('./tensor.js').Tensor | import('./tensor.js').NestedArrays} p [C] or [N, C],
 *   weights that need not sum to 1
 * @param {number} n samples per row
 * @param {{ replacement?: boolean, generator?: RandomGenerator }} [options] replacement: false, each class at most
 *   once; generator: the engine's own
 * @returns {import('./tensor.js').Tensor} int32, [n] or [N, n]
 */
export function multinomial(engine, p, n, options) {
  const { replacement = false, generator } = expectOptions('multinomial', options, ['replacement', 'generator'])
  const address = generatorAddress('multinomial', engine, generator)
  const weights = toWeights(engine, 'multinomial', p), { shape } = weights, C = shape.at(-1) ?? 0
  const values = /** @type {Float32Array} */ (weights.values)
  expect(shape.length === 1 || shape.length === 2, 'shape',
    () => `multinomial: p must have shape [C] or [N, C], got ${formatShape(shape)}`)
  expectBoolean('multinomial', 'replacement', replacement)
  expectInteger('multinomial', 'n', n, 1, replacement ? undefined : C)
  const wrong = values.findIndex(v => !(v >= 0 && v < Infinity))
  expect(wrong < 0, 'range',
    () => `multinomial: p must hold finite numbers >= 0, got ${values[wrong]} at index ${wrong}`)
  const rows = C ? weights.numel() / C : 0, sums = Array.from({ length: rows }, (_, r) =>
    values.subarray(r * C, (r + 1) * C).reduce((s, v) => s + v, 0))
  expect(sums.every(sum => sum > 0), 'range', () => 'multinomial: each row of p must have a number above 0')
  const out = engine.empty(replaceLastSize(shape, n), 'int32'), work = engine.scratch(2 * C)
  engine.c.gf_multinomial(out.dataPtr(), address, work, work + 4 * C, weights.dataPtr(), rows, C, n,
    Number(replacement))
  return out
}

/**
 * The integers 0 to n - 1 in random order: torch.randperm.
 * @param {Engine} engine @param {number} n
 * @param {{ generator?: RandomGenerator }} [options] generator: the engine's own
 */
export function randperm(engine, n, options) {
  expectInteger('randperm', 'n', n)
  const address = generatorAddress('randperm', engine, expectOptions('randperm', options, ['generator']).generator)
  const out = engine.empty([n], 'int32')
  engine.c.gf_randperm(out.dataPtr(), address, n)
  return out
}

/**
 * Fills a tensor in place: torch.nn.init.uniform_. Bounds are rounded as PyTorch rounds them.
 * @param {import('./tensor.js').Tensor} tensor @param {number} low @param {number} high
 */
export function fillUniform(tensor, low, high) {
  const { engine } = tensor
  if (engine.initializesWeights) engine.c.gf_uniform(tensor.dataPtr(), engine.generator, tensor.numel(), low, high)
  return tensor
}

/**
 * Fills a tensor in place: torch.nn.init.normal_.
 * @param {import('./tensor.js').Tensor} tensor @param {number} [mean] 0 @param {number} [std] 1
 * @param {number} [address] of a generator; the engine's own
 */
export function fillNormal(tensor, mean = 0, std = 1, address = tensor.engine.generator) {
  const { engine } = tensor
  if (engine.initializesWeights) engine.c.gf_normal(tensor.dataPtr(), address, tensor.numel(), mean, std)
  return tensor
}
