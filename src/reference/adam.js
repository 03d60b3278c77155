// One step t = 1, 2, ... of Adam: m and v are running means of the gradient g and of its square; both start at zero, so
// both are divided by what a constant gradient would have filled so far.
// Adam adds weight_decay * p to g; AdamW (decoupled) shrinks p instead and leaves g alone.
import { map } from './tensor.js'

const defaults = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, decoupled: false }

export function forward({ p, g, m, v }, params) {
  const { lr, betas, eps, decoupled, t, weight_decay: decay = decoupled ? 0.01 : 0 } = { ...defaults, ...params }
  const [beta1, beta2] = betas
  const shrunk = decoupled ? map(p, value => value * (1 - lr * decay)) : p
  const pull = decoupled ? g : map(g, (value, i) => value + decay * p.data[i])
  const mean = map(pull, (value, i) => beta1 * m.data[i] + (1 - beta1) * value)
  const square = map(pull, (value, i) => beta2 * v.data[i] + (1 - beta2) * value ** 2)
  const moved = map(shrunk, (value, i) => {
    const direction = mean.data[i] / (1 - beta1 ** t)
    const size = Math.sqrt(square.data[i] / (1 - beta2 ** t))
    return value - (lr * direction) / (size + eps)
  })
  return { p: moved, m: mean, v: square }
}

/** The schedule of the transformer paper: the rate climbs for `warmup` steps, then falls with the root of the step. */
export const noam =
  (dModel, warmup, factor = 1) =>
    step =>
      factor * dModel ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5)
