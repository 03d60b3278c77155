import { GlassformerError, describe, expect, expectBoolean, expectNumber, expectOptions, expectInteger } from '../errors.js'
import { Cache } from '../ops/attention_cache.js'
import { toIdTensor } from '../ops/checks.js'
import { to } from '../ops/convert.js'
import { Tensor } from '../tensor/tensor.js'
import { nextTask } from '../next_task.js'
import { expandBeams, findBest, pathTo, rankBranches } from './beam.js'
import { PROCESSING_OPTIONS, checkProcessingOptions, processLogits } from './process_logits.js'
import { readSeed } from '../tensor/generator.js'
import { takesCache } from './takes_cache.js'
import {
  RandomStream, SAMPLING_OPTIONS, checkLogits, checkSamplingOptions, filterLogits, greedy, pick
} from './choose.js'

/**
 * Autoregressive generation: greedy decoding, sampling, or beam search.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('./choose.js').Candidates} Candidates
 * @typedef {import('./beam.js').Branch} Branch
 *
 * A function from rows of ids to logits [B, T, V]; only the last position of each row is used. With a cache the rows
 * hold only the ids that the model has not seen, else everything from the start of the prompt.
 * @typedef {(rows: number[][], cache: Cache | null) => Tensor} Next
 *
 * @typedef {object} GenerateOptions
 * @property {number} [maxNewTokens] 20
 * @property {number | readonly number[]} [end] ids that end the generation; the end id is included
 * @property {number} [temperature] if temperature, topK or topP is given, tokens are sampled; with none of them, or
 *   temperature 0, decoding is greedy
 * @property {number} [topK] 0 keeps all
 * @property {number} [topP] 1 keeps all
 * @property {number} [minP] 0 keeps all
 * @property {number} [repetitionPenalty] 1; see ProcessingOptions
 * @property {number} [noRepeatNgramSize] 0
 * @property {number} [minNewTokens] 0
 * @property {string | readonly string[]} [stop] texts that end the generation when the new text has one of them; they
 *   need `tokenizer`
 * @property {{ decode(ids: number[]): string }} [tokenizer] decodes the new text for `stop`
 * @property {number} [numReturnSequences] how many sequences to return for each prompt, as an array; sampled one after
 *   the other, or the best ones of the beams
 * @property {number | bigint} [seed] of the random numbers, as torch.manual_seed; default: the engine's own stream
 * @property {number} [beams] 1; above 1: the number of beams of a beam search
 * @property {number} [lengthPenalty] 1; a sequence's score is divided by its length to this power, as in Hugging Face's
 *   beam search; 0: the sum of log probabilities
 * @property {boolean} [cache] true; false runs the model on the whole sequence at each step
 * @property {(id: number, step: Step) => void | Promise<void>} [onToken] called with each token as soon as it is known;
 *   with beams, with all tokens at the end. With a signal it may be async and is awaited before the next token
 * @property {(ids: number[]) => boolean} [stoppingCriteria] called after each token with the ids so far, with beams
 *   the best ids so far; true ends the generation
 * @property {import('../platform.d.ts').Signal} [signal] an AbortSignal: then the result is a promise, and other tasks
 *   run between tokens
 *
 * A module, or a function of rows of ids.
 * @typedef {Next | { forward(...inputs: any[]): any }} Decodable
 * @typedef {readonly number[] | Int32Array | Tensor | readonly (readonly number[])[]} Prompt one prompt, or several
 */

/**
 * Facts about one of the library's models: its end ids, and its maximum number of positions.
 * @typedef {{ ends?: readonly number[], maxPositions?: number }} ModelFacts
 */

/**
 * One result for one prompt, an array for several.
 * @template P
 * @template A
 * @typedef {P extends readonly (readonly number[])[] ? A[]
 *   : P extends readonly number[] | Int32Array ? A : any} ResultsFor
 */

/**
 * With a signal: a promise of the result.
 * @template P
 * @template O
 * @template A
 * @typedef {O extends { signal: import('../platform.d.ts').Signal } ? Promise<ResultsFor<P, A>>
 *   : ResultsFor<P, A>} GenerateResult
 */

/**
 * How one token was chosen.
 * @typedef {object} Step
 * @property {number} step counted from 0
 * @property {number} id
 * @property {Candidates | null} candidates that it was sampled from; null if it was not sampled
 * @property {number | null} random the uniform number in [0, 1) that selected it
 *
 * @typedef {{ ids: number[], steps: Step[], tree: Branch[] | null, best: number | null, ranked?: Generation[] }}
 *   Generation
 *   steps: of sampling and greedy decoding; tree: of beam search, best: the index of the last branch of the result,
 *   ranked: all its sequences, the best first
 */

const OPTIONS = [
  'maxNewTokens', 'end', ...SAMPLING_OPTIONS, ...PROCESSING_OPTIONS, 'seed', 'beams', 'lengthPenalty', 'numReturnSequences',
  'stop', 'tokenizer', 'cache', 'onToken', 'stoppingCriteria', 'signal'
]

/** Checks the result of stoppingCriteria: a promise, for example, would count as true. @param {unknown} result */
function isTrue(result) {
  expect(result === undefined || typeof result === 'boolean', 'type',
    () => `generate: stoppingCriteria must return true or false, got ${describe(result)}`)
  return result === true
}

/**
 * Whether new ids have a text that ends the generation.
 * @param {string} where @param {GenerateOptions} options @returns {(getIds: () => number[]) => boolean}
 */
function readStop(where, { stop, tokenizer }) {
  if (stop === undefined) return () => false
  const texts = [stop].flat()
  expect(texts.length > 0 && texts.every(text => typeof text === 'string' && text !== ''), 'type',
    () => `${where}: stop must be a text or a list of texts, got ${describe(stop)}`)
  expect(typeof tokenizer?.decode === 'function', 'type',
    () => `${where}: stop needs tokenizer, which decodes the new ids, got ${describe(tokenizer)}`)
  return getIds => {
    const text = /** @type {{ decode(ids: number[]): string }} */ (tokenizer).decode(getIds())
    return texts.some(part => text.includes(part))
  }
}

/**
 * The checked options of generate with their defaults.
 * @param {any} input @param {readonly number[]} [ends] the default of end
 */
export function readOptions(input, ends = []) {
  const where = 'generate', options = /** @type {GenerateOptions} */ (expectOptions(where, input, OPTIONS))
  const { maxNewTokens = 20, end: endIds = ends, temperature, beams = 1, lengthPenalty = 1, cache = true, seed, onToken,
    stoppingCriteria, signal, numReturnSequences } = options
  const isSampled = temperature !== 0 && SAMPLING_OPTIONS.some(name => /** @type {any} */ (options)[name] !== undefined)
  expectInteger(where, 'maxNewTokens', maxNewTokens)
  expectInteger(where, 'beams', beams, 1, 1024)
  expect(beams === 1 || !isSampled, 'range', () => `${where}: beams cannot be combined with sampling; leave ${SAMPLING_OPTIONS.join(', ')} out`)
  expectNumber(where, 'lengthPenalty', lengthPenalty, 'a number', Number.isFinite)
  for (const [name, callback] of Object.entries({ onToken, stoppingCriteria })) {
    expect(callback === undefined || typeof callback === 'function', 'type',
      () => `${where}: ${name} must be a function, got ${describe(callback)}`)
  }
  expect(signal === undefined || signal === null || typeof signal.throwIfAborted === 'function', 'type',
    () => `${where}: signal must be an AbortSignal, got ${describe(signal)}`)
  const stops = new Set([endIds].flat().map(id => expectInteger(where, 'end', id))), hasStop = readStop(where, options)
  if (numReturnSequences !== undefined) {
    expectInteger(where, 'numReturnSequences', numReturnSequences, 1)
    expect(numReturnSequences === 1 || isSampled || numReturnSequences <= beams, 'range', () => `${where}: numReturnSequences ` +
      `needs sampling or at least as many beams, got ${numReturnSequences} and ${beams}`)
  }
  if (seed !== undefined && seed !== null) readSeed(where, seed)
  const sampling = checkSamplingOptions(where, isSampled ? options : {})
  const processing = checkProcessingOptions(where, options)
  expectBoolean(where, 'cache', cache)
  return {
    ...options, maxNewTokens, beams, lengthPenalty, cache, isSampled, sampling,
    process: (/** @type {Float32Array} */ row, /** @type {number[]} */ ids, /** @type {number} */ newCount) =>
      processLogits(row, ids, newCount, processing, [...stops]),
    isEnd: (/** @type {number} */ id) => stops.has(id),
    shouldStop: (/** @type {() => number[]} */ getIds) => isTrue(stoppingCriteria?.(getIds())) || hasStop(getIds)
  }
}

/** Throws if ids have a float dtype, even if every value is an integer. @param {any} ids */
function expectIds(ids) {
  const isFloat = ids instanceof Tensor ? ids.dtype !== 'int32' : ids instanceof Float32Array || ids instanceof Float64Array
  expect(!isFloat, 'type', () => 'generate: ids must be an int32 tensor, an Int32Array or arrays of integers, ' +
    `got ${describe(ids)}${ids instanceof Tensor ? "; to('int32') makes one" : ''}`)
  return ids
}

/**
 * The prompts as arrays of ids, whichever type they were given as.
 * @param {any} ids @returns {{ prompts: number[][], isSingle: boolean }}
 */
export function readPrompts(ids) {
  const list = expectIds(ids) instanceof Tensor ? ids.toArray() : ArrayBuffer.isView(ids) ?
      Array.from(/** @type {any} */ (ids)) : ids
  expect(Array.isArray(list), 'type', () => `generate: ids must be an array of ids, or an array of such arrays, got ${describe(ids)}` +
    (typeof ids === 'string' ? '; write tokenizer.encode(text).ids' : ''))
  const isRow = (/** @type {unknown} */ item) => Array.isArray(item) || ArrayBuffer.isView(item)
  const isSingle = !list.some(isRow)
  expect(isSingle || list.every(isRow), 'type', () => 'generate: ids must be an array of ids, or an array of such arrays, ' +
    'got ids beside arrays')
  const prompts = isSingle ? [list] : list.map(row => Array.from(expectIds(row)))
  for (const prompt of prompts) {
    expect(prompt.length > 0, 'shape', () => 'generate: ids must hold at least one id')
    prompt.forEach((id, i) => expectInteger('generate', `ids[${i}]`, id))
  }
  return { prompts, isSingle }
}

/** The logits of what forward returned: logits, [logits, ...] or { logits }. @param {any} output */
function logitsOf(output) {
  if (output instanceof Tensor) return output
  return Array.isArray(output) ? output[0] : output?.logits
}

/**
 * The model as a function of rows and cache. A module gets an int32 tensor, and { cache } if its forward takes one.
 * @param {Engine} engine @param {any} model @returns {Next}
 */
function asNextFunction(engine, model) {
  const isModule = typeof model?.forward === 'function'
  if (!isModule && typeof model === 'function') return model
  expect(isModule, 'type',
    () => `generate: model must be a module or a function of rows of ids, got ${describe(model)}`)
  const isCached = takesCache(Object.getPrototypeOf(model).forward ?? model.forward)
  return (rows, cache) => {
    const ids = toIdTensor(engine, 'generate', 'ids', rows)
    const output = model.forward(ids, ...(cache && isCached ? [{ cache }] : [])), logits = logitsOf(output)
    expect(logits instanceof Tensor, 'type', () => `generate: forward of ${model.constructor.name} must return logits ` +
      `[${rows.length}, T, V], an array that starts with them, or an object with logits, got ${describe(output)}`)
    return logits
  }
}

/** Initial capacity of a cache in tokens; a larger one grows with the sequence. */
const FIRST_CAPACITY = 1024

/** Runs the model for each step: with a cache on the new tokens only, otherwise on the whole sequence. */
class LogitsReader {
  #engine
  #next
  #cache
  #maxTokens

  /** @param {Engine} engine @param {Next} next @param {number} maxTokens of the sequence, or 0 for no cache */
  constructor(engine, next, maxTokens) {
    this.#engine = engine
    this.#next = next
    this.#cache = maxTokens ? new Cache(Math.min(maxTokens, FIRST_CAPACITY)) : null
    this.#maxTokens = maxTokens
  }

  /** Enlarges a cache that has no room for so many tokens. @param {Cache} cache @param {number} tokens */
  #ensureCapacity(cache, tokens) {
    if (tokens > cache.capacity) cache.reserve(Math.min(this.#maxTokens, 2 * tokens))
  }

  /**
   * Calls `use` with the logits [B, V] of the last position of each row; it must not return tensors.
   * @template T @param {number[][]} rows from the start of the prompt
   * @param {readonly number[] | null} parents for each row, the row of the previous step that it extends; null for the
   *   row with the same index
   * @param {(logits: Tensor) => T} use
   * @returns {T}
   */
  read(rows, parents, use) {
    const engine = this.#engine, cache = this.#cache, done = cache?.length ?? 0
    if (parents && cache) cache.select(parents)
    if (cache) this.#ensureCapacity(cache, rows[0].length)
    return engine.tidy(() => engine.noGrad(() => {
      const logits = this.#next(done ? rows.map(row => row.slice(done)) : rows, cache)
      const fits = logits instanceof Tensor && logits.shape.length === 3 && logits.shape[0] === rows.length
      expect(fits && logits.numel() > 0, 'shape',
        () => `generate: the model must return logits [${rows.length}, T, V], got ${describe(logits)}`)
      const [B, T, V] = logits.shape, last = engine.empty([B, V])
      const { values } = logits.dtype === 'float32' ? logits : to(logits, 'float32')
      for (let b = 0; b < B; b++) {
        last.values.set(checkLogits('generate', values.subarray((b * T + T - 1) * V, (b * T + T) * V)), b * V)
      }
      return use(last)
    }))
  }

  dispose() {
    this.#cache?.dispose()
  }
}

/**
 * Greedy decoding or sampling.
 * @param {Engine} engine @param {LogitsReader} reader @param {number[]} prompt @param {ReturnType<typeof readOptions>}
 *   options
 * @param {RandomStream} stream @returns {Generator<Step, Generation>}
 */
function* decodeStepwise(engine, reader, prompt, options, stream) {
  const { maxNewTokens, isSampled, sampling, process, isEnd, shouldStop } = options
  /** @type {Step[]} */ const steps = []
  /** @type {number[]} */ const ids = []
  for (let step = 0; step < maxNewTokens; step++) {
    /** @type {Step} */ const chosen = reader.read([[...prompt, ...ids]], null, logits => {
      process(/** @type {Float32Array} */ (logits.values), [...prompt, ...ids], ids.length)
      if (!isSampled) return { step, id: greedy(logits), candidates: null, random: null }
      const candidates = filterLogits(engine, logits, sampling), random = stream.next()
      return { step, id: pick(candidates, random), candidates, random }
    })
    ids.push(chosen.id)
    steps.push(chosen)
    yield chosen
    if (isEnd(chosen.id) || shouldStop(() => [...ids])) break
  }
  return { ids, steps, tree: null, best: null }
}

/**
 * Beam search; the result is known only at the end.
 * @param {Engine} engine @param {LogitsReader} reader @param {number[]} prompt @param {ReturnType<typeof readOptions>}
 *   options
 * @returns {Generator<null, Generation>}
 */
function* searchBeams(engine, reader, prompt, { maxNewTokens, beams, lengthPenalty, process, isEnd, shouldStop }) {
  /** @type {Branch[]} */ const tree = []
  let live = [-1]
  /** @type {number[] | null} */ let parents = null
  for (let step = 0; step < maxNewTokens && live.length; step++) {
    const rows = live.map(at => [...prompt, ...pathTo(tree, at)]), first = tree.length, previous = live
    const branches = reader.read(rows, parents, logits => {
      const logs = engine.empty(logits.shape)
      engine.c.gf_log_softmax_forward(logs.dataPtr(), logits.dataPtr(), ...logits.shape)
      const { values } = /** @type {{ values: any }} */ (logs), V = logits.shape[1]
      rows.forEach((row, b) => process(values.subarray(b * V, (b + 1) * V), row, row.length - prompt.length))
      return expandBeams(tree, previous, logs, beams, step, isEnd)
    })
    expect(branches.length > 0 || tree.some(({ isKept, isEnd: isOver }) => isKept && isOver), 'range',
      () => 'generate: one of the logits must be above −∞, got none in any beam')
    for (const branch of branches) tree.push(branch)
    live = tree.flatMap((branch, i) => (i >= first && branch.isKept && !branch.isEnd ? [i] : []))
    parents = live.map(at => previous.indexOf(tree[at].parent))
    yield null
    if (shouldStop(() => pathTo(tree, findBest(tree, live, lengthPenalty)))) break
  }
  const ranked = rankBranches(tree, live, lengthPenalty), best = tree.length ? ranked[0] : null
  const generations = ranked.map(at => ({ ids: pathTo(tree, at), steps: [], tree, best: at }))
  return { ids: best === null ? [] : pathTo(tree, best), steps: [], tree, best, ranked: generations }
}

/**
 * The number of tokens that can follow a prompt; the last one needs no position of its own.
 * @param {number[]} prompt @param {number} maxPositions of the model
 */
function countRemaining({ length }, maxPositions) {
  expect(length <= maxPositions, 'range',
    () => `generate: ids has ${length} positions, but the model has at most ${maxPositions}`)
  return maxPositions - length + 1
}

/**
 * Calls onToken with the result of a beam search.
 * @param {readonly number[]} ids @param {Pick<GenerateOptions, 'onToken'>} options @returns {Generator<unknown, void>}
 */
function* reportTokens(ids, { onToken }) {
  for (const [step, id] of ids.entries()) if (onToken) yield onToken(id, { step, id, candidates: null, random: null })
}

/**
 * Generates for all prompts; yields after every token what onToken returned.
 * @param {Engine} engine @param {any} model @param {any} ids @param {any} options
 * @param {ModelFacts} facts @returns {Generator<unknown, Generation[][]>} for each prompt its sequences
 */
function* decodeAll(engine, model, ids, options, { ends, maxPositions = Infinity }) {
  const checked = readOptions(options, ends), next = asNextFunction(engine, model)
  const { prompts } = readPrompts(ids), results = /** @type {Generation[][]} */ (prompts.map(() => []))
  const limits = prompts.map(prompt => Math.min(checked.maxNewTokens, countRemaining(prompt, maxPositions)))
  const stream = new RandomStream(engine, checked.isSampled ? checked.seed : undefined)
  try {
    const { beams, numReturnSequences: count = 1 } = checked
    for (const [i, prompt] of prompts.entries()) for (let n = 0; n < (beams > 1 ? 1 : count); n++) {
      const settings = { ...checked, maxNewTokens: limits[i] }
      const reader = new LogitsReader(engine, next, checked.cache ? prompt.length + limits[i] : 0)
      try {
        const steps = beams > 1 ? searchBeams(engine, reader, prompt, settings)
          : decodeStepwise(engine, reader, prompt, settings, stream)
        let current = steps.next()
        for (; !current.done; current = steps.next()) {
          yield current.value ? checked.onToken?.(current.value.id, current.value) : undefined
        }
        if (beams > 1) yield* reportTokens(current.value.ids, checked)
        results[i].push(...count > 1 && current.value.ranked ? current.value.ranked.slice(0, count) : [current.value])
      } finally {
        reader.dispose()
      }
    }
  } finally {
    stream.dispose()
  }
  return results
}

/**
 * Refuses a promise from onToken where there is no signal: nothing would await it, or see it reject.
 * @param {unknown} result @param {Generator<unknown, Generation[][]>} steps
 */
function rejectPromise(result, steps) {
  if (!(result instanceof Promise)) return
  result.catch(() => {}) // otherwise its rejection could hide the error below
  steps.return([])
  throw new GlassformerError('type', 'generate: onToken must not be async without a signal, got a promise; ' +
    'pass a signal, and await generate')
}

/**
 * Runs generation to its end: synchronously, or, with a signal, asynchronously with other tasks between tokens.
 * @param {Engine} engine @param {any} model @param {any} ids @param {any} options @param {ModelFacts} facts
 * @param {(result: Generation) => any} toResult
 */
function run(engine, model, ids, options, facts, toResult) {
  const { isSingle } = readPrompts(ids), { signal = null, numReturnSequences: count } = readOptions(options)
  const steps = decodeAll(engine, model, ids, options, facts)
  const finish = (/** @type {Generation[][]} */ results) => {
    const list = results.map(group => (count === undefined ? toResult(group[0]) : group.map(toResult)))
    return isSingle ? list[0] : list
  }
  if (!signal) {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return finish(/** @type {Generation[][]} */ (value))
      rejectPromise(value, steps)
    }
  }
  return (async () => {
    try {
      for (;;) {
        signal.throwIfAborted()
        const { done, value } = steps.next()
        if (done) return finish(/** @type {Generation[][]} */ (value))
        await value
        await nextTask()
      }
    } finally {
      steps.return([])
    }
  })()
}

/**
 * Generates ids that continue a prompt. The result is without the prompt; an end id is its last.
 * @param {Engine} engine
 * @param {any} model a module whose forward takes ids as an int32 tensor [B, T] and returns logits [B, T, V], an array
 *   that starts with them, or an object with logits; its second parameter gets { cache } if it reads cache from it. Or
 *   a function of rows, see Next
 * @param {any} ids of the prompt; or several prompts, which are processed one after the other
 * @param {GenerateOptions} [options]
 * @param {ModelFacts} [facts] of a model of the library
 * @returns {any} number[], for several prompts number[][]; with a signal a promise of it, which rejects with the
 *   signal's reason when it is aborted
 * @throws {import('../errors.js').GlassformerError} 'type' and 'range' for a wrong prompt or option, 'shape' for a
 *   model that does not return logits
 * @example
 * const table = gf.tensor([[0, 9, 0], [0, 0, 9], [9, 0, 0]])   // after 0 comes 1, after 1 comes 2, after 2 comes 0
 * gf.decoding.generate(rows => F.embedding(rows, table), [0], { maxNewTokens: 4, cache: false })   // [1, 2, 0, 1]
 */
export const generate = (engine, model, ids, options, facts = {}) =>
  run(engine, model, ids, options, facts, result => result.ids)

/**
 * As generate, and returns how each token was chosen: the steps with candidates and random numbers, or the tree of
 * beams.
 * @param {Engine} engine @param {any} model @param {any} ids @param {GenerateOptions} [options]
 * @returns {any} a Generation, or several
 */
export const decode = (engine, model, ids, options) => run(engine, model, ids, options, {}, result => result)
