import { expect, runSync } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { cellsAt } from '../trace/edits.js'
import { Trace } from '../trace/trace.js'

/**
 * Runs the function of a run again, with other values in one tensor that it computes.
 *
 * @typedef {import('../trace/observe.js').Run} Run
 * @typedef {import('../trace/edits.js').Edit} Edit
 */

/**
 * Lets no gradient pass through edited cells to what they would have been computed from; it goes to the cells that they
 * were copied from.
 * @param {string} where @param {Trace} trace @param {readonly Edit[]} edits
 */
function redirectGradients(where, trace, edits) {
  for (const { name, index, from } of edits) {
    const tensor = trace.missingNames.includes(name) ? null : trace.get(name)
    const node = tensor && trace.tracedProducerOf(tensor)
    const cells = tensor && cellsAt(tensor.shape, index)
    if (!tensor || !node || !cells) continue
    expect(Object.values(node.outputs)[0] === tensor, 'state', () => `${where}: gradients do not know of the edit of ${name}, which ` +
      `is inside ${node.op.name}; use method occlusion`)
    const { op } = node, source = typeof from === 'string' ? trace.get(from) : null
    node.op = {
      ...op, backward(own, gradient) {
        const { memory } = tensor.engine, address = gradient(tensor), to = source && gradient(source)
        const values = memory.floats(address, tensor.numel())
        for (const cell of cells) {
          if (to) memory.floats(to, tensor.numel())[cell] += values[cell]
          values[cell] = 0
        }
        op.backward(own, gradient)
      }
    }
  }
}

/**
 * @template T
 * @param {string} where @param {Run} run
 * @param {{ name: string, change: (tensor: Tensor) => void, needsGradient: boolean }} input the tensor, changed
 *   as soon as it is computed; needsGradient: whether to record for its gradient, without those of parameters
 * @param {(trace: Trace, tensor: Tensor) => T} use called with the trace and the changed tensor, before they are freed
 * @returns {T}
 */
export function rerunWith(where, run, { name, change, needsGradient }, use) {
  const { trace: first, source: { fn, options: { modules, edits } } } = run.observation, { engine } = first
  const inputs = needsGradient ? run.names.map(own => run.tensor(own)).filter(own => !first.tracedProducerOf(own)) : []
  const trained = inputs.filter(own => own.requiresGrad)
  const recording = new Trace(engine, { modules, edits, allowMissing: true, keepAttention: [] })
  /** @type {Tensor | null} */ let changed = null
  recording.onNamed = (own, tensor) => {
    if (own !== name) return
    change(tensor)
    tensor.node = null
    tensor.requiresGrad = needsGradient
    changed = tensor
  }
  trained.forEach(tensor => { tensor.requiresGrad = false })
  expect(engine.trace === null, 'state', () => `${where}: a trace is being recorded; call it after gf.trace or gf.observe`)
  engine.trace = recording
  /** @type {() => void} */ let free = () => {}
  try {
    return engine.tidy(() => {
      const again = () => runSync('observe', fn)
      const result = needsGradient ? engine.enableGrad(again) : engine.noGrad(again)
      if (!(result instanceof Tensor)) free = result.free ?? free
      engine.trace = null
      expect(changed !== null, 'state', () => `${where}: the function of the run did not compute ${name} when it ran again`)
      if (needsGradient) redirectGradients(where, recording, edits)
      return use(recording, changed)
    })
  } finally {
    engine.trace = null
    trained.forEach(tensor => { tensor.requiresGrad = true })
    recording.discard()
    free()
  }
}
