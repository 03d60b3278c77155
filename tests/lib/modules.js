// Runs modules of the engine on plain tensors.
import assert from 'node:assert/strict'
import { plain } from './compare.js'
import { gf, plainAll, toTensor } from './engine.js'

/** A state dict of engine tensors from plain ones. */
export const toState = tensors => Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, toTensor(t)]))

export const parametersOf = module => Object.fromEntries(module.namedParameters())

/**
 * Runs `run(tensors)` -> outputs on a module, and backward from y if there is a cotangent. Returns plain outputs, and
 * the gradients of inputs and parameters by their names.
 */
export function evaluateModule(module, run, inputs, cot) {
  return gf.tidy(() => {
    module.zeroGrad?.()
    const tensors = Object.fromEntries(
      Object.entries(inputs).map(([name, t]) => [name, toTensor(t, { requiresGrad: true })])
    )
    const outputs = run(tensors)
    const result = plainAll(outputs)
    if (!cot) return { outputs: result, grads: {} }
    outputs.y.backward(toTensor(cot))
    const grads = Object.entries({ ...tensors, ...parametersOf(module) }).map(([name, t]) => {
      assert.ok(t.grad, `${name} has no gradient after backward`)
      return [name, plain(t.grad)]
    })
    return { outputs: result, grads: Object.fromEntries(grads) }
  })
}
