import { describe, expect, expectOneOf, expectProbability, expectInteger } from './errors.js'

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
 * @property {readonly import('./trace/trace.js').Edit[]} [edits] values to put in place of computed ones
 *
 * The text of a run: its sentences, their tokens, padded to one length, and the vocabulary.
 * @typedef {{ texts: string[], tokens: string[][], ids: number[][], padding: boolean[][], lengths: number[],
 *   vocabulary: string[], isBatch: boolean }} Stream
 */

const DEFAULTS = {
  tokenizer: 'words', dModel: 16, heads: 4, base: 10000, maxLength: 64, positions: 'interleaved', dropout: 0.1,
  training: false, seed: 42, causal: false, edits: []
}

/** The padding token. */
const PADDING = '<pad>'

/** @param {PipelineSettings} settings */
function checkSettings(settings) {
  const { texts, tokenizer, positions, dModel, heads, maxLength, dropout } =
    /** @type {Required<PipelineSettings>} */ (settings)
  expect(Array.isArray(texts) && texts.every(t => typeof t === 'string'), 'type',
    () => `pipeline: texts must be an array of strings, got ${describe(texts)}`)
  expectOneOf('pipeline', 'tokenizer', tokenizer, ['words', 'whitespace'])
  expectOneOf('pipeline', 'positions', positions, ['interleaved', 'concatenated', 'learned'])
  expectInteger('pipeline', 'dModel', dModel, 1, 4096)
  expectInteger('pipeline', 'heads', heads, 1, dModel)
  expectInteger('pipeline', 'maxLength', maxLength, 1, 100000)
  expectProbability('pipeline', 'dropout', dropout)
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
 * The vocabulary and the ids of every sentence, padded to equal length. The padding token is only added if the lengths
 * differ; otherwise the ids are those of the notebooks.
 * @param {any} gf @param {string[][]} tokens
 */
function lookUp(gf, tokens) {
  const T = tokens.reduce((max, list) => Math.max(max, list.length), 0)
  const isRagged = tokens.some(list => list.length < T)
  const vocab = new gf.text.Vocab(tokens, isRagged ? { specials: [PADDING] } : {})
  const ids = tokens.map(list => [...vocab.encode(list), ...Array(T - list.length).fill(0)])
  return { vocab, ids, padding: ids.map((row, b) => row.map((_, t) => t >= tokens[b].length)) }
}

/**
 * The modules of the pipeline, initialized from the seed in this order.
 * @param {any} gf @param {Required<PipelineSettings>} settings @param {number} V
 * @returns {Record<string, any>}
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

/** The axes of the embedding's weight: a row for each word of the vocabulary. */
const AXES = { 'embedding.weight': [{ name: 'word', of: 'text' }, { name: 'channel' }] }

/**
 * Prepares a run: checked settings, text, and modules with their weights.
 * @param {any} gf the library, from `load`
 * @param {PipelineSettings} options
 * @returns {{ settings: Required<PipelineSettings>, text: Stream, modules: Record<string, any>,
 *   masks: { keyPaddingMask?: boolean[][], isCausal: boolean } }}
 */
export function prepare(gf, options) {
  const settings = /** @type {Required<PipelineSettings>} */ ({ ...DEFAULTS, ...options })
  checkSettings(settings)
  const tokens = tokenize(gf, settings), { vocab, ids, padding } = lookUp(gf, tokens)
  const paddedTokens = tokens.map((list, b) => padding[b].map((isPad, t) => (isPad ? PADDING : list[t])))
  const text = {
    texts: settings.texts, tokens: paddedTokens, ids, padding, lengths: tokens.map(list => list.length),
    vocabulary: vocab.itos, isBatch: true
  }
  const keyPaddingMask = padding.some(row => row.includes(true)) ? padding : undefined
  const masks = { keyPaddingMask, isCausal: settings.causal }
  return { settings, text, modules: build(gf, settings, vocab.size), masks }
}

/**
 * Runs one attention block on some sentences and stores every intermediate number, for the page to draw. The weights
 * are untrained and initialized from the seed. There is no loss; gradients are those of the sum of the output.
 * @param {any} gf the library, from `load`
 * @param {PipelineSettings} options
 * @returns {{ settings: Required<PipelineSettings>, run: import('./trace/observe.js').Run, text: Stream }}
 */
export function runPipeline(gf, options) {
  const { settings, text, modules, masks } = prepare(gf, options)
  const { embedding, positions, dropout, self_attn: attention } = modules
  const run = gf.observe(() => {
    const x = dropout.forward(positions.forward(embedding.forward(text.ids)))
    const [output] = attention.forward(x, x, x, { ...masks, averageAttnWeights: false })
    return { output, free: () => Object.values(modules).forEach(module => module.dispose()) }
  }, { modules, edits: settings.edits, axes: AXES, streams: { text } })
  return { settings, run, text }
}
