// Error bounds of float32 results. U is the unit roundoff, the maximum relative error of one rounding; a sum of n
// products, added in any order, is off by at most about n * U * (sum of the products' magnitudes).
import { U, sizeOf } from '../../src/reference/tensor.js'

export { U }

const isFloat = t => t && (t.dtype === undefined || t.dtype === 'float32')

const absolute = t => ({ ...t, data: Float64Array.from(t.data, Math.abs) })

const mapValues = (object, f) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value, key)]))

/** The bounds that a reference states itself. */
export const boundsOf = op => ({ inputs, params, cot }) => (
  mapValues({ ...op.forwardBound(inputs, params), ...op.backwardBound(inputs, params, cot) }, t => t.data))

/**
 * The bound for operations that only multiply and add. The reference, run on absolute values, computes the sums of the
 * products' magnitudes; `terms(example)` is the number of products that each output and gradient adds up, 0 for a
 * single product, which is rounded once.
 */
export const sumOfProducts =
  (op, terms) =>
    ({ inputs, params, cot }) => {
      const sizes = mapValues(inputs, t => (isFloat(t) ? absolute(t) : t))
      const outputs = op.forward(sizes, params)
      const grads = op.backward(sizes, params, mapValues(cot, absolute))
      const count = terms({ inputs, params, cot })
      return mapValues({ ...outputs, ...grads }, (t, name) => t.data.map(size => (count[name] + 1) * U * size))
    }

/**
 * The number of terms of `sumOfProducts` for two broadcast inputs: as many elements of y as read each element of a or
 * b.
 */
export const countUses = ({ inputs: { a, b }, cot: { y } }) => ({
  a: sizeOf(y.shape) / sizeOf(a.shape),
  b: sizeOf(y.shape) / sizeOf(b.shape),
  y: 0
})

/**
 * The bound for a correctly rounded result: the float32 nearest to the exact value, either of two equally near ones.
 */
export const nearest = t => t.data.map(value => U * Math.abs(value))

/**
 * The bound for whole blocks, in which many roundings combine. A kernel with small backward error gives the exact
 * result for slightly different inputs. So the inputs are perturbed by one rounding each, up or down, and the largest
 * change of each tensor of the reference is measured. Each value passes through `depth` roundings that do not cancel.
 */
export const sensitivity = (op, depth) => example => {
  const { inputs, params, cot } = example
  const run = (values, gradients) => ({ ...op.forward(values, params), ...op.backward(values, params, gradients) })
  const exact = run(inputs, cot)
  const results = [1, 2, 3].map(seed => run(mapValues(inputs, perturb(seed)), mapValues(cot, perturb(seed + 10))))
  return mapValues(exact, (t, name) => {
    const size = t.data.reduce((max, value) => (Number.isFinite(value) ? Math.max(max, Math.abs(value)) : max), 0)
    const change = Math.max(0, ...results.map(result => maxDifference(result[name].data, t.data)))
    return depth * (change + U * size)
  })
}

function maxDifference(a, b) {
  let max = 0
  for (let i = 0; i < b.length; i++) if (Number.isFinite(b[i])) max = Math.max(max, Math.abs(a[i] - b[i]))
  return max
}

/** Multiplies every value by 1 + U or 1 - U, in a pattern that does not have period 2. */
const perturb = seed => t => {
  if (!isFloat(t)) return t
  return { ...t, data: Float64Array.from(t.data, (value, i) => value * (1 + ((i * i * seed + (i >> 2)) % 3 ? U : -U))) }
}
