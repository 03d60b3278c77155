import { expect, oneOf, wholeNumber } from './errors.js'

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
 *
 * @typedef {{ name: string, shape: number[], axes: string[], data: Float32Array }} StageTensor a copy of its values
 */

const DEFAULTS = {
  tokenizer: 'words', dModel: 16, heads: 4, base: 10000, maxLength: 64, positions: 'interleaved', dropout: 0.1,
  training: false, seed: 42, causal: false
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
  const { texts, tokenizer, positions, dModel, heads, maxLength } = /** @type {Required<PipelineSettings>} */ (settings)
  expect(Array.isArray(texts) && texts.every(t => typeof t === 'string'), 'type',
    () => 'pipeline: texts must be an array of strings')
  oneOf('pipeline', 'tokenizer', tokenizer, ['words', 'whitespace'])
  oneOf('pipeline', 'positions', positions, ['interleaved', 'concatenated', 'learned'])
  wholeNumber('pipeline', 'dModel', dModel, 1, 4096)
  wholeNumber('pipeline', 'heads', heads, 1, dModel)
  wholeNumber('pipeline', 'maxLength', maxLength, 1, 100000)
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
 * One attention block over the reader's sentences, every number on the way kept: what the command prints and the page
 * draws. The weights are untrained and come from the seed.
 * @param {any} gf the library, from `load`
 * @param {PipelineSettings} options
 */
export function runPipeline(gf, options) {
  const settings = /** @type {Required<PipelineSettings>} */ ({ ...DEFAULTS, ...options })
  checkSettings(settings)
  const tokens = tokenize(gf, settings), { vocab, ids, padding } = lookUp(gf, tokens)
  const isPadded = padding.some(row => row.includes(true)), modules = /** @type {Record<string, any>} */ ({})
  const { trace } = gf.trace(() => gf.noGrad(() => {
    Object.assign(modules, build(gf, settings, vocab.size))
    const x = modules.dropout.forward(modules.positions.forward(modules.embedding.forward(ids)))
    return modules.self_attn.forward(x, x, x, {
      keyPaddingMask: isPadded ? padding : undefined, isCausal: settings.causal, averageAttnWeights: false
    })[0]
  }), { modules })
  return {
    settings, texts: settings.texts, tokens, vocab: vocab.itos, ids, padding, lengths: tokens.map(list => list.length),
    tensors: collect(trace), ...explainer(trace),
    /** Frees the memory of the run. The copied tensors stay; `explain` ends. */
    dispose() {
      trace.dispose()
      Object.values(modules).forEach(module => module.dispose())
    }
  }
}

/** @param {import('./trace.js').Trace} trace @returns {Map<string, StageTensor>} */
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

/** Explanations under the names that are shown. @param {import('./trace.js').Trace} trace */
function explainer(trace) {
  const known = new Set(trace.names), pairs = STAGES.filter(([from]) => known.has(from))
  const inTrace = new Map(pairs.map(([from, name]) => /** @type {[string, string]} */ ([name, from])).reverse())
  const shown = new Map(pairs.map(([from, name]) => [from, name]))
  if (!inTrace.has('dropout')) inTrace.set('dropout', inTrace.get('sum') ?? '')
  const rename = (/** @type {string} */ name) => shown.get(name) ?? name
  return {
    /** How a cell of a stage was made; see `trace.explain`. @param {string} name @param {readonly number[]} index */
    explain(name, index) {
      const found = trace.explain(inTrace.get(name) ?? name, index)
      const renamed = (/** @type {import('./trace.js').Source} */ source) => ({ ...source, name: rename(source.name) })
      const terms = found.terms.map(term => ({
        ...term, factors: term.factors.map(f => (f.source ? { ...f, source: renamed(f.source) } : f))
      }))
      return { ...found, name, sources: found.sources.map(renamed), terms }
    }
  }
}
