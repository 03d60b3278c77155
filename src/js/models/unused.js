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
 * How many layers come after those of the model, which works without them: they predict later tokens (DeepSeek, GLM).
 * @param {import('./config.js').Config} config
 */
const countPredictors = ({ num_nextn_predict_layers: count }) => (Number.isInteger(count) ? count : 0)

/** The list of layers that a key belongs to, "h." of "h.0.ln_1.weight", or undefined. @param {string} key */
const listOf = key => layerPrefix(key)?.replace(/\d+\.$/, '')

/**
 * Sorts unused floating point tensors: `inUsedModules` belong to modules of which the model uses other tensors,
 * `ofOtherModules` to other modules. `laterLayers` are layers after the last one of config.json.
 * @param {readonly Unused[]} unused @param {ReadonlySet<string>} used keys
 * @returns {{ inUsedModules: string[], ofOtherModules: string[], laterLayers: string[] }} names
 */
export function classifyUnused(unused, used) {
  const keys = [...used], floats = unused.filter(({ entry }) => /^(F|BF|Q)/.test(entry.dtype))
  const isUsed = (/** @type {string} */ start) => keys.some(key => key.startsWith(start))
  const inUsedModules = floats.filter(({ key }) => {
    const layer = layerPrefix(key), module = key.slice(0, key.lastIndexOf('.') + 1)
    return (layer !== undefined && isUsed(layer)) || (module !== '' && isUsed(module))
  })
  const lists = new Set(keys.map(listOf)), others = floats.filter(tensor => !inUsedModules.includes(tensor))
  const isOfList = (/** @type {Unused} */ { key }) => Boolean(listOf(key)) && lists.has(listOf(key))
  const namesOf = (/** @type {readonly Unused[]} */ list) => list.map(({ name }) => name)
  return {
    inUsedModules: namesOf(inUsedModules), ofOtherModules: namesOf(others.filter(tensor => !isOfList(tensor))),
    laterLayers: [...new Set(others.filter(isOfList).map(({ key }) => String(layerPrefix(key)).slice(0, -1)))]
  }
}

/**
 * Explains why the output would differ from that of the class that wrote the file.
 * @param {ReturnType<typeof classifyUnused>} sorted @param {import('./config.js').Config} config
 * @param {boolean} hasHead whether the model has the head of the class in config.json
 * @returns {{ weightProblem: string | null, headProblem: string | null }} messages
 */
export function describeUnused({ inUsedModules, ofOtherModules, laterLayers }, config, hasHead) {
  const { architectures: names } = config, scales = inUsedModules.filter(name => SCALE_KEYS.test(name))
  const classes = Array.isArray(names) && !hasHead ? names.filter(name => UNSUPPORTED_HEADS.test(String(name))) : []
  const without = (/** @type {string[]} */ names) => `the output would be different without ${names.length > 1 ? 'them' : 'it'}`
  const weightProblem = scales.length ? `the weights have scales, and those are not applied: ${formatList(scales)}`
    : inUsedModules.length ? `the model has no ${formatList(inUsedModules)}, and ${without(inUsedModules)}`
      : laterLayers.length > countPredictors(config)
        ? `config.json has fewer layers than the file, which also has ${formatList(laterLayers)}, and ${without(laterLayers)}` : null
  const reasons = [...classes.length ? [`${classes.join(', ')} has a head that is not supported here`] : [],
    ...ofOtherModules.length ? [`the model has no ${formatList(ofOtherModules)}`] : []]
  const headProblem = reasons.length
    ? `${reasons.join(': ')}; models.load(files, { ignoreHead: true }) loads the model without it` : null
  return { weightProblem, headProblem }
}
