// Runs an optimizer of the engine along a golden trajectory.
import { loadGolden } from '../golden/index.js'
import { assertClose, plain } from './compare.js'
import { gf, toTensor } from './engine.js'

export const trajectories = [...loadGolden('ops').optimizers, ...loadGolden('optimizers').cases]
export const { rtol } = loadGolden('optimizers')

export const parameter = t => toTensor(t, { requiresGrad: true })

/** Sets a parameter's gradient: that of the sum of parameter * gradient. */
export function setGradient(p, gradient) {
  p.grad?.dispose()
  p.grad = null
  gf.tidy(() => {
    const ones = gf.tensor(new Float32Array(p.numel()).fill(1), { shape: [...p.shape] })
    gf.functional.mul(p, toTensor(gradient)).backward(ones)
  })
}

/** `make(parameters)` creates the optimizer; `before(optimizer, step)` may change it before each step, from 1. */
export function assertFollows(item, make, before = () => {}) {
  const parameters = item.p0.map(parameter)
  const optimizer = make(parameters)
  item.grads.forEach((grads, index) => {
    grads.forEach((gradient, i) => setGradient(parameters[i], gradient))
    before(optimizer, index + 1)
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
