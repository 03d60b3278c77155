import { describe, expect, oneOf, probability, wholeNumber } from './errors.js'
import { graphOf } from './graph.js'

/**
 * @typedef {object} PipelineSettings
 * @property {string[]} texts one sentence each
 * @property {'words' | 'whitespace'} [tokenizer] 'words': NLTK's rules without , ? ! . ; 'whitespace': str.split()
 * @property {number} [dModel] 16
 * @property {number} [heads] 4, divides dModel
 * @property {number} [base] 10000, n of the positional encoding
 * @property {number} [maxLength] 64, positions in the table
 * @property {'interleaved' | 'concatenated' | 'learned'} [positions] 'interleaved'
 * @property {number} [dropout] 0.1
 * @property {boolean} [training] false
 * @property {number} [seed] 42
 * @property {boolean} [causal] false
 * @property {readonly import('./trace.js').Edit[]} [edits] values to put in place of computed ones, by the names shown
 *
 * @typedef {import('./trace.js').Trace} Trace
 * @typedef {import('./tensor.js').Tensor} Tensor
 * @typedef {{ name: string, shape: number[], axes: string[], data: Float32Array }} StageTensor a copy of its values
 */

const DEFAULTS = {
  tokenizer: 'words', dModel: 16, heads: 4, base: 10000, maxLength: 64, positions: 'interleaved', dropout: 0.1,
  training: false, seed: 42, causal: false, edits: []
}

/** Word for a place that only fills up a shorter sentence. */
const PADDING = '<pad>'

const BTC = ['sentence', 'token', 'dim'], SQUARE = ['sentence', 'head', 'query', 'key']

/** Every stage's tensor: its name in the trace, the name shown, what its axes are. */
const STAGES = /** @type {[string, string, string[]][]} */ ([
  ['embedding.weight', 'embedding.weight', ['word', 'dim']],
  ['embedding.output', 'embedding', BTC],
  ['positional_encoding', 'positional_encoding', ['position', 'dim']],
  ['positions.weight', 'positional_encoding', ['position', 'dim']],
  ['positions.sum', 'sum', BTC],
  ['positions.output', 'sum', BTC],
  ['dropout.output', 'dropout', BTC],
  ['dropout.mask', 'dropout.mask', BTC],
  ['self_attn.in_proj_weight', 'self_attn.in_proj_weight', ['row', 'dim']],
  ['self_attn.in_proj_bias', 'self_attn.in_proj_bias', ['row']],
  ['self_attn.q', 'self_attn.q', BTC],
  ['self_attn.k', 'self_attn.k', BTC],
  ['self_attn.v', 'self_attn.v', BTC],
  ['self_attn.dots', 'self_attn.dots', SQUARE],
  ['self_attn.scores', 'self_attn.scores', SQUARE],
  ['self_attn.masked_scores', 'self_attn.masked_scores', SQUARE],
  ['self_attn.weights', 'self_attn.weights', SQUARE],
  ['self_attn.heads', 'self_attn.heads', BTC],
  ['self_attn.out_proj.weight', 'self_attn.out_proj.weight', ['row', 'dim']],
  ['self_attn.out_proj.bias', 'self_attn.out_proj.bias', ['row']],
  ['self_attn.output', 'self_attn.output', BTC]
])

/** @param {PipelineSettings} settings */
function checkSettings(settings) {
  const { texts, tokenizer, positions, dModel, heads, maxLength, dropout } =
    /** @type {Required<PipelineSettings>} */ (settings)
  expect(Array.isArray(texts) && texts.every(t => typeof t === 'string'), 'type',
    () => `pipeline: texts must be an array of strings, got ${describe(texts)}`)
  oneOf('pipeline', 'tokenizer', tokenizer, ['words', 'whitespace'])
  oneOf('pipeline', 'positions', positions, ['interleaved', 'concatenated', 'learned'])
  wholeNumber('pipeline', 'dModel', dModel, 1, 4096)
  wholeNumber('pipeline', 'heads', heads, 1, dModel)
  wholeNumber('pipeline', 'maxLength', maxLength, 1, 100000)
  probability('pipeline', 'dropout', dropout)
  expect(dModel % heads === 0, 'range', () => `pipeline: dModel must be divisible by heads, got ${dModel} and ${heads}`)
}

/** @param {any} gf @param {Required<PipelineSettings>} settings @returns {string[][]} */
function tokenize(gf, { texts, tokenizer, maxLength }) {
  const words = (/** @type {string} */ text) => gf.text.words(text, { punctuation: false })
  const split = tokenizer === 'words' ? words : gf.text.whitespace
  const tokens = texts.map(split)
  expect(tokens.some(list => list.length > 0), 'text', () => 'pipeline: the text has no words')
  tokens.forEach((list, i) => expect(list.length <= maxLength, 'range',
    () => `pipeline: sentence ${i + 1} has ${list.length} words, but maxLength is ${maxLength}`))
  return tokens
}

/**
 * The vocabulary and the ids of every sentence, filled up to equal length. The padding word is only added where lengths
 * differ, so that equal ones have the ids of the notebooks.
 * @param {any} gf @param {string[][]} tokens
 */
function lookUp(gf, tokens) {
  const T = Math.max(...tokens.map(list => list.length)), isRagged = tokens.some(list => list.length < T)
  const vocab = new gf.text.Vocab(tokens, isRagged ? { specials: [PADDING] } : {})
  const ids = tokens.map(list => [...vocab.encode(list), ...Array(T - list.length).fill(0)])
  return { vocab, ids, padding: ids.map((row, b) => row.map((_, t) => t >= tokens[b].length)) }
}

/**
 * The modules of the pipeline, drawn from the seed in this order.
 * @param {any} gf @param {Required<PipelineSettings>} settings @param {number} V
 */
function build(gf, { dModel, heads, base, maxLength, positions, dropout, training, seed }, V) {
  gf.manualSeed(seed)
  const embedding = new gf.nn.Embedding(V, dModel)
  const table = positions === 'learned'
    ? new gf.nn.LearnedPositionalEncoding(maxLength, dModel)
    : new gf.nn.PositionalEncoding(dModel, 0, maxLength, { base, layout: positions })
  const modules = {
    embedding, positions: table, dropout: new gf.nn.Dropout(dropout),
    self_attn: new gf.nn.MultiheadAttention(dModel, heads)
  }
  Object.values(modules).forEach(module => module.train(training))
  return modules
}

/**
 * One pass, every number on the way kept.
 * @param {any} gf @param {Required<PipelineSettings>} settings
 * @param {{ vocab: any, ids: number[][], padding: boolean[][] }} input
 * @param {readonly import('./trace.js').Edit[]} edits by the trace's names
 * @returns {{ output: Tensor, trace: Trace, modules: Record<string, any> }}
 */
function pass(gf, settings, { vocab, ids, padding }, edits) {
  const modules = /** @type {Record<string, any>} */ ({}), isPadded = padding.some(row => row.includes(true))
  const { output, trace } = gf.trace(() => {
    Object.assign(modules, build(gf, settings, vocab.size))
    const x = modules.dropout.forward(modules.positions.forward(modules.embedding.forward(ids)))
    return modules.self_attn.forward(x, x, x, {
      keyPaddingMask: isPadded ? padding : undefined, isCausal: settings.causal, averageAttnWeights: false
    })[0]
  }, { modules, edits })
  return { output, trace, modules }
}

/** In double, from left to right. @param {Tensor} tensor */
const sumOf = tensor => Array.from(tensor.values).reduce((sum, v) => sum + v, 0)

/** @param {{ trace: Trace, modules: Record<string, any> }} passed */
function dispose({ trace, modules }) {
  trace.dispose()
  Object.values(modules).forEach(module => module.dispose())
}

/**
 * The edits under the trace's names, as far as a pass with these settings has their cells, and the others.
 * @param {any} gf @param {Required<PipelineSettings>} settings @param {any} input
 */
function fitting(gf, settings, input) {
  const { edits } = settings
  if (edits.length === 0) return { edits: [], idle: [] }
  const plain = pass(gf, settings, input, []), { inTrace } = namesOf(plain.trace)
  const fits = (/** @type {import('./trace.js').Edit} */ { name, index }) => {
    const shape = inTrace.has(name) ? plain.trace.get(inTrace.get(name) ?? '').shape : []
    return shape.length === index.length && index.every((i, axis) => i < shape[axis])
  }
  const fit = edits.filter(fits).map(edit => ({ ...edit, name: inTrace.get(edit.name) ?? edit.name }))
  dispose(plain)
  return { edits: fit, idle: edits.filter(edit => !fits(edit)) }
}

/**
 * One attention block over the reader's sentences, every number on the way kept: what the command prints and the page
 * draws. The weights are untrained and come from the seed. Nothing is to be answered here, so there is no loss; the
 * gradients are those of the sum of all numbers of the output, which stands in its place as `loss`.
 * @param {any} gf the library, from `load`
 * @param {PipelineSettings} options
 */
export function runPipeline(gf, options) {
  const settings = /** @type {Required<PipelineSettings>} */ ({ ...DEFAULTS, ...options })
  checkSettings(settings)
  const tokens = tokenize(gf, settings), input = lookUp(gf, tokens), { vocab, ids, padding } = input
  const { edits, idle } = fitting(gf, settings, input)
  const made = pass(gf, settings, input, edits), { output, trace } = made, names = namesOf(trace)
  return {
    settings, texts: settings.texts, tokens, vocab: vocab.itos, ids, padding, lengths: tokens.map(list => list.length),
    tensors: collect(trace), inputs: inputsOf(trace, names), loss: sumOf(output),
    /** Edits of cells that this run does not have. */
    idleEdits: idle,
    ...explainer(gf, made, names),
    /** Frees the memory of the run. The copied tensors stay; `explain` ends. */
    dispose: () => dispose(made)
  }
}

/** @param {Trace} trace @returns {Map<string, StageTensor>} */
function collect(trace) {
  const known = new Set(trace.names), tensors = new Map()
  for (const [from, name, axes] of STAGES) {
    if (!known.has(from) || tensors.has(name)) continue
    const tensor = trace.get(from)
    tensors.set(name, { name, shape: [...tensor.shape], axes, data: tensor.values.slice() })
  }
  if (!tensors.has('dropout')) tensors.set('dropout', { ...tensors.get('sum'), name: 'dropout' })
  return tensors
}

/**
 * The names of the trace by those that are shown, and the inverse. Dropout that does nothing is the sum itself.
 * @param {Trace} trace
 */
function namesOf(trace) {
  const known = new Set(trace.names), pairs = STAGES.filter(([from]) => known.has(from))
  const inTrace = new Map(pairs.map(([from, name]) => /** @type {[string, string]} */ ([name, from])).reverse())
  if (!inTrace.has('dropout')) inTrace.set('dropout', inTrace.get('sum') ?? '')
  return { inTrace, shown: new Map(pairs.map(([from, name]) => [from, name])) }
}

/**
 * What every tensor was computed from, by the names shown.
 * @param {Trace} trace @param {ReturnType<typeof namesOf>} names
 */
function inputsOf(trace, { inTrace, shown }) {
  const nameOf = new Map(trace.names.map(name => [trace.get(name), shown.get(name)]))
  /** @type {Map<string, Record<string, string>>} */ const inputs = new Map()
  for (const [tensor, from] of graphOf(trace.nodes)) {
    const name = nameOf.get(tensor)
    const named = Object.entries(from).flatMap(([key, input]) => (nameOf.get(input) ? [[key, nameOf.get(input)]] : []))
    if (name !== undefined) inputs.set(name, Object.fromEntries(named))
  }
  if (inTrace.get('dropout') === inTrace.get('sum')) {
    inputs.set('dropout', { x: 'sum' })
    for (const part of 'qkv') inputs.set(`self_attn.${part}`, { ...inputs.get(`self_attn.${part}`), x: 'dropout' })
  }
  return inputs
}

/**
 * Explanations under the names that are shown; backward runs when the first gradient is asked for.
 * @param {any} gf @param {{ output: Tensor, trace: Trace }} made @param {ReturnType<typeof namesOf>} names
 */
function explainer(gf, { output, trace }, { inTrace, shown }) {
  const known = (/** @type {string} */ name) => inTrace.get(name) ?? name
  const renamed = (/** @type {import('./trace.js').Source} */ source) => (
    { ...source, name: shown.get(source.name) ?? source.name })
  const translated = (/** @type {string} */ name, /** @type {import('./trace.js').Explanation} */ found) => {
    const terms = found.terms.map(term => ({
      ...term, factors: term.factors.map(f => (f.source ? { ...f, source: renamed(f.source) } : f))
    }))
    return { ...found, name, sources: found.sources.map(renamed), terms }
  }
  let isBackwardDone = false
  const withGradients = () => {
    if (isBackwardDone) return
    const ones = gf.tensor(new Float32Array(output.size).fill(1), { shape: [...output.shape] })
    output.backward(ones)
    ones.dispose()
    isBackwardDone = true
  }
  return {
    /** How a cell of a stage was made; see `trace.explain`. @param {string} name @param {readonly number[]} index */
    explain(name, index) {
      return translated(name, trace.explain(known(name), index))
    },
    /**
     * How the derivative of the output's sum by a cell came about.
     * @param {string} name @param {readonly number[]} index
     */
    explainGradient(name, index) {
      withGradients()
      return translated(name, trace.explainGradient(known(name), index))
    },
    /** That derivative by a whole tensor, as a copy. @param {string} name */
    gradient(name) {
      withGradients()
      return trace.gradient(known(name)).values.slice()
    }
  }
}
