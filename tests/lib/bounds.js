// How far a float32 result may be from the exact one. U bounds the relative error of one rounding; a sum of n products,
// added in any order, is off by at most about n * U * (sum of the products' sizes).
import { sizeOf } from '../../src/reference/tensor.js'

export const U = 2 ** -24

const isFloat = t => t && (t.dtype === undefined || t.dtype === 'float32')

const absolute = t => ({ ...t, data: Float64Array.from(t.data, Math.abs) })

const mapValues = (object, f) => Object.fromEntries(Object.entries(object).map(([key, value]) => [key, f(value, key)]))

/**
 * For ops that only multiply and add. The reference, run on absolute values, gives the sums of the products' sizes;
 * `terms(example)` says how many are added for each output and gradient: 0 for a single product, rounded once.
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

/** For two broadcast inputs a and b: how many places of y read each number, which is what its gradient adds up. */
export const uses = ({ inputs: { a, b }, cot: { y } }) => ({
  a: sizeOf(y.shape) / sizeOf(a.shape),
  b: sizeOf(y.shape) / sizeOf(b.shape),
  y: 0
})

/** The float32 nearest to each value, or its neighbour when two are equally near. */
export const nearest = t => t.data.map(value => U * Math.abs(value))

/**
 * For whole blocks, where many roundings meet: a kernel with small backward error gives the exact result for inputs
 * that are slightly off. So the inputs are moved by one rounding each, up or down, and what that does to the reference
 * is measured, as a tensor's largest change. Each number passes through `depth` roundings that do not cancel.
 */
export const sensitivity = (op, depth) => example => {
  const { inputs, params, cot } = example
  const run = (given, d) => ({ ...op.forward(given, params), ...op.backward(given, params, d) })
  const exact = run(inputs, cot)
  const changes = [1, 2, 3].map(seed => run(mapValues(inputs, shaken(seed)), mapValues(cot, shaken(seed + 10))))
  return mapValues(exact, (t, name) => {
    const size = t.data.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 0)
    const change = Math.max(0, ...changes.map(moved => largestDifference(moved[name].data, t.data)))
    return depth * (change + U * size)
  })
}

function largestDifference(a, b) {
  let most = 0
  for (let i = 0; i < b.length; i++) if (Number.isFinite(b[i])) most = Math.max(most, Math.abs(a[i] - b[i]))
  return most
}

/** Every number times 1 + U or 1 - U, in a pattern without a period of 2. */
const shaken = seed => t => {
  if (!isFloat(t)) return t
  return { ...t, data: Float64Array.from(t.data, (value, i) => value * (1 + ((i * i * seed + (i >> 2)) % 3 ? U : -U))) }
}
