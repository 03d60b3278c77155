// Runs an optimizer of the engine along a golden trajectory.
import { loadGolden } from '../golden/index.js'
import { assertClose, plain } from './compare.js'
import { gf, toTensor } from './engine.js'

export const trajectories = [...loadGolden('ops').optimizers, ...loadGolden('optimizers').cases]
export const { rtol } = loadGolden('optimizers')

export const parameter = t => toTensor(t, { requiresGrad: true })

/** Sets a parameter's gradient, by backward from the sum of parameter * gradient. */
export function setGradient(p, gradient) {
  p.grad?.dispose()
  p.grad = null
  gf.tidy(() => {
    const ones = gf.tensor(new Float32Array(p.numel()).fill(1), { shape: [...p.shape] })
    gf.functional.mul(p, toTensor(gradient)).backward(ones)
  })
}

/**
 * Asserts that an optimizer follows a golden trajectory. `create(parameters)` creates it; `beforeStep(optimizer, step)`
 * may change it before each step, counted from 1.
 */
export function assertFollows(item, create, beforeStep = () => {}) {
  const parameters = item.p0.map(parameter)
  const optimizer = create(parameters)
  item.grads.forEach((grads, index) => {
    grads.forEach((gradient, i) => setGradient(parameters[i], gradient))
    beforeStep(optimizer, index + 1)
    optimizer.step()
    item.after_each_step[index].forEach((expected, i) =>
      assertClose(plain(parameters[i]), expected, {
        tol: item.tol,
        rtol,
        name: `parameter ${i} after step ${index + 1}`
      })
    )
  })
}
