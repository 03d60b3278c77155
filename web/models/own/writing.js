/**
 * What a model that was brought writes by itself: token by token over a cache, in turns with other tasks where somebody
 * may stop it. With numbers overwritten every token is computed anew, in the order of the runs that show it.
 */

import { answer } from '../answer.js'

/** @import { Chosen } from '../answer.js' */
/** @import { Frame } from '../decoding.js' */
/** @import { Edit, Library, LibraryTensor, Settings } from '../../types.d.ts' */
/** @import { Cache } from '../../../src/js/ops/attention_cache.js' */

/**
 * How a kind of model goes on.
 * @typedef {object} Going
 * @property {Frame & { V: number, isCausal: boolean }} frame
 * @property {readonly number[]} ends every token that ends an answer
 * @property {(rows: number[][]) => LibraryTensor} forward logits of all rows, as a run has them
 * @property {() => { next: (rows: number[][], cache: Cache | null) => LibraryTensor, done: () => void }} begin
 *   logits of the last tokens, over a cache
 */

/**
 * Who waits for an answer: stops it, and hears of every token.
 * @typedef {{ signal: AbortSignal, onToken: (id: number) => void }} Waiting
 */

/** @param {Partial<Chosen> & { ids: number[] }} made @returns {Chosen} */
const chosen = made => ({ random: null, tree: null, best: null, isGiven: false, ...made })

/** What the settings ask of a decoding. @param {Settings} settings */
function wayOf({ decoding, beams, temperature, topK, topP, seed }) {
  if (decoding === 'beam') return { beams }
  return decoding === 'sample' ? { temperature, topK, topP, seed } : {}
}

/**
 * @param {{ ids: number[], steps: { draw: number | null }[], tree: Chosen['tree'], best: number | null }} made
 * @param {Settings} settings @param {number} end
 */
function read({ ids, steps, tree, best }, { decoding }, end) {
  if (!ids.length) return chosen({ ids: [end] })
  return chosen({ ids, tree, best, random: decoding === 'sample' ? steps.map(({ draw }) => Number(draw)) : null })
}

/**
 * @param {Library} gf @param {Settings} settings @param {Going} going @param {Edit[]} edits
 * @returns {Chosen}
 */
export function written(gf, settings, { frame, ends, forward, begin }, edits) {
  if (edits.length) return answer(gf, settings, forward, frame, edits)
  const { next, done } = begin()
  try {
    const options = { ...wayOf(settings), maxNewTokens: frame.longest, end: [...ends] }
    return read(gf.decoding.decode(next, [...frame.start], options), settings, frame.end)
  } finally {
    done()
  }
}

/**
 * The same for somebody who waits; stopped, it is what there is by then, at least one token.
 * @param {Library} gf @param {Settings} settings @param {Going} going @param {Edit[]} edits @param {Waiting} waiting
 * @returns {Promise<Chosen>}
 */
export async function writing(gf, settings, going, edits, { signal, onToken }) {
  if (edits.length || settings.decoding === 'beam') return written(gf, settings, going, edits)
  const { frame, ends, begin } = going, { next, done } = begin(), stopped = new AbortController()
  /** @type {{ id: number, draw: number | null }[]} */ const steps = []
  const options = {
    ...wayOf(settings), maxNewTokens: frame.longest, end: [...ends], signal: stopped.signal,
    onToken: (/** @type {number} */ id, /** @type {{ draw: number | null }} */ { draw }) => {
      steps.push({ id, draw })
      onToken(id)
      if (signal.aborted) stopped.abort()
    }
  }
  signal.addEventListener('abort', () => steps.length && stopped.abort())
  try {
    return read(await gf.decoding.decode(next, [...frame.start], options), settings, frame.end)
  } catch (error) {
    if (!stopped.signal.aborted) throw error
    return read({ ids: steps.map(({ id }) => id), steps, tree: null, best: null }, settings, frame.end)
  } finally {
    done()
  }
}
