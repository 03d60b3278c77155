/** The neurons of a feed-forward network: which made a logit, what one writes to the logits, and what fires it most. */

import { largestIndices } from '../lib/large_tables.js'
import { orNull } from './circuits.js'
import { describeText } from './patching.js'

/** @import { FiringText, Library, LibraryRun, ModelRun, NeuronWrites } from '../types.d.ts' */
/** @import { QueryTypes, StrongNeurons } from '../types.d.ts' */

/** Neurons, tokens and texts that the page lists. */
const [NEURON_COUNT, TOKEN_COUNT, TEXT_COUNT] = [8, 6, 6]

/**
 * The neurons of a part of an attribution that added or took away most; null for a part that has none.
 * @param {Library} gf @param {LibraryRun} run @param {QueryTypes['strongNeurons'][0]} query
 * @returns {Promise<StrongNeurons | null>}
 */
export async function strongNeurons(gf, run, { part: name, against, ...target }) {
  // On the page this function is fetched when it is first called.
  const { parts } = await gf.interpret.logitAttribution(run,
    { ...target, ...(against !== null && { against }), neurons: true })
  const part = parts.find(own => own.name === name && own.neurons)
  if (!part?.neurons) return null
  const { values, bias, name: tensor } = part.neurons, sizes = values.map(Math.abs)
  const top = largestIndices(sizes, 0, sizes.length, NEURON_COUNT).map(neuron => ({ neuron, value: values[neuron] }))
  const sum = (/** @type {Iterable<number>} */ list) => [...list].reduce((total, value) => total + value, 0)
  return { name: tensor, count: values.length, top, rest: sum(values) - sum(top.map(({ value }) => value)), bias }
}

/**
 * The tokens whose logits a neuron raises and lowers most; null where its way to the logits is not linear.
 * @param {Library} gf @param {LibraryRun} run @param {QueryTypes['neuronWrites'][0]} query
 * @returns {Promise<NeuronWrites | null>}
 */
export const neuronWrites = (gf, run, { name, neuron, logits, position }) => orNull(async () => {
  const { activation, promoted, suppressed } = await gf.interpret.neuronLogits(run,
    { name, neuron, logits, position, top: TOKEN_COUNT })
  return { activation, promoted, suppressed }
})

/**
 * The largest activation of a neuron in a run.
 * @param {ModelRun} modelRun @param {{ name: string, neuron: number }} neuron @returns {Omit<FiringText, 'text'>}
 */
export function strongestPosition(modelRun, { name, neuron }) {
  const { shape, values } = modelRun.run.tensor(name), F = shape[shape.length - 1], T = shape[shape.length - 2]
  const own = Float32Array.from({ length: T }, (_, t) => values[t * F + neuron])
  const [position] = largestIndices(own, 0, T, 1)
  return { position, value: own[position], tokens: describeText(modelRun).tokens }
}

/** The texts with the largest activations first. @param {FiringText[]} texts */
export const rankTexts = texts => texts.sort((a, b) => b.value - a.value || a.text - b.text).slice(0, TEXT_COUNT)
