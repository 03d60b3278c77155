/** A prompt and the continuation of a model trained on the reader's own text. */

import { exampleText } from '../../../src/training/models/stories/data.js'
import { cachedModel } from '../model_cache.js'
import { defaultsOf } from '../index.js'
import { languageCosts } from '../language_costs.js'
import { mergesOf } from '../merges.js'
import { CONFIG, createStories } from '../../../src/training/models/stories/model.js'
import { hubFiles, isGpt2Compatible } from '../stories/hub_files.js'
import { shapeOf } from '../../../src/training/models/stories/variants.js'
import { hangulOf } from '../syllables.js'
import { generateRun } from '../decoder_only.js'
import { build, keyOf, shapeIn } from '../weights.js'
import { text } from './index.js'
import { vocabularyFrom, vocabularyOf } from '../../../src/training/models/text/vocabulary.js'

/** @import { Edit, Library, ModelRun, Settings } from '../../types.d.ts' */
/** @import { Language } from '../decoder_only.js' */
/** @import { Vocabulary } from '../../../src/training/models/text/vocabulary.js' */

/** The default maximum length: that of the training windows. */
const LONGEST = 48

/** The vocabulary of the trained text, or, until then, of the page's example. @type {WeakMap<object, Vocabulary>} */
const vocabularies = new WeakMap()

/** @param {Library} gf @param {Uint8Array | undefined} file */
function vocabularyIn(gf, file) {
  const known = vocabularies.get(file ?? gf)
  const made = known ?? (file ? vocabularyFrom(gf, gf.loadSafetensors(file, { names: [] }).metadata.vocabulary)
    : vocabularyOf(gf, exampleText(), { unit: 'characters', size: 0 }))
  vocabularies.set(file ?? gf, made)
  return made
}

/**
 * @param {Vocabulary} vocabulary @param {number} longest
 * @returns {Language} a text without an end token; an empty one starts with the first token
 */
const languageOf = ({ tokens, encode, tokenize, tokenizer, isWhole }, longest) => ({
  vocabulary: tokens, longest, end: -1, encode,
  encodePrompt: (prompt, room) => {
    const ids = encode(prompt)
    return (ids.length ? ids : [0]).slice(-Math.max(isWhole ? longest : Math.ceil(longest / 2), longest - room))
  },
  ...(tokenizer && { merges: (/** @type {number[]} */ ids) => mergesOf(tokenizer, ids, tokens),
    languages: languageCosts({ tokenize: text => tokenizer.encode(text), display: id => tokens[id] }) }),
  ...(tokenize && {
    hangul: (/** @type {string} */ text) => hangulOf(text, {
      tokenize, display: id => tokens[id], ...(tokenizer && { bytesOf: id => tokenizer.bytesOf(id) })
    })
  })
})

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} [edits] cells replaced as soon as they are computed
 * @param {Uint8Array[]} [files] the weights from the training page; without them the model is initialized randomly
 * @returns {ModelRun}
 */
export function run(gf, options, edits = [], [file] = []) {
  const settings = { ...defaultsOf('text'), ...options }
  const vocabulary = vocabularyIn(gf, file)
  const shape = {
    vocabSize: vocabulary.size, longest: LONGEST, ...shapeOf(settings), ...shapeIn(gf, settings, file)
  }
  const create = () => createStories(gf, { ...CONFIG, ...shape, dropout: settings.dropout })
  const entry = cachedModel(gf, keyOf('text', settings) + JSON.stringify(shape), () => build(gf, settings, file, create), edits)
  const generated = generateRun(gf, entry, settings, languageOf(vocabulary, shape.longest), edits)
  const known = { ...shape, end: -1, tokenizer: vocabulary.tokenizer ?? null }
  const files = async () => ({ name: 'text', content: await hubFiles(gf, entry.model, known) })
  const exportable = { ...generated.exportable, ...(isGpt2Compatible(gf, entry.model) && { files }) }
  return { ...generated, exportable, settings, hints: text.hints, shape: shapeIn(gf, settings, file) }
}
