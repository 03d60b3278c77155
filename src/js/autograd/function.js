import { GlassformerError, describe, expect, formatShape } from '../errors.js'
import { grad, record, unrecorded } from './autograd.js'
import { constant, productTerm } from '../trace/explain.js'
import { sameShape } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'

/**
 * What a custom function saves in its forward for its backward: torch.autograd.Function's ctx. It may get any property.
 */
export class Context {
  /** @type {readonly Tensor[]} */ savedTensors = []
  /** Whether each argument of forward needs a gradient. @type {readonly boolean[]} */ needsInputGrad = []
  /** Saves tensors for backward. @param {...Tensor} tensors */
  saveForBackward(...tensors) {
    this.savedTensors = tensors
  }
}

/** @typedef {import('../engine/engine.js').Engine} Engine */

/** @param {unknown} gradient @param {Tensor} input @param {string} where */
function checkGradient(gradient, input, where) {
  expect(gradient instanceof Tensor && gradient.dtype === 'float32' && gradient.engine === input.engine, 'type',
    () => `${where}: a gradient must be a float32 tensor of the same engine, got ${describe(gradient)}`)
  expect(sameShape(gradient.shape, input.shape), 'shape', () =>
    `${where}: a gradient must have its argument's shape ${formatShape(input.shape)}, got ${formatShape(gradient.shape)}`)
  return gradient
}

/** The operations of custom functions, by class. @type {WeakMap<Function, import('./autograd.js').Operation>} */
const operations = new WeakMap()

/** @param {typeof CustomFunction} Class @returns {import('./autograd.js').Operation} */
function operationOf(Class) {
  const known = operations.get(Class)
  if (known) return known
  const { name } = Class, called = (/** @type {object} */ inputs) => `${name}(${Object.keys(inputs).join(', ')})`
  /** @type {import('./autograd.js').Operation} */ const op = {
    name,
    backward(node, gradient) {
      const { inputs, outputs: { out }, saved } = node, { engine } = out, from = gradient(out)
      const targets = Object.entries(inputs).map(([key, input]) => ({ key, input, to: gradient(input) }))
      unrecorded(engine, () => engine.tidy(() => {
        const dout = engine.empty(out.shape)
        dout.values.set(engine.memory.floats(from, out.numel()))
        const result = Class.backward(saved.context, dout), list = Array.isArray(result) ? result : [result]
        expect(list.length === saved.keys.length, 'shape', () => `${name}.backward: expected ` +
          `${saved.keys.length} gradients, one for each argument of forward, null where there is none; got ${list.length}`)
        for (const { key, input, to } of targets) {
          const own = list[saved.keys.indexOf(key)]
          expect(own !== undefined, 'type', () => `${name}.backward must return a gradient for each argument of forward, ` +
            'or null where there is none; got undefined (is a return missing?)')
          if (!to || own === null) continue
          engine.c.gf_accumulate(to, checkGradient(own, input, `${name}.backward`).dataPtr(), input.numel())
          if (node.trace) saved.gradients[key] = own.toArray()
        }
      }))
    },
    explain({ inputs, outputs: { out } }, _, index) {
      const value = out.at(...index)
      return { formula: called(inputs), terms: [], steps: [{ label: `${name}.forward`, value }], computed: value }
    },
    explainGradient({ saved: { gradients } }, input, index) {
      const value = index.reduce((level, i) => level?.[i], gradients[input])
      const terms = value === undefined ? [] : [productTerm(constant(`${name}.backward`, value))]
      return { formula: `d${input} = ${name}.backward`, terms }
    }
  }
  operations.set(Class, op)
  return op
}

/**
 * A custom operation: torch.autograd.Function. A subclass has `static forward(ctx, ...arguments)`, which returns a
 * tensor, and `static backward(ctx, gradient)`, which returns a gradient for each argument of forward (in an array if
 * there are several; null for an argument without one). A trace shows it as one operation.
 * @example
 * class Double extends gf.autograd.Function {
 *   static forward(ctx, x) { return x.mul(2) }
 *   static backward(ctx, gradient) { return gradient.mul(2) }
 * }
 * const x = gf.tensor([1, 2], { requiresGrad: true })
 * Double.apply(x).sum().backward()
 * x.grad                                          // [2, 2]
 */
export class CustomFunction {
  /** @param {Context} ctx @param {...any} inputs @returns {Tensor} */
  static forward(ctx, ...inputs) {
    throw new GlassformerError('state', `${this.name}: static forward(ctx, ...) is not defined, for ${inputs.length} ` +
      `argument${inputs.length === 1 ? '' : 's'} and ${describe(ctx)}`)
  }

  /** @param {Context} ctx @param {Tensor} gradient @returns {Tensor | null | (Tensor | null)[]} */
  static backward(ctx, gradient) {
    throw new GlassformerError('state', `${this.name}: static backward(ctx, gradient) is not defined, for ${describe(ctx)} and ${describe(gradient)}`)
  }

  /**
   * Calls forward, and records it so that `backward` calls the class's backward.
   * @param {...any} inputs at least one of which is a tensor @returns {Tensor}
   */
  static apply(...inputs) {
    const { name } = this, context = new Context(), tensors = inputs.filter(input => input instanceof Tensor)
    expect(tensors.length > 0, 'type', () => `${name}: at least one argument must be a tensor`)
    const [{ engine }] = tensors
    context.needsInputGrad = inputs.map(input => input instanceof Tensor && input.requiresGrad)
    const result = unrecorded(engine, () => this.forward(context, ...inputs))
    expect(result instanceof Tensor, 'type', () => `${name}.forward must return a tensor, got ${describe(result)}`)
    const out = inputs.includes(result) ? engine.view(result, result.shape) : result
    const keys = inputs.map((input, i) => (input instanceof Tensor ? `x${i}` : ''))
    const tensorInputs = Object.fromEntries(
      inputs.flatMap((input, i) => (input instanceof Tensor ? [[`x${i}`, input]] : [])))
    const saved = Object.fromEntries(context.savedTensors.map((tensor, i) => [`saved ${i}`, tensor]))
    return record(engine, operationOf(this), tensorInputs, { out }, { ...saved, context, keys, gradients: {} })
  }
}

/** A function that backward runs again. */
class Checkpoint extends CustomFunction {
  /** @param {any} ctx @param {(...inputs: any[]) => Tensor} fn @param {...any} inputs */
  static forward(ctx, fn, ...inputs) {
    const { engine } = /** @type {Tensor} */ (inputs.find(input => input instanceof Tensor))
    ctx.random = engine.memory.bytes(engine.generator, engine.c.gf_generator_size()).slice()
    ctx.fn = fn
    ctx.inputs = inputs
    ctx.saveForBackward(...inputs.filter(input => input instanceof Tensor))
    const out = fn(...inputs)
    expect(out instanceof Tensor, 'type', () => `checkpoint: fn must return a tensor at once, got ${describe(out)}`)
    return out
  }

  /** @param {any} ctx @param {Tensor} gradient */
  static backward({ fn, inputs, random }, gradient) {
    const { engine } = gradient, state = () => engine.memory.bytes(engine.generator, random.length)
    const after = state().slice()
    const copies = inputs.map((/** @type {any} */ input) => (input instanceof Tensor ? leaf(input) : input))
    state().set(random)
    /** @type {Tensor} */ let out
    try {
      out = engine.enableGrad(() => fn(...copies))
    } finally {
      state().set(after)
    }
    const needsGrad = copies.map((/** @type {any} */ input) => input instanceof Tensor && input.requiresGrad)
    if (engine.isCollecting && out.requiresGrad) {
      // gf.grad changes no `grad`, not even those of the weights of fn.
      const leaves = copies.filter((/** @type {any} */ _, /** @type {number} */ i) => needsGrad[i])
      const options = { gradOutputs: gradient, allowUnused: true }
      const gradients = /** @type {(Tensor | null)[]} */ (grad(out, leaves, options))
      return [null, ...copies.map((/** @type {any} */ input) => gradients[leaves.indexOf(input)] ?? null)]
    }
    if (out.requiresGrad) out.backward(gradient)
    return [null, ...copies.map(
      (/** @type {any} */ input, /** @type {number} */ i) => (needsGrad[i] ? input.grad : null))]
  }
}

/** A view of a tensor that is a leaf. @param {Tensor} input */
function leaf(input) {
  const own = input.engine.view(input, input.shape)
  own.requiresGrad = input.requiresGrad
  return own
}

/**
 * Runs fn(...inputs) without saving intermediate tensors; backward runs it again, with the same random numbers:
 * torch.utils.checkpoint. Saves memory for more time. At least one input must require a gradient.
 * @param {(...inputs: any[]) => Tensor} fn a module or a function @param {...any} inputs @returns {Tensor}
 * @example
 * const layer = new gf.nn.Linear(2, 2), x = gf.ones([1, 2], { requiresGrad: true })
 * gf.checkpoint(h => layer.forward(h).relu(), x).sum().backward()
 * x.grad.shape                                    // [1, 2]
 */
export function checkpoint(fn, ...inputs) {
  expect(typeof fn === 'function', 'type', () => `checkpoint: fn must be a module or a function, got ${describe(fn)}; write gf.checkpoint(fn, ...inputs)`)
  const tensors = inputs.filter(input => input instanceof Tensor)
  const isRecorded = tensors.some(({ engine, requiresGrad }) => requiresGrad || !engine.gradEnabled)
  expect(isRecorded, 'state', () => 'checkpoint: at least one input must be a tensor that requires a gradient, or ' +
    'nothing inside would get one; call requiresGrad_() on it')
  return Checkpoint.apply(fn, ...inputs)
}
