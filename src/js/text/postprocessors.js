import { describe } from '../errors.js'
import { expectFormat, readArray, readBoolean, readType } from './json_fields.js'

/**
 * A part of a template: the ids of a special token, or the first (0) or second (1) text; typeId is the type of its
 * tokens.
 * @typedef {{ ids?: number[], text?: 0 | 1, typeId: number }} TemplatePart
 *
 * The templates of one text and of a pair. With `trim`, spaces are trimmed from offsets.
 * @typedef {{ single: TemplatePart[], pair: TemplatePart[], trim?: { hasSpace: boolean } }} PostProcessor
 */

const WHERE = 'tokenizer: post_processor'

/** @param {0 | 1} text @param {number} [typeId] @returns {TemplatePart} */
const textPart = (text, typeId = text) => ({ text, typeId })
/** @type {PostProcessor} */
const PLAIN = { single: [textPart(0)], pair: [textPart(0), textPart(1)] }

/** @param {string} name @param {unknown} id @returns {number} */
function expectId(name, id) {
  expectFormat(Number.isInteger(id) && /** @type {number} */ (id) >= 0, () => `${WHERE}: ${name} must have the id of a token`, id)
  return /** @type {number} */ (id)
}

/**
 * The processor of BERT, or of RoBERTa, which has one type and two tokens between the texts.
 * @param {any} json @param {boolean} isRoberta @returns {PostProcessor}
 */
function bertProcessor(json, isRoberta) {
  const [cls, sep] = ['cls', 'sep'].map(name => expectId(name, json[name]?.[1])), typeId = isRoberta ? 0 : 1
  const single = [{ ids: [cls], typeId: 0 }, textPart(0), { ids: [sep], typeId: 0 }]
  const end = { ids: [sep], typeId }
  return { single, pair: [...single, ...isRoberta ? [end] : [], textPart(1, typeId), end] }
}

/** @param {any} json @param {'single' | 'pair'} name @returns {TemplatePart[]} */
function readTemplate(json, name) {
  const parts = readArray(WHERE, json, name), texts = parts.flatMap(part => (part?.Sequence ? [part.Sequence.id] : []))
  const isPair = name === 'pair'
  expectFormat(isPair ? texts.sort().join() === 'A,B' : texts.length === 1, () => `${WHERE}: ${name} must have one Sequence${
    isPair ? ' of each text' : ''}, with special tokens around it, got ${JSON.stringify(json[name])}`)
  return parts.map(part => {
    const { id, type_id: typeId = 0 } = part?.Sequence ?? part?.SpecialToken ?? {}
    if (part?.Sequence) return textPart(isPair && id === 'B' ? 1 : 0, typeId)
    const ids = typeof id === 'string' ? json.special_tokens?.[id]?.ids : undefined
    expectFormat(Array.isArray(ids), () => `${WHERE}: special_tokens must have ids of ${describe(id)}, which ${name} names`)
    return { ids: Array.from(ids, value => expectId(`special_tokens[${describe(id)}].ids`, value)), typeId }
  })
}

/** @param {any} json @returns {{ trim?: { hasSpace: boolean } }} */
const readTrim = json => (readBoolean(WHERE, json, 'trim_offsets', true)
  ? { trim: { hasSpace: readBoolean(WHERE, json, 'add_prefix_space', true) } } : {})

/** @type {Record<string, (json: any) => PostProcessor>} */
const POST_PROCESSORS = {
  TemplateProcessing: json => {
    const single = readTemplate(json, 'single')
    if (json.pair?.length) return { single, pair: readTemplate(json, 'pair') }
    // For SentencePiece's models: T5 has one type of tokens in a pair, Llama two, as in Hugging Face's classes.
    const typeId = single[0].ids ? 1 : 0
    return { single, pair: [...single, ...single.map(part => (part.ids ? { ...part, typeId } : textPart(1, typeId)))] }
  },
  BertProcessing: json => bertProcessor(json, false),
  RobertaProcessing: json => ({ ...bertProcessor(json, true), ...readTrim(json) }),
  ByteLevel: json => ({ ...PLAIN, ...readTrim(json) }),
  Sequence: json => readArray(WHERE, json, 'processors').map(createPostProcessor).reduceRight((outer, inner) => ({
    single: outer.single.flatMap(part => (part.ids ? [part] : inner.single)),
    pair: inner.pair.some(part => part.ids) ? inner.pair : outer.pair,
    trim: outer.trim ?? inner.trim
  }), PLAIN)
}

/**
 * Creates the post-processor that adds special tokens to a text.
 * @param {any} json the `post_processor` of a tokenizer.json
 * @returns {PostProcessor}
 * @throws {GlassformerError} 'format' if it is malformed or of an unknown type
 */
export function createPostProcessor(json) {
  if (json == null) return PLAIN
  return readType(WHERE, json, POST_PROCESSORS)(json)
}
