// RMS norm, normalize, cosineSimilarity and vector products in float64; params.op is the name.
/** @import { TensorLike, Tensor } from './tensor.js' */

/** @typedef {{ op: string, eps?: number, p?: number, dim?: number }} Params */
/**
 * @typedef {{ forward: (inputs: Record<string, TensorLike>, params: Params) => { y: Tensor },
 *   backward: (inputs: Record<string, TensorLike>, params: Params, outputs: { y: TensorLike }) => Record<string,
 *   Tensor> }} Op
 */

import * as matrices from './matmul.js'
import { forward as reduce } from './reduce.js'
import * as rmsNorm from './rms_norm.js'
import { slopesOf } from './slopes.js'
import { broadcastIndex, broadcastShape, zeros } from './tensor.js'

/** @param {(a: number, b: number) => number} f @param {TensorLike} a @param {TensorLike} b */
function apply(f, a, b) {
  const y = zeros(broadcastShape(a.shape, b.shape)), [p, q] = [a, b].map(t => broadcastIndex(t.shape, y.shape))
  for (let i = 0; i < y.data.length; i++) y.data[i] = f(a.data[p[i]], b.data[q[i]])
  return y
}

/** @param {TensorLike} x @param {Omit<Params, 'op'>} params */
function unit(x, { p = 2, dim = 1, eps = 1e-12 }) {
  const length = reduce({ x }, { op: 'norm', p, dim, keepdim: true }).y
  return apply((v, n) => v / Math.max(n, eps), x, length)
}

/** @type {Op} */
export const norm = {
  forward: ({ x, weight }, { op, eps, ...rest }) => (
    op === 'rmsNorm' ? rmsNorm.forward({ x, weight }, { eps }) : { y: unit(x, { eps, ...rest }) }),
  backward: (inputs, params, { y: dy }) => differences(norm, inputs, params, dy)
}

/**
 * @param {Op} op
 * @param {Record<string, TensorLike>} inputs
 * @param {Params} params
 * @param {TensorLike} dy
 */
const differences = (op, inputs, params, dy) => Object.fromEntries(Object.entries(inputs).map(([name, t]) => (
  [name, slopesOf(x => op.forward({ ...inputs, [name]: x }, params).y, t, dy)])))

/** @type {Record<string, (a: TensorLike, b: TensorLike, params: Omit<Params, 'op'>) => Tensor>} */
const PAIRS = {
  cosineSimilarity: (a, b, { dim = 1, eps = 1e-8 }) =>
    reduce({ x: apply((x, y) => x * y, unit(a, { dim, eps }), unit(b, { dim, eps })) }, { op: 'sum', dim }).y,
  matmul(a, b) {
    const left = a.shape.length === 1 ? { ...a, shape: [1, ...a.shape] } : a
    const right = b.shape.length === 1 ? { ...b, shape: [...b.shape, 1] } : b,
      { y } = matrices.forward({ a: left, b: right })
    const shape = [...y.shape.slice(0, -2), ...(left === a ? y.shape.slice(-2, -1) : []),
      ...(right === b ? y.shape.slice(-1) : [])]
    return { ...y, shape }
  },
  dot: (a, b, params) => PAIRS.matmul(a, b, params),
  outer: (a, b) => apply((x, y) => x * y, { ...a, shape: [...a.shape, 1] }, b)
}

/** @type {Op} */
export const pair = {
  forward: ({ a, b }, { op, ...params }) => ({ y: PAIRS[op](a, b, params) }),
  backward: (inputs, params, { y: dy }) => differences(pair, inputs, params, dy)
}
