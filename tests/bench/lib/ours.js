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

/** Biases start at 0 and norms at 1: with those a mistake in them would not show. */
export function roughen(module) {
  const vectors = module.parameters().filter(({ shape }) => shape.length === 1)
  vectors.forEach((vector, i) => vector.data.set(numbers(vector.shape, 100 + i, { shift: 0.5, scale: 0.3 }).data))
  return module.eval()
}
