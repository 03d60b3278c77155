// The tests of every operation: comparisons with PyTorch's numbers in the golden files, and with the float64 reference
// at many sizes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goldenCases } from '../golden/index.js'
import { casesOf } from './cases.js'
import { assertClose } from './compare.js'
import { evaluate, gf, toInputs, toTensor } from './engine.js'
import * as references from '../../src/reference/index.js'
import { sizeOf } from '../../src/reference/tensor.js'

function compareAll(actual, expected, options, label) {
  for (const [name, values] of Object.entries(expected)) {
    assertClose(actual[name], values, { ...options(name), name: `${label} ${name}` })
  }
}

/** Compares outputs and gradients with a golden case, within the tolerance of the case. */
export function checkGolden(run, item) {
  const { outputs, grads } = evaluate(run, item, Object.keys(item.grads ?? {}))
  const { rtol, tol } = item
  compareAll(outputs, item.outputs, () => ({ tol: tol.out, rtol }), 'output')
  compareAll(grads, item.grads ?? {}, () => ({ tol: tol.grad, rtol }), 'gradient of')
}

/** Compares an example with the reference; `bounds` computes a tolerance for every element of outputs and gradients. */
export function checkReference(reference, run, bounds, example) {
  const { inputs, params, cot } = example
  const expected = { outputs: reference.forward(inputs, params), grads: reference.backward(inputs, params, cot) }
  const actual = evaluate(run, example, Object.keys(expected.grads))
  const tolerances = bounds(example)
  const options = name => ({ tol: tolerances[name] })
  for (const [name, values] of Object.entries(actual.outputs)) {
    assertClose(values, expected.outputs[name], { ...options(name), name: `output ${name}` })
  }
  compareAll(actual.grads, expected.grads, options, 'gradient of')
}

/** The initial value of gradients in `checkAccumulation`. */
const INITIAL_GRADIENT = 8

/**
 * Checks that each kernel adds to the gradient that a leaf already has: a leaf may be used twice, or its gradient may
 * not have been cleared.
 */
export function checkAccumulation(reference, run, { inputs, params, cot }) {
  const names = Object.keys(reference.backward(inputs, params, cot))
  const [gradients, accumulated] = [0, INITIAL_GRADIENT].map(initial =>
    evaluate(run, { inputs, params, cot }, names, initial).grads)
  for (const name of names) {
    const expected = { ...gradients[name], data: Array.from(gradients[name].data, value => INITIAL_GRADIENT + value) }
    assertClose(accumulated[name], expected,
      { tol: 1e-4, rtol: 1e-4, name: `gradient of ${name}, which was ${INITIAL_GRADIENT} before,` })
  }
}

/** The number of cells of a tensor whose explanation is checked, and the size above which none is. */
const EXPLAINED_CELLS = 12, MAX_EXPLAINED_SIZE = 2000

/** Some indices of a shape, including the first and the last. @param {readonly number[]} shape */
function sampleIndices(shape) {
  const size = sizeOf(shape), step = Math.max(1, Math.floor((size - 1) / (EXPLAINED_CELLS - 1)))
  return size > MAX_EXPLAINED_SIZE ? [] : Array.from({ length: Math.min(size, EXPLAINED_CELLS) }, (_, i) => {
    let at = i === EXPLAINED_CELLS - 1 ? size - 1 : i * step
    return shape.map((_, axis) => {
      const stride = sizeOf(shape.slice(axis + 1)), index = Math.floor(at / stride)
      at -= index * stride
      return index
    })
  })
}

/** Asserts that an explanation has the stored value, and that its formula computes about the same. */
function assertExplained({ value, computed, terms }, stored, where) {
  assert.ok(Object.is(value, stored), `${where}: ${value} is not the cell ${stored}`)
  const size = 1 + Math.abs(value) + terms.reduce((sum, term) => sum + Math.abs(term.value), 0)
  const isClose = Object.is(value, computed) || (Number.isFinite(value) && Math.abs(value - computed) <= 4e-6 * size)
  assert.ok(isClose, `${where}: ${value}, computed ${computed}`)
}

/** Whether a trace has a gradient of a name. */
function hasGradient(trace, name) {
  try {
    return Boolean(trace.gradient(name))
  } catch (error) {
    assert.equal(error.code, 'state')
    return false
  }
}

/** Checks the explanations of the cells of all tensors in a trace, and of their gradients. */
export function checkExplanations(run, { inputs, params, cot = {} }, differentiableNames) {
  gf.tidy(() => {
    const { output, trace } = gf.trace(() => run(toInputs(inputs, differentiableNames), params))
    const samples = trace.names.map(name =>
      ({ name, tensor: trace.get(name), indices: sampleIndices(trace.get(name).shape) }))
    for (const { name, tensor, indices } of samples) for (const at of indices) {
      assertExplained(trace.explain(name, at), tensor.at(...at), `${name}[${at}]`)
    }
    for (const [name, gradient] of Object.entries(cot)) output[name].backward(toTensor(gradient))
    for (const { name, indices } of samples.filter(item => hasGradient(trace, item.name))) for (const at of indices) {
      assertExplained(trace.explainGradient(name, at), trace.gradient(name).at(...at), `d ${name}[${at}]`)
    }
    trace.dispose()
  })
}

/** Whether all inputs are finite: an infinite value is not the sum of terms that an explanation lists. */
const isFinite = ({ inputs }) =>
  Object.values(inputs).every(input => !input?.data || Array.from(input.data).every(Number.isFinite))

/**
 * Defines the tests of one operation.
 * run: calls the engine, (inputs, params) -> outputs by the reference's names.
 * bounds: example -> { name: number or array }, the tolerances of float32 against the reference.
 * golden: { stem: [operation names in that golden file] }
 */
export function testOp(op, { run, bounds, golden, examples = casesOf(op) }) {
  const reference = references[op]
  for (const [stem, names] of Object.entries(golden)) {
    for (const item of names.flatMap(name => goldenCases(stem, name))) {
      test(`${stem} ${item.id}: equals PyTorch's numbers`, () => checkGolden(run, item))
      // The golden tolerance is wide where PyTorch's float32 result is inaccurate; the bound on float32 is not.
      if (item.exact) test(`${stem} ${item.id}: equals exact numbers`, () => checkReference(reference, run, bounds, item))
      if (isFinite(item)) test(`${stem} ${item.id}: is explained`,
        () => checkExplanations(run, item, Object.keys(item.grads ?? {})))
    }
  }
  for (const example of examples) {
    test(`${op} ${example.name}: equals the reference`, () => checkReference(reference, run, bounds, example))
    test(`${op} ${example.name}: gradients accumulate`, () => checkAccumulation(reference, run, example))
    test(`${op} ${example.name}: is explained`, () => checkExplanations(run, example, Object.keys(
      reference.backward(example.inputs, example.params, example.cot))))
  }
}
