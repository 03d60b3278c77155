/** A run of an imported model on a text, with all intermediate values. */

import { cellsAt } from '../../../src/js/trace/edits.js'
import { indexOf } from '../../../src/js/tensor/shape.js'
import { SAMPLING, decodingOf } from '../generation.js'
import { defaultsOf } from '../index.js'
import { createSampling } from '../sampling.js'
import { retainedLayersOf } from './retained_layers.js'
import { answerRoom, firstLogitsRow, textRoom } from './text_limits.js'
import { encode, streamOf, textStream, vocabularyOf } from './streams.js'
import { generateAsync, generateNow } from './generation.js'
import { CLASSIFICATION_AXES, classify, classifierInputs, describeAnswer } from './classification.js'

/** @import { Chosen } from '../generation.js' */
/** @import { Opened } from './open.js' */
/** @import { Outputs } from './classification.js' */
/** @import { Cache } from '../../../src/js/ops/attention_cache.js' */
/** @import { GenerationPlan as Written, PendingRequest } from './generation.js' */
/** @import { Continuation, Edit, Library, LibraryTensor } from '../../types.d.ts' */
/** @import { ModelRun, Settings, Stream, Truncation } from '../../types.d.ts' */

/**
 * The input, the forward and the targets of a run.
 * @typedef {object} PreparedRun
 * @property {Chosen | null} target its answer, if it generates one
 * @property {number[]} rows the rows of logits that the answer is chosen from
 * @property {number[]} targets the target at every position
 * @property {number} read the number of tokens in the first pass
 * @property {number} first the first token with logits; those before it have none
 * @property {ModelRun['truncated']} [truncated] which texts were truncated
 * @property {() => Outputs} forward
 * @property {Record<string, Omit<Stream, 'texts'>>} streams
 * @property {Record<string, string>} texts of the streams
 * @property {Record<string, number[][]>} inputs of forward, by name
 * @property {Omit<Continuation, 'model'>} [continuation] where it generates token by token
 */

/**
 * The text that the model reads, never empty, and how it was truncated.
 * @param {Opened} opened @param {string} text @param {{ max: number, limit: Truncation['limit'] }} room
 */
function textOf(opened, text, { max, limit }) {
  const all = encode(opened, text, true), isMarked = all.at(-1) !== encode(opened, text, false).at(-1)
  // A special token at the end stays there.
  const some = all.length > max && isMarked ? [...all.slice(0, max - 1), ...all.slice(-1)] : all.slice(0, max)
  const ids = some.length ? some : ['decoderStartTokenId' in opened.model ? opened.model.decoderStartTokenId : 0]
  return { ids, ...(all.length > max && { truncated: { text: { read: max, of: all.length, limit } } }) }
}

/** @param {number[]} ids @returns {Chosen} */
const givenAnswer = ids => ({ ids, isGiven: true, random: null, tree: null, best: null })

/**
 * The answer that the reader typed, or ids that another run has generated; null where the model generates by itself.
 * @param {Opened} opened @param {Settings} settings @param {{ max: number, limit: Truncation['limit'] }} room
 * @returns {{ target: Chosen, truncated?: ModelRun['truncated'] } | null}
 */
function typedAnswer(opened, { target }, { max, limit }) {
  if (Array.isArray(target)) return { target: givenAnswer(target) }
  const typed = target.trim() ? encode(opened, target, false, true) : []
  if (!typed.length) return null
  return { target: givenAnswer(typed.slice(0, max)),
    ...(typed.length > max && { truncated: { target: { read: max, of: typed.length, limit } } }) }
}

/**
 * The truncation where fewer positions are left than the requested answer.
 * @param {Settings} settings @param {{ max: number, limit: Truncation['limit'] }} room @param {Chosen} target
 * @returns {ModelRun['truncated']}
 */
function answerTruncation({ maxNewTokens }, { max, limit }, { ids }) {
  return limit === 'setting' || ids.length < max ? undefined : { target: { read: max, of: maxNewTokens, limit } }
}

/**
 * The plan of a run before its answer exists: how to generate one, and how to prepare the run with it.
 * @typedef {object} RunPlan
 * @property {Written} plan how the answer is generated
 * @property {{ max: number, limit: Truncation['limit'] }} room the maximum length of the answer
 * @property {(target: Chosen) => PreparedRun} prepare
 */

/**
 * A decoder-only model.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @returns {RunPlan}
 */
function decoderOnly(gf, opened, settings) {
  const { model } = opened, V = vocabularyOf(opened, true).length
  const { ids: start, truncated } = textOf(opened, settings.beginning, textRoom(model, 1))
  const room = answerRoom(model, start.length, settings), first = firstLogitsRow(start.length, room.max, V)
  // Frequencies may depend on the length of the sequence. With the length of the longest answer they are the same in
  // every pass, so that the tokens that were chosen are those of the displayed run.
  const totalLength = start.length + room.max - 1
  /**
   * Computes logits from a fixed row on, so that they do not depend on the length of the answer.
   * @param {number[]} ids
   */
  const logitsOptions = ids => ({ totalLength, ...(first && { logitsToKeep: ids.length - first }) })
  const frame = { start, end: model.eosTokenIds[0] ?? -1, longest: room.max, V, isCausal: true }
  return {
    room,
    plan: {
      frame, ends: model.eosTokenIds, forward: rows => model.forward(rows, logitsOptions(rows[0])).logits,
      begin: () => ({
        next: (rows, cache) => model.forward(rows, { cache, logitsToKeep: 1, totalLength }).logits, done() {}
      })
    },
    prepare(target) {
      const input = [...start, ...target.ids.slice(0, -1)]
      return {
        target, truncated, read: start.length, first, rows: target.ids.map((_, t) => start.length - 1 + t - first),
        targets: [...Array(start.length - 1).fill(-100), ...target.ids].slice(first),
        forward: () => model.forward([input], logitsOptions(input)), inputs: { ids: [input] },
        streams: { text: textStream(opened, settings, input, start.length) }, texts: { text: settings.beginning },
        continuation: { ids: input, begin: () => (ids, cache) => (
          model.forward([ids], cache ? { cache, totalLength } : logitsOptions(input.slice(0, ids.length))).logits) }
      }
    }
  }
}

/**
 * An encoder-decoder.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @returns {RunPlan}
 */
function encoderDecoder(gf, opened, settings) {
  const { model } = opened
  const { ids: source, truncated } = textOf(opened, settings.beginning, textRoom(model))
  const room = answerRoom(model, 1, settings)
  const frame = {
    start: [model.decoderStartTokenId], end: model.eosTokenIds[0] ?? -1, longest: room.max,
    V: vocabularyOf(opened, true).length, isCausal: true
  }
  /** @param {number[][]} rows */
  const forward = rows => model.forward(rows.map(() => source), { decoderIds: rows }).logits
  /** The encoder runs once. */
  function begin() {
    const memory = gf.engine.keep(gf.tidy(() => gf.noGrad(() => model.encode(model.toBatch('ids', source), null))))
    /** Sampling uses the displayed probabilities; the most probable token is searched for among the allowed ones. */
    const isFree = settings.decoding !== 'greedy'
    /** @param {number[][]} rows @param {Cache | null} cache */
    const next = (rows, cache) => {
      const { logits } = model.decode(model.toBatch('ids', rows), rows.length > 1 ? gf.cat(rows.map(() => memory)) : memory, { cache })
      return isFree ? logits : model.suppressTokens(logits, model.suppressedTokenIds)
    }
    return { next, done: () => memory.dispose() }
  }
  return {
    room, plan: { frame, ends: model.eosTokenIds, forward, begin },
    prepare(target) {
      const input = [model.decoderStartTokenId, ...target.ids.slice(0, -1)]
      return {
        target, truncated, read: source.length, first: 0, rows: input.map((_, t) => t), targets: target.ids,
        forward: () => model.forward([source], { decoderIds: [input] }),
        inputs: { ids: [source], decoderIds: [input] },
        streams: {
          text: textStream(opened, settings, source, source.length), target: streamOf(opened, input, { isAnswer: true })
        },
        texts: { text: settings.beginning, target: '' },
        continuation: { ids: input, begin() {
          const memory = model.encode(model.toBatch('ids', source), null)
          return (ids, cache) => model.decode(model.toBatch('ids', ids), memory, { cache }).logits
        } }
      }
    }
  }
}

/**
 * A model that does not generate: an encoder, or one with a classification head.
 * @param {Library} _ @param {Opened} opened @param {Settings} settings @returns {PreparedRun}
 */
function readOnly(_, opened, settings) {
  const { model } = opened
  const { ids: input, truncated } = textOf(opened, settings.beginning, textRoom(model))
  const { decoderIds, ...inputs } = classifierInputs(model, input)
  return {
    target: null, truncated, rows: [], targets: [], read: input.length, first: 0,
    forward: () => model.forward([input], decoderIds ? { decoderIds } : {}),
    inputs: { ...inputs, ...(decoderIds && { decoderIds }) },
    streams: {
      text: textStream(opened, settings, input, input.length),
      ...(decoderIds && { target: streamOf(opened, decoderIds[0], { isAnswer: true }) })
    },
    texts: { text: settings.beginning, ...(decoderIds && { target: '' }) }
  }
}

/**
 * Functions that restore the weights that the last run edited, since a model exists only once.
 * @type {WeakMap<Opened, () => void>}
 */
const undo = new WeakMap()

/**
 * Restores the weights edited by the previous run, and registers the edits of this one.
 * @param {Opened} opened @param {Edit[]} edits
 * @returns {Map<string, number>} previous values, by `name:index`
 */
function restore(opened, edits) {
  undo.get(opened)?.()
  const tables = opened.model.computedTables, state = { ...opened.model.stateDict(), ...tables }
  const before = edits.filter(({ name }) => Object.hasOwn(state, name)).flatMap(({ name, index }) => {
    const { shape, data } = state[name]
    return (cellsAt(shape, index) ?? []).map(cell => ({ name, tensor: state[name], cell, value: data[cell] }))
  })
  // The tables are read without calling a module, so the run would not see their edits.
  for (const { name, index, value } of edits.filter(edit => edit.name in tables && edit.value !== undefined)) {
    for (const cell of cellsAt(tables[name].shape, index) ?? []) tables[name].data[cell] = Number(value)
  }
  undo.set(opened, () => {
    for (const { tensor, cell, value } of before) tensor.data[cell] = value
  })
  return new Map(before.map(({ name, tensor, cell, value }) => [`${name}:${indexOf(tensor.shape, cell)}`, value]))
}

/**
 * How the model generates; null if it does not.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @returns {RunPlan | null}
 */
function planOf(gf, opened, settings) {
  const { architecture, head } = opened.model
  if (head || architecture === 'encoder') return null
  return architecture === 'decoder' ? decoderOnly(gf, opened, settings) : encoderDecoder(gf, opened, settings)
}

/**
 * Generates an answer asynchronously; undefined if the model does not generate or the reader typed the answer.
 * @param {any} gf @param {Settings} settings @param {Opened} opened @param {PendingRequest} waiting
 * @returns {Promise<Chosen | undefined>}
 */
export async function generateAnswer(gf, settings, opened, waiting) {
  restore(opened, settings.edits)
  const runPlan = planOf(gf, opened, settings)
  if (!runPlan || typedAnswer(opened, settings, runPlan.room)) return undefined
  return generateAsync(gf, settings, runPlan.plan, settings.edits, waiting)
}

/**
 * Prepares a run with the reader's answer, with one that was generated already, or with one generated now.
 * @param {Library} gf @param {Opened} opened @param {Settings} settings @param {Edit[]} edits @param {Chosen} [known]
 * @returns {PreparedRun}
 */
function prepareRun(gf, opened, settings, edits, known) {
  const runPlan = planOf(gf, opened, settings)
  if (!runPlan) return readOnly(gf, opened, settings)
  const { room, plan, prepare } = runPlan, typed = typedAnswer(opened, settings, room)
  if (typed) return { ...prepare(typed.target), truncated: { ...prepare(typed.target).truncated, ...typed.truncated } }
  const target = known ?? generateNow(gf, settings, plan, edits), found = prepare(target)
  return { ...found, truncated: { ...found.truncated, ...answerTruncation(settings, room, target) } }
}

/**
 * @param {any} gf the library
 * @param {Partial<Settings>} options settings of the page
 * @param {Edit[]} edits cells replaced as soon as they are computed
 * @param {any[]} given the model, from `openIn`, and its answer, from `generateAnswer` @returns {ModelRun}
 */
export function run(gf, options, edits, given) {
  const [opened, known] = /** @type {[Opened, Chosen?]} */ (given)
  const settings = { ...defaultsOf('own'), ...options }
  const { type, serial, dtype, broken } = opened
  const valuesBeforeEdits = restore(opened, edits)
  for (const parameter of opened.model.parameters()) {
    parameter.grad?.dispose()
    parameter.grad = null
  }
  const { target, truncated = {}, rows, first, targets, read, forward, inputs, streams, texts, continuation } = (
    prepareRun(gf, opened, settings, edits, known))
  const vocabulary = vocabularyOf(opened, true)
  const sampling = target ? createSampling(gf, settings) : null
  const [text, written] = [inputs.ids, inputs.decoderIds].map(list => list?.[0].length ?? 0)
  const retained = retainedLayersOf(opened.model, { text, target: written }, settings)
  /** @type {ModelRun['classification']} */ let classification
  const observed = gf.observe(() => {
    const outputs = forward()
    if (opened.model.head) {
      const { probabilities, ...rest } = classify(gf, opened, outputs)
      classification = describeAnswer(opened, streams.text.tokens[0], { output: rest.output, probabilities })
      return rest
    }
    const { logits, hidden, pooled } = outputs, output = logits ?? pooled ?? hidden
    if (!sampling) return { output }
    const loss = gf.functional.crossEntropy(output.reshape(-1, output.shape[2]), targets)
    gf.engine.trace.tag('loss', loss)
    sampling.forward(output)
    return { output, loss, free: () => sampling.dispose() }
  }, {
    modules: sampling ? { [SAMPLING]: sampling } : {}, edits, axes: { ...opened.model.axes({ ids: 'text', decoderIds: 'target' }), ...CLASSIFICATION_AXES }, keepAttention: retained?.paths,
    streams: Object.fromEntries(Object.entries(streams).map(([name, one]) => [name, { ...one, texts: [texts[name]] }])),
    passes: [{ kind: 'prefill', rows: read }, ...(target?.ids ?? []).map((id, t) => (
      { kind: 'token', row: rows[t] + first, token: vocabulary[id] }))]
  })
  return {
    run: observed, settings, outputs: sampling ? [`${SAMPLING}.output`] : [], valuesBeforeEdits,
    hints: opened.model.architecture === 'encoder' ? {} : { mask: 'causal' },
    ...(retained && { retained }), ...(Object.keys(truncated).length && { truncated }), isTrained: true,
    ...(classification && { classification }), imported: { type, serial, dtype, broken },
    ...(target && { decoding: {
      ...decodingOf(target, settings.decoding, vocabulary, rows), ...(first && { first })
    } }),
    exportable: {
      model: opened.model, inputs,
      files: () => ({ name: type, content: gf.models.save(opened.model, { tokenizer: opened.tokenizer }) })
    },
    ...(continuation && { continuation: { model: opened.model, ...continuation } })
  }
}
