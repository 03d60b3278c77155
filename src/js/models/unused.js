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
 * Sorts unused floating point tensors: `inUsedModules` belong to modules of which the model uses other tensors,
 * `ofOtherModules` to other modules. Layers after the last one of config.json are in neither list: Hugging Face
 * ignores them, too.
 * @param {readonly Unused[]} unused @param {ReadonlySet<string>} used keys
 * @returns {{ inUsedModules: string[], ofOtherModules: string[] }} names
 */
export function classifyUnused(unused, used) {
  const keys = [...used], floats = unused.filter(({ entry }) => /^(F|BF|Q)/.test(entry.dtype))
  const isUsed = (/** @type {string} */ start) => keys.some(key => key.startsWith(start))
  const inUsedModules = floats.filter(({ key }) => {
    const layer = layerPrefix(key), module = key.slice(0, key.lastIndexOf('.') + 1)
    return (layer !== undefined && isUsed(layer)) || (module !== '' && isUsed(module))
  })
  const ofOtherModules = floats.filter(tensor => {
    const layer = layerPrefix(tensor.key), list = layer?.replace(/\d+\.$/, '')
    return !inUsedModules.includes(tensor) && !(list && keys.some(key => layerPrefix(key)?.replace(/\d+\.$/, '') === list))
  })
  const namesOf = (/** @type {readonly Unused[]} */ list) => list.map(({ name }) => name)
  return { inUsedModules: namesOf(inUsedModules), ofOtherModules: namesOf(ofOtherModules) }
}

/**
 * Explains why the output would differ from that of the class that wrote the file.
 * @param {{ inUsedModules: string[], ofOtherModules: string[] }} sorted @param {import('./config.js').Config} config
 * @returns {{ weightProblem: string | null, headProblem: string | null }} messages
 */
export function describeUnused({ inUsedModules, ofOtherModules }, { architectures }) {
  const classes = Array.isArray(architectures) ? architectures.filter(name => UNSUPPORTED_HEADS.test(String(name))) : []
  const scales = inUsedModules.filter(name => SCALE_KEYS.test(name))
  const weightProblem = scales.length ? `the weights have scales, and those are not applied: ${formatList(scales)}`
    : inUsedModules.length ? `the model has no ${formatList(inUsedModules)}, and its output would be different without ` +
    `${inUsedModules.length > 1 ? 'them' : 'it'}` : null
  const reasons = [...classes.length ? [`${classes.join(', ')} has a head that is not supported here`] : [],
    ...ofOtherModules.length ? [`the model has no ${formatList(ofOtherModules)}`] : []]
  const headProblem = reasons.length
    ? `${reasons.join(': ')}; models.load(files, { ignoreHead: true }) loads the model without it` : null
  return { weightProblem, headProblem }
}
