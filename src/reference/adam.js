// One step t = 1, 2, ... of Adam. m and v are exponential moving averages of the gradient g and of its square; dividing
// by 1 - beta^t corrects their bias from starting at zero. Adam adds weight_decay * p to g; AdamW (decoupled) scales p
// by 1 - lr * weight_decay instead. AMSGrad divides by the largest v so far, the bias of which is corrected like v's.
// To maximize is to minimize with -g.
import { map } from './tensor.js'

const defaults = { lr: 1e-3, betas: [0.9, 0.999], eps: 1e-8, decoupled: false, amsgrad: false, maximize: false }

export function forward({ p, g: slope, m, v, peak }, params) {
  const { lr, betas, eps, decoupled, amsgrad, maximize, t } = { ...defaults, ...params }
  const { weight_decay: decay = decoupled ? 0.01 : 0 } = params
  const g = maximize ? map(slope, value => -value) : slope
  const [beta1, beta2] = betas
  const shrunk = decoupled ? map(p, value => value * (1 - lr * decay)) : p
  const grad = decoupled ? g : map(g, (value, i) => value + decay * p.data[i])
  const mean = map(grad, (value, i) => beta1 * m.data[i] + (1 - beta1) * value)
  const square = map(grad, (value, i) => beta2 * v.data[i] + (1 - beta2) * value ** 2)
  const largest = amsgrad ? map(square, (value, i) => Math.max(value, peak?.data[i] ?? 0)) : square
  const updated = map(shrunk, (value, i) => {
    const direction = mean.data[i] / (1 - beta1 ** t)
    const size = Math.sqrt(largest.data[i] / (1 - beta2 ** t))
    return value - (lr * direction) / (size + eps)
  })
  return { p: updated, m: mean, v: square, ...(amsgrad ? { peak: largest } : {}) }
}

/** The schedule of "Attention Is All You Need": linear warmup, then decay with the inverse square root of the step. */
export const noam =
  (dModel, warmup, factor = 1) =>
    step =>
      factor * dModel ** -0.5 * Math.min(step ** -0.5, step * warmup ** -1.5)
