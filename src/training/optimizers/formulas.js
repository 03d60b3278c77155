/** The formulas of the optimizers, which explain a step. */

import { adam } from './adam_formula.js'
import { sgd } from './sgd_formula.js'

/**
 * One cell of a weight with its optimizer state, by the symbols of the formula: w, and m, v or b.
 * @typedef {Record<string, number>} Cell
 *
 * @typedef {object} Formula
 * @property {(group: any, step: { t: number, rate: number, g: number, before: Cell, after: Cell }) =>
 *   Record<string, number>} terms the terms of the formula besides the state, among them the change
 * @property {(breakdown: any, format: (value: number) => string) =>
 *   ReturnType<typeof import('./formula_line.js').createLine>[]} lines one step of one cell, from the gradient to the
 *   weight, in formatted numbers
 */

/** @type {Record<string, Formula>} */
export const FORMULAS = { adam, sgd }
