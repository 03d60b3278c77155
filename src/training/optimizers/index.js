/** The optimizers of a training: how each is created, and its state. What explains a step is in formulas.js. */

import { adam } from './adam.js'
import { sgd } from './sgd.js'

/** @import { TrainingState } from '../settings.js' */

/**
 * @typedef {object} Optimizer
 * @property {boolean} usesMomentum whether it has the setting momentum
 * @property {(settings: TrainingState) => Record<string, string>} stateNames the state of every weight: its symbol,
 *   which files contain, and its name in the optimizer's state
 * @property {(gf: any, parameters: any[], settings: TrainingState) => any} create
 * @property {(zeros: () => any, settings: TrainingState) => Record<string, any>} createState the state of a weight
 *   before the first step, as the first step would make it
 */

/** @type {Record<string, Optimizer>} */
export const OPTIMIZERS = { adam, sgd }
