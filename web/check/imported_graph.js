/**
 * The steps of an imported model. The page has no graph of its own for it, so the steps are those that the run names;
 * what each of them computes is recomputed all the same.
 */

/** @import { Settings, Step, Tensor } from '../types.d.ts' */
/** @import { Planned } from '../models/graph.js' */

/** @typedef {Step & { parameters: Record<string, any> }} Taken */
/** @type {(op: string, inputs: Record<string, string>, out: string, parameters?: Record<string, any>) => Planned} */
const one = (op, inputs, out, parameters = {}) => ({ op, inputs, out, parameters })

/**
 * A padding mask, key by query, from one list for all sentences.
 * @param {ArrayLike<number> | null} hidden @param {number} Tk
 */
const rowsOf = (hidden, Tk) => hidden && Array.from({ length: hidden.length / Tk }, (_, b) => (
  Array.from({ length: Tk }, (__, j) => Boolean(hidden[b * Tk + j]))))

/**
 * @param {Taken} step @param {(name: string) => number[]} shapeOf @param {(name: string) => string | undefined} dropped
 * @returns {Planned[]}
 */
function attention({ inputs: { q, k, v, mask: added }, outputs: { out, ...matrices }, parameters }, shapeOf, dropped) {
  const { heads, kvHeads = heads, scale, isCausal, hidden, past, window } = parameters, ways = { heads, kvHeads }
  /** @param {string} key */
  const name = key => matrices[key] ?? `${out} · ${key}`
  const mask = dropped(out), w = mask ? `${out} · dropped` : name('weights')
  return [
    one('dots', { q, k }, name('dots'), ways), one('scale', { dots: name('dots') }, name('scores'), { scale }),
    one('mask', { scores: name('scores'), ...(added && { added }) }, name('masked_scores'),
      { isCausal, past, window, padding: rowsOf(hidden, /** @type {number} */ (shapeOf(k).at(-2))) }),
    one('softmax', { x: name('masked_scores') }, name('weights')),
    ...(mask ? [one('dropout', { x: name('weights'), mask }, w)] : []), one('sums', { w, v }, out, ways)
  ]
}

/**
 * @param {Taken} step @param {(name: string) => number[]} shapeOf
 * @returns {Planned[]}
 */
function simple({ op, inputs, outputs, parameters }, shapeOf) {
  const { out } = outputs
  switch (op) {
    case 'rotary': {
      const [rows, half] = shapeOf(inputs.cos), { base, frequencies } = parameters
      return [...['cos', 'sin'].map(key => one('angles', {}, inputs[key], { rows, half, base, frequencies, key })),
        one(op, inputs, out, parameters)]
    }
    // A number operand is treated as a tensor of its own.
    case 'mul': case 'sub': return 'number' in parameters ? [one('number', {}, `${out} · number`, { value: parameters.number }),
      one(op, { b: `${out} · number`, ...inputs }, out)] : [one(op, inputs, out)]
    case 'gelu': return [one(parameters.approximate === 'tanh' ? 'gelu_tanh' : op, inputs, out)]
    case 'dropout': return [one(op, { ...inputs, mask: outputs.mask }, out)]
    case 'embedding': return [one(op, { weight: inputs.weight }, out, parameters)]
    case 'cross_entropy': return [one('log_softmax', { x: inputs.logits }, outputs.log_probs),
      one('loss', { logs: outputs.log_probs }, out, parameters)]
    default: return [one(op, inputs, out, parameters)]
  }
}

/**
 * A run's inputs and constants: tables of positions, the temperature, the cuts of top-k and top-p.
 * @param {Tensor} tensor @param {Settings} settings @param {Step[]} steps
 * @returns {Planned[]}
 */
function inputsOf({ name, shape, role, origin }, { temperature, topK, topP }, steps) {
  if (origin?.op === 'positional_encoding') {
    const { dModel, base, layout } = /** @type {Record<string, any>} */ (origin.parameters)
    return [one('table', {}, name, { rows: shape[0], dModel, base, layout })]
  }
  if (role === 'inverse_temperature') return [one('reciprocal', {}, name, { of: temperature })]
  const use = role === 'cut_mask' && steps.find(({ op, inputs }) => op === 'add' && inputs.b === name)
  return use ? [one('cut', { x: use.inputs.a }, name, { topK, topP })] : []
}

/**
 * @param {{ tensors: Map<string, Tensor>, steps: Step[], settings: Settings }} run
 * @param {(name: string) => number[]} shapeOf
 */
export function graphOfRun({ tensors, steps, settings }, shapeOf) {
  const inputs = [...tensors.values()].flatMap(tensor => inputsOf(tensor, settings, steps))
  /** The mask of the dropout on an attention's weights. @param {string} out */
  const dropped = out => tensors.get(out)?.inputs.dropout
  /** Steps whose tensors were not retained are skipped. @param {Step} step */
  const isThere = ({ op, outputs }) => op !== 'attention' || tensors.has(outputs.weights)
  const before = inputs.filter(({ op }) => op !== 'cut'), cuts = inputs.filter(({ op }) => op === 'cut')
  return [...before, ...(/** @type {Taken[]} */ (steps.filter(isThere)).flatMap(step => [
    ...cuts.filter(({ out }) => Object.values(step.inputs).includes(out)),
    ...(step.op === 'attention' ? attention(step, shapeOf, dropped) : simple(step, shapeOf))]))]
}
