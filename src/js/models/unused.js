import { layerPrefix, formatList } from './plan.js'

/**
 * Tensors of a file that the model does not use. Some of them would change the output: a head after the last layer, or
 * weights and scales inside the layers.
 *
 * @typedef {{ key: string, name: string, entry: import('../files/header.js').Entry }} Unused key: normalized
 */

/** Hugging Face's classes with a head that the models here do not have. */
const UNSUPPORTED_HEADS = /Classification|QuestionAnswering|MultipleChoice|NextSentencePrediction|DoubleHeads|Reward|Regression/

/** Keys of the scales of quantized weights. */
const SCALE_KEYS = /(scale(_inv)?|zero_point|absmax|SCB|scales|qzeros|quant_state[^.]*|quant_map)$/

/**
 * Sorts unused floating point tensors: `within` the modules that the model uses, or `beside` them. Layers after the
 * last one of config.json are neither: Hugging Face ignores them, too.
 * @param {readonly Unused[]} unused @param {ReadonlySet<string>} used keys
 * @returns {{ within: string[], beside: string[] }} names
 */
export function classifyUnused(unused, used) {
  const keys = [...used], floats = unused.filter(({ entry }) => /^(F|BF)/.test(entry.dtype))
  const isUsed = (/** @type {string} */ start) => keys.some(key => key.startsWith(start))
  const within = floats.filter(({ key }) => {
    const layer = layerPrefix(key), module = key.slice(0, key.lastIndexOf('.') + 1)
    return (layer !== undefined && isUsed(layer)) || (module !== '' && isUsed(module))
  })
  const beside = floats.filter(tensor => {
    const layer = layerPrefix(tensor.key), list = layer?.replace(/\d+\.$/, '')
    return !within.includes(tensor) && !(list && keys.some(key => layerPrefix(key)?.replace(/\d+\.$/, '') === list))
  })
  return { within: within.map(({ name }) => name), beside: beside.map(({ name }) => name) }
}

/**
 * Explains how the output would differ from that of the class that wrote the file.
 * @param {{ within: string[], beside: string[] }} sorted @param {import('./config.js').Config} config
 * @returns {{ inside: string | null, head: string | null }}
 */
export function describeUnused({ within, beside }, { architectures }) {
  const classes = Array.isArray(architectures) ? architectures.filter(name => UNSUPPORTED_HEADS.test(String(name))) : []
  const scales = within.filter(name => SCALE_KEYS.test(name))
  const inside = scales.length ? `the weights have scales, and those are not applied: ${formatList(scales)}`
    : within.length ? `the model has no ${formatList(within)}, and its output would be different without ` +
    `${within.length > 1 ? 'them' : 'it'}` : null
  const what = [...classes.length ? [`${classes.join(', ')} has a head that is not supported here`] : [],
    ...beside.length ? [`the model has no ${formatList(beside)}`] : []]
  const head = what.length ? `${what.join(': ')}; models.load(files, { ignoreHead: true }) loads the model without it` : null
  return { inside, head }
}
