// One step of torch.optim.SGD. velocity is the momentum buffer, which the first step sets to the undampened gradient.
import { map } from './tensor.js'

const defaults = { lr: 1e-3, momentum: 0, dampening: 0, weight_decay: 0, nesterov: false, maximize: false }

/** In the first step `velocity` is absent. */
export function forward({ p, g, velocity }, params) {
  const { lr, momentum, dampening, weight_decay: decay, nesterov, maximize } = { ...defaults, ...params }
  const grad = map(g, (value, i) => (maximize ? -value : value) + decay * p.data[i])
  const buffer = velocity ? map(grad, (value, i) => momentum * velocity.data[i] + (1 - dampening) * value) : grad
  const direction = nesterov ? map(grad, (value, i) => value + momentum * buffer.data[i]) : buffer
  return { p: map(p, (value, i) => value - lr * direction.data[i]), velocity: buffer }
}
