import { Cache } from '../ops/attention_cache.js'
import { pathTo } from './beam.js'
import { filterLogits, greedy, pick } from './choose.js'
import { decode, generate } from './generate.js'

/** @import { Decodable, GenerateOptions, GenerateResult, Generation, Prompt } from './generate.js' */

/**
 * gf.decoding for one engine: generating tokens from logits.
 * @param {import('../engine/engine.js').Engine} engine
 */
export const bindDecoding = engine => ({
  Cache, greedy, pathTo, pick,
  /**
   * The candidates that temperature, top-k and top-p leave of a row of logits, with their probabilities.
   * @param {Parameters<typeof filterLogits>[1]} logits @param {Parameters<typeof filterLogits>[2]} [options]
   */
  filterLogits: (logits, options) => filterLogits(engine, logits, options),
  /**
   * Generates ids: greedily, by sampling, or by beam search.
   * @template {Prompt} P
   * @template {GenerateOptions} [O=GenerateOptions]
   * @param {Decodable} model @param {P} ids @param {O} [options] @returns {GenerateResult<P, O, number[]>}
   */
  generate: (model, ids, options) => generate(engine, model, ids, options),
  /**
   * As generate, and returns every step too: its candidates and random number, or the tree of the beams.
   * @template {Prompt} P
   * @template {GenerateOptions} [O=GenerateOptions]
   * @param {Decodable} model @param {P} ids @param {O} [options] @returns {GenerateResult<P, O, Generation>}
   */
  decode: (model, ids, options) => decode(engine, model, ids, options)
})
