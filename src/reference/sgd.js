// One step of stochastic gradient descent. The velocity remembers earlier gradients; the first step has none to
// remember and takes the gradient undampened. Nesterov looks one step of the velocity ahead.
import { map } from './tensor.js'

const defaults = { lr: 1e-3, momentum: 0, dampening: 0, weight_decay: 0, nesterov: false }

/** `velocity` is left out on the first step. */
export function forward({ p, g, velocity }, params) {
  const { lr, momentum, dampening, weight_decay: decay, nesterov } = { ...defaults, ...params }
  const pull = map(g, (value, i) => value + decay * p.data[i])
  const moving = velocity ? map(pull, (value, i) => momentum * velocity.data[i] + (1 - dampening) * value) : pull
  const direction = nesterov ? map(pull, (value, i) => value + momentum * moving.data[i]) : moving
  return { p: map(p, (value, i) => value - lr * direction.data[i]), velocity: moving }
}
