import { Sequential } from '../nn/containers.js'
import { Embedding } from '../nn/embedding.js'
import { LayerNorm } from '../nn/layer_norm.js'
import { Linear } from '../nn/linear.js'
import { MultiheadAttention } from '../nn/multihead_attention.js'
import { LearnedPositionalEncoding, PositionalEncoding } from '../nn/positional_encoding.js'
import { RMSNorm } from '../nn/rms_norm.js'
import { Transformer } from '../nn/transformer.js'
import { LanguageModel } from '../models/model.js'
import { Seq2Seq } from '../models/seq2seq.js'
import { sizeOf } from '../tensor/shape.js'
import { tensor } from '../tensor/from_values.js'
import { findBuiltin } from './pytorch_modules.js'

/** Example inputs for modules. Their values are deterministic and do not use the random generator. */

/** @typedef {import('../nn/module.js').Module} Module */

/** @param {import('../engine/engine.js').Engine} engine @param {number[]} shape */
const sineTensor = (engine, ...shape) =>
  tensor(engine, Float32Array.from({ length: sizeOf(shape) }, (_, i) => Math.sin(1 + i * 0.7)), { shape })

/** @param {number} rows @param {number} count @param {number} [step] */
const exampleIds = (rows, count, step = 3) =>
  [0, 1].map(b => Array.from({ length: count }, (_, i) => (b + 1 + i * step) % rows))

/**
 * Example inputs for a module, or null if they cannot be derived from its class.
 * @param {any} module @returns {any}
 */
export function createExample(module) {
  const { engine } = module, x = (/** @type {number} */ C) => sineTensor(engine, 2, 5, C)
  if (module instanceof LanguageModel) return createTextExample(module)
  if (!findBuiltin(module)) return null
  if (module instanceof Sequential) return module.length ? createExample(module.at(0)) : x(4)
  if (module instanceof Embedding) return exampleIds(module.numEmbeddings, 5)
  if (module instanceof Linear) return x(module.inFeatures)
  if (module instanceof LayerNorm || module instanceof RMSNorm) return x(module.normalizedShape[0])
  if (module instanceof PositionalEncoding) return x(module.pe.shape[1])
  if (module instanceof LearnedPositionalEncoding) return x(module.weight.shape[1])
  if (module instanceof Transformer) return { src: x(module.dModel), tgt: x(module.dModel) }
  if (module instanceof MultiheadAttention) {
    return { query: x(module.embedDim), key: x(module.kdim), value: x(module.vdim) }
  }
  const first = ('layers' in module && module.layers.at(0)) || module
  const C = 'self_attn' in first ? first.self_attn.embedDim : undefined
  if (C === undefined) return x(4)
  return 'multihead_attn' in first ? { tgt: x(C), memory: sineTensor(engine, 2, 4, C) } : x(C)
}

/** Ids that every embedding of the model has a row for. @param {any} model */
function createTextExample(model) {
  const maxPositions = 'maxPositions' in model ? model.maxPositions : 5, isSeq2Seq = model instanceof Seq2Seq
  const modules = /** @type {[string, Module][]} */ (model.namedModules())
  const sizes = modules.map(([, module]) => (module instanceof Embedding ? module.numEmbeddings : 0))
  const rows = Math.min(...sizes.filter(size => size > 2)), ids = exampleIds(rows, Math.min(5, maxPositions || 5))
  return isSeq2Seq ? { ids, decoderIds: exampleIds(rows, Math.min(4, maxPositions || 4), 2) } : { ids }
}
