import { rowsOf } from '../ids.js'
import { createPositionalEncoding } from '../positional_encoding.js'
import { END, LONGEST, PAD, SOURCE_TOKENS, START, TARGET_TOKENS } from './data.js'

/** The size of the model on the page. */
export const CONFIG = { dModel: 32, nhead: 4, layers: 2, dimFeedforward: 64, dropout: 0 }

const PAD_ID = SOURCE_TOKENS.indexOf(PAD), START_ID = TARGET_TOKENS.indexOf(START), END_ID = TARGET_TOKENS.indexOf(END)

/** @param {number[][]} ids @returns {boolean[][]} true for padding */
const padding = ids => rowsOf(ids).map(row => row.map(id => id === PAD_ID))

/**
 * The encoder-decoder that translates dates: embeddings, positions, torch.nn.Transformer, a linear layer to the
 * target's tokens.
 * @param {any} gf the library
 * @param {typeof CONFIG & { positions?: string | null, base?: number, normFirst?: boolean, activation?: string }}
 *   [config] positions: null leaves the positional encoding out
 */
export function createTranslator(gf, config = CONFIG) {
  const { positions = 'interleaved', base = 10000, dModel, nhead, layers, dimFeedforward, dropout } = config
  const { normFirst = false, activation = 'relu' } = config

  class DateTranslator extends gf.nn.Module {
    static inputNames = ['source', 'input']

    constructor() {
      super()
      this.source_embedding = new gf.nn.Embedding(SOURCE_TOKENS.length, dModel)
      this.target_embedding = new gf.nn.Embedding(TARGET_TOKENS.length, dModel)
      this.positions = null
      this.transformer = new gf.nn.Transformer(dModel, nhead, layers, layers,
        { dimFeedforward, dropout, normFirst, activation })
      this.output = new gf.nn.Linear(dModel, TARGET_TOKENS.length)
      // Created last, so that a random table leaves the initialization of all other weights unchanged.
      if (positions) {
        const longest = Math.max(LONGEST.source, LONGEST.target)
        this.positions = createPositionalEncoding(gf, { positions, base, dModel, dropout, longest })
      }
      /** The causal mask of the decoder. */
      this.tgtIsCausal = true
    }

    /** @param {any} embedding @param {number[][]} ids @param {number} [start] position of the first id */
    embed(embedding, ids, start = 0) {
      const x = embedding.forward(ids)
      return this.positions ? this.positions.forward(x, { start }) : x
    }

    /** @param {number[][]} source [B, S] */
    encode(source) {
      const x = this.embed(this.source_embedding, source)
      return this.transformer.encoder.forward(x, { srcKeyPaddingMask: padding(source) })
    }

    /**
     * @param {number[][]} input [B, T] @param {any} memory @param {number[][]} source
     * @param {any} [cache] keys and values of earlier passes, after which `input` continues
     */
    decode(input, memory, source, cache) {
      const x = this.embed(this.target_embedding, input, cache?.length)
      const memoryKeyPaddingMask = padding(source), masks = { memoryKeyPaddingMask, ...(cache && { cache }) }
      const own = this.tgtIsCausal ? { tgtIsCausal: true } : cache ? {} : { tgtKeyPaddingMask: padding(input) }
      return this.output.forward(this.transformer.decoder.forward(x, memory, { ...own, ...masks }))
    }

    /** Logits [B, T, V] of every next token. @param {number[][]} source @param {number[][]} input */
    forward(source, input) {
      return this.decode(input, this.encode(source), source)
    }

    /** Greedy decoding. @param {number[][]} source @returns {string[][]} */
    translate(source) {
      return gf.tidy(() => gf.noGrad(() => {
        const memory = this.encode(source), answers = source.map(() => [START_ID])
        for (let t = 0; t < LONGEST.target && answers.some(a => !a.includes(END_ID)); t++) {
          const logits = this.decode(answers, memory, source), [B, T, V] = logits.shape, { values } = logits
          for (let b = 0; b < B; b++) answers[b].push(largest(values.subarray((b * T + T - 1) * V, (b * T + T) * V)))
        }
        const ended = answers.map(ids => ids.slice(1, ids.includes(END_ID) ? ids.indexOf(END_ID) : undefined))
        return ended.map(ids => ids.map(id => TARGET_TOKENS[id]))
      }))
    }
  }
  return new DateTranslator()
}

/** The index of the largest value. @param {Float32Array} values */
const largest = values => values.reduce((best, v, i) => (v > values[best] ? i : best), 0)
