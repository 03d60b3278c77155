import { describe, expect } from '../errors.js'
import { readBoolean, readType, readArray } from './json_fields.js'

/**
 * The ids of the special tokens before and after a text. With `trim`, spaces are trimmed from offsets.
 * @typedef {{ before: number[], after: number[], trim?: { hasSpace: boolean } }} PostProcessor
 */

const WHERE = 'tokenizer: post_processor'

/** @param {string} name @param {unknown} id @returns {number} */
function expectId(name, id) {
  expect(Number.isInteger(id) && /** @type {number} */ (id) >= 0, 'format', () => `${WHERE}: ${name} must have the id of a token, got ${describe(id)}`)
  return /** @type {number} */ (id)
}

/** @param {any} json @returns {PostProcessor} */
const bertProcessor = ({ cls, sep }) => ({ before: [expectId('cls', cls?.[1])], after: [expectId('sep', sep?.[1])] })

/** @param {any} json @returns {PostProcessor} */
function templateProcessing(json) {
  const parts = readArray(WHERE, json, 'single'), at = parts.findIndex(part => part?.Sequence)
  expect(parts.filter(part => part?.Sequence).length === 1, 'format', () => `${WHERE}: single must have one Sequence, with ` +
    `special tokens around it, got ${JSON.stringify(json.single)}`)
  const ids = parts.map(part => {
    if (part?.Sequence) return []
    const name = part?.SpecialToken?.id, ids = typeof name === 'string' ? json.special_tokens?.[name]?.ids : undefined
    expect(Array.isArray(ids), 'format', () => `${WHERE}: special_tokens must have ids of ${describe(name)}, which single names`)
    return Array.from(ids, id => expectId(`special_tokens[${describe(name)}].ids`, id))
  })
  return { before: ids.slice(0, at).flat(), after: ids.slice(at + 1).flat() }
}

/** @param {any} json @returns {{ trim?: { hasSpace: boolean } }} */
const readTrim = json => (readBoolean(WHERE, json, 'trim_offsets', true)
  ? { trim: { hasSpace: readBoolean(WHERE, json, 'add_prefix_space', true) } } : {})

/** @type {Record<string, (json: any) => PostProcessor>} */
const POST_PROCESSORS = {
  TemplateProcessing: templateProcessing,
  BertProcessing: bertProcessor,
  RobertaProcessing: json => ({ ...bertProcessor(json), ...readTrim(json) }),
  ByteLevel: json => ({ before: [], after: [], ...readTrim(json) }),
  Sequence: json => readArray(WHERE, json, 'processors').map(createPostProcessor).reduceRight((outer, inner) =>
    ({ before: [...outer.before, ...inner.before], after: [...inner.after, ...outer.after],
      trim: outer.trim ?? inner.trim }),
  { before: [], after: [] })
}

/**
 * Creates the post-processor that adds special tokens to a text.
 * @param {any} json the `post_processor` of a tokenizer.json
 * @returns {PostProcessor}
 * @throws {GlassformerError} 'format' if it is malformed or of an unknown type
 */
export function createPostProcessor(json) {
  if (json == null) return { before: [], after: [] }
  return readType(WHERE, json, POST_PROCESSORS)(json)
}
