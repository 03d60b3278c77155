import { Cache } from '../ops/attention_cache.js'
import { pathTo } from './beam.js'
import { greedy, kept, pick } from './choose.js'
import { decode, generate } from './generate.js'

/** @import { Answer, Answered, Decodable, GenerateOptions, Prompt } from './generate.js' */

/**
 * Choosing tokens, for one engine.
 * @param {import('../engine.js').Engine} engine
 */
export const bindDecoding = engine => ({
  Cache, greedy, pathTo, pick,
  /**
   * What temperature, top-k and top-p keep of a row of logits, and the shares of what is kept.
   * @param {Parameters<typeof kept>[1]} logits @param {Parameters<typeof kept>[2]} [cuts]
   */
  kept: (logits, cuts) => kept(engine, logits, cuts),
  /**
   * The ids of an answer: greedy, drawn or by beams.
   * @template {Prompt} P
   * @template {GenerateOptions} [O=GenerateOptions]
   * @param {Decodable} model @param {P} ids @param {O} [options] @returns {Answered<P, O, number[]>}
   */
  generate: (model, ids, options) => generate(engine, model, ids, options),
  /**
   * The same with every step: what was kept, the draw, the tree of beams.
   * @template {Prompt} P
   * @template {GenerateOptions} [O=GenerateOptions]
   * @param {Decodable} model @param {P} ids @param {O} [options] @returns {Answered<P, O, Answer>}
   */
  decode: (model, ids, options) => decode(engine, model, ids, options)
})
