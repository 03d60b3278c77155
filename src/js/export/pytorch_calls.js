import { getFirstLeaf, getNestedShape } from '../from_values.js'
import { Tensor } from '../tensor.js'
import { literal, number } from './python.js'
import { nameOf } from './pytorch_modules.js'

/**
 * How modules that PyTorch has are called: its arguments for those of the library.
 *
 * @typedef {import('./record.js').Called} Called
 * @typedef {(tensor: Tensor) => string} Names
 */

/** @param {any} value @param {Names} of a tensor, or nested arrays */
const valueText = (value, of) => (value instanceof Tensor ? of(value) : `torch.tensor(${literal(value)})`)

/** @param {Record<string, string | null | undefined>} words */
const keywords = words => Object.entries(words).filter(([, text]) => text).map(([name, text]) => `, ${name}=${text}`).join('')

/**
 * A mask of attention with what is hidden besides.
 * @param {any} given nested booleans (true hides) or numbers, or a tensor @param {boolean | undefined} isCausal
 * @param {number | undefined} window @param {string} query @param {string} key @param {number} heads @param {Names} of
 */
function maskText(given, isCausal, window, query, key, heads, of) {
  const both = query === key ? query : `${query}, ${key}`, parts = []
  if (given !== undefined && given !== null) {
    const shape = given instanceof Tensor ? given.shape : getNestedShape('attnMask', given)
    const each = shape.length === 4 ? `.expand(${query}.shape[0], ${heads}, -1, -1).flatten(0, 1)` : ''
    // Whole numbers would be int64, which attention does not add.
    const added = Array.isArray(given) && typeof getFirstLeaf(given) === 'number' ? '.float()' : ''
    parts.push(`${valueText(given, of)}${added}${each}.to(${query}.device)`)
  }
  if (isCausal) parts.push(`causal(${both})`)
  if (window) parts.push(`causal(${both}, window=${number(window)})`)
  return parts.length > 1 ? parts.map(part => `scores(${part})`).join(' + ') : parts[0]
}

/** @param {any} given [B, T], true hides @param {string} query @param {Names} of */
const paddingText = (given, query, of) =>
  (given === undefined || given === null ? null : `${valueText(given, of)}.bool().to(${query}.device)`)

/**
 * What stands in the brackets.
 * @type {Record<string, (args: any[], names: string[], module: any, of: Names) => string>}
 */
const ARGUMENTS = {
  MultiheadAttention([, , , options = {}], [query, key = query, value = key], { numHeads }, of) {
    const { attnMask, keyPaddingMask, isCausal, window, needWeights = true, averageAttnWeights = true } = options
    return `${query}, ${key}, ${value}${keywords({
      key_padding_mask: paddingText(keyPaddingMask, query, of),
      attn_mask: maskText(attnMask, isCausal, window, query, key, numHeads, of),
      need_weights: needWeights ? null : 'False', average_attn_weights: averageAttnWeights ? null : 'False'
    })}`
  },
  TransformerEncoderLayer: ([, { srcMask, srcKeyPaddingMask, isCausal } = {}], [src], { self_attn: own }, of) =>
    `${src}${keywords({
      src_mask: maskText(srcMask, isCausal, undefined, src, src, own.numHeads, of),
      src_key_padding_mask: paddingText(srcKeyPaddingMask, src, of)
    })}`,
  TransformerEncoder: ([, { mask, srcKeyPaddingMask, isCausal } = {}], [src], { layers }, of) => `${src}${keywords({
    mask: maskText(mask, isCausal, undefined, src, src, layers.at(0).self_attn.numHeads, of),
    src_key_padding_mask: paddingText(srcKeyPaddingMask, src, of)
  })}`,
  TransformerDecoderLayer: ([, , options], [tgt, memory], { self_attn: own }, of) =>
    `${tgt}, ${memory}${decoderWords(options, tgt, memory, own.numHeads, of)}`,
  TransformerDecoder: ([, , options], [tgt, memory], { layers }, of) =>
    `${tgt}, ${memory}${decoderWords(options, tgt, memory, layers.at(0).self_attn.numHeads, of)}`,
  Transformer([, , options = {}], [src, tgt], { nhead }, of) {
    const { srcMask, srcKeyPaddingMask, srcIsCausal, ...rest } = options
    return `${src}, ${tgt}${keywords({
      src_mask: maskText(srcMask, srcIsCausal, undefined, src, src, nhead, of),
      src_key_padding_mask: paddingText(srcKeyPaddingMask, src, of)
    })}${decoderWords(rest, tgt, src, nhead, of)}`
  }
}

/** @param {any} options @param {string} tgt @param {string} memory @param {number} heads @param {Names} of */
function decoderWords(options, tgt, memory, heads, of) {
  const { tgtMask, memoryMask, tgtKeyPaddingMask, memoryKeyPaddingMask, tgtIsCausal, memoryIsCausal } = options ?? {}
  return keywords({
    tgt_mask: maskText(tgtMask, tgtIsCausal, undefined, tgt, tgt, heads, of),
    memory_mask: maskText(memoryMask, memoryIsCausal, undefined, tgt, memory, heads, of),
    tgt_key_padding_mask: paddingText(tgtKeyPaddingMask, tgt, of),
    memory_key_padding_mask: paddingText(memoryKeyPaddingMask, tgt, of)
  })
}

/** The arguments of a call of a module that PyTorch has. @param {Called} called @param {Names} of @returns {string} */
export function argumentsText({ module, inputs }, of) {
  const isPlace = (/** @type {unknown} */ value) => value instanceof Tensor || Array.isArray(value)
  const names = inputs.map(value => (isPlace(value) ? valueText(value, of) : undefined))
  const own = ARGUMENTS[nameOf(module)], given = /** @type {string[]} */ (names)
  return own ? own([...inputs], given, module, of) : given[0]
}
