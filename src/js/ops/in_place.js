import { describe, expect, expectNumber, expectOptions, formatShape } from '../errors.js'
import { unrecorded } from '../autograd/autograd.js'
import { fillNormal, fillUniform } from '../tensor/random.js'
import { sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { binaryFunctions } from './binary.js'
import { expectFloatTensor, expectTensor } from './checks.js'
import { composedFunctions } from './composed.js'
import { convertInto } from './convert.js'
import { indexAdd, indexCopy, indexFill, lerp } from './derived.js'
import { scatter, scatterAdd } from './gather.js'
import { expand, expectMovable } from './strided.js'
import { unaryFunctions } from './unary.js'
import { expectCellValue, maskedFill, tril, triu } from './where.js'

/**
 * Methods that overwrite their tensor and return it. None of them is recorded: a tensor that backward needs a gradient
 * of is refused, and a backward that reads an overwritten value is an error, as in PyTorch.
 */

/**
 * A tensor that may be overwritten.
 * @param {string} where @param {unknown} x @param {readonly unknown[]} rest the further arguments
 * @param {string} instead what to write for a tensor that is part of a computation
 */
export function expectWritable(where, x, rest, instead) {
  const tensor = expectTensor(where, 'x', x), { engine } = tensor
  expect(!engine.trace, 'state', () => `${where}: a trace shows each tensor with the values that operations used, so none can be ` +
    `overwritten while one is recorded; write ${instead}`)
  expect(!tensor.storage?.isCopyOfView, 'state', () => `${where}: ${describe(tensor)} is a copy here, while PyTorch would write through it ` +
    'to the tensor that it was taken from; write to that one, to a part of it with indexPut_, or to x.clone() if a copy is meant')
  if (!engine.gradEnabled) return tensor
  expect(!tensor.requiresGrad || tensor.node !== null, 'state', () => `${where}: a leaf that requires grad is used in an in-place ` +
    `operation; write gf.noGrad(() => x.${where}(…)) to change it without a gradient, or ${instead}`)
  expect(!tensor.requiresGrad, 'state', () => `${where}: ${describe(tensor)} was computed and requires a gradient, which in-place ` +
    `operations do not record here; write ${instead}`)
  expect(!rest.some(value => value instanceof Tensor && value.requiresGrad), 'state', () => `${where}: an argument requires a ` +
    `gradient, which in-place operations do not record here; write ${instead}`)
  return tensor
}

/** @param {Tensor} tensor */
function noteWrite(tensor) {
  tensor.touch()
  return tensor
}

/** Whether values of one type can be stored as another without a loss that PyTorch refuses. */
const RANKS = ['bool', 'int32', 'float32']

/** @param {string} where @param {Tensor} x @param {Tensor} result */
function store(where, x, result) {
  expect(sameShape(result.shape, x.shape), 'shape', () => `${where}: the result has shape ${formatShape(result.shape)}, which does not ` +
    `fit into x ${formatShape(x.shape)}`)
  expect(RANKS.indexOf(result.dtype) <= RANKS.indexOf(x.dtype), 'type', () => `${where}: the result is ${result.dtype}, which cannot be ` +
    `stored in ${describe(x)}; write x = x.${where.slice(0, -1)}(…)`)
  convertInto(x, result)
}

/**
 * The in-place form of a function of a tensor.
 * @param {string} name @param {(x: Tensor, ...rest: any[]) => Tensor} fn
 */
const inPlace = (name, fn) => (/** @type {Tensor} */ x, /** @type {any[]} */ ...rest) => {
  const where = `${name}_`, target = expectWritable(where, x, rest, `x = x.${name}(…)`), { engine } = target
  unrecorded(engine, () => engine.tidy(() => store(where, target, fn(target, ...rest))))
  return noteWrite(target)
}

/**
 * add and sub with PyTorch's factor alpha.
 * @param {'add' | 'sub'} name
 * @returns {(x: Tensor, other: Tensor | number, options: unknown) => Tensor}
 */
const withAlpha = name => (x, other, options) => {
  const { alpha = 1 } = expectOptions(`${name}_`, options, ['alpha'])
  expectNumber(`${name}_`, 'alpha', alpha, 'a number', () => true)
  return binaryFunctions[name](x, alpha === 1 ? other : typeof other === 'number' ? alpha * other : mul(other, alpha))
}

const { abs, clamp, exp, floor, log, neg, reciprocal, relu, round } = unaryFunctions
const { rsqrt, sigmoid, sign, sqrt, square, tanh } = unaryFunctions
const { ceil, trunc } = composedFunctions, { div, mul, pow } = binaryFunctions

/** The functions that have an in-place form, by name. @type {Record<string, (x: any, ...rest: any[]) => Tensor>} */
const FUNCTIONS = {
  abs, add: withAlpha('add'), ceil, clamp, div, exp, floor, indexAdd, indexCopy, indexFill, lerp, log, maskedFill, mul, neg, pow,
  reciprocal, relu, round, rsqrt, scatter, scatterAdd, sigmoid, sign, sqrt, square, sub: withAlpha('sub'), tanh,
  tril: (x, diagonal) => tril(x, diagonal), triu: (x, diagonal) => triu(x, diagonal), trunc
}

/**
 * Overwrites x with the values of another tensor, broadcast and converted: torch.Tensor.copy_.
 * @param {Tensor} x @param {Tensor} source
 */
function copy_(x, source) {
  const target = expectWritable('copy_', x, [source], 'x = source.clone()'), values = expectTensor('copy_', 'source', source)
  unrecorded(target.engine, () => target.engine.tidy(() =>
    convertInto(target, sameShape(values.shape, target.shape) ? values : expand(values, target.shape))))
  return noteWrite(target)
}

/** Overwrites all cells with one value: torch.Tensor.fill_. @param {Tensor} x @param {number | boolean} value */
function fill_(x, value) {
  const target = expectWritable('fill_', expectMovable('fill_', x), [], 'x = gf.fullLike(x, value)')
  target.values.fill(expectCellValue('fill_', value, target.dtype))
  return noteWrite(target)
}

/** Overwrites all cells with 0: torch.Tensor.zero_. @param {Tensor} x of any type */
function zero_(x) {
  const target = expectWritable('zero_', x, [], 'x = gf.zerosLike(x)')
  target.bytes.fill(0)
  return noteWrite(target)
}

/**
 * Overwrites all cells with normal random numbers: torch.Tensor.normal_.
 * @param {Tensor} x float32 @param {number} [mean] 0 @param {number} [std] 1
 */
function normal_(x, mean = 0, std = 1) {
  const target = expectWritable('normal_', expectFloatTensor('normal_', 'x', x), [], 'x = gf.normal(shape, { mean, std })')
  expectNumber('normal_', 'mean', mean, 'a finite number', Number.isFinite)
  expectNumber('normal_', 'std', std, 'a finite number >= 0', v => v >= 0 && v < Infinity)
  return noteWrite(fillNormal(target, mean, std))
}

/**
 * Overwrites all cells with uniform random numbers: torch.Tensor.uniform_.
 * @param {Tensor} x float32 @param {number} [from] 0 @param {number} [to] 1
 */
function uniform_(x, from = 0, to = 1) {
  const target = expectWritable('uniform_', expectFloatTensor('uniform_', 'x', x), [], 'x = gf.rand(shape)')
  for (const [name, value] of Object.entries({ from, to })) expectNumber('uniform_', name, value, 'a finite number', Number.isFinite)
  expect(from <= to, 'range', () => `uniform_: from must be at most to, got ${from} and ${to}`)
  return noteWrite(fillUniform(target, from, to))
}

/** The methods, by name. */
export const inPlaceMethods = {
  ...Object.fromEntries(Object.entries(FUNCTIONS).map(([name, fn]) => [`${name}_`, inPlace(name, fn)])), copy_, fill_, normal_,
  uniform_, zero_
}
