// The tests every op has: PyTorch's numbers from the golden files, and the float64 reference at many sizes.
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

/** A golden case: outputs and gradients within the case's own tolerance. */
export function checkGolden(run, item) {
  const { outputs, grads } = evaluate(run, item, Object.keys(item.grads ?? {}))
  const { rtol, tol } = item
  compareAll(outputs, item.outputs, () => ({ tol: tol.out, rtol }), 'output')
  compareAll(grads, item.grads ?? {}, () => ({ tol: tol.grad, rtol }), 'gradient of')
}

/** An example against the reference; `bounds` gives each output and gradient its tolerance, element by element. */
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

/** What a leaf's gradient holds before. */
const BEGUN = 8

/** Every gradient is added to what is there, by each kernel for itself: a leaf may be used twice, or not be cleared. */
export function checkAdds(reference, run, { inputs, params, cot }) {
  const names = Object.keys(reference.backward(inputs, params, cot))
  const [alone, after] = [0, BEGUN].map(begun => evaluate(run, { inputs, params, cot }, names, begun).grads)
  for (const name of names) {
    const expected = { ...alone[name], data: Array.from(alone[name].data, value => BEGUN + value) }
    assertClose(after[name], expected, { tol: 1e-4, rtol: 1e-4, name: `gradient of ${name}, which was ${BEGUN} before,` })
  }
}

/** Cells that are asked of a tensor, and tensors that are too large to be asked. */
const ASKED = 12, MOST = 2000

/** Some places of a shape, the first and the last among them. @param {readonly number[]} shape */
function placesOf(shape) {
  const size = sizeOf(shape), step = Math.max(1, Math.floor((size - 1) / (ASKED - 1)))
  return size > MOST ? [] : Array.from({ length: Math.min(size, ASKED) }, (_, i) => {
    let at = i === ASKED - 1 ? size - 1 : i * step
    return shape.map((_, axis) => {
      const below = sizeOf(shape.slice(axis + 1)), index = Math.floor(at / below)
      at -= index * below
      return index
    })
  })
}

/** What is said of a value is what it is. */
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

/** The cells of all that was made on the way explain themselves, and so do their gradients. */
export function checkExplained(run, { inputs, params, cot = {} }, differentiable) {
  gf.tidy(() => {
    const { output, trace } = gf.trace(() => run(toInputs(inputs, differentiable), params))
    const asked = trace.names.map(name => ({ name, tensor: trace.get(name), places: placesOf(trace.get(name).shape) }))
    for (const { name, tensor, places } of asked) for (const at of places) {
      assertExplained(trace.explain(name, at), tensor.at(...at), `${name}[${at}]`)
    }
    for (const [name, gradient] of Object.entries(cot)) output[name].backward(toTensor(gradient))
    for (const { name, places } of asked.filter(one => hasGradient(trace, one.name))) for (const at of places) {
      assertExplained(trace.explainGradient(name, at), trace.gradient(name).at(...at), `d ${name}[${at}]`)
    }
    trace.dispose()
  })
}

/** What is infinite has no sum that it could be explained by. */
const isFinite = ({ inputs }) =>
  Object.values(inputs).every(one => !one?.data || Array.from(one.data).every(Number.isFinite))

/**
 * run: calls the engine, (inputs, params) -> outputs, under the reference's names.
 * bounds: example -> { name: number or array }, how far float32 may be from the reference.
 * golden: { stem: [op names in that golden file] }
 */
export function testOp(op, { run, bounds, golden, examples = casesOf(op) }) {
  const reference = references[op]
  for (const [stem, names] of Object.entries(golden)) {
    for (const item of names.flatMap(name => goldenCases(stem, name))) {
      test(`${stem} ${item.id}: PyTorch's numbers`, () => checkGolden(run, item))
      // Where PyTorch's own float32 is a poor judge the golden tolerance is wide; the bound on float32 is not.
      if (item.exact) test(`${stem} ${item.id}: exact numbers`, () => checkReference(reference, run, bounds, item))
      if (isFinite(item)) test(`${stem} ${item.id}: explained`, () => checkExplained(run, item, Object.keys(item.grads ?? {})))
    }
  }
  for (const example of examples) {
    test(`${op} ${example.name}: the reference's numbers`, () => checkReference(reference, run, bounds, example))
    test(`${op} ${example.name}: gradients add to what is there`, () => checkAdds(reference, run, example))
    test(`${op} ${example.name}: explained`, () => checkExplained(run, example, Object.keys(
      reference.backward(example.inputs, example.params, example.cot))))
  }
}
