/** A text and what a model that was brought makes of it, with every number on the way. */

import { cellsAt } from '../../../src/js/edits.js'
import { indexOf } from '../../../src/js/shape.js'
import { SAMPLING, answer, decodingOf } from '../answer.js'
import { cutOf } from '../cut.js'
import { defaultsOf } from '../index.js'
import { mergesOf } from '../merges.js'
import { costsOf } from '../languages.js'
import { createSampling } from '../sampling.js'
import { spelled } from '../spelling.js'
import { hangulOf } from '../syllables.js'
import { keepingOf } from './keeping.js'

/** @import { Chosen } from '../answer.js' */
/** @import { Opened } from './open.js' */
/** @import { Cutting } from '../syllables.js' */
/** @import { Tokenizer } from '../../../src/js/text/tokenizer.js' */
/** @import { Frame } from '../decoding.js' */
/** @import { Axis, Edit, Going, Library, LibraryTensor, Made, Settings, Stream } from '../../types.d.ts' */

/** Most tokens of a text that is read, and of an answer, so that the figures of a run can still be read. */
const LONGEST = { text: 48, answer: 16 }

/**
 * How a kind of model goes through a text.
 * @typedef {object} Way
 * @property {Chosen | null} target its answer, if it writes one
 * @property {number[]} rows of the logits that the answer is chosen from
 * @property {number[]} right what counts as right at every place
 * @property {number} read tokens that were read at once
 * @property {() => { logits?: LibraryTensor, pooled?: LibraryTensor, hidden: LibraryTensor }} forward
 * @property {Record<string, Omit<Stream, 'texts'>>} streams
 * @property {Record<string, string>} texts of the streams
 * @property {Record<string, number[][]>} inputs of forward, by name
 * @property {Omit<Going, 'model'>} [going] where it writes token by token
 */

/** @type {WeakMap<Opened, string[]>} */ const vocabularies = new WeakMap()

/**
 * How tokens are shown: pieces of words as their tokenizer writes them, pieces of bytes as text.
 * @param {Opened} opened
 */
function vocabularyOf(opened) {
  const { tokenizer, type, config } = opened
  let vocabulary = vocabularies.get(opened)
  if (!vocabulary) {
    const size = config.vocab_size ?? tokenizer?.size
    const isOfLetters = type === 'bert'
    /** @param {number} id */
    const token = id => {
      if (!tokenizer || id >= tokenizer.size) return String(id)
      const name = tokenizer.tokenOf(id)
      return isOfLetters || /^<.*>$/.test(name) ? name : spelled(tokenizer.bytesOf(id))
    }
    vocabulary = Array.from({ length: size }, (_, id) => token(id))
    vocabularies.set(opened, vocabulary)
  }
  return vocabulary
}

/**
 * Ids of a text; without a tokenizer the text is the ids.
 * @param {Opened} opened @param {string} text @param {boolean} special @returns {number[]}
 */
function encode({ tokenizer }, text, special) {
  if (tokenizer) return [...tokenizer.encode(text, { special }).ids]
  return (text.match(/\d+/g) ?? []).map(Number)
}

/** What the model reads, never nothing. @param {Opened} opened @param {string} text */
function textOf(opened, text) {
  const ids = encode(opened, text, true).slice(0, LONGEST.text)
  return ids.length ? ids : [opened.model.start ?? 0]
}

/** @param {number[]} ids @returns {Chosen} */
const given = ids => ({ ids, isGiven: true, random: null, tree: null, best: null })

/**
 * The answer: the reader's words, ids that another run has chosen, or, where there are none, the model's own.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings
 * @param {Frame & { V: number, isCausal: boolean, source?: number[] }} frame
 * @param {(rows: number[][]) => LibraryTensor} forward @param {Edit[]} edits @returns {Chosen}
 */
function targetOf(gf, opened, settings, frame, forward, edits) {
  const { target } = settings
  if (Array.isArray(target)) return given(target)
  const typed = target.trim() ? encode(opened, target, false).slice(0, frame.longest) : []
  if (typed.length) return given(typed)
  const isPlain = edits.length === 0 && settings.decoding === 'greedy'
  if (isPlain) {
    const ids = gf.tidy(() => gf.noGrad(() => (
      opened.model.generate(frame.source ?? frame.start, { maxNewTokens: frame.longest }))))
    return { ...given(ids.length ? ids : [frame.end]), isGiven: false }
  }
  return { ...answer(gf, settings, forward, frame, edits), isGiven: false }
}

/** @param {Opened} opened @param {number[]} ids @param {{ isAnswer: boolean }} [more] */
function streamOf(opened, ids, more) {
  const { tokenizer } = opened
  const vocabulary = vocabularyOf(opened)
  const tokens = ids.map(id => vocabulary[id] ?? String(id))
  return { tokens: [tokens], ids: [ids], vocabulary, padding: [ids.map(() => false)], lengths: [ids.length],
    merges: tokenizer ? mergesOf(tokenizer, ids, vocabulary) : {}, ...more }
}

/**
 * A text of the page's in tokens; nothing where the tokenizer has none for it.
 * @param {Tokenizer} tokenizer @param {string} text @param {boolean} special @returns {Cutting}
 */
function cutting(tokenizer, text, special) {
  try {
    return tokenizer.encode(text, { special })
  } catch (error) {
    if (/** @type {{ code?: string }} */ (error).code !== 'text') throw error
    return { ids: [], offsets: [] }
  }
}

/** The text that is read. @param {Opened} opened @param {Settings} settings @param {number[]} ids */
function textStream(opened, { beginning }, ids) {
  const { tokenizer } = opened
  if (!tokenizer) return streamOf(opened, ids)
  const vocabulary = vocabularyOf(opened)
  /** @param {number} id */
  const shown = id => vocabulary[id] ?? String(id)
  const hangul = hangulOf(beginning, {
    cut: text => cutting(tokenizer, text, true), shown, bytesOf: id => tokenizer.bytesOf(id),
    longest: LONGEST.text
  })
  return {
    ...streamOf(opened, ids), cut: cutOf(tokenizer, beginning, LONGEST.text), hangul,
    languages: costsOf({ cut: text => cutting(tokenizer, text, false), shown })
  }
}

/** @param {string} of */
const token = of => [{ name: 'batch' }, { name: 'token', of }, { name: 'channel' }]
/** @param {string} of */
const word = of => [{ name: 'word', of }, { name: 'channel' }]

/** @param {string} of */
const scores = of => [{ name: 'batch' }, { name: 'token', of }, { name: 'word', of }]
/** @param {string} of */
const head = of => ({ 'lm_head.weight': word(of), 'lm_head.output': scores(of) })

/** What runs along the tables of words of every kind of model. @type {Record<string, Record<string, Axis[]>>} */
const AXES = {
  gpt2: { 'wte.weight': word('text'), ...head('text') },
  llama: { 'embed_tokens.weight': word('text'), ...head('text') },
  bert: { 'embeddings.word_embeddings.weight': word('text') },
  t5: { 'shared.weight': word('text'), 'shared.output:2': token('target'), ...head('target') },
  marian: {
    'encoder.embed_tokens.weight': word('text'), 'decoder.embed_tokens.weight': word('target'),
    'decoder.embed_tokens.output': token('target'), 'decoder.layernorm_embedding.output': token('target')
  }
}

/**
 * A model that goes on with a text.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @param {Edit[]} edits @returns {Way}
 */
function causal(gf, opened, settings, edits) {
  const { model } = opened
  const start = textOf(opened, settings.beginning).slice(0, Math.max(1, model.positions - 1))
  const longest = Math.min(LONGEST.answer, model.positions - start.length + 1)
  const frame = { start, end: model.ends[0] ?? -1, longest, V: vocabularyOf(opened).length, isCausal: true }
  const target = targetOf(gf, opened, settings, frame, rows => model.forward(rows).logits, edits)
  const input = [...start, ...target.ids.slice(0, -1)]
  return {
    target, read: start.length, rows: target.ids.map((_, t) => start.length - 1 + t),
    right: [...Array(start.length - 1).fill(-100), ...target.ids],
    forward: () => model.forward([input]), inputs: { ids: [input] },
    streams: { text: textStream(opened, settings, input) }, texts: { text: settings.beginning },
    going: { ids: input, begin: () => (ids, cache) => model.forward([ids], cache ? { cache } : {}).logits }
  }
}

/**
 * A model that reads one text and writes another.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @param {Edit[]} edits @returns {Way}
 */
function translating(gf, opened, settings, edits) {
  const { model } = opened
  const source = textOf(opened, settings.beginning)
  const frame = {
    start: [model.start], end: model.ends[0] ?? -1, longest: Math.min(LONGEST.answer, model.positions ?? Infinity),
    V: vocabularyOf(opened).length, isCausal: true, source
  }
  /** @param {number[][]} rows */
  const forward = rows => model.forward(rows.map(() => source), { decoderIds: rows }).logits
  const target = targetOf(gf, opened, settings, frame, forward, edits)
  const input = [model.start, ...target.ids.slice(0, -1)]
  return {
    target, read: source.length, rows: input.map((_, t) => t), right: target.ids,
    forward: () => model.forward([source], { decoderIds: [input] }), inputs: { ids: [source], decoderIds: [input] },
    streams: {
      text: textStream(opened, settings, source), target: streamOf(opened, input, { isAnswer: true })
    },
    texts: { text: settings.beginning, target: '' },
    going: { ids: input, begin() {
      const memory = model.read(model.sentences('ids', source), null)
      return (ids, cache) => model.answer(model.sentences('ids', ids), memory, { cache }).logits
    } }
  }
}

/**
 * A model that reads a text whole, from both sides.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @returns {Way}
 */
function reading(gf, opened, settings) {
  const { model } = opened
  const input = textOf(opened, settings.beginning)
  return {
    target: null, rows: [], right: [], read: input.length, forward: () => model.forward([input]),
    inputs: { ids: [input] },
    streams: { text: textStream(opened, settings, input) }, texts: { text: settings.beginning }
  }
}

/** What the last run overwrote in the weights, which are there once. @type {WeakMap<Opened, () => void>} */
const undo = new WeakMap()

/**
 * Puts back what the run before has overwritten in the weights, and notes what this one will.
 * @param {Opened} opened @param {Edit[]} edits
 * @returns {Map<string, number>} what stands there before, by `name:index`
 */
function restore(opened, edits) {
  undo.get(opened)?.()
  const state = /** @type {Record<string, LibraryTensor>} */ (opened.model.stateDict())
  const before = edits.filter(({ name }) => Object.hasOwn(state, name)).flatMap(({ name, index }) => {
    const { shape, data } = state[name]
    return (cellsAt(shape, index) ?? []).map(cell => ({ name, tensor: state[name], cell, value: data[cell] }))
  })
  undo.set(opened, () => {
    for (const { tensor, cell, value } of before) tensor.data[cell] = value
  })
  return new Map(before.map(({ name, tensor, cell, value }) => [`${name}:${indexOf(tensor.shape, cell)}`, value]))
}

/** @type {Record<string, (gf: Library, opened: Opened, settings: Settings, edits: Edit[]) => Way>} */
const KINDS = { gpt2: causal, llama: causal, bert: reading, t5: translating, marian: translating }

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} edits cells replaced the moment they are made
 * @param {Opened[]} opened by `openIn` @returns {Made}
 */
export function run(gf, options, edits, [opened]) {
  const settings = { ...defaultsOf('own'), ...options }
  const { type } = opened
  const before = restore(opened, edits)
  for (const parameter of opened.model.parameters()) {
    parameter.grad?.dispose()
    parameter.grad = null
  }
  const { target, rows, right, read, forward, inputs, streams, texts, going } = KINDS[type](gf, opened, settings, edits)
  const vocabulary = vocabularyOf(opened)
  const sampling = target ? createSampling(gf, settings) : null
  const [text, written] = [inputs.ids, inputs.decoderIds].map(list => list?.[0].length ?? 0)
  const keeping = keepingOf(opened.model, { text, target: written }, settings)
  const observed = gf.observe(() => {
    const { logits, hidden, pooled } = forward()
    const output = logits ?? pooled ?? hidden
    if (!sampling) return { output }
    const loss = gf.functional.crossEntropy(output.reshape(-1, output.shape[2]), right)
    gf.engine.trace.tag('loss', loss)
    sampling.forward(output)
    return { output, loss, free: () => sampling.dispose() }
  }, {
    modules: sampling ? { [SAMPLING]: sampling } : {}, edits, axes: AXES[type], keepAttention: keeping?.paths,
    streams: Object.fromEntries(Object.entries(streams).map(([name, one]) => [name, { ...one, texts: [texts[name]] }])),
    passes: [{ kind: 'prefill', rows: read }, ...(target?.ids ?? []).map((id, t) => (
      { kind: 'token', row: rows[t], token: vocabulary[id] }))]
  })
  return {
    run: observed, settings, ends: sampling ? [`${SAMPLING}.output`] : [], before,
    hints: type === 'bert' ? {} : { mask: 'causal' },
    ...(keeping && { keeping }), isTrained: true, brought: { type, serial: opened.serial, broken: opened.broken },
    ...(target && { decoding: decodingOf(target, settings.decoding, vocabulary, rows) }),
    taken: {
      model: opened.model, inputs,
      files: () => ({ name: type, content: gf.models.save(opened.model, { tokenizer: opened.tokenizer }) })
    },
    ...(going && { going: { model: opened.model, ...going } })
  }
}
