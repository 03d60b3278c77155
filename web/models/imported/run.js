/** A text and what a model that was brought makes of it, with every number on the way. */

import { cellsAt } from '../../../src/js/edits.js'
import { indexOf } from '../../../src/js/shape.js'
import { SAMPLING, decodingOf } from '../generation.js'
import { defaultsOf } from '../index.js'
import { createSampling } from '../sampling.js'
import { keepingOf } from './retained_layers.js'
import { answerRoom, firstScored, textRoom } from './text_limits.js'
import { encode, streamOf, textStream, vocabularyOf } from './streams.js'
import { writing, written } from './generation.js'

/** @import { Chosen } from '../generation.js' */
/** @import { Opened } from './open.js' */
/** @import { Cache } from '../../../src/js/ops/attention_cache.js' */
/** @import { Going as Written, Waiting } from './generation.js' */
/** @import { Axis, Edit, Going, Library, LibraryTensor, Made, Settings, Shortened, Stream } from '../../types.d.ts' */

/**
 * How a kind of model goes through a text.
 * @typedef {object} Way
 * @property {Chosen | null} target its answer, if it writes one
 * @property {number[]} rows of the logits that the answer is chosen from
 * @property {number[]} right what counts as right at every place
 * @property {number} read tokens that were read at once
 * @property {number} first token that there are logits of: those before it are left out
 * @property {Made['cut']} [cut] what of the texts was left out
 * @property {() => { logits?: LibraryTensor, pooled?: LibraryTensor, hidden: LibraryTensor }} forward
 * @property {Record<string, Omit<Stream, 'texts'>>} streams
 * @property {Record<string, string>} texts of the streams
 * @property {Record<string, number[][]>} inputs of forward, by name
 * @property {Omit<Going, 'model'>} [going] where it writes token by token
 */

/**
 * What the model reads, never nothing, and what is said where that is not all.
 * @param {Opened} opened @param {string} text @param {{ most: number, by: Shortened['by'] }} room
 */
function textOf(opened, text, { most, by }) {
  const all = encode(opened, text, true), isMarked = all.at(-1) !== encode(opened, text, false).at(-1)
  // A mark at the end stays there.
  const some = all.length > most && isMarked ? [...all.slice(0, most - 1), ...all.slice(-1)] : all.slice(0, most)
  const ids = some.length ? some : [opened.model.decoderStartTokenId ?? 0]
  return { ids, ...(all.length > most && { cut: { text: { read: most, of: all.length, by } } }) }
}

/** @param {number[]} ids @returns {Chosen} */
const chosenBefore = ids => ({ ids, isGiven: true, random: null, tree: null, best: null })

/**
 * The answer that the reader typed, or ids that another run has chosen; null where the model writes by itself.
 * @param {Opened} opened @param {Settings} settings @param {{ most: number, by: Shortened['by'] }} room
 * @returns {{ target: Chosen, cut?: Made['cut'] } | null}
 */
function givenTo(opened, { target }, { most, by }) {
  if (Array.isArray(target)) return { target: chosenBefore(target) }
  const typed = target.trim() ? encode(opened, target, false) : []
  if (!typed.length) return null
  return { target: chosenBefore(typed.slice(0, most)),
    ...(typed.length > most && { cut: { target: { read: most, of: typed.length, by } } }) }
}

/**
 * What is said where the places left are fewer than the answer was asked to take.
 * @param {Settings} settings @param {{ most: number, by: Shortened['by'] }} room @param {Chosen} target
 * @returns {Made['cut']}
 */
function cutShort({ maxNewTokens }, { most, by }, { ids }) {
  return by === 'setting' || ids.length < most ? undefined : { target: { read: most, of: maxNewTokens, by } }
}

/** @param {string} of */
const token = of => [{ name: 'batch' }, { name: 'token', of }, { name: 'channel' }]
/** @param {string} of */
const word = of => [{ name: 'word', of }, { name: 'channel' }]

/** @param {string} of */
const scores = of => [{ name: 'batch' }, { name: 'token', of }, { name: 'word', of }]
/** @param {string} of */
const head = of => ({ 'lm_head.weight': word(of), 'lm_head.output': scores(of) })

/** A table that is looked up by something else than words. @param {string} by */
const table = by => [{ name: by }, { name: 'channel' }]
const pooled = [{ name: 'batch' }, { name: 'channel' }]

/**
 * T5's numbers for how far a key is from a query, one for each head.
 * @param {string} side @param {string} of
 */
const relative = (side, of) => ({
  [`${side}.relative_attention_bias.weight`]: [{ name: 'bucket' }, { name: 'head' }],
  [`${side}.relative_attention_bias.output`]: [{ name: 'query', of }, { name: 'key', of }, { name: 'head' }]
})

/** What runs along the tables of every kind of model. @type {Record<string, Record<string, Axis[]>>} */
const AXES = {
  gpt2: {
    'wte.weight': word('text'), 'wpe.weight': table('position'), 'wpe.output': token('text'), ...head('text')
  },
  llama: { 'embed_tokens.weight': word('text'), ...head('text') },
  bert: {
    'embeddings.word_embeddings.weight': word('text'),
    'embeddings.position_embeddings.weight': table('position'), 'embeddings.position_embeddings.output': token('text'),
    'embeddings.token_type_embeddings.weight': table('type'), 'embeddings.token_type_embeddings.output': token('text'),
    'pooler.output': pooled, 'tanh': pooled
  },
  t5: {
    'shared.weight': word('text'), 'shared.output:2': token('target'), ...head('target'),
    ...relative('encoder', 'text'), ...relative('decoder', 'target')
  },
  marian: {
    'encoder.embed_tokens.weight': word('text'), 'decoder.embed_tokens.weight': word('target'),
    'encoder.embedding.weight': table('position'), 'encoder.embedding': token('text'),
    'decoder.embedding.weight': table('position'), 'decoder.embedding': token('target'),
    'decoder.embed_tokens.output': token('target'), 'decoder.layernorm_embedding.output': token('target')
  }
}

/**
 * What is known before an answer is there: the way of a model from its text to that, and from there to the run.
 * @typedef {object} Asked
 * @property {Written} going
 * @property {{ most: number, by: Shortened['by'] }} room of the answer
 * @property {(target: Chosen) => Way} way
 */

/**
 * A model that goes on with a text.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @returns {Asked}
 */
function causal(gf, opened, settings) {
  const { model } = opened, V = vocabularyOf(opened).length
  const { ids: start, cut } = textOf(opened, settings.beginning, textRoom(model, 1))
  const room = answerRoom(model, start.length, settings), first = firstScored(start.length, room.most, V)
  /** Of how many tokens there are logits: from one on, wherever the answer ends. @param {number[]} ids */
  const scored = ids => (first ? { logitsToKeep: ids.length - first } : {})
  const frame = { start, end: model.eosTokenIds[0] ?? -1, longest: room.most, V, isCausal: true }
  return {
    room,
    going: {
      frame, ends: model.eosTokenIds, forward: rows => model.forward(rows, scored(rows[0])).logits,
      begin: () => ({ next: (rows, cache) => model.forward(rows, { cache, logitsToKeep: 1 }).logits, done() {} })
    },
    way(target) {
      const input = [...start, ...target.ids.slice(0, -1)]
      return {
        target, cut, read: start.length, first, rows: target.ids.map((_, t) => start.length - 1 + t - first),
        right: [...Array(start.length - 1).fill(-100), ...target.ids].slice(first),
        forward: () => model.forward([input], scored(input)), inputs: { ids: [input] },
        streams: { text: textStream(opened, settings, input, start.length) }, texts: { text: settings.beginning },
        going: { ids: input, begin: () => (ids, cache) => (
          model.forward([ids], cache ? { cache } : scored(input.slice(0, ids.length))).logits) }
      }
    }
  }
}

/**
 * A model that reads one text and writes another.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @returns {Asked}
 */
function translating(gf, opened, settings) {
  const { model } = opened
  const { ids: source, cut } = textOf(opened, settings.beginning, textRoom(model))
  const room = answerRoom(model, 1, settings)
  const frame = {
    start: [model.decoderStartTokenId], end: model.eosTokenIds[0] ?? -1, longest: room.most,
    V: vocabularyOf(opened).length, isCausal: true
  }
  /** @param {number[][]} rows */
  const forward = rows => model.forward(rows.map(() => source), { decoderIds: rows }).logits
  /** The text is read once. */
  function begin() {
    const memory = gf.engine.keep(gf.tidy(() => gf.noGrad(() => model.encode(model.toBatch('ids', source), null))))
    /** A draw falls on the shares that are shown; the likeliest is looked for among what may be written. */
    const isFree = settings.decoding !== 'greedy'
    /** @param {number[][]} rows @param {Cache | null} cache */
    const next = (rows, cache) => {
      const { logits } = model.decode(model.toBatch('ids', rows), rows.length > 1 ? gf.cat(rows.map(() => memory)) : memory, { cache })
      return isFree ? logits : model.suppressTokens(logits, model.suppressedTokenIds)
    }
    return { next, done: () => memory.dispose() }
  }
  return {
    room, going: { frame, ends: model.eosTokenIds, forward, begin },
    way(target) {
      const input = [model.decoderStartTokenId, ...target.ids.slice(0, -1)]
      return {
        target, cut, read: source.length, first: 0, rows: input.map((_, t) => t), right: target.ids,
        forward: () => model.forward([source], { decoderIds: [input] }),
        inputs: { ids: [source], decoderIds: [input] },
        streams: {
          text: textStream(opened, settings, source, source.length), target: streamOf(opened, input, { isAnswer: true })
        },
        texts: { text: settings.beginning, target: '' },
        going: { ids: input, begin() {
          const memory = model.encode(model.toBatch('ids', source), null)
          return (ids, cache) => model.decode(model.toBatch('ids', ids), memory, { cache }).logits
        } }
      }
    }
  }
}

/**
 * A model that reads a text whole, from both sides, and writes nothing.
 * @param {Library} _ @param {Opened} opened @param {Settings} settings @returns {Way}
 */
function reading(_, opened, settings) {
  const { model } = opened
  const { ids: input, cut } = textOf(opened, settings.beginning, textRoom(model))
  return {
    target: null, cut, rows: [], right: [], read: input.length, first: 0, forward: () => model.forward([input]),
    inputs: { ids: [input] },
    streams: { text: textStream(opened, settings, input, input.length) }, texts: { text: settings.beginning }
  }
}

/** What the last run overwrote in the weights, which are there once. @type {WeakMap<Opened, () => void>} */
const undo = new WeakMap()

/**
 * Marian's tables of places: no weights, but there once as those are.
 * @param {Opened} opened @returns {Record<string, LibraryTensor>}
 */
const tablesOf = ({ model, type }) => (type !== 'marian' ? {} : {
  'encoder.embedding.weight': model.encoder.sinusoids, 'decoder.embedding.weight': model.decoder.sinusoids
})

/**
 * Puts back what the run before has overwritten in the weights, and notes what this one will.
 * @param {Opened} opened @param {Edit[]} edits
 * @returns {Map<string, number>} what stands there before, by `name:index`
 */
function restore(opened, edits) {
  undo.get(opened)?.()
  const tables = tablesOf(opened), state = { ...opened.model.stateDict(), ...tables }
  const before = edits.filter(({ name }) => Object.hasOwn(state, name)).flatMap(({ name, index }) => {
    const { shape, data } = state[name]
    return (cellsAt(shape, index) ?? []).map(cell => ({ name, tensor: state[name], cell, value: data[cell] }))
  })
  // A table that no module is called for is read before it is known by name.
  for (const { name, index, value } of edits.filter(one => one.name in tables && one.value !== undefined)) {
    for (const cell of cellsAt(tables[name].shape, index) ?? []) tables[name].data[cell] = Number(value)
  }
  undo.set(opened, () => {
    for (const { tensor, cell, value } of before) tensor.data[cell] = value
  })
  return new Map(before.map(({ name, tensor, cell, value }) => [`${name}:${indexOf(tensor.shape, cell)}`, value]))
}

/** @type {Record<string, (gf: Library, opened: Opened, settings: Settings) => Asked>} */
const WRITERS = { gpt2: causal, llama: causal, t5: translating, marian: translating }

/**
 * What a model of the reader's writes, for somebody who waits for it; undefined where it writes nothing.
 * @param {any} gf @param {Settings} settings @param {Opened} opened @param {Waiting} waiting
 * @returns {Promise<Chosen | undefined>}
 */
export async function writtenBy(gf, settings, opened, waiting) {
  restore(opened, settings.edits)
  const asked = WRITERS[opened.type]?.(gf, opened, settings)
  if (!asked || givenTo(opened, settings, asked.room)) return undefined
  return writing(gf, settings, asked.going, settings.edits, waiting)
}

/**
 * The way to a run, with the reader's answer, one that was written already, or one that is written now.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @param {Edit[]} edits @param {Chosen} [known]
 * @returns {Way}
 */
function wayOf(gf, opened, settings, edits, known) {
  const asked = WRITERS[opened.type]?.(gf, opened, settings)
  if (!asked) return reading(gf, opened, settings)
  const { room, going, way } = asked, typed = givenTo(opened, settings, room)
  if (typed) return { ...way(typed.target), cut: { ...way(typed.target).cut, ...typed.cut } }
  const target = known ?? written(gf, settings, going, edits), found = way(target)
  return { ...found, cut: { ...found.cut, ...cutShort(settings, room, target) } }
}

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} edits cells replaced the moment they are made
 * @param {any[]} given the model, by `openIn`, and what `writtenBy` has written @returns {Made}
 */
export function run(gf, options, edits, given) {
  const [opened, known] = /** @type {[Opened, Chosen?]} */ (given)
  const settings = { ...defaultsOf('own'), ...options }
  const { type } = opened
  const before = restore(opened, edits)
  for (const parameter of opened.model.parameters()) {
    parameter.grad?.dispose()
    parameter.grad = null
  }
  const { target, cut = {}, rows, first, right, read, forward, inputs, streams, texts, going } = (
    wayOf(gf, opened, settings, edits, known))
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
      { kind: 'token', row: rows[t] + first, token: vocabulary[id] }))]
  })
  return {
    run: observed, settings, ends: sampling ? [`${SAMPLING}.output`] : [], before,
    hints: type === 'bert' ? {} : { mask: 'causal' },
    ...(keeping && { keeping }), ...(Object.keys(cut).length && { cut }), isTrained: true,
    brought: { type, serial: opened.serial, broken: opened.broken },
    ...(target && { decoding: {
      ...decodingOf(target, settings.decoding, vocabulary, rows), ...(first && { first })
    } }),
    taken: {
      model: opened.model, inputs,
      files: () => ({ name: type, content: gf.models.save(opened.model, { tokenizer: opened.tokenizer }) })
    },
    ...(going && { going: { model: opened.model, ...going } })
  }
}
