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
import { unaryFunctions } from '../ops/unary.js'
import { tensor } from '../from_values.js'
import { indented, literal, number } from './python.js'

/**
 * The modules that PyTorch has itself, or that the script has as they stand here: how they are made.
 *
 * @typedef {import('../nn/module.js').Module} Module
 * @typedef {(module: Module) => string} Inner how a module inside is made
 * @typedef {{ text: (module: any, inner: Inner) => string, fits?: (module: any) => boolean }} Builtin
 */

/** @param {string} name @param {readonly (string | number)[]} args @param {Record<string, any>} [options] */
const call = (name, args, options = {}) => `${name}(${[...args, ...Object.entries(options)
  .filter(([, value]) => value !== undefined).map(([key, value]) => `${key}=${value}`)].join(', ')})`

/** @param {unknown} bias */
const without = bias => (bias ? undefined : 'False')

const PROBES = [-3, -0.7, 0.4, 2]
/** What activations are called in PyTorch. @type {[string, (x: any) => any][]} */
const ACTIVATIONS = [
  ["'relu'", unaryFunctions.relu], ["'gelu'", x => gelu(x)], ['F.silu', unaryFunctions.silu],
  ['torch.tanh', unaryFunctions.tanh], ['gelu_tanh', x => gelu(x, { approximate: 'tanh' })]
]

/** A layer's activation by what it does, or undefined. @param {any} layer */
const activationOf = layer => layer.engine.tidy(() => {
  const { engine } = layer, { trace } = engine
  engine.trace = null
  try {
    const x = tensor(engine, PROBES), made = String(layer.activation(x).toArray())
    return ACTIVATIONS.find(([, fn]) => String(fn(x).toArray()) === made)?.[0]
  } finally {
    engine.trace = trace
  }
})

/** @param {any} attention */
const isUsual = ({ scale, embedDim, numHeads }) => scale === undefined ||
  Math.abs(scale - 1 / Math.sqrt(embedDim / numHeads)) < 1e-9

/** @param {any} layer @param {readonly string[]} attentions */
const layerFits = (layer, attentions) => Boolean(activationOf(layer)) &&
  attentions.every(name => known(layer[name]) && isUsual(layer[name]))

/** @param {any} layer the options of it that are not PyTorch's defaults */
const layerOptions = layer => ({
  dropout: number(layer.dropout.p), activation: activationOf(layer) === "'relu'" ? undefined : activationOf(layer),
  layer_norm_eps: layer.norm1.eps === 1e-5 ? undefined : number(layer.norm1.eps), batch_first: 'True',
  norm_first: layer.normFirst ? 'True' : undefined, bias: without(layer.linear1.bias)
})

/** @param {string} name @returns {Builtin['text']} */
const layer = name => module => call(`nn.${name}`, [
  module.self_attn.embedDim, module.self_attn.numHeads, module.linear1.outFeatures
], layerOptions(module))

/**
 * Whether all layers of a stack are made alike, as PyTorch's stacks have them.
 * @param {any} stack @param {Function} Layer
 */
function stackFits({ layers }, Layer) {
  const all = [...layers].map((/** @type {any} */ one) => known(one)?.text(one, () => ''))
  return layers.length > 0 && layers.at(0) instanceof Layer && all.every(text => text && text === all[0])
}

/** @param {string} name @param {Record<string, string>} [more] @returns {Builtin['text']} */
const stack = (name, more = {}) => (module, inner) => call(`nn.${name}`, [inner(module.layers.at(0)),
  module.numLayers], { norm: module.norm ? inner(module.norm) : undefined, ...more })

/** Modules one under the other; those that are made alike by one line. @param {string} name @param {string[]} all */
export function listText(name, all) {
  if (all.length > 2 && all.every(text => text === all[0])) {
    return name === 'nn.ModuleList' ? `nn.ModuleList([${all[0]} for _ in range(${all.length})])`
      : `${name}(*[${all[0]} for _ in range(${all.length})])`
  }
  const inside = all.map(text => `\n${indented(text)}`).join(',')
  if (name === 'nn.ModuleList') return all.length ? `nn.ModuleList([${inside}\n])` : 'nn.ModuleList()'
  return all.length ? `${name}(${inside}\n)` : `${name}()`
}

/** @param {any} module */
const transformerFits = module => {
  const { encoder, decoder } = module, stacks = [encoder, decoder]
  const [first, second] = stacks.map(({ layers }) => String(Object.values(layerOptions(layers.at(0)))))
  return stacks.every(stack => known(stack) && stack.norm && known(stack.norm)) && first === second
}

/** @param {any} module */
const plain = module => call(`nn.${nameOf(module)}`, [])

/** @type {[any, Builtin][]} */
const BUILTINS = [
  [Linear, { text: m => call('nn.Linear', [m.inFeatures, m.outFeatures], { bias: without(m.bias) }) }],
  [Embedding, {
    text: m => call('nn.Embedding', [m.numEmbeddings, m.embeddingDim], { padding_idx: m.paddingIdx })
  }],
  [LayerNorm, {
    text: m => call('nn.LayerNorm', m.normalizedShape, {
      eps: m.eps === 1e-5 ? undefined : number(m.eps), elementwise_affine: without(m.weight),
      bias: m.weight ? without(m.bias) : undefined
    })
  }],
  [RMSNorm, {
    text: m => call('RMSNorm', m.normalizedShape, {
      eps: m.eps === null ? undefined : number(m.eps), elementwise_affine: without(m.weight)
    })
  }],
  [Dropout, { text: m => call('nn.Dropout', [number(m.p)]) }],
  [GELU, { text: m => call('nn.GELU', [], { approximate: m.approximate === 'tanh' ? literal('tanh') : undefined }) }],
  ...[ReLU, SiLU, Tanh, Sigmoid, Identity].map(Class => /** @type {[any, Builtin]} */ ([Class, { text: plain }])),
  [Sequential, { text: (m, inner) => listText('nn.Sequential', [...m].map(one => inner(one))) }],
  [PositionalEncoding, { text: m => call('PositionalEncoding', [m.pe.shape[1], number(m.dropout.p), m.pe.shape[0]]) }],
  [LearnedPositionalEncoding, { text: m => call('LearnedPositionalEncoding', m.weight.shape) }],
  [MultiheadAttention, {
    fits: isUsual,
    text: m => call('nn.MultiheadAttention', [m.embedDim, m.numHeads], {
      dropout: m.dropout ? number(m.dropout) : undefined, bias: without(m.in_proj_bias),
      kdim: m.in_proj_weight ? undefined : m.kdim, vdim: m.in_proj_weight ? undefined : m.vdim, batch_first: 'True'
    })
  }],
  [TransformerEncoderLayer, { fits: m => layerFits(m, ['self_attn']), text: layer('TransformerEncoderLayer') }],
  [TransformerDecoderLayer, {
    fits: m => layerFits(m, ['self_attn', 'multihead_attn']), text: layer('TransformerDecoderLayer')
  }],
  [TransformerEncoder, {
    fits: m => stackFits(m, TransformerEncoderLayer),
    text: stack('TransformerEncoder', { enable_nested_tensor: 'False' })
  }],
  [TransformerDecoder, { fits: m => stackFits(m, TransformerDecoderLayer), text: stack('TransformerDecoder') }],
  [Transformer, {
    fits: transformerFits,
    text: m => call('nn.Transformer', [m.dModel, m.nhead, m.encoder.numLayers, m.decoder.numLayers,
      m.encoder.layers.at(0).linear1.outFeatures], layerOptions(m.encoder.layers.at(0)))
  }]
]

/**
 * By the forward that they run: a class derived from them may have another.
 * @type {Map<Function, [Function, Builtin]>}
 */
const BY_FORWARD = new Map(BUILTINS.map(([Class, builtin]) => [Class.prototype.forward, [Class, builtin]]))

/** @param {Module} module */
const entryOf = module => BY_FORWARD.get(Object.getPrototypeOf(module).forward)

/** The library's name of a module's class. @param {Module} module */
export const nameOf = module => entryOf(module)?.[0].name ?? module.constructor.name

/**
 * What PyTorch has in the place of a module, or null where its forward is one's own.
 * @param {Module} module @returns {Builtin | null}
 */
export function known(module) {
  const [, builtin] = entryOf(module) ?? []
  return builtin && !isHooked(module) && (builtin.fits?.(module) ?? true) ? builtin : null
}

/** Whether it only holds others. @param {Module} module */
export const isHolder = module => module instanceof ModuleList || module instanceof ModuleDict
