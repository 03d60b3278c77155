import { cumsum } from './cumsum.js'
import {
  bincount, cumprod, diag, expandAs, indexAdd, indexCopy, indexFill, lerp, median, meshgrid, movedim, reshapeAs,
  swapaxes, tile, typeAs, unbind, unique, viewAs
} from './derived.js'
import { einsum } from './einsum.js'
import { gather, indexSelect, maskedSelect, nonzero, scatter, scatterAdd } from './gather.js'
import { expectTensor } from './checks.js'
import { cat, chunk, repeat, repeatInterleave, roll, split, stack } from './join.js'
import { narrow, select } from './narrow.js'
import { oneHot } from './one_hot.js'
import { flattenAxes as flatten, squeeze, unflatten, unsqueeze } from './sides.js'
import { argsort, sort, topk } from './sort.js'
import { diagonal, expand, flip, permute, slice } from './strided.js'
import { index, indexPut_ } from './subscript.js'
import { maskedFill, requiresGrad_, tril, triu, where } from './where.js'
import { unfoldAxis } from './windows.js'

/**
 * Operations that rearrange values, as functions and as methods of tensors.
 *
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./sort.js').Sorted} Sorted
 * @typedef {readonly (number | readonly number[])[]} Sides numbers as arguments, or one array of them
 *
 * @typedef {object} ShapeMethods
 * @property {(dim: number, start: number, length: number) => Tensor} narrow
 * @property {(dim: number, index: number) => Tensor} select x[index] on one axis
 * @property {(dim: number, start?: number, end?: number, step?: number) => Tensor} slice x[:, start:end:step] on one
 *   axis
 * @property {(...dims: Sides) => Tensor} permute
 * @property {(...sides: Sides) => Tensor} expand −1 leaves a side unchanged
 * @property {(...dims: Sides) => Tensor} flip
 * @property {(...times: Sides) => Tensor} repeat
 * @property {(n: number, options?: { dim?: number }) => Tensor} repeatInterleave
 * @property {(shifts: number | readonly number[], dims?: number | readonly number[]) => Tensor} roll
 * @property {(dim: number) => Tensor} unsqueeze
 * @property {(dim?: number) => Tensor} squeeze
 * @property {(from?: number, to?: number) => Tensor} flatten
 * @property {(dim: number, sides: readonly number[]) => Tensor} unflatten
 * @property {(size: number | readonly number[], options?: { dim?: number }) => Tensor[]} split
 * @property {(n: number, options?: { dim?: number }) => Tensor[]} chunk
 * @property {(dim: number, index: any) => Tensor} indexSelect
 * @property {(dim: number, index: any) => Tensor} gather
 * @property {(dim: number, index: any, src: Tensor | number) => Tensor} scatter
 * @property {(dim: number, index: any, src: Tensor | number) => Tensor} scatterAdd
 * @property {(mask: Tensor) => Tensor} maskedSelect x[mask]
 * @property {(mask: Tensor, value: number | boolean) => Tensor} maskedFill
 * @property {() => Tensor} nonzero
 * @property {(diagonal?: number) => Tensor} tril
 * @property {(diagonal?: number) => Tensor} triu
 * @property {(dim: number) => Tensor} cumsum
 * @property {(options?: { dim?: number, descending?: boolean }) => Sorted} sort
 * @property {(options?: { dim?: number, descending?: boolean }) => Tensor} argsort
 * @property {(k: number, options?: { dim?: number, largest?: boolean, sorted?: boolean }) => Sorted} topk
 * @property {(offset?: number) => Tensor} diag
 * @property {(offset?: number, dim1?: number, dim2?: number) => Tensor} diagonal
 * @property {(dim?: number) => Tensor[]} unbind
 * @property {(...times: Sides) => Tensor} tile
 * @property {(a: number, b: number) => Tensor} swapaxes
 * @property {(source: number | readonly number[], destination: number | readonly number[]) => Tensor} movedim
 * @property {(other: Tensor) => Tensor} expandAs expanded to another tensor's shape: torch.Tensor.expand_as
 * @property {(other: Tensor) => Tensor} viewAs a view with another tensor's shape: torch.Tensor.view_as
 * @property {(other: Tensor) => Tensor} reshapeAs the same as viewAs: torch.Tensor.reshape_as
 * @property {(other: Tensor) => Tensor} typeAs converted to another tensor's dtype: torch.Tensor.type_as
 * @property {(end: Tensor, weight: number | Tensor) => Tensor} lerp
 * @property {(dim: number, index: any, source: Tensor, options?: { alpha?: number }) => Tensor} indexAdd
 * @property {(dim: number, index: any, source: Tensor) => Tensor} indexCopy
 * @property {(dim: number, index: any, value: number | boolean) => Tensor} indexFill
 * @property {(dim: number) => Tensor} cumprod
 * @property {(options?: { dim?: number, keepdim?: boolean }) => any} median
 * @property {(options?: { weights?: Tensor, minlength?: number }) => Tensor} bincount
 * @property {(options?: { sorted?: boolean, returnInverse?: boolean, returnCounts?: boolean }) => any} unique
 * @property {(dim: number, size: number, step: number) => Tensor} unfold windows along one axis, as a further last
 *   axis: torch.Tensor.unfold
 * @property {(...subscripts: import('./subscript.js').Subscript[]) => Tensor} index x[...] of PyTorch
 * @property {(indices: readonly import('./subscript.js').Subscript[], values: Tensor | number | boolean,
 *   options?: { accumulate?: boolean }) => Tensor} indexPut_ x[...] = values of PyTorch
 * @property {(requiresGrad?: boolean) => Tensor} requiresGrad_ sets requiresGrad and returns the tensor itself
 */

/** Functions whose first argument is a tensor; they are also its methods. */
export const shapeMethods = {
  argsort, bincount, chunk, cumprod, cumsum, diag, diagonal, expand, flatten, flip, gather, indexAdd, indexCopy,
  indexFill, indexSelect, lerp, maskedFill, maskedSelect, median, movedim, narrow, nonzero, permute, repeat,
  repeatInterleave, roll, scatter, scatterAdd, select, slice, sort, split, squeeze, swapaxes, tile, topk, tril, triu,
  unbind, unflatten, unique, unsqueeze
}

/** Methods that are no functions, or others than the functions of their names. */
export const onlyMethods = { expandAs, reshapeAs, typeAs, unfold: unfoldAxis, viewAs }

/**
 * A view of the values in another shape, without copying: torch.reshape.
 * @param {Tensor} x @param {readonly number[]} shape one side may be -1 and is then inferred @returns {Tensor}
 * @example
 * gf.reshape(gf.arange(6), [2, -1])               // int32 [[0, 1, 2], [3, 4, 5]]
 */
const reshape = (x, shape) => expectTensor('reshape', 'x', x).reshape(shape)

/**
 * Exchanges two axes, as a copy: torch.transpose(x, a, b).contiguous().
 * @param {Tensor} x @param {number} a an axis; negative ones count from the end @param {number} b @returns {Tensor}
 * @example
 * gf.transpose(gf.tensor([[1, 2], [3, 4]]), 0, 1) // [[1, 3], [2, 4]]
 */
const transpose = (x, a, b) => expectTensor('transpose', 'x', x).transpose(a, b)

/** Functions that are no methods, or methods of the class Tensor itself. */
export const shapeFunctions = { cat, einsum, meshgrid, oneHot, reshape, stack, transpose, where }

export { index, indexPut_, requiresGrad_ }
