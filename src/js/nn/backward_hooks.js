import { describe, expect, formatShape, isPlain } from '../errors.js'
import { record, unrecorded } from '../autograd/autograd.js'
import { cell, constant, productTerm, sumOf } from '../trace/explain.js'
import { sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * Hooks on the backward pass of a module: torch.nn.Module.register_full_backward_hook. The tensors that a module takes
 * and those that it returns pass through an operation that copies them; its backward sees all their gradients at once.
 *
 * @typedef {import('./module.js').Module} Module
 *
 * Called in backward with the gradients of the inputs and outputs of a module, null for those without; an array that it
 * returns replaces the gradients of the inputs.
 * @callback BackwardHook
 * @param {any} module @param {(Tensor | null)[]} gradInput @param {(Tensor | null)[]} gradOutput
 * @returns {any}
 */

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'backward_hook',
  axes: ({ inputs }, of, output) => of(inputs[output.replace('y', 'x')]),
  backward(node, gradient) {
    const { inputs, outputs, saved: { onGradients, replaced } } = node, { engine } = Object.values(outputs)[0]
    const gradients = Object.values(outputs).map(out => {
      const copy = engine.empty(out.shape)
      engine.memory.move(copy.dataPtr(), gradient(out), 4 * out.numel())
      return copy
    })
    const result = unrecorded(engine, () => onGradients(gradients))
    Object.entries(inputs).forEach(([key, input], i) => {
      const to = gradient(input)
      if (!to || !result[i]) return
      engine.c.gf_accumulate(to, result[i].dataPtr(), input.numel())
      if (node.trace && result[i] !== gradients[i]) replaced[key] = result[i].toArray()
    })
  },
  explain: ({ inputs }, output, index) => sumOf('out = x', [productTerm(cell(inputs[output.replace('y', 'x')], index, 'x'))]),
  explainGradient({ outputs, saved: { replaced } }, input, index, d) {
    const value = index.reduce((level, i) => level?.[i], replaced[input])
    const own = value === undefined ? d(outputs[input.replace('x', 'y')], index, 'dout') : constant('hook', value)
    return { formula: `dx = ${value === undefined ? 'dout' : 'hook'}`, terms: [productTerm(own)] }
  }
}

/** @param {unknown} value @returns {value is Tensor} */
const needsGradient = value => value instanceof Tensor && value.requiresGrad

/**
 * Copies of the tensors that require a gradient; `onGradients` is called in backward with all their gradients.
 * @template {any[]} L @param {import('../engine/engine.js').Engine} engine @param {L} values
 * @param {(gradients: (Tensor | null)[]) => (Tensor | null)[]} onGradients gets null for each other value
 * @returns {L}
 */
function watch(engine, values, onGradients) {
  const at = values.flatMap((value, i) => (needsGradient(value) ? [i] : []))
  if (!at.length) return values
  const copies = at.map(i => {
    const copy = engine.empty(values[i].shape)
    copy.copyFrom(values[i])
    return copy
  })
  const spread = (/** @type {Tensor[]} */ gradients) => values.map((_, i) => gradients[at.indexOf(i)] ?? null)
  const pick = (/** @type {(Tensor | null)[]} */ list) => at.map(i => list[i])
  record(engine, op, Object.fromEntries(at.map((i, n) => [`x${n}`, values[i]])), Object.fromEntries(copies.map((copy, n) => [`y${n}`, copy])),
    { onGradients: (/** @type {Tensor[]} */ gradients) => pick(onGradients(spread(gradients))), replaced: {} })
  for (const copy of copies) copy.requiresGrad = true
  return /** @type {L} */ (values.map((value, i) => copies[at.indexOf(i)] ?? value))
}

/** @param {Module} module @param {any} result of a hook @param {readonly any[]} inputs of the module */
function checkResult(module, result, inputs) {
  const list = Array.isArray(result) ? result : [result], where = `registerFullBackwardHook: fn of ${module.constructor.name}`
  expect(list.length === inputs.length, 'shape',
    () => `${where} must return a gradient for each of ${inputs.length} inputs, got ${list.length}`)
  list.forEach((gradient, i) => {
    if (gradient === null) return
    expect(gradient instanceof Tensor && gradient.dtype === 'float32', 'type',
      () => `${where} must return float32 tensors or null, got ${describe(gradient)}`)
    expect(inputs[i] instanceof Tensor && sameShape(gradient.shape, inputs[i].shape), 'shape',
      () => `${where} must return a gradient of the shape of input ${i}, ${formatShape(inputs[i]?.shape ?? [])}, got ${formatShape(gradient.shape)}`)
  })
  return list
}

/**
 * Runs a forward whose module has backward hooks.
 * @param {Module} module @param {any[]} inputs @param {Iterable<{ fn: BackwardHook }>} hooks
 * @param {(inputs: any[]) => any} forward
 */
export function runWithBackwardHooks(module, inputs, hooks, forward) {
  const { engine } = module
  if (!engine.gradEnabled) return forward(inputs)
  /** @type {(Tensor | null)[]} */ let gradOutput = []
  /** @param {(Tensor | null)[]} gradInput */
  const call = gradInput => {
    let current = gradInput
    for (const { fn } of hooks) {
      const result = fn(module, current, gradOutput)
      if (result !== undefined && result !== null) current = checkResult(module, result, inputs)
    }
    return current
  }
  const output = forward(watch(engine, inputs, call)), keys = isPlain(output) ? Object.keys(output) : null
  const outputs = Array.isArray(output) ? output : keys ? Object.values(output) : [output]
  const watched = watch(engine, outputs, gradients => {
    gradOutput = gradients
    if (!inputs.some(needsGradient)) call(inputs.map(() => null))
    return gradients
  })
  if (Array.isArray(output)) return watched
  return keys ? Object.fromEntries(keys.map((key, i) => [key, watched[i]])) : watched[0]
}
