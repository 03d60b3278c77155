/** The optimizers of a training. A file for each says how it is created, its state, and how a step is explained. */

import { adam } from './adam.js'
import { sgd } from './sgd.js'

/** @import { TrainingState } from '../settings.js' */

/**
 * One cell of a weight with its optimizer state, by the symbols of the formula: w, and m, v or b.
 * @typedef {Record<string, number>} Cell
 *
 * @typedef {object} Optimizer
 * @property {boolean} usesMomentum whether it has the setting momentum
 * @property {(settings: TrainingState) => Record<string, string>} stateNames the state of every weight: its symbol,
 *   which files contain, and its name in the optimizer's state
 * @property {(gf: any, parameters: any[], settings: TrainingState) => any} create
 * @property {(zeros: () => any, settings: TrainingState) => Record<string, any>} createState the state of a weight
 *   before the
 *   first step, as the first step would make it
 * @property {(group: any, step: { t: number, rate: number, g: number, before: Cell, after: Cell }) =>
 *   Record<string, number>} terms the terms of the formula besides the state, among them the change
 * @property {(breakdown: any, format: (value: number) => string) =>
 *   ReturnType<typeof import('./formula_line.js').createLine>[]} lines one step of one cell, from the gradient to the
 *   weight, in formatted numbers
 */

/** @type {Record<string, Optimizer>} */
export const OPTIMIZERS = { adam, sgd }
