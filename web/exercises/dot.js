/** The dot product of two vectors. */

import { ENCODER, headOf } from './run_values.js'

const [QUERIES, KEYS] = ['q', 'k'].map(name => `${ENCODER}.self_attn.${name}`)

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'dot',
  formula: 'a · b = sum_i a_i b_i',
  names: ['a.mul(b)', 'a.sum()', 'a.shape'],
  shortcuts: ['.dot(', 'gf.dot', 'einsum'],
  starter: `// a: [d], b: [d]  →  []
function dot(a, b) {
  return a
}`,
  solution: `// a: [d], b: [d]  →  []
function dot(a, b) {
  return a.mul(b).sum()
}`,
  torch: {
    starter: `# a: [d], b: [d]  ->  []
def dot(a, b):
    return a`,
    solution: `# a: [d], b: [d]  ->  []
def dot(a, b):
    return (a * b).sum()`
  },
  tolerance: 1e-5,
  values: [QUERIES, KEYS],
  cases: ({ gf, values, random }) => ({
    // The query of the first token and the key of the last one.
    sentence: values && [headOf(gf, values, QUERIES).select(0, 0), headOf(gf, values, KEYS).select(0, -1)],
    random: [random(7), random(7)],
    one: [random(1), random(1)],
    large: [random(3).mul(1000), random(3).mul(1000)]
  }),
  expected: (gf, a, b) => a.dot(b),
  mistakes: {
    noSum: ['.sum()', ''],
    mean: ['.sum()', '.mean()'],
    cosine: ['.sum()', '.sum().div(a.norm().mul(b.norm()))'],
    add: ['mul', 'add']
  }
}
