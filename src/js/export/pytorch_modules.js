import { readerOf } from '../interface/arguments.js'
import { GELU, ReLU, SiLU, Sigmoid, Tanh } from '../nn/activation.js'
import { Identity, ModuleDict, Sequential } from '../nn/containers.js'
import { Dropout } from '../nn/dropout.js'
import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { ModuleList } from '../nn/containers.js'
import { isHooked } from '../nn/forward.js'
import { MultiheadAttention } from '../nn/multihead_attention.js'
import { LearnedPositionalEncoding, PositionalEncoding } from '../nn/positional_encoding.js'
import { RMSNorm } from '../nn/rms_norm.js'
import {
  Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder, TransformerEncoderLayer
} from '../nn/transformer.js'
import { gelu } from '../ops/gelu.js'
import { activationFunctions } from '../ops/unary.js'
import { tensor } from '../tensor/from_values.js'
import { indent, literal, numberLiteral } from './python.js'

/**
 * The modules that exist in PyTorch or among the script's helpers, and the expressions that create them.
 *
 * @typedef {import('../nn/module.js').Module} Module
 * @typedef {(module: Module) => string} Inner the expression that creates a submodule
 * @typedef {{ text: (module: any, inner: Inner) => string, isSupported?: (module: any) => boolean }} Builtin
 */

/** @param {string} name @param {readonly (string | number)[]} args @param {Record<string, any>} [options] */
const call = (name, args, options = {}) => `${name}(${[...args, ...Object.entries(options)
  .filter(([, value]) => value !== undefined).map(([key, value]) => `${key}=${value}`)].join(', ')})`

/** @param {unknown} bias */
const falseUnless = bias => (bias ? undefined : 'False')

/** Inputs at which the activation functions differ from each other. */
const PROBES = [-3, -0.7, 0.4, 2]

/** PyTorch's activation functions. @type {[string, (x: any) => any][]} */
const ACTIVATIONS = [
  ["'relu'", activationFunctions.relu], ["'gelu'", x => gelu(x)], ['gelu_tanh', x => gelu(x, { approximate: 'tanh' })],
  ['torch.tanh', activationFunctions.tanh], ['torch.sigmoid', activationFunctions.sigmoid],
  ...Object.entries(activationFunctions).map(([name, fn]) => /** @type {[string, any]} */ ([`F.${name}`, fn]))
]

/** PyTorch's name of a layer's activation, found by its values, or undefined. @param {any} layer */
const activationOf = layer => layer.engine.tidy(() => {
  const { engine } = layer, { trace } = engine
  engine.trace = null
  try {
    const x = tensor(engine, PROBES), result = String(layer.activation(x).toArray())
    return ACTIVATIONS.find(([, fn]) => String(fn(x).toArray()) === result)?.[0]
  } finally {
    engine.trace = trace
  }
})

/** @param {any} attention */
const hasDefaultForm = ({ scale, embedDim, numHeads, adapters }) => !adapters &&
  (scale === undefined || Math.abs(scale - 1 / Math.sqrt(embedDim / numHeads)) < 1e-9)

/** @param {any} layer @param {readonly string[]} attentions */
const isLayerSupported = (layer, attentions) => Boolean(activationOf(layer)) &&
  attentions.every(name => findBuiltin(layer[name]) && hasDefaultForm(layer[name]))

/** The options of a layer that differ from PyTorch's defaults. @param {any} layer */
const layerOptions = layer => ({
  dropout: numberLiteral(layer.dropout.p), activation: activationOf(layer) === "'relu'" ? undefined : activationOf(layer),
  layer_norm_eps: layer.norm1.eps === 1e-5 ? undefined : numberLiteral(layer.norm1.eps), batch_first: 'True',
  norm_first: layer.normFirst ? 'True' : undefined, bias: falseUnless(layer.linear1.bias)
})

/** @param {string} name @returns {Builtin['text']} */
const layerText = name => module => call(`nn.${name}`, [
  module.self_attn.embedDim, module.self_attn.numHeads, module.linear1.outFeatures
], layerOptions(module))

/**
 * Whether all layers of a stack have the same options, as in PyTorch's stacks.
 * @param {any} stack @param {Function} Layer
 */
function isStackSupported({ layers }, Layer) {
  const all = [...layers].map((/** @type {any} */ module) => findBuiltin(module)?.text(module, () => ''))
  return layers.length > 0 && layers.at(0) instanceof Layer && all.every(text => text && text === all[0])
}

/** @param {string} name @param {Record<string, string>} [options] @returns {Builtin['text']} */
const stack = (name, options = {}) => (module, inner) => call(`nn.${name}`, [inner(module.layers.at(0)),
  module.numLayers], { norm: module.norm ? inner(module.norm) : undefined, ...options })

/** A list of modules; equal ones are written once. @param {string} name @param {string[]} all */
export function listText(name, all) {
  if (all.length > 2 && all.every(text => text === all[0])) {
    return name === 'nn.ModuleList' ? `nn.ModuleList([${all[0]} for _ in range(${all.length})])`
      : `${name}(*[${all[0]} for _ in range(${all.length})])`
  }
  const items = all.map(text => `\n${indent(text)}`).join(',')
  if (name === 'nn.ModuleList') return all.length ? `nn.ModuleList([${items}\n])` : 'nn.ModuleList()'
  return all.length ? `${name}(${items}\n)` : `${name}()`
}

/** @param {any} module */
const isTransformerSupported = module => {
  const { encoder, decoder } = module, stacks = [encoder, decoder]
  const [first, second] = stacks.map(({ layers }) => String(Object.values(layerOptions(layers.at(0)))))
  return stacks.every(stack => findBuiltin(stack) && stack.norm && findBuiltin(stack.norm)) && first === second
}

/** @param {any} module */
const withoutArguments = module => call(`nn.${nameOf(module)}`, [])

/** @type {[any, Builtin][]} */
const BUILTINS = [
  [Linear, { text: m => call('nn.Linear', [m.inFeatures, m.outFeatures], { bias: falseUnless(m.bias) }) }],
  [Embedding, {
    text: m => call('nn.Embedding', [m.numEmbeddings, m.embeddingDim], { padding_idx: m.paddingIdx ?? undefined })
  }],
  [LayerNorm, {
    text: m => call('nn.LayerNorm', m.normalizedShape, {
      eps: m.eps === 1e-5 ? undefined : numberLiteral(m.eps), elementwise_affine: falseUnless(m.weight),
      bias: m.weight ? falseUnless(m.bias) : undefined
    })
  }],
  [RMSNorm, {
    text: m => call('RMSNorm', m.normalizedShape, {
      eps: m.eps === null ? undefined : numberLiteral(m.eps), elementwise_affine: falseUnless(m.weight)
    })
  }],
  [Dropout, { text: m => call('nn.Dropout', [numberLiteral(m.p)]) }],
  [GELU, { text: m => call('nn.GELU', [], { approximate: m.approximate === 'tanh' ? literal('tanh') : undefined }) }],
  ...[ReLU, SiLU, Tanh, Sigmoid, Identity].map(Class =>
    /** @type {[any, Builtin]} */ ([Class, { text: withoutArguments }])),
  [Sequential, { text: (m, inner) => listText('nn.Sequential', [...m].map(module => inner(module))) }],
  [PositionalEncoding, { text: m => call('PositionalEncoding', [m.pe.shape[1], numberLiteral(m.dropout.p), m.pe.shape[0]]) }],
  [LearnedPositionalEncoding, { text: m => call('LearnedPositionalEncoding', m.weight.shape) }],
  [MultiheadAttention, {
    isSupported: hasDefaultForm,
    text: m => call('nn.MultiheadAttention', [m.embedDim, m.numHeads], {
      dropout: m.dropout ? numberLiteral(m.dropout) : undefined, bias: falseUnless(m.in_proj_bias),
      kdim: m.in_proj_weight ? undefined : m.kdim, vdim: m.in_proj_weight ? undefined : m.vdim, batch_first: 'True'
    })
  }],
  [TransformerEncoderLayer, { isSupported: m => isLayerSupported(m, ['self_attn']), text: layerText('TransformerEncoderLayer') }],
  [TransformerDecoderLayer, {
    isSupported: m => isLayerSupported(m, ['self_attn', 'multihead_attn']), text: layerText('TransformerDecoderLayer')
  }],
  [TransformerEncoder, {
    isSupported: m => isStackSupported(m, TransformerEncoderLayer),
    text: stack('TransformerEncoder', { enable_nested_tensor: 'False' })
  }],
  [TransformerDecoder, { isSupported: m => isStackSupported(m, TransformerDecoderLayer), text: stack('TransformerDecoder') }],
  [Transformer, {
    isSupported: isTransformerSupported,
    text: m => call('nn.Transformer', [m.dModel, m.nhead, m.encoder.numLayers, m.decoder.numLayers,
      m.encoder.layers.at(0).linear1.outFeatures], layerOptions(m.encoder.layers.at(0)))
  }]
]

/**
 * The table by the forward of each class: a derived class with a forward of its own is not found.
 * @type {Map<Function, [Function, Builtin]>}
 */
const BY_FORWARD = new Map(BUILTINS.map(([Class, builtin]) => (
  [readerOf(Class.prototype.forward).forward, [Class, builtin]])))

/** @param {Module} module */
const findEntry = module => BY_FORWARD.get(readerOf(Object.getPrototypeOf(module).forward).forward)

/** The name of a module's class. @param {Module} module */
export const nameOf = module => findEntry(module)?.[0].name ?? module.constructor.name

/**
 * The counterpart of a module in PyTorch, or null if its forward is custom.
 * @param {Module} module @returns {Builtin | null}
 */
export function findBuiltin(module) {
  const [, builtin] = findEntry(module) ?? []
  return builtin && !isHooked(module) && (builtin.isSupported?.(module) ?? true) ? builtin : null
}

/** @param {Module} module */
export const isContainer = module => module instanceof ModuleList || module instanceof ModuleDict
