/**
 * The steps of an imported model. The page has no graph of its own for it, so the steps are taken from the run; each of
 * them is recomputed nevertheless.
 */

/** @import { Settings, Step, Tensor } from '../types.d.ts' */
/** @import { GraphStep } from '../models/graph.js' */

/** @typedef {Step & { parameters: Record<string, any> }} RunStep */
/** @type {(op: string, inputs: Record<string, string>, out: string, parameters?: Record<string, any>) => GraphStep} */
const graphStep = (op, inputs, out, parameters = {}) => ({ op, inputs, out, parameters })

/**
 * A padding mask, key by query, from one list for all sentences.
 * @param {ArrayLike<number> | null} hidden @param {number} Tk
 */
const paddingRows = (hidden, Tk) => hidden && Array.from({ length: hidden.length / Tk }, (_, b) => (
  Array.from({ length: Tk }, (__, j) => Boolean(hidden[b * Tk + j]))))

/**
 * @param {RunStep} step @param {(name: string) => number[]} shapeOf
 * @param {(name: string) => string | undefined} dropoutMaskOf
 * @returns {GraphStep[]}
 */
function attention({ inputs: { q, k, v, mask: added }, outputs: { out, ...matrices }, parameters },
  shapeOf, dropoutMaskOf) {
  const { heads, kvHeads = heads, scale, isCausal, hidden, past, window } = parameters, headCounts = { heads, kvHeads }
  /** @param {string} key */
  const name = key => matrices[key] ?? `${out} · ${key}`
  const mask = dropoutMaskOf(out), w = mask ? `${out} · dropped` : name('weights')
  return [
    graphStep('dots', { q, k }, name('dots'), headCounts), graphStep('scale', { dots: name('dots') }, name('scores'), { scale }),
    graphStep('mask', { scores: name('scores'), ...(added && { added }) }, name('masked_scores'),
      { isCausal, past, window, padding: paddingRows(hidden, /** @type {number} */ (shapeOf(k).at(-2))) }),
    graphStep('softmax', { x: name('masked_scores') }, name('weights')),
    ...(mask ? [graphStep('dropout', { x: name('weights'), mask }, w)] : []), graphStep('sums', { w, v }, out, headCounts)
  ]
}

/**
 * @param {RunStep} step @param {(name: string) => number[]} shapeOf
 * @returns {GraphStep[]}
 */
function simpleSteps({ op, inputs, outputs, parameters }, shapeOf) {
  const { out } = outputs
  switch (op) {
    case 'rotary': {
      const [rows, half] = shapeOf(inputs.cos), { base, frequencies, scale } = parameters
      return [...['cos', 'sin'].map(key => graphStep('angles', {}, inputs[key], { rows, half, base, frequencies, scale, key })),
        graphStep(op, inputs, out, parameters)]
    }
    // A number operand is treated as a tensor of its own.
    case 'mul': case 'sub': case 'add': case 'div': {
      if (!('number' in parameters)) return [graphStep(op, inputs, out)]
      const number = `${out} · number`, key = 'a' in inputs ? 'b' : 'a'
      return [graphStep('number', {}, number, { value: parameters.number }), graphStep(op, { [key]: number, ...inputs }, out)]
    }
    case 'alibi': return [graphStep(op, inputs, out, { ...parameters, shape: shapeOf(out) })]
    case 'slice': return parameters.step !== 1 ? [] : [graphStep('narrow', inputs, out,
      { dim: parameters.dim, start: parameters.start, length: parameters.end - parameters.start })]
    case 'gelu': return [graphStep(parameters.approximate === 'tanh' ? 'gelu_tanh' : op, inputs, out)]
    case 'dropout': return [graphStep(op, { ...inputs, mask: outputs.mask }, out)]
    case 'embedding': return [graphStep(op, { weight: inputs.weight }, out, parameters)]
    case 'cross_entropy': return [graphStep('log_softmax', { x: inputs.logits }, outputs.log_probs),
      graphStep('loss', { logs: outputs.log_probs }, out, parameters)]
    default: return [graphStep(op, inputs, out, parameters)]
  }
}

/**
 * A run's inputs and constants: tables of positions, the temperature, the cuts of top-k and top-p.
 * @param {Tensor} tensor @param {Settings} settings @param {Step[]} steps
 * @returns {GraphStep[]}
 */
function inputsOf({ name, shape, role, origin }, { temperature, topK, topP }, steps) {
  if (origin?.op === 'positional_encoding') {
    const { dModel, base, layout } = /** @type {Record<string, any>} */ (origin.parameters)
    return [graphStep('table', {}, name, { rows: shape[0], dModel, base, layout })]
  }
  if (role === 'inverse_temperature') return [graphStep('reciprocal', {}, name, { of: temperature })]
  const use = role === 'cut_mask' && steps.find(({ op, inputs }) => op === 'add' && inputs.b === name)
  return use ? [graphStep('cut', { x: use.inputs.a }, name, { topK, topP })] : []
}

/**
 * @param {{ tensors: Map<string, Tensor>, steps: Step[], settings: Settings }} run
 * @param {(name: string) => number[]} shapeOf
 */
export function graphOfRun({ tensors, steps, settings }, shapeOf) {
  const inputs = [...tensors.values()].flatMap(tensor => inputsOf(tensor, settings, steps))
  /** The mask of the dropout on an attention's weights. @param {string} out */
  const dropoutMaskOf = out => tensors.get(out)?.inputs.dropout
  /** Steps whose tensors were not retained are skipped. @param {Step} step */
  const isRetained = ({ op, outputs }) => op !== 'attention' || tensors.has(outputs.weights)
  const before = inputs.filter(({ op }) => op !== 'cut'), cuts = inputs.filter(({ op }) => op === 'cut')
  return [...before, ...(/** @type {RunStep[]} */ (steps.filter(isRetained)).flatMap(step => [
    ...cuts.filter(({ out }) => Object.values(step.inputs).includes(out)),
    ...(step.op === 'attention' ? attention(step, shapeOf, dropoutMaskOf) : simpleSteps(step, shapeOf))]))]
}
