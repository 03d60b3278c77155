/** Cross entropy of logits and the right tokens. */

import { tensorOf } from './run_values.js'

const LOGITS = 'output', TARGETS = 'streams.targets'

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'crossEntropy',
  formula: 'L = frac{1}{T} sum_t ("log" sum_j e^{x_{t,j}} - x_{t,y_t})',
  names: ['x.logsumexp(-1)', 'x.gather(1, targets.unsqueeze(1))', 'x.squeeze(1)', 'x.sub(y)', 'x.mean()'],
  starter: `// $signature
function crossEntropy(x, targets) {
  return x
}`,
  solution: `// $signature
function crossEntropy(x, targets) {
  const right = x.gather(1, targets.unsqueeze(1)).squeeze(1)
  return x.logsumexp(-1).sub(right).mean()
}`,
  torch: {
    starter: `# $signature
def cross_entropy(x, targets):
    return x`,
    solution: `# $signature
def cross_entropy(x, targets):
    right = x.gather(1, targets.unsqueeze(1)).squeeze(1)
    return (x.logsumexp(-1) - right).mean()`
  },
  tolerance: 1e-4,
  values: [LOGITS, TARGETS],
  cases: ({ gf, values, random }) => ({
    sentence: values && [tensorOf(gf, values, LOGITS), gf.tensor(Array.from(values[TARGETS].data), { dtype: 'int32' })],
    random: [random(4, 6), gf.tensor([5, 0, 3, 3], { dtype: 'int32' })],
    one: [random(1, 3), gf.tensor([1], { dtype: 'int32' })],
    large: [gf.tensor([[1000, 0, -1000], [0, 0, 500]]), gf.tensor([1, 2], { dtype: 'int32' })]
  }),
  expected: (gf, x, targets) => gf.functional.crossEntropy(x, targets),
  mistakes: {
    sum: ['.mean()', '.sum()'],
    sign: ['.mean()', '.mean().neg()'],
    noLogarithm: `function crossEntropy(x, targets) {
  return gf.sub(1, x.softmax(-1).gather(1, targets.unsqueeze(1))).mean()
}`,
    overflow: `function crossEntropy(x, targets) {
  const p = softmax(x)
  return p.gather(1, targets.unsqueeze(1)).log().mean().neg()
}`,
    ofTarget: ['x.logsumexp(-1).sub(right)', 'right.neg()']
  },
  uses: ['softmax']
}
