import { GlassformerError, describe, expect, flag, numberWhere, optionsOf, wholeNumber } from '../errors.js'
import { Cache } from '../ops/attention_cache.js'
import { to } from '../ops/convert.js'
import { Tensor } from '../tensor.js'
import { turn } from '../turn.js'
import { bestOf, grow, pathTo } from './beam.js'
import { seedBits } from '../random.js'
import { CUTS, Draws, checkCuts, greedy, kept, pick, rankable } from './choose.js'

/**
 * Ids from a model that gives logits for the next one: greedily, drawn, or by beam search, one after the other.
 *
 * @typedef {import('../engine.js').Engine} Engine
 * @typedef {import('./choose.js').Kept} Kept
 * @typedef {import('./beam.js').Branch} Branch
 *
 * What gives the logits [B, T, V], of which the last of each row count. With a cache the rows hold what has not gone
 * through yet, else everything from the prompt on.
 * @typedef {(rows: number[][], cache: Cache | null) => Tensor} Next
 *
 * @typedef {object} GenerateOptions
 * @property {number} [maxNewTokens] 20
 * @property {number | readonly number[]} [end] ids that end the answer; the last one of it then
 * @property {number} [temperature] with this, topK or topP a token is drawn; 0 or none of them: the most probable is
 *   taken
 * @property {number} [topK] 0, keeps all
 * @property {number} [topP] 1, keeps all
 * @property {number | bigint} [seed] of the draws, torch.manual_seed's; without it they come from the engine's stream
 * @property {number} [beams] 1; more of them search for the most probable answer as a whole
 * @property {number} [lengthPenalty] 0; the score of an answer is divided by its length to this power
 * @property {boolean} [cache] true; false gives the model everything again at each step
 * @property {(id: number, step: Step) => void | Promise<void>} [onToken] called with each token as soon as it is known;
 *   by beams, with those of the answer at the end. With a signal it may be async: the next token comes after it
 * @property {(ids: number[]) => boolean} [stoppingCriteria] called after each token with the answer so far, by beams
 *   with the best so far; true ends it there
 * @property {import('../platform.d.ts').Signal} [signal] an AbortSignal: then the answer comes as a promise, and other
 *   tasks have their turn between tokens
 *
 * What can be asked: a module, or a function of rows of ids.
 * @typedef {Next | { forward(...inputs: any[]): any }} Decodable
 * @typedef {readonly number[] | Int32Array | Tensor | readonly (readonly number[])[]} Prompt one, or several
 */

/**
 * What is known of a model: ids that end its answers, and how many places it has.
 * @typedef {{ ends?: readonly number[], places?: number }} Known
 */

/**
 * An answer to one prompt, several to several.
 * @template P
 * @template A
 * @typedef {P extends readonly (readonly number[])[] ? A[]
 *   : P extends readonly number[] | Int32Array ? A : any} AnswersTo
 */

/**
 * With a signal they come later.
 * @template P
 * @template O
 * @template A
 * @typedef {O extends { signal: import('../platform.d.ts').Signal } ? Promise<AnswersTo<P, A>>
 *   : AnswersTo<P, A>} Answered
 */

/**
 * How one token came about.
 * @typedef {object} Step
 * @property {number} step counted from 0
 * @property {number} id
 * @property {Kept | null} kept what it was drawn from
 * @property {number | null} draw between 0 and 1
 *
 * @typedef {{ ids: number[], steps: Step[], tree: Branch[] | null, best: number | null }} Answer steps: of draws and
 *   greedy choices; tree: of beams, best: the place of the last branch of the answer
 */

const OPTIONS = [
  'maxNewTokens', 'end', ...CUTS, 'seed', 'beams', 'lengthPenalty', 'cache', 'onToken', 'stoppingCriteria', 'signal'
]

/** What stoppingCriteria say: a promise would be taken for yes. @param {unknown} said */
function isTrue(said) {
  expect(said === undefined || typeof said === 'boolean', 'type',
    () => `generate: stoppingCriteria must return true or false, got ${describe(said)}`)
  return said === true
}

/** @param {any} given @param {readonly number[]} [ends] where the call names none */
export function readOptions(given, ends = []) {
  const where = 'generate', options = /** @type {GenerateOptions} */ (optionsOf(where, given, OPTIONS))
  const { maxNewTokens = 20, end: endIds = ends, temperature, beams = 1, lengthPenalty = 0, cache = true, seed, onToken,
    stoppingCriteria, signal } = options
  const isDrawn = temperature !== 0 && CUTS.some(name => /** @type {any} */ (options)[name] !== undefined)
  wholeNumber(where, 'maxNewTokens', maxNewTokens)
  wholeNumber(where, 'beams', beams, 1, 1024)
  expect(beams === 1 || !isDrawn, 'range', () => `${where}: beams do not draw; leave ${CUTS.join(', ')} out`)
  numberWhere(where, 'lengthPenalty', lengthPenalty, 'a number', Number.isFinite)
  for (const [name, given] of Object.entries({ onToken, stoppingCriteria })) {
    expect(given === undefined || typeof given === 'function', 'type',
      () => `${where}: ${name} must be a function, got ${describe(given)}`)
  }
  expect(signal === undefined || signal === null || typeof signal.throwIfAborted === 'function', 'type',
    () => `${where}: signal must be an AbortSignal, got ${describe(signal)}`)
  const stops = new Set([endIds].flat().map(id => wholeNumber(where, 'end', id)))
  if (seed !== undefined && seed !== null) seedBits(where, seed)
  const cuts = checkCuts(where, isDrawn ? options : {})
  flag(where, 'cache', cache)
  return {
    ...options, maxNewTokens, beams, lengthPenalty, cache, isDrawn, cuts,
    isEnd: (/** @type {number} */ id) => stops.has(id),
    isEnough: (/** @type {() => number[]} */ answer) => isTrue(stoppingCriteria?.(answer()))
  }
}

/** Numbers with a fraction are no ids, even where theirs is 0. @param {any} ids */
function expectIds(ids) {
  const isFloat = ids instanceof Tensor ? ids.dtype !== 'int32' : ids instanceof Float32Array || ids instanceof Float64Array
  expect(!isFloat, 'type', () => 'generate: ids must be an int32 tensor, an Int32Array or arrays of whole numbers, ' +
    `got ${describe(ids)}${ids instanceof Tensor ? "; to('int32') makes one" : ''}`)
  return ids
}

/**
 * Lists of ids, however they were given.
 * @param {any} ids @returns {{ prompts: number[][], isOne: boolean }}
 */
export function readPrompts(ids) {
  const given = expectIds(ids) instanceof Tensor ? ids.toArray() : ArrayBuffer.isView(ids) ?
      Array.from(/** @type {any} */ (ids)) : ids
  expect(Array.isArray(given), 'type', () => `generate: ids must be an array of ids, or an array of such arrays, got ${describe(ids)}` +
    (typeof ids === 'string' ? '; write tokenizer.encode(text).ids' : ''))
  const isRow = (/** @type {unknown} */ one) => Array.isArray(one) || ArrayBuffer.isView(one)
  const isOne = !given.some(isRow)
  expect(isOne || given.every(isRow), 'type', () => 'generate: ids must be an array of ids, or an array of such arrays, ' +
    'got ids beside arrays')
  const prompts = isOne ? [given] : given.map(row => Array.from(expectIds(row)))
  for (const prompt of prompts) {
    expect(prompt.length > 0, 'shape', () => 'generate: ids must hold at least one id to go on from')
    prompt.forEach((id, i) => wholeNumber('generate', `ids[${i}]`, id))
  }
  return { prompts, isOne }
}

/**
 * The model as a function; a module is called with its cache among the options, and may give an object with logits.
 * @param {any} model @returns {Next}
 */
function nextOf(model) {
  const isModule = typeof model?.forward === 'function'
  if (!isModule && typeof model === 'function') return model
  expect(isModule, 'type',
    () => `generate: model must be a module or a function of rows of ids, got ${describe(model)}`)
  return (rows, cache) => {
    const made = forwardOf(model, rows, ...(cache ? [{ cache }] : []))
    return made instanceof Tensor ? made : made?.logits
  }
}

/**
 * A forward that takes its ids for a tensor fails with a TypeError, which does not say what it was given.
 * @param {any} model @param {number[][]} rows @param {...any} options
 */
function forwardOf(model, rows, ...options) {
  try {
    return model.forward(rows, ...options)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    const own = new GlassformerError('type', `generate: forward of ${model.constructor?.name || 'the model'} is given ids ` +
      `as rows in arrays, [[${rows[0].slice(0, 3).join(', ')}${rows[0].length > 3 ? ', …' : ''}]${rows.length > 1 ? ', …' : ''}], ` +
      `and threw "${error.message}"; gf.tensor(ids, { dtype: 'int32' }) makes a tensor of them`)
    own.cause = error
    throw own
  }
}

/** Tokens that a cache has room for at first; one that is to hold more grows with the answer. */
const FIRST_ROOM = 1024

/** Asks the model step by step, and gives it what it has not seen. */
class Asker {
  #engine
  #next
  #cache
  #room

  /** @param {Engine} engine @param {Next} next @param {number} room for so many tokens, or 0 without a cache */
  constructor(engine, next, room) {
    this.#engine = engine
    this.#next = next
    this.#cache = room ? new Cache(Math.min(room, FIRST_ROOM)) : null
    this.#room = room
  }

  /** Room for so many tokens, and for as many again. @param {Cache} cache @param {number} tokens */
  #expectRoom(cache, tokens) {
    if (tokens > cache.capacity) cache.widen(Math.min(this.#room, 2 * tokens))
  }

  /**
   * What `use` makes of the last logits [B, V] of each row; it returns no tensors.
   * @template T @param {number[][]} rows from the prompt on
   * @param {readonly number[] | null} from of each row the row it continues @param {(logits: Tensor) => T} use
   * @returns {T}
   */
  ask(rows, from, use) {
    const engine = this.#engine, cache = this.#cache, done = cache?.length ?? 0
    if (from && cache) cache.select(from)
    if (cache) this.#expectRoom(cache, rows[0].length)
    return engine.tidy(() => engine.noGrad(() => {
      const logits = this.#next(done ? rows.map(row => row.slice(done)) : rows, cache)
      const fits = logits instanceof Tensor && logits.shape.length === 3 && logits.shape[0] === rows.length
      expect(fits && logits.size > 0, 'shape',
        () => `generate: the model must give logits [${rows.length}, T, V], got ${describe(logits)}`)
      const [B, T, V] = logits.shape, last = engine.empty([B, V])
      const { values } = logits.dtype === 'float32' ? logits : to(logits, 'float32')
      for (let b = 0; b < B; b++) {
        last.values.set(rankable('generate', values.subarray((b * T + T - 1) * V, (b * T + T) * V)), b * V)
      }
      return use(last)
    }))
  }

  dispose() {
    this.#cache?.dispose()
  }
}

/**
 * One token after the other.
 * @param {Engine} engine @param {Asker} asker @param {number[]} prompt @param {ReturnType<typeof readOptions>} options
 * @param {Draws} draws @returns {Generator<Step, Answer>}
 */
function* oneByOne(engine, asker, prompt, { maxNewTokens, isDrawn, cuts, isEnd, isEnough }, draws) {
  /** @type {Step[]} */ const steps = []
  /** @type {number[]} */ const ids = []
  for (let step = 0; step < maxNewTokens; step++) {
    /** @type {Step} */ const made = asker.ask([[...prompt, ...ids]], null, logits => {
      if (!isDrawn) return { step, id: greedy(logits), kept: null, draw: null }
      const from = kept(engine, logits, cuts), draw = draws.next()
      return { step, id: pick(from, draw), kept: from, draw }
    })
    ids.push(made.id)
    steps.push(made)
    yield made
    if (isEnd(made.id) || isEnough(() => [...ids])) break
  }
  return { ids, steps, tree: null, best: null }
}

/**
 * Several beginnings at a time; nothing is known of the answer before the end.
 * @param {Engine} engine @param {Asker} asker @param {number[]} prompt @param {ReturnType<typeof readOptions>} options
 * @returns {Generator<null, Answer>}
 */
function* byBeams(engine, asker, prompt, { maxNewTokens, beams, lengthPenalty, isEnd, isEnough }) {
  /** @type {Branch[]} */ const tree = []
  let live = [-1]
  /** @type {number[] | null} */ let from = null
  for (let step = 0; step < maxNewTokens && live.length; step++) {
    const rows = live.map(at => [...prompt, ...pathTo(tree, at)]), first = tree.length, before = live
    const grown = asker.ask(rows, from, logits => {
      const logs = engine.empty(logits.shape)
      engine.c.gf_log_softmax_forward(logs.address, logits.address, ...logits.shape)
      return grow(tree, before, logs, beams, step, isEnd)
    })
    for (const branch of grown) tree.push(branch)
    live = tree.flatMap((branch, i) => (i >= first && branch.isKept && !branch.isEnd ? [i] : []))
    from = live.map(at => before.indexOf(tree[at].parent))
    yield null
    if (isEnough(() => pathTo(tree, bestOf(tree, live, lengthPenalty)))) break
  }
  const best = tree.length ? bestOf(tree, live, lengthPenalty) : null
  return { ids: best === null ? [] : pathTo(tree, best), steps: [], tree, best }
}

/** @param {number[]} prompt @param {number} places that the model knows @returns {number} tokens that can follow */
function spaceAfter({ length }, places) {
  expect(length <= places, 'range', () => `generate: ids has ${length} places, but the model knows ${places}`)
  return places - length + 1
}

/**
 * The tokens of an answer by beams. @param {readonly number[]} ids @param {Pick<GenerateOptions, 'onToken'>} options
 * @returns {Generator<unknown, void>}
 */
function* toldAtEnd(ids, { onToken }) {
  for (const [step, id] of ids.entries()) if (onToken) yield onToken(id, { step, id, kept: null, draw: null })
}

/**
 * The answers to all prompts; yields after every token what onToken gave.
 * @param {Engine} engine @param {any} model @param {any} given @param {any} options
 * @param {Known} known @returns {Generator<unknown, Answer[]>}
 */
function* decoding(engine, model, given, options, { ends, places = Infinity }) {
  const read = readOptions(options, ends), next = nextOf(model), { prompts } = readPrompts(given), answers = []
  const most = prompts.map(prompt => Math.min(read.maxNewTokens, spaceAfter(prompt, places)))
  const draws = new Draws(engine, read.isDrawn ? read.seed : undefined)
  try {
    for (const [i, prompt] of prompts.entries()) {
      const own = { ...read, maxNewTokens: most[i] }
      const asker = new Asker(engine, next, read.cache ? prompt.length + most[i] : 0)
      try {
        const run = read.beams > 1 ? byBeams(engine, asker, prompt, own) : oneByOne(engine, asker, prompt, own, draws)
        let at = run.next()
        for (; !at.done; at = run.next()) {
          yield at.value ? read.onToken?.(at.value.id, at.value) : undefined
        }
        if (read.beams > 1) yield* toldAtEnd(at.value.ids, read)
        answers.push(at.value)
      } finally {
        asker.dispose()
      }
    }
  } finally {
    draws.dispose()
  }
  return answers
}

/**
 * Nobody would wait for what onToken promises, nor see it fail.
 * @param {unknown} told @param {Generator<unknown, Answer[]>} steps
 */
function expectDone(told, steps) {
  if (!(told instanceof Promise)) return
  told.catch(() => {}) // the error below is the one to see
  steps.return([])
  throw new GlassformerError('type', 'generate: onToken must not be async where nothing waits for it, got a promise; ' +
    'give a signal, and await generate')
}

/**
 * Runs a decoding to its end: at once, or, with a signal, token by token with a pause between them.
 * @param {Engine} engine @param {any} model @param {any} ids @param {any} options @param {Known} known
 * @param {(answer: Answer) => any} shown
 */
function run(engine, model, ids, options, known, shown) {
  const { isOne } = readPrompts(ids), signal = /** @type {import('../platform.d.ts').Signal | undefined} */ (
    readOptions(options).signal ?? undefined)
  const steps = decoding(engine, model, ids, options, known)
  const finish = (/** @type {Answer[]} */ answers) => (isOne ? shown(answers[0]) : answers.map(shown))
  if (!signal) {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return finish(/** @type {Answer[]} */ (value))
      expectDone(value, steps)
    }
  }
  return (async () => {
    try {
      for (;;) {
        signal.throwIfAborted()
        const { done, value } = steps.next()
        if (done) return finish(/** @type {Answer[]} */ (value))
        await value
        await turn()
      }
    } finally {
      steps.return([])
    }
  })()
}

/**
 * The ids of the answer, without the prompt; the end token, where there is one, is its last.
 * @param {Engine} engine
 * @param {any} model a module whose forward takes rows of ids, as arrays and not as a tensor, and { cache }; or a
 *   function: see Next
 * @param {any} ids of the prompt: a list, or several lists, which are answered one after the other
 * @param {GenerateOptions} [options]
 * @param {Known} [known] of the model, where it is one of the library's
 * @returns {any} number[], for several prompts number[][]; with a signal a promise of it, which is rejected with the
 *   signal's reason when that is aborted
 * @throws {import('../errors.js').GlassformerError} 'type' and 'range' for what is no prompt or option, 'shape' for a
 *   model that gives no logits
 * @example
 * const table = gf.tensor([[0, 9, 0], [0, 0, 9], [9, 0, 0]])   // after 0 comes 1, after 1 comes 2, after 2 comes 0
 * gf.decoding.generate(rows => F.embedding(rows, table), [0], { maxNewTokens: 4, cache: false })   // [1, 2, 0, 1]
 */
export const generate = (engine, model, ids, options, known = {}) =>
  run(engine, model, ids, options, known, answer => answer.ids)

/**
 * The same with how it came about: of every step what was kept and drawn, or the tree of the beams.
 * @param {Engine} engine @param {any} model @param {any} ids @param {GenerateOptions} [options]
 * @returns {any} an Answer, or several
 */
export const decode = (engine, model, ids, options) => run(engine, model, ids, options, {}, answer => answer)
