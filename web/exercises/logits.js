/** From the last block to a score for every token. */

import { tensorOf } from './run_values.js'

const VALUES = ['transformer.decoder.output', 'output.weight', 'output.bias']

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'logits',
  formula: 'L = X W^T + b',
  names: ['x.matmul(w.t())', 'x.add(b)'],
  starter: `// x: [T, D], w: [V, D], b: [V]  →  [T, V]
function logits(x, w, b) {
  return x
}`,
  solution: `// x: [T, D], w: [V, D], b: [V]  →  [T, V]
function logits(x, w, b) {
  return x.matmul(w.t()).add(b)
}`,
  torch: {
    starter: `# x: [T, D], w: [V, D], b: [V]  ->  [T, V]
def logits(x, w, b):
    return x`,
    solution: `# x: [T, D], w: [V, D], b: [V]  ->  [T, V]
def logits(x, w, b):
    return x @ w.T + b`
  },
  tolerance: 1e-4,
  values: VALUES,
  cases: ({ gf, values, random }) => ({
    sentence: values && VALUES.map(name => tensorOf(gf, values, name)),
    random: [random(3, 4), random(7, 4), random(7)],
    one: [random(1, 2), random(5, 2), random(5)]
  }),
  expected: (gf, x, w, b) => gf.functional.linear(x, w, b),
  mistakes: {
    noBias: ['.add(b)', ''],
    biasSubtracted: ['.add(b)', '.sub(b)'],
    probabilities: ['.add(b)', '.add(b).softmax(-1)'],
    lastOnly: ['x.matmul', 'x.slice(0, -1).matmul']
  }
}
