// The engine under test, and the way of plain tensors into it and out of it.
import assert from 'node:assert/strict'
import { load } from '../../src/js/index.js'
import { nested, plain } from './compare.js'
import { withGuards } from './guarded.js'

export const gf = await withGuards(load)

const isInteger = t => t.dtype === 'int32' || t.dtype === 'int64'

export function toTensor(t, { requiresGrad = false } = {}) {
  if (isInteger(t)) return gf.tensor(Int32Array.from(t.data), { shape: t.shape, dtype: 'int32' })
  return gf.tensor(Float32Array.from(t.data), { shape: t.shape, requiresGrad })
}

export const toBooleans = mask => nested(mask, Boolean)

/** A plain copy of every tensor in an object. */
export const plainAll = tensors => Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, plain(t)]))

/** What an op is called with: floats as tensors, ids as int32 tensors, bool masks as nested arrays. */
export const toInputs = (inputs, differentiable) =>
  Object.fromEntries(
    Object.entries(inputs).map(([name, t]) => [
      name,
      t?.dtype === 'bool' ? toBooleans(t) : t && toTensor(t, { requiresGrad: differentiable.includes(name) })
    ])
  )

/**
 * Runs `run(inputs, params)` on the engine, and backward from the outputs that have a cotangent.
 * Returns plain outputs and the gradients of the named inputs, in which `begun`, if given, stood before.
 */
export function evaluate(run, { inputs, params, cot = {} }, differentiable, begun) {
  return gf.tidy(() => {
    const tensors = toInputs(inputs, differentiable)
    const outputs = run(tensors, params)
    const result = plainAll(outputs)
    if (begun) for (const name of differentiable) tensors[name].grad = gf.full(tensors[name].shape, begun)
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
 * The call must throw a GlassformerError of this code (any if null), whose message has every fragment: the argument's
 * name, what was expected, what came.
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
