// The engine under test, and conversions between its tensors and plain ones.
import assert from 'node:assert/strict'
import { load } from '../../src/js/index.js'
import { nested, plain } from './compare.js'
import { withGuards } from './guarded.js'

/** tests/relaxed.test.js runs tests again with other kernels. */
export const gf = await withGuards(() => load({ relaxed: process.env.KERNELS === 'relaxed' }))

const isInteger = t => t.dtype === 'int32' || t.dtype === 'int64'

export function toTensor(t, { requiresGrad = false } = {}) {
  if (isInteger(t)) return gf.tensor(Int32Array.from(t.data), { shape: t.shape, dtype: 'int32' })
  return gf.tensor(Float32Array.from(t.data), { shape: t.shape, requiresGrad })
}

export const toBooleans = mask => nested(mask, Boolean)

/** A plain copy of every tensor in an object. */
export const plainAll = tensors => Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, plain(t)]))

/** The inputs of an operation: floats as tensors, ids as int32 tensors, bool masks as nested arrays. */
export const toInputs = (inputs, differentiable) =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, t]) => [
      name,
      t?.dtype === 'bool' ? toBooleans(t) : t && toTensor(t, { requiresGrad: differentiable.includes(name) })
    ])
  )

/**
 * Runs `run(inputs, params)` on the engine, and backward from the outputs that have a cotangent.
 * Returns plain outputs and the gradients of the inputs in `differentiable`, which accumulate onto `initial`, if it is
 * given.
 */
export function evaluate(run, { inputs, params, cot = {} }, differentiable, initial) {
  return gf.tidy(() => {
    const tensors = toInputs(inputs, differentiable)
    const outputs = run(tensors, params)
    const result = plainAll(outputs)
    if (initial) for (const name of differentiable) tensors[name].grad = gf.full(tensors[name].shape, initial)
    for (const [name, gradient] of Object.entries(cot)) outputs[name].backward(toTensor(gradient))
    const grads = Object.fromEntries(
      differentiable.map(name => {
        assert.ok(tensors[name].grad, `${name} has no gradient after backward`)
        return [name, plain(tensors[name].grad)]
      })
    )
    return { outputs: result, grads }
  })
}

/**
 * Asserts that a call throws a GlassformerError with a code (any if null) and a message that contains every fragment:
 * the argument's name, the expectation, the actual value.
 */
export function assertRejects(call, code, ...fragments) {
  assert.throws(
    () => gf.tidy(call),
    error => {
      assert.equal(error.name, 'GlassformerError', `expected a GlassformerError, got ${error.stack}`)
      if (code) assert.equal(error.code, code, `code of "${error.message}"`)
      for (const fragment of fragments) {
        assert.ok(error.message.includes(String(fragment)), `"${error.message}" does not mention "${fragment}"`)
      }
      return true
    }
  )
}
