/** Decoder-only generation from a prompt: stories, repeated sequences, or the reader's own text. */

import { generate } from './generation.js'
import { generatedRun } from './generated_run.js'

/** @import { Chosen } from './generation.js' */
/** @import { CacheEntry } from './model_cache.js' */
/** @import { Edit, Hangul, LanguageCost, Library, ModelRun, Settings, TokenMerge } from '../types.d.ts' */

/**
 * How a model reads and generates.
 * @typedef {object} Language
 * @property {string[]} vocabulary tokens as displayed
 * @property {number} longest the maximum number of tokens read at a time
 * @property {number} end the token that ends a text, −1 for none
 * @property {number} [maxNewTokens] MAX_NEW_TOKENS by default
 * @property {boolean} [isRepetitive] whether its texts repeat their tokens
 * @property {(text: string, room: number) => number[]} encodePrompt room: the number of positions to leave for
 *   new tokens
 * @property {(text: string) => number[]} encode the reader's continuation
 * @property {(ids: number[]) => Record<number, TokenMerge[]>} [merges] the merges of each token
 * @property {(text: string) => Hangul | undefined} [hangul] the tokens of its syllables
 * @property {LanguageCost[]} [languages] the cost of a sentence in each language
 */

/**
 * The maximum number of generated tokens, so that the figures of a run remain readable. A story is over by then, and a
 * model trained on the training page reads no more than some 48 tokens at a time, so a longer text would show
 * nothing new.
 */
export const MAX_NEW_TOKENS = 32

const WORDS = [{ name: 'word', of: 'text' }, { name: 'channel' }]
const AXES = { 'embedding.weight': WORDS, 'output.weight': WORDS }

/**
 * The continuation: the reader's text, ids that another run has generated, or the model's own.
 * @param {Library} gf @param {any} model @param {Settings} settings @param {Language} language
 * @param {number[]} start @param {Edit[]} edits @returns {Chosen}
 */
function targetOf(gf, model, settings, language, start, edits) {
  const { encode, end, vocabulary, longest: reach, maxNewTokens = MAX_NEW_TOKENS } = language, { target } = settings
  const longest = Math.min(maxNewTokens, reach - start.length + 1)
  if (Array.isArray(target)) return { ids: target, isGiven: true, random: null, tree: null, best: null }
  if (target.trim() !== '') {
    const ids = [...encode(target.trim()), ...(end < 0 ? [] : [end])].slice(0, longest)
    return { ids, isGiven: true, random: null, tree: null, best: null }
  }
  const frame = { start, end, longest, V: vocabulary.length, isCausal: true }
  return { ...generate(gf, settings, rows => model.forward(rows), frame, edits), isGiven: false }
}

/** @param {Settings} settings @param {Language} language @param {number[]} input */
const streamOf = (settings, { merges, hangul, languages, vocabulary }, input) => ({
  texts: [settings.beginning], tokens: [input.map(id => vocabulary[id])], ids: [input], vocabulary,
  padding: [input.map(() => false)], lengths: [input.length], merges: merges?.(input) ?? {},
  ...(hangul && { hangul: hangul(settings.beginning) }), ...(languages && { languages })
})

/**
 * @param {any} gf the library @param {CacheEntry} entry @param {Settings} settings @param {Language} language
 * @param {Edit[]} edits @returns {Omit<ModelRun, 'hints'>}
 */
export function generateRun(gf, entry, settings, language, edits) {
  const { model } = entry, { vocabulary } = language
  const start = language.encodePrompt(settings.beginning, language.maxNewTokens ?? MAX_NEW_TOKENS)
  const choose = () => targetOf(gf, model, settings, language, start, edits)
  return generatedRun(gf, entry, settings, edits, choose, ({ ids }) => {
    const input = [...start, ...ids.slice(0, -1)], rows = ids.map((_, t) => start.length - 1 + t)
    return {
      forward: () => model.forward([input]), targets: [...Array(start.length - 1).fill(-100), ...ids], vocabulary,
      rows, axes: AXES, inputs: { ids: [input] }, streams: { text: streamOf(settings, language, input) },
      passes: [{ kind: 'prefill', rows: start.length },
        ...rows.map((row, t) => ({ kind: 'token', row, token: vocabulary[ids[t]] }))],
      continuation: {
        ids: input, isRepetitive: language.isRepetitive,
        begin: () => (some, cache) => model.forward([some], undefined, cache)
      }
    }
  })
}
