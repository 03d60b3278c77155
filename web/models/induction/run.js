/** A sequence and its continuation by a decoder of attention alone, with all intermediate values. */

import { cachedModel } from '../model_cache.js'
import { defaultsOf } from '../index.js'
import { generateRun } from '../decoder_only.js'
import { build, keyOf, shapeIn } from '../weights.js'
import { CONFIG, createInduction } from '../../../src/training/models/induction/model.js'
import { sequences } from '../../../src/training/models/induction/data.js'
import { LONGEST, TOKENS, decode, encode } from '../../../src/training/models/induction/tokens.js'
import { NEW_TOKENS, induction } from './index.js'

/** @import { Edit, ModelRun, Settings } from '../../types.d.ts' */

/** @type {import('../decoder_only.js').Language} */
const LANGUAGE = {
  vocabulary: TOKENS, longest: LONGEST, end: -1, maxNewTokens: NEW_TOKENS, isRepetitive: true,
  encodePrompt: encode, encode: text => encode(text).slice(1)
}

/** Sequences that repeat. */
const similarTexts = () => sequences(1, 48).map(({ ids }) => decode(ids.slice(0, 20)))

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} [edits] cells replaced as soon as they are computed
 * @param {Uint8Array[]} [files] the trained weights; none for random ones
 * @returns {ModelRun}
 */
export function run(gf, options, edits = [], [file] = []) {
  const settings = { ...defaultsOf('induction'), ...options }
  const shape = shapeIn(gf, settings, file)
  const create = () => createInduction(gf, { ...CONFIG, ...shape, dropout: settings.dropout })
  const entry = cachedModel(gf, keyOf('induction', settings) + JSON.stringify(shape), () => build(gf, settings, file, create), edits)
  return { ...generateRun(gf, entry, settings, LANGUAGE, edits), similarTexts, settings, hints: induction.hints, shape }
}
