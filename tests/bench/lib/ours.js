// The library under test, and helpers for its sides.
import { load } from '../../../src/js/index.js'
import { numbers } from '../../lib/numbers.js'
import { THREADS } from './threads.js'

export const gf = await load({ threads: THREADS })
export const F = gf.functional

/** Deterministic float32 numbers, which the library, the reference and the peers share. */
export function random(shape, seed, scale = 1) {
  const { data } = numbers(shape, seed, { scale })
  return { shape, data: Float32Array.from(data) }
}

export const toTensor = ({ shape, data }) => gf.tensor(data, { shape })

/** A forward pass as one side of a work. @param {() => import('../../../src/js/tensor/tensor.js').Tensor} forward */
export const ourSide = forward => ({
  run: () => gf.tidy(() => gf.noGrad(() => void forward())),
  result: () => gf.tidy(() => gf.noGrad(() => forward().data.slice()))
})

/** { shape, data } of a parameter. */
export const plainOf = tensor => ({ shape: [...tensor.shape], data: tensor.data.slice() })

/** The values, rotated to the left. */
function rotateLeft(data, count) {
  const copy = data.slice()
  copy.set(data.subarray(count))
  copy.set(data.subarray(0, count), data.length - count)
  return copy
}

/**
 * Changes the initial weights of a module. With biases of 0 and norm weights of 1, mistakes in them would not show. The
 * layers of a stack start as copies, as in PyTorch, but a peer that stores equal weights once would read less memory
 * than for a trained model.
 */
export function perturbWeights(module) {
  for (const [i, { shape, data }] of module.parameters().entries()) {
    const isVector = shape.length === 1
    data.set(isVector ? numbers(shape, 100 + i, { shift: 0.5, scale: 0.3 }).data
      : rotateLeft(data, 101 * i % data.length))
  }
  return module.eval()
}
