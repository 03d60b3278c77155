/**
 * The tasks of the training page. A task defines its model, its batches, its held-out examples, and how it answers
 * a sentence.
 *
 * @typedef {{ inputs: any[], target: number[], ignoreIndex: number, words: readonly string[],
 *   examples?: unknown[], tests?: unknown[] }} Batch inputs: of the model's forward; target: the correct id at each
 *   position; words: the tokens of these ids; examples, tests: the samples that the batch consists of
 * @typedef {{ text: string, inputs: any[], tokens: Record<string, string[]> }} Answer the model's output as text; the
 *   inputs of a forward that shows how it was computed, and the tokens of its attention matrices
 *
 * @typedef {object} Task
 * @property {(gf: any, settings: TrainingState, text?: string) => any} prepare what is created before the first step
 * @property {(gf: any, settings: TrainingState, data: any) => any} create the model, randomly initialized
 * @property {(gf: any, settings: TrainingState, data: any, step: number) => Batch} batch of a step, from 1
 * @property {(gf: any, settings: TrainingState, data: any) => Batch} heldOut examples that are never trained on
 * @property {(gf: any, model: any, data: any, batch: Batch) => number} measureAccuracy the fraction of correct answers
 * @property {(gf: any, model: any, settings: TrainingState) => { previous: number, induction: number }} [measureHeads]
 *   the largest previous-token score and the largest induction score of all heads
 * @property {(gf: any, model: any) => number[]} [measureWaves] the fractions of the variance of the numbers' embeddings
 *   on the waves around their clock, from wave 1
 * @property {(gf: any, model: any, data: any, text: string) => Answer} answer
 * @property {(data: any) => Record<string, readonly string[]>} tables embedding tables, and the tokens of their rows
 * @property {(data: any) => { shape: object, vocabulary: string }} [inFile] what a model needs besides its weights
 * @property {(settings: TrainingState) => boolean} [needsText] whether it trains a tokenizer
 * @property {(text: string) => Problem | null | undefined} [problem] why a sentence cannot be answered, if it cannot
 */

import { dates } from './dates.js'
import { induction } from './induction.js'
import { particles } from './particles.js'
import { stories } from './stories.js'
import { sums } from './sums.js'
import { text } from './text.js'

/** @import { Problem } from '../types.d.ts' */
/** @import { TrainingState } from '../settings.js' */

/** @type {Record<string, Task>} */
export const TASKS = { dates, particles, stories, induction, text, sums }
