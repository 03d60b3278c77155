import { getFirstLeaf, getNestedShape } from '../tensor/from_values.js'
import { Tensor } from '../tensor/tensor.js'
import { literal, numberLiteral } from './python.js'
import { nameOf } from './pytorch_modules.js'

/**
 * The arguments of calls of PyTorch's modules.
 *
 * @typedef {import('./record.js').ModuleCall} ModuleCall
 * @typedef {(tensor: Tensor) => string} NameTensor
 */

/** @param {any} value a tensor or nested arrays @param {NameTensor} nameTensor */
const valueText = (value, nameTensor) => (value instanceof Tensor ? nameTensor(value) : `torch.tensor(${literal(value)})`)

/** @param {Record<string, string | null | undefined>} args */
const keywords = args => Object.entries(args).filter(([, text]) => text).map(([name, text]) => `, ${name}=${text}`).join('')

/**
 * The attention mask, including the causal mask and the window.
 * @param {any} mask nested booleans (true hides) or numbers, or a tensor @param {boolean | undefined} isCausal
 * @param {number | undefined} window @param {string} query @param {string} key @param {number} heads @param
 *   {NameTensor} nameTensor
 */
function maskText(mask, isCausal, window, query, key, heads, nameTensor) {
  const both = query === key ? query : `${query}, ${key}`, parts = []
  if (mask !== undefined && mask !== null) {
    const shape = mask instanceof Tensor ? mask.shape : getNestedShape('attnMask', mask)
    const expanded = shape.length === 4 ? `.expand(${query}.shape[0], ${heads}, -1, -1).flatten(0, 1)` : ''
    // Integers would become int64, which attention does not accept as a mask.
    const converted = Array.isArray(mask) && typeof getFirstLeaf(mask) === 'number' ? '.float()' : ''
    parts.push(`${valueText(mask, nameTensor)}${converted}${expanded}.to(${query}.device)`)
  }
  if (isCausal) parts.push(`causal(${both})`)
  if (window) parts.push(`causal(${both}, window=${numberLiteral(window)})`)
  return parts.length > 1 ? parts.map(part => `to_additive_mask(${part})`).join(' + ') : parts[0]
}

/** @param {any} mask [B, T], true hides @param {string} query @param {NameTensor} nameTensor */
const paddingText = (mask, query, nameTensor) =>
  (mask === undefined || mask === null ? null : `${valueText(mask, nameTensor)}.bool().to(${query}.device)`)

/**
 * Functions that write the arguments of a call, by class. `names` are the expressions of the inputs.
 * @type {Record<string, (args: any[], names: string[], module: any, nameTensor: NameTensor) => string>}
 */
const ARGUMENTS = {
  MultiheadAttention([, , , options = {}], [query, key = query, value = key], { numHeads }, nameTensor) {
    const { attnMask, keyPaddingMask, isCausal, window, needWeights = true, averageAttnWeights = true } = options
    return `${query}, ${key}, ${value}${keywords({
      key_padding_mask: paddingText(keyPaddingMask, query, nameTensor),
      attn_mask: maskText(attnMask, isCausal, window, query, key, numHeads, nameTensor),
      need_weights: needWeights ? null : 'False', average_attn_weights: averageAttnWeights ? null : 'False'
    })}`
  },
  TransformerEncoderLayer: ([, { srcMask, srcKeyPaddingMask, isCausal } = {}], [src], { self_attn }, nameTensor) =>
    `${src}${keywords({
      src_mask: maskText(srcMask, isCausal, undefined, src, src, self_attn.numHeads, nameTensor),
      src_key_padding_mask: paddingText(srcKeyPaddingMask, src, nameTensor)
    })}`,
  TransformerEncoder: ([, { mask, srcKeyPaddingMask, isCausal } = {}], [src], { layers }, nameTensor) => `${src}${keywords({
    mask: maskText(mask, isCausal, undefined, src, src, layers.at(0).self_attn.numHeads, nameTensor),
    src_key_padding_mask: paddingText(srcKeyPaddingMask, src, nameTensor)
  })}`,
  TransformerDecoderLayer: ([, , options], [tgt, memory], { self_attn: attention }, nameTensor) =>
    `${tgt}, ${memory}${decoderKeywords(options, tgt, memory, attention.numHeads, nameTensor)}`,
  TransformerDecoder: ([, , options], [tgt, memory], { layers }, nameTensor) =>
    `${tgt}, ${memory}${decoderKeywords(options, tgt, memory, layers.at(0).self_attn.numHeads, nameTensor)}`,
  Transformer([, , options = {}], [src, tgt], { nhead }, nameTensor) {
    const { srcMask, srcKeyPaddingMask, srcIsCausal, ...rest } = options
    return `${src}, ${tgt}${keywords({
      src_mask: maskText(srcMask, srcIsCausal, undefined, src, src, nhead, nameTensor),
      src_key_padding_mask: paddingText(srcKeyPaddingMask, src, nameTensor)
    })}${decoderKeywords(rest, tgt, src, nhead, nameTensor)}`
  }
}

/**
 * @param {any} options @param {string} tgt @param {string} memory @param {number} heads @param {NameTensor} nameTensor
 */
function decoderKeywords(options, tgt, memory, heads, nameTensor) {
  const { tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal } = options ?? {}
  return keywords({
    tgt_mask: maskText(tgtMask, tgtIsCausal, undefined, tgt, tgt, heads, nameTensor),
    memory_mask: maskText(memoryMask, memoryIsCausal, undefined, tgt, memory, heads, nameTensor),
    tgt_key_padding_mask: paddingText(tgtKeyPaddingMask, tgt, nameTensor),
    memory_key_padding_mask: paddingText(memoryKeyPaddingMask, tgt, nameTensor)
  })
}

/**
 * The arguments of a call of one of PyTorch's modules.
 * @param {ModuleCall} call @param {NameTensor} nameTensor @returns {string}
 */
export function argumentsText({ module, inputs }, nameTensor) {
  const isTensorLike = (/** @type {unknown} */ value) => value instanceof Tensor || Array.isArray(value)
  const names = inputs.map(value => (isTensorLike(value) ? valueText(value, nameTensor) : undefined))
  const write = ARGUMENTS[nameOf(module)], expressions = /** @type {string[]} */ (names)
  return write ? write([...inputs], expressions, module, nameTensor) : expressions[0]
}
