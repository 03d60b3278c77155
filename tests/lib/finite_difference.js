// Is backward the derivative of forward? Each input is nudged both ways and the loss watched, in float64.
import { assertClose } from './compare.js'

const STEP = 1e-5

const loss = (op, inputs, params, cot) => {
  const outputs = op.forward(inputs, params)
  return Object.entries(cot).reduce(
    (total, [name, c]) => total + outputs[name].data.reduce((sum, value, i) => sum + value * c.data[i], 0),
    0
  )
}

function nudged(inputs, name, place, by) {
  const data = Float64Array.from(inputs[name].data)
  data[place] += by
  return { ...inputs, [name]: { ...inputs[name], data } }
}

/** Large inputs are sampled: a stride without common factors visits all columns in time. */
const placesOf = (size, most = 10) => {
  const stride = size <= most ? 1 : 2 * Math.ceil(size / most / 2) + 1
  return Array.from({ length: Math.ceil(size / stride) }, (_, i) => i * stride)
}

export function centralDifferences(op, { inputs, params, cot }, name) {
  const places = placesOf(inputs[name].data.length)
  const slopes = places.map(place => {
    const [up, down] = [STEP, -STEP].map(by => loss(op, nudged(inputs, name, place, by), params, cot))
    return (up - down) / (2 * STEP)
  })
  return { places, slopes }
}

/**
 * The difference quotient errs by STEP^2 times a third derivative, and by the loss's rounding over STEP: both about
 * 1e-10 here, where inputs are near 1. A wrong term in a gradient is millions of times larger than what is allowed.
 */
export function assertIsDerivative(op, example, label) {
  const grads = op.backward(example.inputs, example.params, example.cot)
  for (const [name, gradient] of Object.entries(grads)) {
    const { places, slopes } = centralDifferences(op, example, name)
    const actual = places.map(place => gradient.data[place])
    assertClose(actual, slopes, { tol: 1e-8, rtol: 1e-7, name: `${label}: d ${name} at every sampled place` })
  }
}
