import { GlassformerError, describe, expect, expectInteger, expectOptions } from '../errors.js'
import { rand } from '../tensor/random.js'
import { Tensor } from '../tensor/tensor.js'
import { TensorSource } from '../trace/edits.js'
import { findAttentions } from './attentions.js'
import { withSeed } from './fit.js'
import { Measurements } from './measure.js'

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../trace/trace.js').Trace} Trace
 * @typedef {import('./measure.js').Model} Model
 */

/** The number of tokens that are repeated, if that fits into the model. */
const DEFAULT_LENGTH = 50
const OPTIONS = ['length', 'seed', 'prefix', 'vocabulary', 'ids', 'modules']

/**
 * The weights of each attention: `of(b, h)` is a matrix [Tq, Tk].
 * @param {string} where @param {TensorSource} run
 */
function readWeights(where, { recording }) {
  expect(!recording.isDisposed, 'state', () => `${where}: the run was disposed`)
  const attentions = [...findAttentions(recording).values()]
  expect(attentions.length > 0, 'state', () => `${where}: the run has no attention`)
  return attentions.map(({ weights, heads: H }) => {
    const [Tq, Tk] = weights.shape.slice(-2), size = Tq * Tk
    expect(!weights.isLeftOut, 'state',
      () => `${where}: ${recording.nameOf(weights)} was left out of the run; observe it without keepAttention`)
    const values = /** @type {Float32Array} */ (weights.values), B = values.length / (H * size)
    const of = (/** @type {number} */ b, /** @type {number} */ h) =>
      values.subarray((b * H + h) * size, (b * H + h + 1) * size)
    return { Tq, Tk, H, B, of }
  })
}

/**
 * The positions that each query's pattern attends to: the one before; those of the same token before; and those behind
 * a same token before. null for a query without any.
 * @param {readonly number[]} ids
 */
function patternsOf(ids) {
  const before = ids.map((id, i) => ids.flatMap((other, j) => (j < i && other === id ? [j] : [])))
  const orNull = (/** @type {number[]} */ list) => (list.length ? list : null)
  return {
    previous: ids.map((_, i) => (i > 0 ? [i - 1] : null)),
    duplicate: before.map(orNull),
    induction: before.map((own, i) => orNull(own.map(j => j + 1).filter(j => j < i)))
  }
}

/**
 * The scores of the attentions from a text to itself.
 * @param {string} where @param {Trace} trace @param {readonly (readonly number[])[]} ids
 * @param {number} first the first query that is counted
 */
function scoreTrace(where, trace, ids, first) {
  const patterns = ids.map(patternsOf), [{ length: T }] = ids
  const attentions = readWeights(where, trace).filter(({ Tq, Tk, B }) => Tq === T && Tk === T && B === ids.length)
  expect(attentions.length > 0, 'shape',
    () => `${where}: no attention of the run has ${ids.length} sequences of ${T} queries and keys, as ids have`)
  /** @param {keyof ReturnType<typeof patternsOf>} pattern @returns {number[][]} */
  const scores = pattern => attentions.map(({ H, of }) => Array.from({ length: H }, (_, h) => {
    let sum = 0, count = 0
    patterns.forEach((own, b) => own[pattern].forEach((keys, i) => {
      if (!keys || i < first) return
      const weights = of(b, h)
      for (const j of keys) sum += weights[i * T + j]
      count++
    }))
    return count ? sum / count : NaN
  }))
  return { previous: scores('previous'), duplicate: scores('duplicate'), induction: scores('induction') }
}

/** The embeddings of a trace with the ids that they read. @param {Trace} trace */
const embeddingsOf = trace => trace.nodes.filter(({ op }) => op.name === 'embedding').map(node => {
  const { ids } = node.saved, T = ids.shape.at(-1), values = [...ids.values]
  const rows = Array.from({ length: values.length / T }, (_, b) => values.slice(b * T, (b + 1) * T))
  return { weight: node.inputs.weight, ids: rows }
})

/**
 * The ids of a run: those of its only embedding that is not one of positions or of types.
 * @param {string} where @param {Trace} trace @returns {number[][]}
 */
function findIds(where, trace) {
  const isCounting = (/** @type {number[]} */ row) => row.every((id, i) => id === row[0] + i)
  const isConstant = (/** @type {number[]} */ row) => row.every(id => id === row[0])
  const found = embeddingsOf(trace).map(({ ids }) => ids)
    .filter(rows => !rows.every(isCounting) && !rows.every(isConstant))
  const different = new Set(found.map(rows => JSON.stringify(rows)))
  expect(different.size === 1, 'state', () => `${where}: the ids of the run are read by ` +
    `${different.size ? `one of ${different.size} embeddings` : 'no embedding'}; pass ids`)
  return found[0]
}

/**
 * Some of the ids, all different if there are enough. The engine's random stream stays as it was.
 * @param {Engine} engine @param {readonly number[]} ids @param {number} count @param {number} seed
 */
function sampleIds(engine, ids, count, seed) {
  const rest = [...ids], uniform = withSeed(engine, seed, () => engine.tidy(() => [...rand(engine, [count]).values]))
  return uniform.map(u => (ids.length < count ? ids[Math.floor(u * ids.length)]
    : rest.splice(Math.floor(u * rest.length), 1)[0]))
}

/**
 * The rows of the table from which the model reads ids.
 * @param {string} where @param {Measurements} runs @returns {number | undefined}
 */
function findVocabularySize(where, runs) {
  try {
    // No embedding of positions reads 1, 0.
    return runs.inspect([[1, 0]], trace => (
      embeddingsOf(trace).find(({ ids: [row] }) => row[0] === 1 && row[1] === 0)?.weight.shape[0]))
  } catch (error) {
    throw error instanceof GlassformerError ? cannotRun(where, 2, 'vocabulary', error) : error
  }
}

/** @param {string} where @param {number} count of tokens @param {string} option @param {GlassformerError} error */
const cannotRun = (where, count, option, { code, message }) => new GlassformerError(code,
  `${where}: the model cannot be scored on ${count} tokens; pass ${option}: ${message}`)

/**
 * The ids that may be sampled: given, or all rows of the table from which the model reads ids.
 * @param {string} where @param {Measurements} runs @param {unknown} vocabulary @returns {number[]}
 */
function readVocabulary(where, runs, vocabulary) {
  if (Array.isArray(vocabulary)) return vocabulary.map((id, i) => expectInteger(where, `vocabulary[${i}]`, id))
  const size = vocabulary === undefined ? findVocabularySize(where, runs) : vocabulary
  expect(size !== undefined, 'state', () => `${where}: the model reads ids by no embedding; pass vocabulary`)
  return Array.from({ length: expectInteger(where, 'vocabulary', size, 1) }, (_, id) => id)
}

/** @param {string} where @param {unknown} ids @returns {number[][]} */
function readIds(where, ids) {
  const rows = /** @type {any} */ (ids instanceof Tensor ? ids.toArray() : ids)
  const list = /** @type {any[]} */ (Array.isArray(rows?.[0]) ? rows : [rows])
  const isValid = list.every(row => Array.isArray(row) && row.length === list[0].length && row.every(Number.isInteger))
  expect(isValid, 'type',
    () => `${where}: ids must be an array of integers, or several of one length, got ${describe(ids)}`)
  return list
}

/**
 * How much each head attends to the previous token, to earlier occurrences of the same token (duplicate token), and to
 * the tokens behind those (induction; the prefix matching score of Olsson et al. 2022): the sum of its weights on these
 * keys, averaged over the queries that have such keys.
 *
 * For a model: `length` random tokens, all different if the vocabulary is large enough, twice, counted over the queries
 * of the second copy: the mean of the diagonals −1, −length and 1 − length of the weights, as in TransformerLens, which
 * counts some queries of the first copy too. For a run or a trace: its own text; a score is NaN if no query of the text
 * has such a key.
 * @param {Engine} engine
 * @param {Model | TensorSource} model a causal model or encoder that reads ids [B, T], or a run of one
 * @param {object} [options] for a run only ids
 * @param {number} [options.length] tokens that are repeated; default: 50, or half of the model's maximum length; where
 *   it does not state that (maxPositions), 25 and so on, halved until it runs
 * @param {number} [options.seed] 0
 * @param {readonly number[]} [options.prefix] ids before them, such as that of a token that begins texts; default: none
 * @param {number | readonly number[]} [options.vocabulary] the number of ids that are sampled, or a list of them;
 *   default: all that the model has
 * @param {any} [options.ids] another text, instead of random tokens; of a run: its ids, if they cannot be found in it
 * @param {Record<string, import('../nn/module.js').Module>} [options.modules] see gf.trace
 * @returns {{ previous: number[][], duplicate: number[][], induction: number[][] }} numbers from 0 to 1,
 *   [attentions, heads], attentions in the order in which they are computed
 * @throws {import('../errors.js').GlassformerError} 'state' for a run without attention weights, 'shape' for ids of
 *   another length
 * @example
 * const layers = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 3), table = gf.randn([20, 8])
 * const model = ids => layers(gf.functional.embedding(ids, table), { isCausal: true })
 * const { induction } = gf.interpret.headScores(model, { length: 10 })
 * induction.length                                // 3
 * induction[0].length                             // 2
 */
export function headScores(engine, model, options) {
  const where = 'headScores', isRun = model instanceof TensorSource
  const checked = expectOptions(where, options, isRun ? ['ids'] : OPTIONS)
  if (isRun) {
    const { recording } = model
    expect(!recording.isDisposed, 'state', () => `${where}: the run was disposed`)
    const ids = checked.ids === undefined ? findIds(where, recording) : readIds(where, checked.ids)
    return scoreTrace(where, recording, ids, 0)
  }
  const { prefix = [], vocabulary, modules } = checked, runs = new Measurements(where, engine, { model, modules })
  if (checked.ids !== undefined) {
    const ids = readIds(where, checked.ids)
    return runs.inspect(ids, trace => scoreTrace(where, trace, ids, 0))
  }
  const [begin] = readIds(where, prefix), owner = /** @type {any} */ (model)
  const known = readVocabulary(where, runs, vocabulary)
  return findLength(where, owner, checked.length, begin.length, length => {
    const sampled = sampleIds(engine, known, length, checked.seed ?? 0), ids = [[...begin, ...sampled, ...sampled]]
    return runs.inspect(ids, trace => scoreTrace(where, trace, ids, begin.length + length))
  })
}

/**
 * Calls fn with the given length; without one with the default, or what half of the model's positions allow, and with
 * shorter ones if the model does not say how many it has and cannot run on as many tokens.
 * @template T @param {string} where @param {any} model @param {unknown} given @param {number} prefix its length
 * @param {(length: number) => T} fn @returns {T}
 */
function findLength(where, model, given, prefix, fn) {
  const positions = 'maxPositions' in model ? model.maxPositions : Infinity
  const longest = Math.floor((positions - prefix) / 2)
  expect(given !== undefined || longest >= 2, 'range', () => `${where}: the prefix and two tokens, repeated, need ` +
    `${prefix + 4} positions, but the model has ${positions}`)
  const first = expectInteger(where, 'length', given ?? Math.min(DEFAULT_LENGTH, longest), 2)
  /** @type {any} */ let problem = null
  for (let length = first; length > 0; length = given === undefined && length > 2 ? Math.max(2, length >> 1) : 0) {
    try {
      return fn(length)
    } catch (error) {
      if (!(error instanceof GlassformerError)) throw error
      problem ??= cannotRun(where, prefix + 2 * length, 'a shorter length', error)
    }
  }
  throw problem
}

/**
 * The entropy of each head's attention, −Σ w ln w in nats, averaged over all queries: 0 where every query attends to
 * one key, ln Tk where all keys get the same weight.
 * @param {TensorSource} run a run or a trace with attention weights
 * @returns {number[][]} [attentions, heads]
 * @throws {import('../errors.js').GlassformerError} 'state' for a run without attention weights
 * @example
 * const attention = new gf.nn.MultiheadAttention(8, 2), x = gf.zeros([1, 4, 8])
 * const { trace } = gf.trace(() => attention(x))
 * gf.interpret.attentionEntropy(trace)[0][1].toFixed(4)   // '1.3863'
 * trace.dispose()
 */
export function attentionEntropy(run) {
  const where = 'attentionEntropy'
  expect(run instanceof TensorSource, 'type', () => `${where}: run must be a run or a trace, got ${describe(run)}`)
  const entropy = (/** @type {number} */ sum, /** @type {number} */ w) => (w > 0 ? sum - w * Math.log(w) : sum)
  return readWeights(where, run).map(({ Tq, H, B, of }) => Array.from({ length: H }, (_, h) => {
    let sum = 0
    for (let b = 0; b < B; b++) sum = of(b, h).reduce(entropy, sum)
    return sum / (B * Tq)
  }))
}
