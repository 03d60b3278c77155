/** A beginning and how the decoder goes on with it, with every number on the way. */

import { answer } from '../answer.js'
import { answered } from '../answered.js'
import { hold } from '../hold.js'
import { defaultsOf } from '../index.js'
import { mergesOf } from '../merges.js'
import { spelled } from '../spelling.js'
import { build, keyOf, shapeIn } from '../weights.js'
import { END, LONGEST, createTokenizer, encode } from './data.js'
import { stories } from './index.js'
import { CONFIG, createStories } from './model.js'
import { shapeOf } from './variants.js'

/** @import { Chosen } from '../answer.js' */
/** @import { Tokenizer } from '../../../src/js/text/tokenizer.js' */
/** @import { Edit, Library, Made, Settings } from '../../types.d.ts' */

/** Most tokens of an answer, so that the figures of a run can still be read. */
const MOST = 32

const AXES = { 'embedding.weight': [{ name: 'word', of: 'text' }, { name: 'channel' }] }

/** @typedef {{ tokenizer: Tokenizer, end: number, vocabulary: string[] }} Text */

/** @type {WeakMap<Library, Text>} */ const tokenizers = new WeakMap()

/** The tokenizer of an engine and how its tokens are shown; trained once. @param {Library} gf */
function textOf(gf) {
  let text = tokenizers.get(gf)
  if (!text) {
    const tokenizer = createTokenizer(gf)
    const end = /** @type {number} */ (tokenizer.idOf(END))
    const vocabulary = Array.from({ length: tokenizer.size },
      (_, id) => (id === end ? END : spelled(tokenizer.bytesOf(id))))
    text = { tokenizer, end, vocabulary }
    tokenizers.set(gf, text)
  }
  return text
}

/**
 * How it goes on: the reader's words, ids that another run has chosen, or the model's own.
 * @param {Library} gf @param {ReturnType<typeof createStories>} model @param {Settings} settings @param {Text} text
 * @param {number[]} start @param {Edit[]} edits @returns {Chosen}
 */
function targetOf(gf, model, settings, { tokenizer, end, vocabulary }, start, edits) {
  const { target } = settings
  const longest = Math.min(MOST, LONGEST - start.length + 1)
  if (Array.isArray(target)) return { ids: target, isGiven: true, random: null, tree: null, best: null }
  if (target.trim() !== '') {
    const ids = [...encode(tokenizer, target.trim()).slice(1), end].slice(0, longest)
    return { ids, isGiven: true, random: null, tree: null, best: null }
  }
  const frame = { start, end, longest, V: vocabulary.length, isCausal: true }
  return { ...answer(gf, settings, rows => model.forward(rows), frame, edits), isGiven: false }
}

/** @param {Settings} settings @param {Text} text @param {number[]} input */
const streamOf = (settings, { tokenizer, vocabulary }, input) => ({
  texts: [settings.beginning], tokens: [input.map(id => vocabulary[id])], ids: [input], vocabulary,
  padding: [input.map(() => false)], lengths: [input.length], merges: mergesOf(tokenizer, input, vocabulary)
})

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} [edits] cells replaced the moment they are made
 * @param {Uint8Array[]} [files] the trained weights; none where nobody has trained such a model
 * @returns {Made}
 */
export function run(gf, options, edits = [], [file] = []) {
  const settings = { ...defaultsOf('stories'), ...options }
  const text = textOf(gf)
  const start = encode(text.tokenizer, settings.beginning, MOST)
  const shape = { ...shapeOf(settings), ...shapeIn(gf, settings, file) }
  const create = () => createStories(gf, { ...CONFIG, ...shape, dropout: settings.dropout })
  const own = { ...settings, weights: file ? settings.weights : 'untrained' }
  const made = hold(gf, keyOf('stories', own) + JSON.stringify(shape), () => build(gf, own, file, create), edits)
  const { model } = made
  const choose = () => targetOf(gf, model, settings, text, start, edits)
  return {
    ...answered(gf, made, own, edits, choose, ({ ids }) => {
      const input = [...start, ...ids.slice(0, -1)], rows = ids.map((_, t) => start.length - 1 + t)
      return {
        forward: () => model.forward([input]), right: [...Array(start.length - 1).fill(-100), ...ids],
        vocabulary: text.vocabulary, rows, axes: AXES, streams: { text: streamOf(settings, text, input) },
        passes: [{ kind: 'prefill', rows: start.length },
          ...rows.map((row, t) => ({ kind: 'token', row, token: text.vocabulary[ids[t]] }))]
      }
    }),
    settings, hints: stories.hints
  }
}
