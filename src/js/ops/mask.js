import { describe, expect, expectEngine, formatShape } from '../errors.js'
import { sameShape } from '../tensor/shape.js'
import { getFirstLeaf, getNestedShape, tensor as makeTensor } from '../tensor/from_values.js'
import { Tensor } from '../tensor/tensor.js'
import { expectFloatTensor } from './checks.js'
import { expand } from './strided.js'
import { where } from './where.js'

/** @typedef {{ B: number, H: number, Tq: number, Tk: number }} Sizes */
/** @typedef {{ tensor: Tensor, batch: number, head: number }} AdditiveMask strides in floats, 0 where shared */

/** @param {any} nested @param {boolean} hidden the value that hides @returns {any} 0 and −∞ instead of booleans */
const additiveValues = (nested, hidden) =>
  Array.isArray(nested) ? nested.map(inner => additiveValues(inner, hidden)) : nested === hidden ? -Infinity : 0

/**
 * Throws for nested arrays that mix booleans and numbers.
 * @param {string} what @param {any} nested @param {string} kind
 */
function checkLeaves(what, nested, kind) {
  if (Array.isArray(nested)) nested.forEach(inner => checkLeaves(what, inner, kind))
  else expect(typeof nested === kind, 'type',
    () => `${what} must be booleans or numbers throughout, got ${describe(nested)} after a ${kind}`)
}

/**
 * Throws for a mask of zeros and ones: numbers are added to the scores, so it would hide nothing. What is the same
 * everywhere changes no weight, and what is learned may have such values.
 * @param {string} what the argument, for messages @param {Tensor} mask float32
 * @param {boolean} hidden the boolean that hides @param {boolean} isArray whether the caller gave nested arrays
 */
function refuseFlags(what, mask, hidden, isArray) {
  // A recording is made of a call that has run; what JavaScript reads could not be recorded.
  if (mask.requiresGrad || mask.engine.recording) return
  const { values } = mask, first = values[0]
  let isMixed = false
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== 0 && values[i] !== 1) return
    if (values[i] !== first) isMixed = true
  }
  expect(!isMixed, 'type', () => {
    const text = isArray ? 'gf.tensor(mask)' : 'mask', same = `${text}.to('bool')`, inverse = `${text}.eq(0)`
    return `${what} holds only 0 and 1, which would be added to the scores and hide nothing; where 1 hides, ` +
      `write ${hidden ? same : inverse}, and where 1 is visible ${hidden ? inverse : same}`
  })
}

/**
 * Converts a mask of booleans or numbers to an additive tensor once, so that layers need not do it again: −∞ where it
 * hides, 0 elsewhere. Float tensors, empty arrays and missing masks are returned unchanged.
 * @param {import('../engine/engine.js').Engine} engine @param {string} what the argument, for messages
 * @param {any} mask nested booleans or numbers, or a tensor @param {boolean} hidden the boolean that hides
 */
export function toMaskTensor(engine, what, mask, hidden) {
  if (mask instanceof Tensor && mask.dtype === 'bool') {
    expectEngine(what, engine, [mask])
    expect(!mask.disposed, 'state', () => `${what} was disposed`)
    if (engine.trace?.isExport) return where(mask, hidden ? -Infinity : 0, hidden ? 0 : -Infinity)
    const values = Float32Array.from(mask.values, flag => additiveValues(Boolean(flag), hidden))
    return makeTensor(engine, values, { shape: mask.shape }, what)
  }
  if (mask instanceof Tensor && mask.dtype === 'float32' && !mask.disposed) refuseFlags(what, mask, hidden, false)
  if (!Array.isArray(mask)) return mask
  getNestedShape(what, mask)
  const kind = typeof getFirstLeaf(mask)
  if (kind === 'undefined') return mask
  checkLeaves(what, mask, kind === 'boolean' ? kind : 'number')
  const out = makeTensor(engine, kind === 'boolean' ? additiveValues(mask, hidden) : mask, {}, what)
  if (kind === 'number') refuseFlags(what, out, hidden, true)
  return out
}

/**
 * Converts an attention mask to numbers that are added to the scores.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {string} where
 * @param {any} mask nested booleans, nested numbers, a bool or a float32 tensor, of shape [Tq, Tk] or [B · H, Tq, Tk],
 *   or one that broadcasts to [B, H, Tq, Tk]; in modules it then has four axes
 * @param {boolean} hidden the boolean that hides: false in torch's functional form, true in its modules
 * @param {Sizes} sizes
 * @returns {AdditiveMask | null}
 */
export function additiveMask(engine, where, mask, hidden, { B, H, Tq, Tk }) {
  if (mask === undefined || mask === null) return null
  expect(Array.isArray(mask) || mask instanceof Tensor, 'type',
    () => `${where}: attnMask must be nested arrays, a bool or a float32 tensor, got ${describe(mask)}`)
  if (B * H * Tq * Tk === 0 && Array.isArray(mask)) return null
  const converted = toMaskTensor(engine, `${where}: attnMask`, mask, hidden)
  // An empty array stays an array, which has no valid shape.
  const given = Array.isArray(converted) ? null : expectFloatTensor(where, 'attnMask', converted)
  const shape = given?.shape ?? getNestedShape(where, converted), rank = shape.length, full = [B, H, Tq, Tk]
  // PyTorch's modules take no mask that broadcasts, which would hide a mask of the wrong size.
  const isExpandable = (rank === 4 || (rank > 0 && rank < 4 && !hidden)) &&
    shape.every((side, i) => side === 1 || side === full[4 - rank + i])
  const isKept = rank > 1 && sameShape(shape.slice(-2), [Tq, Tk]) && (rank !== 3 || shape[0] === B * H)
  const tensor = given && isExpandable && !isKept
    ? expand(given, [rank > 3 ? shape[0] : 1, rank > 2 ? shape[rank - 3] : 1, Tq, Tk]) : given
  if (tensor) expectEngine(`${where}: attnMask`, engine, [tensor])
  const square = Tq * Tk
  const layouts = [
    { shape: [Tq, Tk], batch: 0, head: 0 },
    { shape: [B, H, Tq, Tk], batch: H * square, head: square },
    { shape: [B, 1, Tq, Tk], batch: square, head: 0 },
    { shape: [1, H, Tq, Tk], batch: 0, head: square },
    { shape: [1, 1, Tq, Tk], batch: 0, head: 0 },
    { shape: [B * H, Tq, Tk], batch: H * square, head: square }
  ]
  const layout = layouts.find(l => sameShape(l.shape, tensor?.shape ?? shape))
  expect(tensor !== null && layout !== undefined, 'shape', () =>
    `${where}: attnMask must have shape [Tq, Tk] = ${formatShape([Tq, Tk])}, or [B, H, Tq, Tk] = ${formatShape(full)}, ` +
    `where each side may be 1, or [B · H, Tq, Tk] = ${formatShape([B * H, Tq, Tk])}, got ${formatShape(shape)}`)
  return { tensor, batch: layout.batch, head: layout.head }
}

/** Numbers are refused, since Hugging Face's attention_mask has the opposite meaning. */
const ATTENTION_MASK_HINT = '; if 1 means visible, as in an attention_mask, write gf.tensor(mask).eq(0)'

/**
 * Converts a key padding mask to bytes, 1 where the key is hidden.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {string} where
 * @param {any} mask [B, Tk]: nested booleans or a bool tensor; true hides
 * @param {Sizes} sizes
 * @returns {Uint8Array | null}
 */
export function paddingMask(engine, where, mask, { B, Tk }) {
  if (mask === undefined || mask === null) return null
  if (mask instanceof Tensor) expectEngine(`${where}: keyPaddingMask`, engine, [mask])
  expect(!(mask instanceof Tensor && mask.disposed), 'state', () => `${where}: keyPaddingMask was disposed`)
  expect(!(mask instanceof Tensor) || mask.dtype === 'bool', 'type',
    () => `${where}: keyPaddingMask must be a bool tensor, got ${describe(mask)}${ATTENTION_MASK_HINT}`)
  const rows = mask instanceof Tensor ? mask.toArray() : mask
  const fits = Array.isArray(rows) && rows.length === B && rows.every(row => Array.isArray(row) && row.length === Tk)
  expect(fits, 'shape',
    () => `${where}: keyPaddingMask must have shape ${formatShape([B, Tk])} ([batch, keys]), got ${describeSides(mask)}`)
  // flat() would skip empty slots of sparse arrays.
  const cells = rows.flatMap((/** @type {any[]} */ row) => Array.from(row))
  if (Array.isArray(mask)) for (const hidden of cells) expect(typeof hidden === 'boolean', 'type',
    () => `${where}: keyPaddingMask must be true (hidden) or false, got ${describe(hidden)}${ATTENTION_MASK_HINT}`)
  return Uint8Array.from(cells, hidden => (hidden ? 1 : 0))
}

/**
 * What the masks of an attention add to a score.
 * @param {{ mask: AdditiveMask | null, padding: Uint8Array | null, isCausal: boolean, past: number, window: number,
 *   sizes: Sizes }} saved
 * @param {readonly number[]} index of the score: b, h, i, j
 */
export function maskAt({ mask, padding, isCausal, past, window, sizes }, [b, h, i, j]) {
  const ahead = j - past - i, isFar = window > 0 && Math.abs(ahead) >= window
  if ((isCausal && ahead > 0) || isFar || padding?.[b * sizes.Tk + j]) return -Infinity
  return mask ? mask.tensor.values[b * mask.batch + h * mask.head + i * sizes.Tk + j] : 0
}

/** @param {any} mask */
function describeSides(mask) {
  if (!Array.isArray(mask)) return describe(mask)
  const isRagged = mask.every(Array.isArray) && mask.some(row => row.length !== mask[0].length)
  return isRagged ? `rows of ${mask.slice(0, 8).map(row => row.length).join(', ')}` : formatShape(nestedSides(mask))
}

/** The first sides of nested arrays, for a message. @param {any} nested @returns {number[]} */
const nestedSides = (nested, max = 8) =>
  (max && Array.isArray(nested) ? [nested.length, ...nestedSides(nested[0], max - 1)] : [])
