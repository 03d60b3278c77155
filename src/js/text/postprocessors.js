import { describe, expect } from '../errors.js'
import { flagIn, kindIn, listIn } from './fields.js'

/**
 * Special tokens around a text, and whether offsets are without spaces.
 * @typedef {{ before: number[], after: number[], trim?: { hasSpace: boolean } }} Around
 */

const WHERE = 'tokenizer: post_processor'

/** @param {string} name @param {unknown} id @returns {number} */
function idAt(name, id) {
  expect(Number.isInteger(id) && /** @type {number} */ (id) >= 0, 'format', () => `${WHERE}: ${name} must have the id of a token, got ${describe(id)}`)
  return /** @type {number} */ (id)
}

/** Marks by name and id on both sides. @param {any} json @returns {Around} */
const between = ({ cls, sep }) => ({ before: [idAt('cls', cls?.[1])], after: [idAt('sep', sep?.[1])] })

/** @param {any} json @returns {Around} */
function template(json) {
  const parts = listIn(WHERE, json, 'single'), at = parts.findIndex(part => part?.Sequence)
  expect(parts.filter(part => part?.Sequence).length === 1, 'format', () => `${WHERE}: single must have one Sequence, with ` +
    `special tokens around it, got ${JSON.stringify(json.single)}`)
  const ids = parts.map(part => {
    if (part?.Sequence) return []
    const name = part?.SpecialToken?.id, own = typeof name === 'string' ? json.special_tokens?.[name]?.ids : undefined
    expect(Array.isArray(own), 'format', () => `${WHERE}: special_tokens must have ids of ${describe(name)}, which single names`)
    return Array.from(own, id => idAt(`special_tokens[${describe(name)}].ids`, id))
  })
  return { before: ids.slice(0, at).flat(), after: ids.slice(at + 1).flat() }
}

/** @param {any} json @returns {{ trim?: { hasSpace: boolean } }} */
const trimOf = json => (flagIn(WHERE, json, 'trim_offsets', true)
  ? { trim: { hasSpace: flagIn(WHERE, json, 'add_prefix_space', true) } } : {})

/** @type {Record<string, (json: any) => Around>} */
const KINDS = {
  TemplateProcessing: template,
  BertProcessing: between,
  RobertaProcessing: json => ({ ...between(json), ...trimOf(json) }),
  ByteLevel: json => ({ before: [], after: [], ...trimOf(json) }),
  Sequence: json => listIn(WHERE, json, 'processors').map(postprocessor).reduceRight((outer, inner) =>
    ({ before: [...outer.before, ...inner.before], after: [...inner.after, ...outer.after],
      trim: outer.trim ?? inner.trim }),
  { before: [], after: [] })
}

/**
 * Which special tokens are put around a text.
 * @param {any} json the `post_processor` of a tokenizer.json
 * @returns {Around}
 * @throws {GlassformerError} 'format' for a type that is not known
 */
export function postprocessor(json) {
  if (json == null) return { before: [], after: [] }
  return kindIn(WHERE, json, KINDS)(json)
}
