/** Two texts compared: the places of their answers that differ, and what a patched place restores of the difference. */

import { getAxisLabels, getDescription } from './run.js'

/** @import { Edit, OtherText, Run } from '../types.d.ts' */
/** @import { Heads, PatchedRow } from '../rooms/stream.js' */

/**
 * A place of the answer at which the two texts lead to different tokens.
 * @typedef {{ step: number, here: string, there: string }} Difference
 *
 * kinds of what is patched: the stream as each layer reads it, what sub-layers add to it, the outputs of heads.
 * @typedef {'residual' | 'attention' | 'feedForward' | 'heads'} Kind
 */

/** @type {Kind[]} */
export const KINDS = ['residual', 'attention', 'feedForward', 'heads']

/** @param {OtherText} here @param {OtherText} other @returns {Difference[]} */
export const listDifferences = ({ steps }, { steps: others }) => steps.flatMap(({ id, token }, step) => (
  others[step] && others[step].id !== id ? [{ step, here: token, there: others[step].token }] : []))

/** The number of tokens that a run reads before its answer. @param {Run} run */
export const lengthOf = ({ passes, streams }) => (
  passes.find(({ kind }) => kind === 'prefill')?.rows ?? Object.values(streams)[0].lengths[0])

/**
 * The labels of the columns of a patched tensor: its tokens, or the names of its heads.
 * @param {Run} run @param {string} name @param {number} count @param {(head: number) => string} [nameHead]
 */
export function columnsOf(run, name, count, nameHead) {
  const labels = getAxisLabels(run, getDescription(run, name), 1)
  return Array.from({ length: count }, (_, i) => nameHead?.(i) ?? labels?.[i] ?? String(i))
}

/**
 * Scales a difference of logits: 0 for the one of this text, 1 for that of the other.
 * @param {{ here: number, there: number }} ends
 */
export const restoredShare = ({ here, there }) => (/** @type {number} */ value) => (value - here) / (there - here)

/**
 * The edits that take one place from the run on the other text: a position of a tensor, or a head at all positions that
 * both runs have. There is one edit for each position, since positions are added while the answer is generated.
 * @param {Run} run @param {{ text: string, other: OtherText }} source @param {string} name @param {number} at
 * @param {Heads} [heads] of which `at` is one @returns {Edit[]}
 */
export function patchEdits(run, { text: fromText, other }, name, at, heads) {
  if (!heads) return [{ name, index: [0, at, null], fromText }]
  const { shape, axes } = getDescription(run, name), hasHeadAxis = shape.length === 4, axis = hasHeadAxis ? 2 : 1
  const count = Math.min(shape[axis], other.tokens[axes[axis].of ?? '']?.length ?? Infinity), width = shape[2] / heads.heads
  return Array.from({ length: count }, (_, t) => ({ name, fromText,
    index: hasHeadAxis ? [0, at, t, null] : [0, t, [at * width, (at + 1) * width]] }))
}

/**
 * The rows of a map by tower.
 * @template {PatchedRow} R @param {R[]} rows @returns {[string, R[]][]}
 */
export const byTower = rows => [...new Set(rows.map(({ tower }) => tower))].map(tower => (
  [tower, rows.filter(row => row.tower === tower)]))
