import { GlassformerError } from '../errors.js'

/** Special tokens around a text. @typedef {{ before: number[], after: number[] }} Around */

/** @param {[string, number]} first @param {[string, number]} last @returns {Around} */
const between = ([, first], [, last]) => ({ before: [first], after: [last] })

/** @param {any} json @returns {Around} */
function template(json) {
  /** @type {Around} */ const around = { before: [], after: [] }
  let side = around.before
  for (const part of json.single) {
    if (part.Sequence) side = around.after
    else side.push(...json.special_tokens[part.SpecialToken.id].ids)
  }
  return around
}

/** @type {Record<string, (json: any) => Around>} */
const KINDS = {
  TemplateProcessing: template,
  BertProcessing: json => between(json.cls, json.sep),
  RobertaProcessing: json => between(json.cls, json.sep),
  ByteLevel: () => ({ before: [], after: [] }),
  Sequence: json => json.processors.map(postprocessor).reduceRight(
    (/** @type {Around} */ outer, /** @type {Around} */ inner) =>
      ({ before: [...outer.before, ...inner.before], after: [...inner.after, ...outer.after] }))
}

/**
 * Which special tokens are put around a text.
 * @param {any} json the `post_processor` of a tokenizer.json
 * @returns {Around}
 * @throws {GlassformerError} 'format' for a type that is not known
 */
export function postprocessor(json) {
  if (json == null) return { before: [], after: [] }
  if (!Object.hasOwn(KINDS, json.type)) {
    throw new GlassformerError('format', `tokenizer: post_processor ${JSON.stringify(json.type)} is not among ` +
      `${Object.keys(KINDS).join(', ')}`)
  }
  return KINDS[json.type](json)
}
