// Running modules of the engine on plain tensors.
import assert from 'node:assert/strict'
import { plain } from './compare.js'
import { gf, plainAll, toTensor } from './engine.js'

/** A state dict of engine tensors, as nested arrays would be just as good. */
export const toState = tensors => Object.fromEntries(Object.entries(tensors).map(([name, t]) => [name, toTensor(t)]))

export const parametersOf = module => Object.fromEntries(module.namedParameters())

/**
 * Runs `run(tensors)` -> outputs on a module, backward from y when there is a cotangent, and returns plain outputs and
 * gradients: of the inputs under their names, of the module's parameters under theirs.
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
