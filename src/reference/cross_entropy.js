// Per row, with p = softmax(logits): loss = -(1 - s) * log p[target] - s/V * sum over the V classes of log p.
// Rows whose target is ignore_index are excluded, also from the divisor of the mean (if all are: 0/0 = NaN).
import { forward as logSoftmax } from './log_softmax.js'
import { rowsOf, zeros } from './tensor.js'

const defaults = { ignore_index: -100, label_smoothing: 0, reduction: 'mean' }

function rowLoss(logP, target, smoothing) {
  let sum = 0
  for (const value of logP) sum += value
  const smooth = smoothing === 0 ? 0 : (smoothing / logP.length) * sum
  return -(1 - smoothing) * logP[target] - smooth
}

const countTargets = (target, ignored) => target.data.reduce((count, id) => count + (id === ignored ? 0 : 1), 0)

export function forward({ logits, target }, params) {
  const { ignore_index: ignored, label_smoothing: smoothing, reduction } = { ...defaults, ...params }
  const { rows, width } = rowsOf(logits)
  const logP = logSoftmax({ x: logits }).y
  const losses = zeros([rows])
  for (let r = 0; r < rows; r++) {
    if (target.data[r] === ignored) continue
    losses.data[r] = rowLoss(logP.data.subarray(r * width, (r + 1) * width), target.data[r], smoothing)
  }
  if (reduction === 'none') return { loss: losses }
  const total = losses.data.reduce((a, b) => a + b, 0)
  return {
    loss: { shape: [], data: Float64Array.of(reduction === 'sum' ? total : total / countTargets(target, ignored)) }
  }
}

/** d loss / d logits[i] = p[i] - (1 - s) [i is the target] - s/V, for every row that is not ignored. */
export function backward({ logits, target }, params, { loss: dloss }) {
  const { ignore_index: ignored, label_smoothing: smoothing, reduction } = { ...defaults, ...params }
  const { rows, width } = rowsOf(logits)
  const logP = logSoftmax({ x: logits }).y
  const divisor = reduction === 'mean' ? countTargets(target, ignored) : 1
  const dlogits = zeros(logits.shape)
  for (let r = 0; r < rows; r++) {
    if (target.data[r] === ignored) continue
    const d = dloss.data[reduction === 'none' ? r : 0] / divisor
    for (let i = 0; i < width; i++) {
      const targetProbability = (i === target.data[r] ? 1 - smoothing : 0) + smoothing / width
      dlogits.data[r * width + i] = d * (Math.exp(logP.data[r * width + i]) - targetProbability)
    }
  }
  return { logits: dlogits }
}
