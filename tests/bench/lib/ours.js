// The library under test, as a user has it.
import { load } from '../../../src/js/index.js'
import { numbers } from '../../lib/numbers.js'
import { THREADS } from './threads.js'

export const gf = await load({ threads: THREADS })
export const F = gf.functional

/** Repeatable float32 numbers, for us, the reference and the peers alike. */
export function random(shape, seed, scale = 1) {
  const { data } = numbers(shape, seed, { scale })
  return { shape, data: Float32Array.from(data) }
}

export const toTensor = ({ shape, data }) => gf.tensor(data, { shape })

/** A forward pass as one side of a work. @param {() => import('../../../src/js/tensor.js').Tensor} forward */
export const ourSide = forward => ({
  run: () => gf.tidy(() => gf.noGrad(() => void forward())),
  result: () => gf.tidy(() => gf.noGrad(() => forward().data.slice()))
})

/** { shape, data } of a parameter. */
export const plainOf = tensor => ({ shape: [...tensor.shape], data: tensor.data.slice() })

/** The same numbers, from another one on. */
function turned(data, by) {
  const copy = data.slice()
  copy.set(data.subarray(by))
  copy.set(data.subarray(0, by), data.length - by)
  return copy
}

/**
 * Biases start at 0 and norms at 1: with those a mistake in them would not show. The layers of a stack start as copies,
 * as in PyTorch: a peer that finds equal weights keeps them once, and reads less memory than a trained model has.
 */
export function roughen(module) {
  for (const [i, { shape, size, data }] of module.parameters().entries()) {
    const isVector = shape.length === 1
    data.set(isVector ? numbers(shape, 100 + i, { shift: 0.5, scale: 0.3 }).data : turned(data, 101 * i % size))
  }
  return module.eval()
}
