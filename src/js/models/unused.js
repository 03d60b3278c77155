import { layerOf, listText } from './plan.js'

/**
 * What a file holds beside what the model computes with. Some of it changes answers: a head that comes after the last
 * layer, or weights and scales inside the layers.
 *
 * @typedef {{ key: string, name: string, entry: import('../files/header.js').Entry }} Unused key: without a prefix
 */

/** Classes of Hugging Face's that end in another head than the models here. */
const HEADS = /Classification|QuestionAnswering|MultipleChoice|NextSentencePrediction|DoubleHeads|Reward|Regression/

/** What weights of few bits are multiplied by. */
const SCALES = /(scale(_inv)?|zero_point|absmax|SCB|scales|qzeros|quant_state[^.]*|quant_map)$/

/**
 * Tensors of floats by where they stand: `within` what the model computes with, or `beside` it. Layers after the last
 * that config.json counts are neither: Hugging Face leaves them out as well.
 * @param {readonly Unused[]} unused @param {ReadonlySet<string>} used keys
 * @returns {{ within: string[], beside: string[] }} names
 */
export function sortUnused(unused, used) {
  const keys = [...used], floats = unused.filter(({ entry }) => /^(F|BF)/.test(entry.dtype))
  const isUsed = (/** @type {string} */ start) => keys.some(key => key.startsWith(start))
  const within = floats.filter(({ key }) => {
    const layer = layerOf(key), module = key.slice(0, key.lastIndexOf('.') + 1)
    return (layer !== undefined && isUsed(layer)) || (module !== '' && isUsed(module))
  })
  const beside = floats.filter(one => {
    const layer = layerOf(one.key), list = layer?.replace(/\d+\.$/, '')
    return !within.includes(one) && !(list && keys.some(key => layerOf(key)?.replace(/\d+\.$/, '') === list))
  })
  return { within: within.map(({ name }) => name), beside: beside.map(({ name }) => name) }
}

/**
 * Why a model would answer otherwise than the file's own class does, in words.
 * @param {{ within: string[], beside: string[] }} sorted @param {import('./config.js').Config} config
 * @returns {{ inside: string | null, head: string | null }}
 */
export function unusedProblems({ within, beside }, { architectures }) {
  const classes = Array.isArray(architectures) ? architectures.filter(name => HEADS.test(String(name))) : []
  const scales = within.filter(name => SCALES.test(name))
  const inside = scales.length ? `the weights have scales, and those are not applied: ${listText(scales)}`
    : within.length ? `there is no place for ${listText(within)}, and answers without ${within.length > 1 ? 'them' : 'it'} ` +
    'would be others' : null
  const what = [...classes.length ? [`${classes.join(', ')} ends in a head that is not computed here`] : [],
    ...beside.length ? [`there is no place for ${listText(beside)}`] : []]
  const head = what.length ? `${what.join(': ')}; models.load(files, { ignoreHead: true }) reads the model without` : null
  return { inside, head }
}
