import {
  GlassformerError, describe, expect, expectBoolean, expectInteger, expectNumber, expectOptions, expectProbability,
  formatShape, isPlain
} from '../errors.js'
import { readJson } from '../files/shards.js'
import { settle } from '../files/source.js'
import { ModuleDict } from '../nn/containers.js'
import { Linear } from '../nn/linear.js'
import { MultiheadAttention } from '../nn/multihead_attention.js'
import { loadSafetensors, saveSafetensors } from '../files/safetensors.js'
import { sameShape } from '../tensor/shape.js'
import { rowsOf, toHuggingFace } from './heads.js'
import { Lora, LoraLinear, LoraPart } from './lora.js'
import { buildOriginal } from './save.js'
import { LanguageModel } from './model.js'
import { formatList } from './plan.js'

/**
 * Adapters (LoRA) of loaded models, in the files of Hugging Face's PEFT: adapter_config.json and
 * adapter_model.safetensors with keys such as base_model.model.transformer.h.0.attn.c_attn.lora_A.weight.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./lora.js').LoraSettings} LoraSettings
 *
 * A matrix of the model that can get an adapter.
 * @typedef {object} Target
 * @property {string} key the name of its module in Hugging Face's class @property {string} path the same here
 * @property {any} module a Linear, its replacement or an attention
 * @property {'q' | 'k' | 'v' | 'all' | null} part which of q, k and v it computes in an attention, or all three
 * @property {number} inputs @property {number} outputs
 * @property {boolean} isTransposed whether the file has it as [inputs, outputs], PEFT's fan_in_fan_out
 */

const CONFIG = 'adapter_config.json', WEIGHTS = 'adapter_model.safetensors', PREFIX = 'base_model.model.'
const PARTS = /** @type {const} */ (['q', 'k', 'v'])
/** The modules that PEFT adapts if none are named. @type {Record<string, string[]>} */
const DEFAULT_TARGETS = {
  gpt2: ['c_attn'], bert: ['query', 'value'], t5: ['q', 'v'], marian: ['q_proj', 'v_proj'], llama: ['q_proj', 'v_proj']
}
/** PEFT's names of what a model is for. @type {Record<string, string>} */
const TASKS = { gpt2: 'CAUSAL_LM', llama: 'CAUSAL_LM', t5: 'SEQ_2_SEQ_LM', marian: 'SEQ_2_SEQ_LM' }

/** @param {any} model @param {string} path */
const moduleAt = (model, path) => path.split('.').reduce((at, name) => at?.[name], model)

/** @param {string} where @param {unknown} model @returns {import('./index.js').Origin} */
function originOf(where, model) {
  const origin = model instanceof LanguageModel ? model.origin : null
  expect(origin !== null, 'type', () => `models.${where}: model must come from gf.models.load, which knows the names of its ` +
    `modules in Hugging Face's class, got ${describe(model)}`)
  return origin
}

/**
 * The matrices of a model that can get an adapter, in the order of Hugging Face's class.
 * @param {any} model @param {import('./index.js').Origin} origin @returns {Target[]}
 */
function findTargets(model, origin) {
  const { settings: written, toKey } = toHuggingFace(origin.family, origin.settings)
  /** @param {import('./plan.js').Row} row @returns {Target[]} */
  const targetsOf = ({ key, target, chunk, part: fused, isTransposed }) => {
    // A part of a larger matrix of the file has no adapter of its own in PEFT's files.
    if (fused || !key.endsWith('.weight')) return []
    const common = { key: toKey(key).slice(0, -'.weight'.length), isTransposed: isTransposed === true }
    const [, path, which = 'in'] = /^(.*)\.(?:(in|[qkv])_proj_)?weight$/.exec(target) ?? []
    const module = path === undefined ? undefined : moduleAt(model, path)
    if (module instanceof MultiheadAttention && path !== target.slice(0, -'.weight'.length)) {
      const { embedDim: C, kdim, vdim } = module
      const part = which !== 'in' ? /** @type {'q' | 'k' | 'v'} */ (which) : chunk ? PARTS[chunk[0]] : 'all'
      const inputs = { q: C, k: kdim, v: vdim, all: C }[part]
      return [{ ...common, path, module, part, inputs, outputs: part === 'all' ? 3 * C : C }]
    }
    const layer = module instanceof LoraLinear ? module.base_layer : module
    return layer instanceof Linear
      ? [{ ...common, path, module, part: null, inputs: layer.inFeatures, outputs: layer.outFeatures }] : []
  }
  return rowsOf(origin.family, written, buildOriginal(origin).stateDict()).flatMap(targetsOf)
}

/** The adapter of a target, if it has one. @param {Target} target @returns {Lora | null} */
function loraOf({ module, part }) {
  if (part === null) return module instanceof LoraLinear ? module.lora : null
  const own = module.adapters?.has(part === 'all' ? 'q' : part) ? module.adapters.get(part === 'all' ? 'q' : part) : null
  return own instanceof LoraPart ? own.lora : null
}

/**
 * Puts an adapter beside a matrix.
 * @param {any} model @param {Target} target @param {LoraSettings} settings @returns {Lora}
 */
function attach(model, { path, module, part, inputs, outputs }, settings) {
  const { engine } = model
  if (part === null) {
    const replacement = new LoraLinear(engine, module, settings), name = path.slice(path.lastIndexOf('.') + 1)
    const parent = path.includes('.') ? moduleAt(model, path.slice(0, path.lastIndexOf('.'))) : model
    parent[name] = replacement
    return replacement.lora
  }
  const lora = new Lora(engine, inputs, outputs, settings), C = module.embedDim
  const own = part === 'all' ? PARTS.map((name, i) => [name, new LoraPart(engine, lora, i * C, C)])
    : [[part, new LoraPart(engine, lora, 0, outputs)]]
  if (!module.adapters) module.adapters = new ModuleDict(engine, Object.fromEntries(own))
  else for (const [name, adapter] of own) module.adapters.set(name, adapter)
  return lora
}

/**
 * Whether PEFT's target_modules name a module: a pattern for its whole name, 'all-linear', or names of which one is its
 * name or the end of it.
 * @param {string | readonly string[]} targets @param {Target} target
 */
function isTarget(targets, { key }) {
  if (targets === 'all-linear') return key !== 'lm_head'
  if (typeof targets === 'string') return new RegExp(`^(?:${targets})$`).test(key)
  return targets.some(name => key === name || key.endsWith(`.${name}`))
}

/** What to write for the ends of names, which a text is not. @param {string | readonly string[]} targets */
const patternHint = targets => (typeof targets === 'string'
  ? `; a text is a pattern for whole names, for their ends write [${describe(targets)}]` : '')

/** @param {string} where @param {string} pattern */
function checkPattern(where, pattern) {
  try {
    return new RegExp(pattern)
  } catch {
    throw new GlassformerError('range', `${where}: targetModules must be names of modules or a regular expression, got ${describe(pattern)}`)
  }
}

/**
 * The value for a module in PEFT's rank_pattern or alpha_pattern.
 * @param {any} pattern @param {string} key @param {number} other
 */
const valueOf = (pattern, key, other) =>
  Object.entries(pattern ?? {}).find(([name]) => new RegExp(`^(?:.*\\.)?(?:${name})$`).test(key))?.[1] ?? other

/**
 * Throws if a matrix cannot get an adapter.
 * @param {string} where @param {Target} target
 */
function checkFree(where, target) {
  const { key, module, part } = target, names = part === 'all' ? PARTS : part ? [part] : []
  expect(!loraOf(target) && !names.some(name => module.adapters?.has(name)), 'state', () => `models.${where}: ${key} has an ` +
    'adapter already; models.save merges it, and the files that it returns can be loaded again')
}

/**
 * Puts LoRA beside matrices of a loaded model, as PEFT's get_peft_model does: all weights of the model are frozen, and
 * the adapters are trained. lora_A is initialized by kaiming uniform, lora_B with zeros, so that the model computes the
 * same at first.
 * @template {LanguageModel} M @param {M} model from `models.load`, in any dtype
 * @param {object} [options]
 * @param {number} [options.r] 8, the rank
 * @param {number} [options.loraAlpha] 8; the adapter's output is multiplied by loraAlpha / r
 * @param {number} [options.loraDropout] 0, of the adapter's input in training mode
 * @param {boolean} [options.useRslora] false; true divides loraAlpha by √r (Kalajdzievski 2023)
 * @param {string | readonly string[]} [options.targetModules] names of modules in Hugging Face's class, or ends of
 *   them, such as 'q_proj'; or a regular expression for the whole name, or 'all-linear'; default: PEFT's for the family
 * @returns {M} the model
 * @throws {import('../errors.js').GlassformerError} 'range' if no module has such a name, 'state' if one has an adapter
 */
export function addAdapter(model, options) {
  const where = 'models.addAdapter', origin = originOf('addAdapter', model)
  const { r = 8, loraAlpha = 8, loraDropout = 0, useRslora = false, targetModules: given } =
    expectOptions(where, options, ['r', 'loraAlpha', 'loraDropout', 'useRslora', 'targetModules'])
  const targetModules = given ?? DEFAULT_TARGETS[origin.family.type] ?? 'all-linear'
  const settings = {
    r: expectInteger(where, 'r', r, 1),
    loraAlpha: expectNumber(where, 'loraAlpha', loraAlpha, 'a finite number', Number.isFinite),
    loraDropout: expectProbability(where, 'loraDropout', loraDropout),
    useRslora: expectBoolean(where, 'useRslora', useRslora)
  }
  expect([targetModules].flat().every(name => typeof name === 'string'), 'type', () => `${where}: targetModules must be names of modules or a pattern, got ${describe(targetModules)}`)
  if (typeof targetModules === 'string') checkPattern(where, targetModules)
  const all = findTargets(model, origin), wanted = all.filter(target => isTarget(targetModules, target))
  expect(wanted.length > 0, 'range', () => `${where}: no matrix is called ${JSON.stringify(targetModules)}; there are ` +
    formatList([...new Set(all.map(({ key }) => key.slice(key.lastIndexOf('.') + 1)))]) + patternHint(targetModules))
  for (const target of wanted) checkFree('addAdapter', target)
  model.requiresGrad_(false)
  for (const target of wanted) attach(model, target, settings)
  return model
}

/**
 * Names for target_modules: the ends of the adapted names if no other name has them, else the whole names.
 * @param {Target[]} all @param {Target[]} adapted
 */
function targetModulesOf(all, adapted) {
  const ends = [...new Set(adapted.map(({ key }) => key.slice(key.lastIndexOf('.') + 1)))]
  return all.every(target => adapted.includes(target) || !isTarget(ends, target)) ? ends : adapted.map(({ key }) => key)
}

/**
 * The values that differ from the common ones, by the names of modules.
 * @param {Target[]} targets @param {(target: Target) => number} valueAt @param {number} common
 */
const patternOf = (targets, valueAt, common) => Object.fromEntries(
  targets.filter(target => valueAt(target) !== common).map(target => [target.key.replaceAll('.', '\\.'), valueAt(target)]))

/**
 * The adapter of a model in PEFT's files, which PeftModel.from_pretrained and models.loadAdapter read.
 * @param {LanguageModel} model with an adapter of models.addAdapter or models.loadAdapter
 * @param {{ baseModel?: string | null }} [options] baseModel: null, the name of the model on the hub or its folder,
 *   which PEFT loads first
 * @returns {Record<string, string | Uint8Array>} adapter_config.json and adapter_model.safetensors
 * @throws {import('../errors.js').GlassformerError} 'state' for a model without an adapter
 */
export function saveAdapter(model, options) {
  const { baseModel = null } = expectOptions('models.saveAdapter', options, ['baseModel'])
  const origin = originOf('saveAdapter', model), all = findTargets(model, origin), adapted = all.filter(loraOf)
  expect(adapted.length > 0, 'state', () => 'models.saveAdapter: the model has no adapter; write gf.models.addAdapter(model, ' +
    '{ r, targetModules }), or gf.models.save(model), which merges modules of your own')
  const settingsOf = (/** @type {Target} */ target) => /** @type {Lora} */ (loraOf(target)).settings
  const first = settingsOf(adapted[0]), { type } = origin.family
  const config = {
    alpha_pattern: patternOf(adapted, target => settingsOf(target).loraAlpha, first.loraAlpha), auto_mapping: null,
    base_model_name_or_path: baseModel, bias: 'none',
    fan_in_fan_out: adapted.some(({ isTransposed }) => isTransposed),
    inference_mode: true, init_lora_weights: true, layers_pattern: null, layers_to_transform: null,
    lora_alpha: first.loraAlpha, lora_dropout: first.loraDropout, modules_to_save: null, peft_type: 'LORA', r: first.r,
    rank_pattern: patternOf(adapted, target => settingsOf(target).r, first.r), revision: null,
    target_modules: targetModulesOf(all, adapted), task_type: model.architecture !== 'encoder' && TASKS[type] || null, use_dora: false,
    use_rslora: first.useRslora
  }
  const tensors = Object.fromEntries(adapted.flatMap(target => {
    const { lora_A: a, lora_B: b } = /** @type {Lora} */ (loraOf(target)), name = PREFIX + target.key
    return [[`${name}.lora_A.weight`, a.weight], [`${name}.lora_B.weight`, b.weight]]
  }))
  return { [CONFIG]: `${JSON.stringify(config, null, 2)}\n`, [WEIGHTS]: saveSafetensors(tensors, { format: 'pt' }) }
}

/** Settings of PEFT that change what an adapter computes and are not supported, with the values that turn them off. */
const UNSUPPORTED = /** @type {const} */ ({
  use_dora: 'DoRA', modules_to_save: 'modules that are trained as a whole', lora_bias: 'biases of adapters',
  layer_replication: 'replicated layers', trainable_token_indices: 'trained tokens', target_parameters: 'adapted parameters',
  use_qalora: 'QALoRA', alora_invocation_tokens: 'activated LoRA', megatron_config: 'Megatron'
})

/** Whether a setting is off. @param {any} value */
const isOff = value => (value ?? false) === false || (Array.isArray(value) && value.length === 0)

/**
 * Checks adapter_config.json and reads its settings.
 * @param {Record<string, any>} config
 */
function readAdapterConfig(config) {
  const fail = (/** @type {string} */ message) => expect(false, 'format', () => `models.loadAdapter: ${CONFIG}: ${message}`)
  if (config.peft_type !== 'LORA') fail(`peft_type must be "LORA", got ${describe(config.peft_type)}`)
  for (const [name, what] of Object.entries(UNSUPPORTED)) {
    if (!isOff(config[name])) fail(`${name} is ${JSON.stringify(config[name])}, and ${what} cannot be loaded`)
  }
  if (!['none', undefined, null].includes(config.bias)) fail(`bias is ${describe(config.bias)}, and trained biases cannot be loaded`)
  const initial = config.init_lora_weights
  if (![true, false, 'gaussian', undefined, null].includes(initial)) {
    fail(`init_lora_weights is ${describe(initial)}, which changes the weights of the base model; convert the adapter with PEFT first`)
  }
  const where = 'models.loadAdapter'
  return {
    r: expectInteger(where, `${CONFIG}: r`, config.r, 1),
    loraAlpha: expectNumber(where, `${CONFIG}: lora_alpha`, config.lora_alpha ?? 8, 'a finite number', Number.isFinite),
    loraDropout: expectProbability(where, `${CONFIG}: lora_dropout`, config.lora_dropout ?? 0),
    useRslora: expectBoolean(where, `${CONFIG}: use_rslora`, config.use_rslora ?? false)
  }
}

/**
 * The matrices of an adapter by the names of their modules.
 * @param {Record<string, Tensor>} tensors
 */
function pairsOf(tensors) {
  /** @type {Map<string, { a?: Tensor, b?: Tensor }>} */ const pairs = new Map()
  for (const [key, tensor] of Object.entries(tensors)) {
    const [, name, side] = /^base_model\.model\.(.+)\.lora_([AB])(?:\.default)?\.weight$/.exec(key) ?? []
    expect(name !== undefined, 'format', () => `models.loadAdapter: ${WEIGHTS}: ${key} is not one of ` +
      `${PREFIX}….lora_A.weight and ${PREFIX}….lora_B.weight, which is what a LoRA of matrices has`)
    const pair = pairs.get(name) ?? {}
    pairs.set(name, pair)
    if (side === 'A') pair.a = tensor
    else pair.b = tensor
  }
  return pairs
}

/** A module's name without the prefixes of its family. @param {readonly string[]} prefixes @param {string} name */
const withoutPrefix = (prefixes, name) => {
  const prefix = prefixes.find(one => name.startsWith(one))
  return prefix ? name.slice(prefix.length) : name
}

/**
 * Puts an adapter in PEFT's files beside a loaded model's matrices; the model's own weights are frozen.
 * @template {LanguageModel} M @param {M} model from `models.load`
 * @param {import('./index.js').Files} files adapter_config.json and adapter_model.safetensors
 * @returns {Promise<M>} the model
 * @throws {import('../errors.js').GlassformerError} 'format' for files of another kind or of another model, and for
 *   settings that are not supported (DoRA, modules_to_save, trained biases …); the model then stays as it was
 */
export async function loadAdapter(model, files) {
  const origin = originOf('loadAdapter', model), { engine } = model
  expect(isPlain(files), 'type', () => `models.loadAdapter: files must be an object of file contents by name, got ${describe(files)}`)
  const found = (/** @type {string} */ wanted) => Object.keys(files).find(name => name.split('/').pop() === wanted)
  for (const name of [CONFIG, WEIGHTS]) expect(found(name) !== undefined, 'format',
    () => `models.loadAdapter: ${name} is missing among ${formatList(Object.keys(files)) || 'no files'}`)
  const config = /** @type {Record<string, any>} */ (await settle(readJson('models.loadAdapter', files, CONFIG)))
  const settings = readAdapterConfig(config)
  const { tensors } = await loadSafetensors(engine, /** @type {any} */ (files[/** @type {string} */ (found(WEIGHTS))]))
  try {
    const { prefixes } = origin.family, plain = (/** @type {string} */ name) => withoutPrefix(prefixes, name)
    const targets = new Map(findTargets(model, origin).map(target => [plain(target.key), target]))
    const matched = [...pairsOf(tensors)].map(([name, { a, b }]) => {
      const target = targets.get(plain(name)), side = a ? 'lora_B' : 'lora_A'
      expect(target !== undefined, 'format', () => `models.loadAdapter: ${name} is no matrix of this ${origin.family.type} model ` +
        'that can get an adapter')
      expect(a !== undefined && b !== undefined, 'format', () => `models.loadAdapter: ${PREFIX}${name}.${side}.weight is missing`)
      const r = valueOf(config.rank_pattern, name, settings.r), { inputs, outputs } = target
      for (const [tensor, shape, letter] of /** @type {const} */ ([[a, [r, inputs], 'A'], [b, [outputs, r], 'B']])) {
        expect(sameShape(tensor.shape, shape), 'format', () => `models.loadAdapter: ${name}.lora_${letter}.weight must have shape ` +
          `${formatShape(shape)}, got ${formatShape(tensor.shape)}`)
      }
      checkFree('loadAdapter', target)
      const loraAlpha = valueOf(config.alpha_pattern, name, settings.loraAlpha)
      return { target, a, b, settings: { ...settings, r, loraAlpha } }
    })
    expect(matched.length > 0, 'format', () => `models.loadAdapter: ${WEIGHTS} has no matrices`)
    model.requiresGrad_(false)
    for (const { target, a, b, settings: own } of matched) {
      const lora = engine.withoutInitialization(() => attach(model, target, own))
      lora.lora_A.weight.values.set(/** @type {any} */ (a.values))
      lora.lora_B.weight.values.set(/** @type {any} */ (b.values))
    }
  } finally {
    for (const tensor of Object.values(tensors)) tensor.dispose()
  }
  model.train(model.training)
  return model
}
