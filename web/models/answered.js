/** A run of a model that answers: it chooses with dropout off, then what it chose is read as the settings say. */

import { SAMPLING, decodingOf } from './answer.js'
import { prepare, release } from './hold.js'
import { createSampling } from './sampling.js'

/** @import { Edit, Going, Library, LibraryTensor, Made, Settings, Stream } from '../types.d.ts' */
/** @import { Chosen } from './answer.js' */
/** @import { Held } from './hold.js' */

/**
 * What a model does with an answer.
 * @typedef {object} Reading
 * @property {() => LibraryTensor} forward logits [1, T, V] with the answer in sight
 * @property {number[]} right of each row the id that counts as right; −100 where none does
 * @property {string[]} vocabulary of the answer
 * @property {number[]} rows that choose a token, in order
 * @property {Record<string, any>} axes
 * @property {Record<string, Stream>} streams
 * @property {any[]} [passes]
 * @property {Record<string, number[][]>} inputs of forward, by name
 * @property {Omit<Going, 'model'>} [going] where the answer is written token by token
 */

/**
 * @param {Library} gf @param {Held} made @param {Settings} settings @param {Edit[]} edits
 * @param {() => Chosen} choose
 * @param {(target: Chosen) => Reading} reading
 * @returns {Omit<Made, 'hints'>}
 */
export function answered(gf, made, settings, edits, choose, reading) {
  prepare(made, /** @type {any} */ ({ ...settings, training: false }))
  const target = choose()
  prepare(made, /** @type {any} */ (settings))
  if (settings.training) gf.manualSeed(settings.seed)
  const { forward, right, vocabulary, rows, axes, streams, passes = [], inputs, going } = reading(target)
  const sampling = createSampling(gf, /** @type {any} */ (settings))
  const free = () => {
    sampling.dispose()
    release(gf, made)
  }
  const run = gf.observe(() => {
    const output = forward()
    const loss = gf.functional.crossEntropy(output.reshape(-1, output.shape[2]), right)
    gf.engine.trace?.tag('loss', loss)
    sampling.forward(output)
    return { output, loss, free }
  }, { modules: { [SAMPLING]: /** @type {any} */ (sampling) }, edits, axes, streams, passes })
  return {
    run, settings, ends: [`${SAMPLING}.output`], before: made.before ?? new Map(),
    isTrained: settings.weights === 'trained', decoding: decodingOf(target, settings.decoding, vocabulary, rows),
    taken: { model: made.model, inputs },
    ...(going && { going: { model: made.model, ...going } })
  }
}
