/** The feed-forward layer of a block. */

import { ENCODER, tensorOf } from './run_values.js'

const VALUES = ['norm1.output', 'linear1.weight', 'linear1.bias', 'linear2.weight', 'linear2.bias'].map(name => `${ENCODER}.${name}`)

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'feedForward',
  formula: 'Y = "relu"(X W_1^T + b_1) W_2^T + b_2',
  names: ['x.matmul(w1.t())', 'x.add(b1)', 'x.relu()'],
  starter: `// x: [T, d], w1: [f, d], b1: [f], w2: [d, f], b2: [d]  →  [T, d]
function feedForward(x, w1, b1, w2, b2) {
  return x
}`,
  solution: `// x: [T, d], w1: [f, d], b1: [f], w2: [d, f], b2: [d]  →  [T, d]
function feedForward(x, w1, b1, w2, b2) {
  return x.matmul(w1.t()).add(b1).relu().matmul(w2.t()).add(b2)
}`,
  torch: {
    starter: `# x: [T, d], w1: [f, d], b1: [f], w2: [d, f], b2: [d]  ->  [T, d]
def feed_forward(x, w1, b1, w2, b2):
    return x`,
    solution: `# x: [T, d], w1: [f, d], b1: [f], w2: [d, f], b2: [d]  ->  [T, d]
def feed_forward(x, w1, b1, w2, b2):
    return (x @ w1.T + b1).relu() @ w2.T + b2`
  },
  tolerance: 1e-4,
  values: VALUES,
  cases: ({ gf, values, random }) => ({
    sentence: values && VALUES.map(name => tensorOf(gf, values, name)),
    random: [random(4, 3), random(7, 3), random(7), random(3, 7), random(3)],
    one: [random(1, 3), random(5, 3), random(5), random(3, 5), random(3)]
  }),
  expected: (gf, x, w1, b1, w2, b2) => {
    const { linear } = gf.functional
    return linear(linear(x, w1, b1).relu(), w2, b2)
  },
  mistakes: {
    noActivation: ['.relu()', ''],
    activationLast: ['.relu().matmul(w2.t()).add(b2)', '.matmul(w2.t()).add(b2).relu()'],
    activationBeforeBias: ['.add(b1).relu()', '.relu().add(b1)'],
    noBiases: ['x.matmul(w1.t()).add(b1).relu().matmul(w2.t()).add(b2)', 'x.matmul(w1.t()).relu().matmul(w2.t())'],
    otherActivation: ['.relu()', '.sigmoid()']
  }
}
