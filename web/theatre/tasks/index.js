/**
 * What can be learned. A task says what model it takes, what a batch is, what is held out, and what the model makes of
 * a reader's sentence.
 *
 * @typedef {{ inputs: any[], target: number[], ignoreIndex: number, words: readonly string[],
 *   examples?: unknown[], tests?: unknown[] }} Batch inputs of the model's forward; what is right at each place, and
 *   the words of these ids; examples, tests: what it was made of
 * @typedef {{ text: string, inputs: any[], tokens: Record<string, string[]> }} Answer what the model says; with which
 *   inputs it can be looked at, and the tokens that its attention goes between
 *
 * @typedef {object} Task
 * @property {(gf: any, settings: TrainingState, text?: string) => any} prepare what is there before the first step
 * @property {(gf: any, settings: TrainingState, data: any) => any} create the model, its weights drawn from the stream
 * @property {(gf: any, settings: TrainingState, data: any, step: number) => Batch} batch of a step, from 1
 * @property {(gf: any, settings: TrainingState, data: any) => Batch} heldOut never trained on
 * @property {(gf: any, model: any, data: any, batch: Batch) => number} right the share that comes out right
 * @property {(gf: any, model: any, data: any, text: string) => Answer} answer
 * @property {(data: any) => Record<string, readonly string[]>} tables tables of embeddings, and the words of their rows
 * @property {(data: any) => { shape: object, vocabulary: string }} [inFile] what else makes a model of its weights
 * @property {(text: string) => Problem | null | undefined} [problem] with a reader's sentence
 */

import { dates } from './dates.js'
import { particles } from './particles.js'
import { stories } from './stories.js'
import { sums } from './sums.js'
import { text } from './text.js'

/** @import { Problem } from '../../types.d.ts' */
/** @import { TrainingState } from '../settings.js' */

/** @type {Record<string, Task>} */
export const TASKS = { dates, particles, stories, text, sums }
