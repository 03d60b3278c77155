/** A sentence with gaps through the encoder, with all intermediate values. */

import { choose } from '../generation.js'
import { generatedRun } from '../generated_run.js'
import { cachedModel } from '../model_cache.js'
import { defaultsOf } from '../index.js'
import { build, keyOf, shapeIn } from '../weights.js'
import { encodeSentence } from '../../../src/training/models/particles/answer.js'
import { particles, wordsOf } from './index.js'
import { CONFIG, createParticles } from '../../../src/training/models/particles/model.js'
import { hangulOf } from '../syllables.js'
import { PAD, TOKENS, WORDS } from '../../../src/training/models/particles/tokens.js'

/** @import { Chosen } from '../generation.js' */
/** @import { Edit, Library, ModelRun, Settings, Stream } from '../../types.d.ts' */

/** @param {string} of */
const words = of => [{ name: 'word', of }, { name: 'channel' }]
const AXES = { 'embedding.weight': words('text'), 'output.weight': words('answer') }

/**
 * The words for the gaps: the reader's, those that another run has chosen, or the model's own.
 * @param {Library} gf @param {ReturnType<typeof createParticles>} model @param {Settings} settings
 * @param {ReturnType<typeof encodeSentence>} text @param {Edit[]} edits @returns {Chosen}
 */
function targetOf(gf, model, settings, { ids, places }, edits) {
  const { target } = settings
  const given = Array.isArray(target) ? target : wordsOf(target).map(word => WORDS.indexOf(word))
  if (given.length === places.length) return { ids: given, isGiven: true, random: null, tree: null, best: null }
  return { ...choose(gf, settings, () => model.forward([ids]), { V: WORDS.length, rows: places }, edits),
    isGiven: false }
}

/**
 * The target at every position; none outside the gaps.
 * @param {number} length @param {number[]} places @param {number[]} ids
 */
function targetsOf(length, places, ids) {
  const target = Array(length).fill(-100)
  places.forEach((at, n) => { target[at] = ids[n] })
  return target
}

/** Makes spaces visible. @param {string} token */
const displayToken = token => (token === ' ' ? '␣' : token)
const DISPLAYED_TOKENS = TOKENS.map(displayToken)

/** @param {Settings} settings @param {ReturnType<typeof encodeSentence>} text @returns {Record<string, Stream>} */
function streamsOf({ gapped }, { ids, tokens }) {
  const hangul = hangulOf(gapped, { tokenize: encodeSentence, display: id => DISPLAYED_TOKENS[id] })
  const padding = [ids.map(id => TOKENS[id] === PAD)]
  const shown = tokens.map(displayToken)
  return {
    text: { texts: [gapped], tokens: [shown], ids: [ids], vocabulary: DISPLAYED_TOKENS,
      padding, lengths: [tokens.length],
      hangul },
    answer: { texts: [''], tokens: [shown], ids: [ids], vocabulary: WORDS, padding, lengths: [tokens.length] }
  }
}

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} [edits] cells replaced as soon as they are computed
 * @param {Uint8Array[]} [files] the trained weights
 * @returns {ModelRun}
 */
export function run(gf, options, edits = [], [file] = []) {
  const settings = { ...defaultsOf('particles'), ...options }
  const text = encodeSentence(settings.gapped)
  const shape = shapeIn(gf, settings, file)
  const create = () => createParticles(gf, { ...CONFIG, ...shape, dropout: settings.dropout })
  const made = cachedModel(gf, keyOf('particles', settings), () => build(gf, settings, file, create), edits)
  const { model } = made
  return {
    ...generatedRun(gf, made, settings, edits, () => targetOf(gf, model, settings, text, edits), ({ ids }) => ({
      forward: () => model.forward([text.ids]), targets: targetsOf(text.ids.length, text.places, ids),
      vocabulary: WORDS,
      rows: text.places, axes: AXES, inputs: { ids: [text.ids] }, streams: streamsOf(settings, text)
    })),
    hints: particles.hints, shape, focus: { of: 'text', row: text.places[0] }
  }
}
