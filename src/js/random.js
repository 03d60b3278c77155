import { describe, expect, numberWhere, oneOf, optionsOf, wholeNumber } from './errors.js'
import { requireGrad } from './tensor.js'

/** @typedef {import('./engine.js').Engine} Engine */

/** @param {string} where @param {unknown} shape @returns {number[]} */
function checkShape(where, shape) {
  expect(Array.isArray(shape), 'type',
    () => `${where}: shape must be an array of numbers, got ${describe(shape)}`)
  return shape.map((side, axis) => wholeNumber(where, `shape[${axis}]`, side))
}

/**
 * Starts the random stream: torch.manual_seed. What follows has PyTorch's CPU values, bit for bit.
 * @param {Engine} engine
 * @param {number | bigint} seed a whole number from -2^63 to 2^64 - 1, beyond 2^53 as a bigint; only its low 32 bits
 *   count, as in PyTorch
 */
export function manualSeed(engine, seed) {
  expect(Number.isInteger(seed) || typeof seed === 'bigint', 'type',
    () => `manualSeed: seed must be a whole number, got ${describe(seed)}`)
  expect(typeof seed === 'bigint' || Number.isSafeInteger(seed), 'range',
    () => `manualSeed: seed must be below 2^53 as a number, where every one is exact, or else a bigint, got ${seed}`)
  expect(seed >= -(2n ** 63n) && seed < 2n ** 64n, 'range',
    () => `manualSeed: seed must be from -2^63 to 2^64 - 1, got ${seed}`)
  engine.c.gf_seed(engine.generator, Number(BigInt.asUintN(32, BigInt(seed))))
}

/**
 * Uniform in [0, 1): torch.rand.
 * @param {Engine} engine @param {readonly number[]} shape
 * @param {{ requiresGrad?: boolean, dtype?: 'float32' | 'float64' }} [options] requiresGrad: false; dtype: 'float32'
 */
export function rand(engine, shape, options) {
  const { requiresGrad = false, dtype = 'float32' } = optionsOf('rand', options, ['requiresGrad', 'dtype'])
  oneOf('rand', 'dtype', dtype, ['float32', 'float64'])
  const out = engine.empty(checkShape('rand', shape), dtype)
  if (dtype === 'float64') engine.c.gf_uniform_double(out.address, engine.generator, out.size)
  else engine.c.gf_uniform(out.address, engine.generator, out.size, 0, 1)
  return requireGrad(out, requiresGrad)
}

/**
 * Standard normal: torch.randn.
 * @param {Engine} engine @param {readonly number[]} shape
 * @param {{ requiresGrad?: boolean }} [options] requiresGrad: false
 */
export function randn(engine, shape, options) {
  const { requiresGrad = false } = optionsOf('randn', options, ['requiresGrad'])
  const out = engine.empty(checkShape('randn', shape))
  engine.c.gf_normal(out.address, engine.generator, out.size, 0, 1)
  return requireGrad(out, requiresGrad)
}

/**
 * Whole numbers from low to high - 1: torch.randint. An int32 tensor, or float64 where the numbers need it.
 * @param {Engine} engine @param {number} low @param {number} high @param {readonly number[]} shape
 */
export function randint(engine, low, high, shape) {
  for (const [name, value] of /** @type {const} */ ([['low', low], ['high', high]])) {
    numberWhere('randint', name, value, 'a whole number below 2^53', Number.isSafeInteger)
  }
  expect(high > low, 'range', () => `randint: high must be above low (${low}), got ${high}`)
  const sides = checkShape('randint', shape), wide = engine.empty(sides, 'float64')
  engine.c.gf_randint(wide.address, engine.generator, wide.size, low, high - low)
  if (low < -(2 ** 31) || high > 2 ** 31) return wide
  const out = engine.empty(sides, 'int32')
  out.values.set(wide.values)
  wide.dispose()
  return out
}

/** 0 .. n-1 in random order: torch.randperm. @param {Engine} engine @param {number} n */
export function randperm(engine, n) {
  const out = engine.empty([wholeNumber('randperm', 'n', n)], 'int32')
  engine.c.gf_randperm(out.address, engine.generator, n)
  return out
}

/**
 * Fills a tensor in place: torch.nn.init.uniform_. Bounds are rounded as PyTorch rounds them.
 * @param {import('./tensor.js').Tensor} tensor @param {number} low @param {number} high
 */
export function fillUniform(tensor, low, high) {
  const { engine } = tensor
  if (engine.drawsWeights) engine.c.gf_uniform(tensor.address, engine.generator, tensor.size, low, high)
  tensor.version++
  return tensor
}

/**
 * Fills a tensor in place: torch.nn.init.normal_.
 * @param {import('./tensor.js').Tensor} tensor @param {number} [mean] 0 @param {number} [std] 1
 */
export function fillNormal(tensor, mean = 0, std = 1) {
  const { engine } = tensor
  if (engine.drawsWeights) engine.c.gf_normal(tensor.address, engine.generator, tensor.size, mean, std)
  tensor.version++
  return tensor
}
