/** The induction score of one head. */

import { tensorOf } from './run_values.js'

const WEIGHTS = 'decoder.layers.1.self_attn.weights', TEXT = 'streams.text', HEAD = 3

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'inductionScore',
  formula: '"score" = frac{1}{|Q|} sum_{i ∈ Q} sum_{j + 1 < i , "id"_j = "id"_i} w_{i,j+1}',
  names: ['weights.toArray()', 'ids[j] === ids[i]', 'rows[i][j + 1]'],
  starter: `// $signature
function inductionScore(weights, ids) {
  const rows = weights.toArray()
  let sum = 0, count = 0
  return sum
}`,
  solution: `// $signature
function inductionScore(weights, ids) {
  const rows = weights.toArray()
  let sum = 0, count = 0
  for (let i = 0; i < ids.length; i++) {
    let isQuery = false
    for (let j = 0; j + 1 < i; j++) {
      if (ids[j] !== ids[i]) continue
      sum += rows[i][j + 1]
      isQuery = true
    }
    if (isQuery) count++
  }
  return sum / count
}`,
  torch: {
    starter: `# $signature
def induction_score(weights, ids):
    total, count = 0.0, 0
    return total`,
    solution: `# $signature
def induction_score(weights, ids):
    total, count = 0.0, 0
    for i in range(len(ids)):
        keys = [j + 1 for j in range(i - 1) if ids[j] == ids[i]]
        total += sum(weights[i, key].item() for key in keys)
        count += len(keys) > 0
    return total / count`
  },
  tolerance: 1e-5,
  model: 'induction',
  values: [WEIGHTS, TEXT],
  cases: ({ gf, values, random }) => ({
    sentence: values && [tensorOf(gf, values, WEIGHTS).select(0, HEAD), Array.from(values[TEXT].data)],
    random: [random(7, 7).softmax(-1), [2, 0, 1, 0, 0, 2, 0]],
    repeating: [random(8, 8).softmax(-1), [3, 1, 2, 0, 3, 1, 2, 0]]
  }),
  expected: (gf, weights, ids) => {
    const T = ids.length, id = gf.tensor(ids).reshape(T, 1), at = gf.arange(T).reshape(T, 1)
    const isSame = id.eq(id.t()).to('float32'), isEarlier = at.t().add(1).lt(at).to('float32')
    const keys = isSame.mul(isEarlier).slice(1, 0, T - 1)
    const queries = keys.sum(1).gt(0).to('float32').sum()
    return weights.slice(1, 1, T).mul(keys).sum().div(queries)
  },
  mistakes: {
    duplicate: ['rows[i][j + 1]', 'rows[i][j]'],
    allQueries: ['sum / count', 'sum / ids.length'],
    pairs: ['if (isQuery) count++', 'for (let j = 0; j + 1 < i; j++) if (ids[j] === ids[i]) count++'],
    onlyFirst: ['      isQuery = true', '      isQuery = true\n      break'],
    transposed: ['rows[i][j + 1]', 'rows[j + 1][i]']
  }
}
