/** One step of attention with a cache of keys and values. */

import { DECODER, headOf } from './run_values.js'

const VALUES = ['q', 'k', 'v'].map(name => `${DECODER}.self_attn.${name}`)

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'cachedStep',
  formula: 'K ← "concat"(K , k) ; V ← "concat"(V , v) ; y = "attention"(q , K , V)',
  names: ['gf.cat([a, b], 0)', 'cache === null', 'attention(q, k, v)'],
  uses: ['softmax', 'attention'],
  starter: `// $signature
function cachedStep(q, k, v, cache) {
  return { y: v, k, v }
}`,
  solution: `// $signature
function cachedStep(q, k, v, cache) {
  const keys = cache === null ? k : gf.cat([cache.k, k], 0)
  const values = cache === null ? v : gf.cat([cache.v, v], 0)
  return { y: attention(q, keys, values), k: keys, v: values }
}`,
  torch: {
    starter: `# $signature
def cached_step(q, k, v, cache):
    return {'y': v, 'k': k, 'v': v}`,
    solution: `# $signature
def cached_step(q, k, v, cache):
    keys = k if cache is None else torch.cat([cache['k'], k])
    values = v if cache is None else torch.cat([cache['v'], v])
    return {'y': attention(q, keys, values), 'k': keys, 'v': values}`
  },
  tolerance: 1e-5,
  values: VALUES,
  cases({ gf, values, random }) {
    /** All tokens but the last one are in the cache. @param {any[]} tensors */
    const lastStep = tensors => {
      const [q, k, v] = tensors, t = k.shape[0] - 1
      const [last, past] = [(/** @type {any} */ x) => x.slice(0, t), (/** @type {any} */ x) => x.slice(0, 0, t)]
      return [last(q), last(k), last(v), t ? { k: past(k), v: past(v) } : null]
    }
    return {
      sentence: values && lastStep(VALUES.map(name => headOf(gf, values, name))),
      random: lastStep([random(4, 3), random(4, 3), random(4, 5)]),
      empty: [random(1, 4), random(1, 4), random(1, 2), null]
    }
  },
  expected: (gf, q, k, v, cache) => {
    const keys = gf.cat([...(cache ? [cache.k] : []), k], 0), values = gf.cat([...(cache ? [cache.v] : []), v], 0)
    const [a, b, c] = [q, keys, values].map(x => x.unsqueeze(0))
    return { y: gf.functional.scaledDotProductAttention(a, b, c).squeeze(0), k: keys, v: values }
  },
  mistakes: {
    withoutItself: ['attention(q, keys, values)', 'attention(q, cache?.k ?? k, cache?.v ?? v)'],
    onlyItself: ['attention(q, keys, values)', 'attention(q, k, v)'],
    notStored: ['k: keys, v: values', 'k: cache?.k ?? k, v: cache?.v ?? v'],
    inFront: `function cachedStep(q, k, v, cache) {
  const keys = cache === null ? k : gf.cat([k, cache.k], 0)
  const values = cache === null ? v : gf.cat([v, cache.v], 0)
  return { y: attention(q, keys, values), k: keys, v: values }
}`
  }
}
