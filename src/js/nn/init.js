import { expect, expectNumber, expectOneOf, expectOptions, formatShape } from '../errors.js'
import { expectFloatTensor } from '../ops/checks.js'
import { fillNormal, fillUniform } from '../random.js'
import { sizeOf } from '../shape.js'

/**
 * torch.nn.init: fills tensors in place, from the engine's random stream as PyTorch does, and gives them back.
 *
 * @typedef {import('../tensor.js').Tensor} Tensor
 */

/** @param {string} where @param {Tensor} tensor */
const target = (where, tensor) => {
  expectFloatTensor(where, 'tensor', tensor).touch()
  return tensor
}

/** @param {string} where @param {string} name @param {number} value */
const finite = (where, name, value) => expectNumber(where, name, value, 'a finite number', Number.isFinite)

/** How many inputs and outputs a weight has. @param {string} where @param {Tensor} tensor */
function computeFans(where, tensor) {
  const { shape } = target(where, tensor), [out, into] = shape, field = sizeOf(shape.slice(2))
  expect(shape.length >= 2, 'shape', () => `${where}: tensor must have at least two axes, got ${formatShape(shape)}`)
  return { fanIn: into * field, fanOut: out * field }
}

const GAINS = /** @type {const} */ ({
  linear: 1, sigmoid: 1, tanh: 5 / 3, relu: Math.SQRT2, selu: 3 / 4
})

/**
 * What keeps the size of what goes through an activation: torch.nn.init.calculate_gain.
 * @param {'linear' | 'sigmoid' | 'tanh' | 'relu' | 'leakyRelu' | 'selu'} nonlinearity
 * @param {number} [slope] 0.01, of leakyRelu below 0
 */
export function calculateGain(nonlinearity, slope = 0.01) {
  const name = expectOneOf('calculateGain', 'nonlinearity', nonlinearity,
    /** @type {const} */ (['linear', 'sigmoid', 'tanh', 'relu', 'leakyRelu', 'selu']))
  return name === 'leakyRelu' ? Math.sqrt(2 / (1 + finite('calculateGain', 'slope', slope) ** 2)) : GAINS[name]
}

/** Uniform values from a to b. @param {Tensor} tensor @param {{ a?: number, b?: number }} [options] a: 0; b: 1 */
export function uniform_(tensor, options) {
  const { a = 0, b = 1 } = expectOptions('uniform_', options, ['a', 'b'])
  expect(finite('uniform_', 'a', a) <= finite('uniform_', 'b', b), 'range',
    () => `uniform_: a must be at most b, got ${a} and ${b}`)
  return fillUniform(target('uniform_', tensor), a, b)
}

/** Normal values. @param {Tensor} tensor @param {{ mean?: number, std?: number }} [options] mean: 0; std: 1 */
export function normal_(tensor, options) {
  const { mean = 0, std = 1 } = expectOptions('normal_', options, ['mean', 'std'])
  expectNumber('normal_', 'std', std, 'a number >= 0', v => v >= 0)
  return fillNormal(target('normal_', tensor), finite('normal_', 'mean', mean), std)
}

/**
 * Normal values between two bounds, by the inverse of their distribution. PyTorch's stream; the last bits may differ,
 * since its inverse error function runs in float32.
 * @param {Tensor} tensor @param {{ mean?: number, std?: number, a?: number, b?: number }} [options] mean: 0; std: 1; a:
 *   −2; b: 2, the bounds
 */
export function truncNormal_(tensor, options) {
  const where = 'truncNormal_', { mean = 0, std = 1, a = -2, b = 2 } = expectOptions(where, options,
    ['mean', 'std', 'a', 'b'])
  const { engine, size } = target(where, tensor)
  expectNumber(where, 'std', std, 'a number > 0', v => v > 0)
  for (const [name, value] of Object.entries({ mean, a, b })) finite(where, name, value)
  expect(a < b, 'range', () => `${where}: a must be below b, got ${a} and ${b}`)
  engine.c.gf_trunc_normal(tensor.dataPtr(), engine.generator, size, mean, std, a, b)
  return tensor
}

/** @param {string} where @param {Tensor} tensor @param {number} value */
function fill(where, tensor, value) {
  target(where, tensor).data.fill(value)
  return tensor
}

/** One value everywhere. @param {Tensor} tensor @param {number} value */
export const constant_ = (tensor, value) =>
  fill('constant_', tensor, expectNumber('constant_', 'value', value, 'a number', () => true))
/** Zeros. @param {Tensor} tensor */
export const zeros_ = tensor => fill('zeros_', tensor, 0)
/** Ones. @param {Tensor} tensor */
export const ones_ = tensor => fill('ones_', tensor, 1)

/** Ones on the diagonal and zeros beside. @param {Tensor} tensor [n, m] */
export function eye_(tensor) {
  const { shape } = target('eye_', tensor)
  expect(shape.length === 2, 'shape', () => `eye_: tensor must have two axes, got ${formatShape(shape)}`)
  const values = zeros_(tensor).data
  for (let i = 0; i < Math.min(...shape); i++) values[i * shape[1] + i] = 1
  return tensor
}

/** @param {string} where @param {Tensor} tensor @param {unknown} options */
function xavierStd(where, tensor, options) {
  const { gain = 1 } = expectOptions(where, options, ['gain']), { fanIn, fanOut } = computeFans(where, tensor)
  return finite(where, 'gain', gain) * Math.sqrt(2 / (fanIn + fanOut))
}

/**
 * Uniform values, as large as fan-in and fan-out together want it (Glorot and Bengio 2010).
 * @param {Tensor} tensor @param {{ gain?: number }} [options] gain: 1
 */
export function xavierUniform_(tensor, options) {
  const bound = Math.sqrt(3) * xavierStd('xavierUniform_', tensor, options)
  return fillUniform(tensor, -bound, bound)
}

/**
 * Normal values, as large as fan-in and fan-out together want it (Glorot and Bengio 2010).
 * @param {Tensor} tensor @param {{ gain?: number }} [options] gain: 1
 */
export const xavierNormal_ = (tensor, options) => fillNormal(tensor, 0, xavierStd('xavierNormal_', tensor, options))

/**
 * @typedef {{ a?: number, mode?: 'fanIn' | 'fanOut', nonlinearity?: Parameters<typeof calculateGain>[0] }}
 *   KaimingOptions a: 0, the slope of leakyRelu below 0; mode: 'fanIn'; nonlinearity: 'leakyRelu'
 */

/** @param {string} where @param {Tensor} tensor @param {unknown} options */
function kaimingStd(where, tensor, options) {
  const { a = 0, mode = 'fanIn', nonlinearity = 'leakyRelu' } = expectOptions(where, options, ['a', 'mode', 'nonlinearity'])
  const fan = computeFans(where, tensor)[expectOneOf(where, 'mode', mode, /** @type {const} */ (['fanIn', 'fanOut']))]
  return calculateGain(nonlinearity, finite(where, 'a', a)) / Math.sqrt(fan)
}

/** Uniform values for what follows a ReLU (He et al. 2015). @param {Tensor} tensor @param {KaimingOptions} [options] */
export function kaimingUniform_(tensor, options) {
  const bound = Math.sqrt(3) * kaimingStd('kaimingUniform_', tensor, options)
  return tensor.size ? fillUniform(tensor, -bound, bound) : tensor
}

/** Normal values for what follows a ReLU (He et al. 2015). @param {Tensor} tensor @param {KaimingOptions} [options] */
export function kaimingNormal_(tensor, options) {
  const std = kaimingStd('kaimingNormal_', tensor, options)
  return tensor.size ? fillNormal(tensor, 0, std) : tensor
}
