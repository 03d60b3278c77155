// Checks that backward is the derivative of forward: by central differences of a loss, in float64.
import { assertClose } from './compare.js'

const STEP = 1e-5

const loss = (op, inputs, params, cot) => {
  const outputs = op.forward(inputs, params)
  return Object.entries(cot).reduce(
    (total, [name, c]) => total + outputs[name].data.reduce((sum, value, i) => sum + value * c.data[i], 0),
    0
  )
}

/** The inputs with a number added to one element. */
function addAt(inputs, name, at, change) {
  const data = Float64Array.from(inputs[name].data)
  data[at] += change
  return { ...inputs, [name]: { ...inputs[name], data } }
}

/** Indices to check; of large inputs a sample, whose odd stride is spread over all columns. */
const sampleIndices = (size, max = 10) => {
  const stride = size <= max ? 1 : 2 * Math.ceil(size / max / 2) + 1
  return Array.from({ length: Math.ceil(size / stride) }, (_, i) => i * stride)
}

export function centralDifferences(op, { inputs, params, cot }, name) {
  const indices = sampleIndices(inputs[name].data.length)
  const slopes = indices.map(at => {
    const [up, down] = [STEP, -STEP].map(change => loss(op, addAt(inputs, name, at, change), params, cot))
    return (up - down) / (2 * STEP)
  })
  return { indices, slopes }
}

/**
 * Compares gradients with difference quotients. These err by STEP^2 times a third derivative, and by the loss's
 * rounding over STEP: both about 1e-10 for inputs near 1. A wrong term in a gradient is millions of times larger than
 * the tolerance.
 */
export function assertIsDerivative(op, example, label) {
  const grads = op.backward(example.inputs, example.params, example.cot)
  for (const [name, gradient] of Object.entries(grads)) {
    const { indices, slopes } = centralDifferences(op, example, name)
    const actual = indices.map(at => gradient.data[at])
    assertClose(actual, slopes, { tol: 1e-8, rtol: 1e-7, name: `${label}: d ${name} at every sampled index` })
  }
}
