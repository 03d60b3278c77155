import { expect, expectNumber, expectOneOf, expectOptions, formatShape } from '../errors.js'
import { expectFloatTensor } from '../ops/checks.js'
import { fillNormal, fillUniform } from '../tensor/random.js'
import { sizeOf } from '../tensor/shape.js'

/**
 * torch.nn.init: functions that fill a tensor in place, with the engine's random numbers as PyTorch does, and return
 * it.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 */

/** @param {string} where @param {Tensor} tensor */
const touchTensor = (where, tensor) => {
  expectFloatTensor(where, 'tensor', tensor).touch()
  return tensor
}

/** @param {string} where @param {string} name @param {number} value */
const expectFinite = (where, name, value) => expectNumber(where, name, value, 'a finite number', Number.isFinite)

/** The numbers of inputs and outputs of a weight. @param {string} where @param {Tensor} tensor */
function computeFans(where, tensor) {
  const { shape } = touchTensor(where, tensor), [outputs, inputs] = shape, field = sizeOf(shape.slice(2))
  expect(shape.length >= 2, 'shape', () => `${where}: tensor must have at least two axes, got ${formatShape(shape)}`)
  return { fanIn: inputs * field, fanOut: outputs * field }
}

const GAINS = /** @type {const} */ ({
  linear: 1, sigmoid: 1, tanh: 5 / 3, relu: Math.SQRT2, selu: 3 / 4
})

/**
 * The recommended gain for weights before an activation: torch.nn.init.calculate_gain.
 * @param {'linear' | 'sigmoid' | 'tanh' | 'relu' | 'leakyRelu' | 'leaky_relu' | 'selu'} nonlinearity
 * @param {number} [slope] the negative slope of leakyRelu: 0.01
 */
export function calculateGain(nonlinearity, slope = 0.01) {
  const name = expectOneOf('calculateGain', 'nonlinearity', nonlinearity,
    /** @type {const} */ (['linear', 'sigmoid', 'tanh', 'relu', 'leakyRelu', 'leaky_relu', 'selu']))
  return name === 'leakyRelu' || name === 'leaky_relu' ? Math.sqrt(2 / (1 + expectFinite('calculateGain', 'slope', slope) ** 2)) : GAINS[name]
}

/**
 * Uniform values from a to b: torch.nn.init.uniform_.
 * @param {Tensor} tensor @param {{ a?: number, b?: number }} [options] a: 0; b: 1
 */
export function uniform_(tensor, options) {
  const { a = 0, b = 1 } = expectOptions('uniform_', options, ['a', 'b'])
  expect(expectFinite('uniform_', 'a', a) <= expectFinite('uniform_', 'b', b), 'range',
    () => `uniform_: a must be at most b, got ${a} and ${b}`)
  return fillUniform(touchTensor('uniform_', tensor), a, b)
}

/**
 * Normal values: torch.nn.init.normal_.
 * @param {Tensor} tensor @param {{ mean?: number, std?: number }} [options] mean: 0; std: 1
 */
export function normal_(tensor, options) {
  const { mean = 0, std = 1 } = expectOptions('normal_', options, ['mean', 'std'])
  expectNumber('normal_', 'std', std, 'a number >= 0', v => v >= 0)
  return fillNormal(touchTensor('normal_', tensor), expectFinite('normal_', 'mean', mean), std)
}

/**
 * Normal values between the bounds a and b: torch.nn.init.trunc_normal_. They come from PyTorch's random stream, but
 * the last bits may differ, since PyTorch computes the inverse error function in float32.
 * @param {Tensor} tensor @param {{ mean?: number, std?: number, a?: number, b?: number }} [options] mean: 0; std: 1;
 *   a: −2; b: 2
 */
export function truncNormal_(tensor, options) {
  const where = 'truncNormal_', { mean = 0, std = 1, a = -2, b = 2 } = expectOptions(where, options,
    ['mean', 'std', 'a', 'b'])
  const { engine } = touchTensor(where, tensor), size = tensor.numel()
  expectNumber(where, 'std', std, 'a number > 0', v => v > 0)
  for (const [name, value] of Object.entries({ mean, a, b })) expectFinite(where, name, value)
  expect(a < b, 'range', () => `${where}: a must be below b, got ${a} and ${b}`)
  engine.c.gf_trunc_normal(tensor.dataPtr(), engine.generator, size, mean, std, a, b)
  return tensor
}

/** @param {string} where @param {Tensor} tensor @param {number} value */
function fill(where, tensor, value) {
  touchTensor(where, tensor).data.fill(value)
  return tensor
}

/** One value everywhere: torch.nn.init.constant_. @param {Tensor} tensor @param {number} value */
export const constant_ = (tensor, value) =>
  fill('constant_', tensor, expectNumber('constant_', 'value', value, 'a number', () => true))
/** Zeros: torch.nn.init.zeros_. @param {Tensor} tensor */
export const zeros_ = tensor => fill('zeros_', tensor, 0)
/** Ones: torch.nn.init.ones_. @param {Tensor} tensor */
export const ones_ = tensor => fill('ones_', tensor, 1)

/** Ones on the diagonal, zeros elsewhere: torch.nn.init.eye_. @param {Tensor} tensor [n, m] */
export function eye_(tensor) {
  const { shape } = touchTensor('eye_', tensor)
  expect(shape.length === 2, 'shape', () => `eye_: tensor must have two axes, got ${formatShape(shape)}`)
  const values = zeros_(tensor).data
  for (let i = 0; i < Math.min(...shape); i++) values[i * shape[1] + i] = 1
  return tensor
}

/** @param {string} where @param {Tensor} tensor @param {unknown} options */
function xavierStd(where, tensor, options) {
  const { gain = 1 } = expectOptions(where, options, ['gain']), { fanIn, fanOut } = computeFans(where, tensor)
  return expectFinite(where, 'gain', gain) * Math.sqrt(2 / (fanIn + fanOut))
}

/**
 * Uniform values from −b to b with b = gain × √(6 / (fanIn + fanOut)) (Glorot and Bengio 2010):
 * torch.nn.init.xavier_uniform_.
 * @param {Tensor} tensor @param {{ gain?: number }} [options] gain: 1
 */
export function xavierUniform_(tensor, options) {
  const bound = Math.sqrt(3) * xavierStd('xavierUniform_', tensor, options)
  return fillUniform(tensor, -bound, bound)
}

/**
 * Normal values with std = gain × √(2 / (fanIn + fanOut)) (Glorot and Bengio 2010): torch.nn.init.xavier_normal_.
 * @param {Tensor} tensor @param {{ gain?: number }} [options] gain: 1
 */
export const xavierNormal_ = (tensor, options) => fillNormal(tensor, 0, xavierStd('xavierNormal_', tensor, options))

/**
 * @typedef {{ a?: number, mode?: 'fanIn' | 'fanOut' | 'fan_in' | 'fan_out', nonlinearity?: Parameters<typeof
 *   calculateGain>[0] }}
 *   KaimingOptions a: 0, the negative slope of leakyRelu; mode: 'fanIn'; nonlinearity: 'leakyRelu';
 *   names may be spelled as in PyTorch
 */

/** @param {string} where @param {Tensor} tensor @param {unknown} options */
function kaimingStd(where, tensor, options) {
  const { a = 0, mode = 'fanIn', nonlinearity = 'leakyRelu' } = expectOptions(where, options, ['a', 'mode', 'nonlinearity'])
  expectOneOf(where, 'mode', mode, ['fanIn', 'fanOut', 'fan_in', 'fan_out'])
  const { fanIn, fanOut } = computeFans(where, tensor), fan = /in/i.test(mode) ? fanIn : fanOut
  return calculateGain(nonlinearity, expectFinite(where, 'a', a)) / Math.sqrt(fan)
}

/**
 * Uniform values from −b to b with b = gain × √(3 / fan) (He et al. 2015): torch.nn.init.kaiming_uniform_.
 * @param {Tensor} tensor @param {KaimingOptions} [options]
 */
export function kaimingUniform_(tensor, options) {
  const bound = Math.sqrt(3) * kaimingStd('kaimingUniform_', tensor, options)
  return tensor.numel() ? fillUniform(tensor, -bound, bound) : tensor
}

/**
 * Normal values with std = gain / √fan (He et al. 2015): torch.nn.init.kaiming_normal_.
 * @param {Tensor} tensor @param {KaimingOptions} [options]
 */
export function kaimingNormal_(tensor, options) {
  const std = kaimingStd('kaimingNormal_', tensor, options)
  return tensor.numel() ? fillNormal(tensor, 0, std) : tensor
}

/**
 * Rows, or columns if there are more rows than columns, that are orthogonal to each other (Saxe et al. 2013):
 * torch.nn.init.orthogonal_. They are made from PyTorch's random stream in float64, so that the last bits may differ.
 * @param {Tensor} tensor at least two axes; those after the first count as one
 * @param {{ gain?: number }} [options] gain: 1,
 *   the length of the rows
 */
export function orthogonal_(tensor, options) {
  const { gain = 1 } = expectOptions('orthogonal_', options, ['gain']), { shape, engine } = touchTensor('orthogonal_', tensor)
  expect(shape.length >= 2, 'shape', () => `orthogonal_: tensor must have at least two axes, got ${formatShape(shape)}`)
  expectFinite('orthogonal_', 'gain', gain)
  if (!tensor.numel() || !engine.initializesWeights) return tensor
  const [rows] = shape, columns = tensor.numel() / rows
  const values = /** @type {Float32Array} */ (fillNormal(tensor).values)
  const areRows = rows < columns, count = areRows ? rows : columns, length = areRows ? columns : rows
  const at = (/** @type {number} */ n, /** @type {number} */ i) => (areRows ? n * columns + i : i * columns + n)
  const vectors = Array.from({ length: count }, (_, n) => Float64Array.from({ length }, (_, i) => values[at(n, i)]))
  vectors.forEach((vector, n) => makeOrthogonal(vector, vectors.slice(0, n)))
  vectors.forEach((vector, n) => vector.forEach((value, i) => { values[at(n, i)] = gain * value }))
  return tensor
}

/**
 * Takes the directions of other vectors away, twice since the first time leaves roundings, and makes the length 1.
 * @param {Float64Array} vector @param {Float64Array[]} others orthogonal to each other, of length 1
 */
function makeOrthogonal(vector, others) {
  for (const other of [...others, ...others]) {
    const along = vector.reduce((sum, value, i) => sum + value * other[i], 0)
    for (let i = 0; i < vector.length; i++) vector[i] -= along * other[i]
  }
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0))
  for (let i = 0; i < vector.length; i++) vector[i] /= length
}
