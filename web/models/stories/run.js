/** A prompt and the decoder's continuation, with all intermediate values. */

import { cachedModel } from '../model_cache.js'
import { defaultsOf } from '../index.js'
import { languageCosts } from '../language_costs.js'
import { mergesOf } from '../merges.js'
import { spelled } from '../../../src/training/models/token_text.js'
import { hangulOf } from '../syllables.js'
import { generateRun } from '../decoder_only.js'
import { build, keyOf, shapeIn } from '../weights.js'
import { createTokenizer, tokenize, encode, stories as createStoryTexts } from '../../../src/training/models/stories/data.js'
import { END } from '../../../src/training/models/stories/decode.js'
import { stories } from './index.js'
import { hubFiles, isGpt2Compatible } from './hub_files.js'
import { CONFIG, LONGEST, createStories } from '../../../src/training/models/stories/model.js'
import { shapeOf } from '../../../src/training/models/stories/variants.js'

/** @import { Edit, Library, ModelRun, Settings } from '../../types.d.ts' */
/** @import { Language } from '../decoder_only.js' */

/** @typedef {Language & { tokenizer: any }} StoryLanguage */

/** @type {WeakMap<Library, StoryLanguage>} */ const languages = new WeakMap()

/** The tokenizer and limits of the stories in an engine; the tokenizer is trained once. @param {Library} gf */
function languageOf(gf) {
  let language = languages.get(gf)
  if (!language) {
    const tokenizer = createTokenizer(gf)
    const end = /** @type {number} */ (tokenizer.idOf(END))
    const vocabulary = Array.from({ length: tokenizer.size },
      (_, id) => (id === end ? END : spelled(tokenizer.bytesOf(id))))
    language = {
      vocabulary, tokenizer, end, longest: LONGEST, encodePrompt: (text, room) => encode(tokenizer, text, room),
      encode: text => encode(tokenizer, text).slice(1), merges: ids => mergesOf(tokenizer, ids, vocabulary),
      hangul: text => hangulOf(text, {
        tokenize: item => tokenize(tokenizer, item), display: id => vocabulary[id], bytesOf: id => tokenizer.bytesOf(id)
      }),
      languages: languageCosts({ tokenize: item => tokenize(tokenizer, item), display: id => vocabulary[id] })
    }
    languages.set(gf, language)
  }
  return language
}

/** The beginnings of stories. */
const similarTexts = () => createStoryTexts(1, 48).map(story => story.split(' ').slice(0, 4).join(' '))

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} [edits] cells replaced as soon as they are computed
 * @param {Uint8Array[]} [files] the trained weights; none where no such model was trained
 * @returns {ModelRun}
 */
export function run(gf, options, edits = [], [file] = []) {
  const settings = { ...defaultsOf('stories'), ...options }
  const language = languageOf(gf)
  const shape = { ...shapeOf(settings), ...shapeIn(gf, settings, file) }
  const create = () => createStories(gf, { ...CONFIG, ...shape, dropout: settings.dropout })
  const own = { ...settings, weights: file ? settings.weights : 'untrained' }
  const entry = cachedModel(gf, keyOf('stories', own) + JSON.stringify(shape), () => build(gf, own, file, create), edits)
  const generated = generateRun(gf, entry, own, language, edits), known = { activation: shape.activation, ...language }
  const files = async () => ({ name: 'stories', content: await hubFiles(gf, entry.model, known) })
  const exportable = { ...generated.exportable, ...(isGpt2Compatible(gf, entry.model) && { files }) }
  return { ...generated, exportable, similarTexts, settings, hints: stories.hints, shape: shapeIn(gf, settings, file) }
}
