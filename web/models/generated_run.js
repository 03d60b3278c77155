/** A run of a generating model: it generates with dropout off, then reads the answer with the current settings. */

import { SAMPLING, compute, decodingOf, isSamplingEdit } from './generation.js'
import { toLibrary } from '../lib/edits.js'
import { prepare, release } from './model_cache.js'
import { createSampling } from './sampling.js'

/** @import { Continuation, Edit, Library, LibraryTensor, ModelRun, Settings, Stream } from '../types.d.ts' */
/** @import { Chosen } from './generation.js' */
/** @import { CacheEntry } from './model_cache.js' */

/**
 * The correct answers to a text, and a forward whose decoder reads one of them, giving logits [1, T, V].
 * @typedef {{ answers: number[][], forward: (answer: number[]) => LibraryTensor }} Truth
 *
 * How a model reads an answer.
 * @typedef {object} Reading
 * @property {() => LibraryTensor} forward logits [1, T, V], with the answer as input
 * @property {number[]} targets the target of each row; −100 for none
 * @property {string[]} vocabulary of the answer
 * @property {number[]} rows that choose a token, in order
 * @property {Record<string, any>} axes
 * @property {Record<string, Stream>} streams
 * @property {any[]} [passes]
 * @property {Record<string, number[][]>} inputs of forward, by name
 * @property {Truth} [truth] where the correct answer is known, whatever the model generated
 * @property {Omit<Continuation, 'model'>} [continuation] where the answer is generated token by token
 */

/**
 * The loss of the correct answer, which the decoder reads as in training. Null where no correct answer is known, or
 * where the generated one is correct, since then it equals the loss of the run.
 * @param {Library} gf @param {Edit[]} edits @param {Truth | undefined} truth @param {number[]} ids of the answer
 */
function lossOfTruth(gf, edits, truth, ids) {
  if (!truth?.answers.length || truth.answers.some(answer => String(answer) === String(ids))) return null
  const [answer] = truth.answers
  const logits = compute(gf, edits, () => truth.forward(answer))
  return gf.tidy(() => gf.noGrad(() => gf.functional.crossEntropy(
    gf.tensor(logits, { shape: [answer.length, logits.length / answer.length] }), answer).item()))
}

/**
 * @param {Library} gf @param {CacheEntry} entry @param {Settings} settings @param {Edit[]} edits
 * @param {() => Chosen} choose
 * @param {(target: Chosen) => Reading} reading
 * @returns {Omit<ModelRun, 'hints'>}
 */
export function generatedRun(gf, entry, settings, edits, choose, reading) {
  prepare(entry, /** @type {any} */ ({ ...settings, training: false }))
  const target = choose()
  prepare(entry, /** @type {any} */ (settings))
  const { forward, targets, vocabulary, rows, axes, streams, passes = [],
    inputs, truth, continuation } = reading(target)
  const seed = () => { if (settings.training) gf.manualSeed(settings.seed) }
  seed()
  const lossOfAnswer = lossOfTruth(gf, edits.filter(edit => !isSamplingEdit(edit)), truth, target.ids)
  seed()
  const sampling = createSampling(gf, /** @type {any} */ (settings))
  const free = () => {
    sampling.dispose()
    release(gf, entry)
  }
  const run = gf.observe(() => {
    const output = forward()
    const loss = gf.functional.crossEntropy(output.reshape(-1, output.shape[2]), targets)
    gf.engine.trace?.tag('loss', loss)
    sampling.forward(output)
    return { output, loss, free }
  }, { modules: { [SAMPLING]: /** @type {any} */ (sampling) }, edits: toLibrary(edits), axes, streams, passes })
  return {
    run, settings, outputs: [`${SAMPLING}.output`], valuesBeforeEdits: entry.valuesBeforeEdits ?? new Map(),
    trueLoss: truth?.answers.length ? lossOfAnswer ?? run.loss : null,
    isTrained: settings.weights === 'trained', decoding: decodingOf(target, settings.decoding, vocabulary, rows),
    exportable: { model: entry.model, inputs },
    ...(continuation && { continuation: { model: entry.model, ...continuation } })
  }
}
