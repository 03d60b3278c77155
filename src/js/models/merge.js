import { expect } from '../errors.js'
import { Linear } from '../nn/linear.js'
import { Module } from '../nn/module.js'
import { MultiheadAttention } from '../nn/multihead_attention.js'
import { LoraLinear } from './lora.js'

/**
 * Merging what was put in place of a model's layers, such as LoRA, into matrices that Hugging Face's classes have.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {Record<string, Tensor>} State
 */

/** Largest deviation from linearity, relative to the largest output: rounding is well below, activations far above. */
const TOLERANCE = 1e-3

/**
 * Calls `fn` with a module in eval mode, without recording.
 * @template T @param {Module} module @param {() => T} fn @returns {T}
 */
function evaluate(module, fn) {
  const modules = module.namedModules().map(([, each]) => each).filter(({ training }) => training)
  for (const each of modules) each.training = false
  try {
    return module.engine.noGrad(fn)
  } finally {
    for (const each of modules) each.training = true
  }
}

/**
 * The weight and bias of a module that computes x Wᵀ + b in any way, found by its outputs for zeros and for unit
 * vectors.
 * @param {Module} module @param {string} path for messages @param {number} K number of inputs
 * @returns {{ weight: Float32Array, bias: Float32Array }} weight [O, K]
 * @throws {import('../errors.js').GlassformerError} 'state' if the module is not linear
 */
function readAffine(module, path, K) {
  const { engine } = module
  /** The outputs for some rows of inputs. @param {number} rows @param {(row: number, k: number) => number} input */
  const run = (rows, input) => engine.tidy(() => {
    const x = engine.empty([1, rows, K])
    for (let i = 0; i < rows * K; i++) x.values[i] = input(Math.floor(i / K), i % K)
    const out = module.forward(x)
    expect(out?.shape?.length === 3 && out.shape[1] === rows, 'state', () => `models.save: ${path} cannot be merged into a ` +
      `Linear, since it does not map [1, ${rows}, ${K}] to [1, ${rows}, outFeatures]`)
    return Float32Array.from(out.values)
  })
  return evaluate(module, () => {
    const bias = run(1, () => 0), O = bias.length, units = run(K, (row, k) => Number(row === k))
    const weight = new Float32Array(O * K)
    for (let k = 0; k < K; k++) for (let o = 0; o < O; o++) weight[o * K + k] = units[k * O + o] - bias[o]
    const probe = (/** @type {number} */ k) => Math.sin(1 + k) * 3, actual = run(1, (_, k) => probe(k))
    let max = 0, deviation = 0
    for (let o = 0; o < O; o++) {
      let sum = bias[o]
      for (let k = 0; k < K; k++) sum += weight[o * K + k] * probe(k)
      max = Math.max(max, Math.abs(actual[o]), Math.abs(sum))
      deviation = Math.max(deviation, Math.abs(sum - actual[o]))
    }
    expect(deviation <= TOLERANCE * max, 'state', () => `models.save: ${path} is now a ${module.constructor.name}, which is ` +
      'not linear, so it cannot be merged into the Linear that Hugging Face has there')
    return { weight, bias }
  })
}

/** A tensor with values. @param {Module} module @param {number[]} shape @param {ArrayLike<number>} values */
function toTensor({ engine }, shape, values) {
  const out = engine.empty(shape)
  out.values.set(values)
  return out
}

/** Whether a module computes its output in a way of its own, not as Linear does. @param {unknown} module */
const isReplacement = module => module instanceof Module && module.forward !== undefined &&
  ![Linear.prototype.forward, Module.prototype.forward].includes(Object.getPrototypeOf(module).forward)

/** Removes the entries of a module. @param {State} state @param {string} path */
function removeEntries(state, path) {
  for (const key of Object.keys(state)) if (key.startsWith(`${path}.`)) delete state[key]
}

/**
 * Adds the adapters of an attention to the matrices of its projections.
 * @param {MultiheadAttention} module @param {string} path @param {State} state
 */
function mergeAdapters(module, path, state) {
  const { adapters, embedDim: C, kdim, vdim } = module, joint = module.in_proj_weight
  removeEntries(state, `${path}.adapters`)
  const weights = joint ? { q: joint, k: joint, v: joint }
    : { q: module.q_proj_weight, k: module.k_proj_weight, v: module.v_proj_weight }
  /** @type {Map<Tensor, Tensor>} */ const merged = new Map()
  for (const [i, name] of /** @type {const} */ (['q', 'k', 'v']).entries()) {
    const original = weights[name]
    if (!adapters?.has(name) || !original) continue
    const K = [C, kdim, vdim][i], { weight, bias } = readAffine(adapters.get(name), `${path}.adapters.${name}`, K)
    expect(weight.length === C * K && bias.every(value => value === 0), 'state',
      () => `models.save: ${path}.adapters.${name} must map ${K} channels to ${C}, without a bias`)
    const own = merged.get(original) ?? toTensor(module, [...original.shape], original.toArray().flat())
    merged.set(original, own)
    const from = joint ? i * C * K : 0
    weight.forEach((value, at) => { own.values[from + at] += value })
  }
  for (const [key, tensor] of Object.entries(state)) state[key] = merged.get(tensor) ?? tensor
}

/**
 * The state dict of a model in which a Linear was replaced by a module that is linear, too (a Linear with LoRA beside
 * it), or attentions got adapters: with the matrices that compute the same, in float32. New tensors belong to the
 * surrounding tidy.
 * @param {Module} model @param {Module} original the same model before any replacement, of any engine
 * @returns {State}
 * @throws {import('../errors.js').GlassformerError} 'state' for a replacement that is not linear
 */
export function mergedState(model, original) {
  const state = { ...model.stateDict() }, modules = new Map(original.namedModules())
  const moduleAt = (/** @type {string} */ path) => path.split('.').reduce((/** @type {any} */ at, name) => at?.[name], model)
  for (const [path, known] of modules) {
    const module = path === '' ? model : moduleAt(path)
    if (known instanceof Linear && isReplacement(module)) {
      const { outFeatures: O, inFeatures: K } = known
      const { weight, bias } = module instanceof LoraLinear ? module.merge() : readAffine(module, path, K)
      removeEntries(state, path)
      state[`${path}.weight`] = toTensor(module, [weight.length / K, K], weight)
      expect(weight.length === O * K, 'state', () => `models.save: ${path} must have ${O} outputs, got ${weight.length / K}`)
      if (known.bias) state[`${path}.bias`] = toTensor(module, [O], bias)
      else expect(bias.every(value => value === 0), 'state',
        () => `models.save: ${path} has a bias, and Hugging Face's Linear there has none`)
    } else if (module instanceof MultiheadAttention && module.adapters) mergeAdapters(module, path, state)
  }
  return state
}
