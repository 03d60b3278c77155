/** The names of tokens in the reader's language, for models whose answers have names in several. */

import { modelOf } from './index.js'

/** @import { Decoding, Language, Run, Stream } from '../types.d.ts' */

/**
 * A token of an answer, or a text of them, with the names of a language; any other text as it is.
 * @param {string} text @param {string} model @param {Language} language
 */
export const nameText = (text, model, language) => modelOf(model).named?.(text, language) ?? text

/**
 * A run with the tokens of its answer named in a language; its numbers are the same objects.
 * @param {Run} run @param {Language} language @returns {Run}
 */
export function nameRun(run, language) {
  const { model } = run.settings
  if (!modelOf(model).named) return run
  const name = (/** @type {string} */ token) => nameText(token, model, language)
  const nameStream = (/** @type {Stream} */ stream) => (stream.isAnswer ? {
    ...stream, vocabulary: stream.vocabulary.map(name), tokens: stream.tokens.map(tokens => tokens.map(name))
  } : stream)
  const nameDecoding = (/** @type {Decoding | null | undefined} */ decoding) => (
    decoding && { ...decoding, steps: decoding.steps.map(step => ({ ...step, token: name(step.token) })) })
  return /** @type {Run} */ ({ ...run, decoding: nameDecoding(run.decoding), ownDecoding: nameDecoding(run.ownDecoding),
    streams: Object.fromEntries(Object.entries(run.streams).map(([id, stream]) => [id, nameStream(stream)])) })
}
