/** Sampling with temperature and top-k. */

import { tensorOf } from './run_values.js'

const LOGITS = 'output'

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'sample',
  formula: 'p = "softmax"("top"_k(x / τ)) ; "id"_i : p_1 + … + p_{i-1} ≤ u < p_1 + … + p_i',
  names: ['x.div(temperature)', 'const [values, ids] = x.topk(k)', 'softmax(values)', 'probabilities.at(i)', 'ids.at(i)'],
  uses: ['softmax'],
  starter: `// $signature
function sample(x, temperature, k, u) {
  const [values, ids] = x.topk(k)
  const probabilities = values
  return { id: ids.at(0), probabilities }
}`,
  solution: `// $signature
function sample(x, temperature, k, u) {
  const [values, ids] = x.div(temperature).topk(k)
  const probabilities = softmax(values)
  let i = 0, rest = u
  while (i < k - 1 && rest >= probabilities.at(i)) {
    rest -= probabilities.at(i)
    i++
  }
  return { id: ids.at(i), probabilities }
}`,
  torch: {
    starter: `# $signature
def sample(x, temperature, k, u):
    values, ids = x.topk(k)
    return {'id': ids[0].item(), 'probabilities': values}`,
    solution: `# $signature
def sample(x, temperature, k, u):
    values, ids = (x / temperature).topk(k)
    probabilities = softmax(values)
    i = int((probabilities.cumsum(0) <= u).sum().clamp(max=k - 1))
    return {'id': ids[i].item(), 'probabilities': probabilities}`
  },
  tolerance: 1e-5,
  values: [LOGITS],
  cases: ({ gf, values, random }) => ({
    sentence: values && [tensorOf(gf, values, LOGITS).select(0, 0), 2, 5, 0.97],
    random: [random(7), 0.5, 4, 0.6],
    smallU: [random(5), 1.5, 3, 0],
    largeU: [random(9), 3, 9, 0.93],
    one: [random(4), 1, 1, 0.99]
  }),
  expected: (gf, x, temperature, topK, u) => {
    const candidates = gf.decoding.filterLogits(x, { temperature, topK })
    return { id: gf.decoding.pick(candidates, u), probabilities: gf.tensor(candidates.probabilities) }
  },
  mistakes: {
    noTemperature: ['.div(temperature)', ''],
    multiplied: ['.div(temperature)', '.mul(temperature)'],
    alwaysBest: ['ids.at(i)', 'ids.at(0)'],
    rankInsteadOfId: ['ids.at(i)', 'i'],
    notRenormalized: `function sample(x, temperature, k, u) {
  const [probabilities, ids] = softmax(x.div(temperature)).topk(k)
  let i = 0, rest = u
  while (i < k - 1 && rest >= probabilities.at(i)) rest -= probabilities.at(i++)
  return { id: ids.at(i), probabilities }
}`
  }
}
