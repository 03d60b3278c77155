/** Softmax along the last axis, with the maximum subtracted. */

import { tensorOf } from './run_values.js'

const SCORES = 'transformer.encoder.layers.0.self_attn.scores'

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'softmax',
  formula: 'p_i = frac{e^{x_i - m}}{sum_j e^{x_j - m}} ; m = "max"_j x_j',
  names: ['x.amax(-1, { keepdim: true })', 'x.sum(-1, { keepdim: true })', 'x.sub(y)', 'x.exp()', 'x.div(y)'],
  shortcuts: ['.softmax(', 'gf.softmax', 'logSoftmax'],
  starter: `// x: [..., T]  →  [..., T]
function softmax(x) {
  return x
}`,
  solution: `// x: [..., T]  →  [..., T]
function softmax(x) {
  const max = x.amax(-1, { keepdim: true })
  const powers = x.sub(max).exp()
  return powers.div(powers.sum(-1, { keepdim: true }))
}`,
  torch: {
    starter: `# x: [..., T]  ->  [..., T]
def softmax(x):
    return x`,
    solution: `# x: [..., T]  ->  [..., T]
def softmax(x):
    max = x.amax(-1, keepdim=True)
    powers = (x - max).exp()
    return powers / powers.sum(-1, keepdim=True)`
  },
  tolerance: 1e-5,
  values: [SCORES],
  cases: ({ gf, values, random }) => ({
    sentence: values && [tensorOf(gf, values, SCORES)],
    random: [random(3, 5)],
    one: [random(1, 1)],
    large: [gf.tensor([[1000, 999, -1000], [-2000, -2001, -2000]])]
  }),
  expected: (gf, x) => gf.softmax(x, -1),
  mistakes: {
    noMax: ['x.sub(max)', 'x'],
    wrongAxis: `function softmax(x) {
  const powers = x.sub(x.amax(-2, { keepdim: true })).exp()
  return powers.div(powers.sum(-2, { keepdim: true }))
}`,
    noDivision: ['powers.div(powers.sum(-1, { keepdim: true }))', 'powers'],
    noExponential: `function softmax(x) {
  return x.div(x.sum(-1, { keepdim: true }))
}`,
    wholeTable: ['powers.sum(-1, { keepdim: true })', 'powers.sum()']
  }
}
