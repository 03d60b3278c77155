/** Greedy decoding. */

const TABLE = [
  [5, 8.2, 3.3, 5.5, 2.1, 3.5], [5.5, 7.8, 5.2, 8.6, 8.4, 0.1], [0.9, 0.6, 0.5, 3.8, 8.3, 7.1],
  [6, 2.5, 5.8, 0.6, 3.6, 2.1], [2.6, 0.4, 6.6, 3.8, 6.4, 0.8], [3.6, 4.7, 5.7, 8.9, 8.6, 6.2]
]

/**
 * A function from all ids so far to logits, and the same in Python.
 * @param {import('../types.d.ts').Library} gf @param {number} shift
 */
function createNext(gf, shift) {
  /** @param {number[]} ids */
  const next = ids => gf.tensor(TABLE[(ids.reduce((sum, id, i) => sum + id * (i + 1), shift)) % TABLE.length])
  const table = JSON.stringify(TABLE)
  return Object.assign(next, {
    python: `lambda ids: torch.tensor(${table})[(${shift} + sum(id * (i + 1) for i, id in enumerate(ids))) % ${TABLE.length}]`
  })
}

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'greedy',
  formula: '"id"_{t+1} = "argmax"_j L_j("id"_1 , … , "id"_t)',
  names: ['next(ids)', 'x.argmax().item()', 'ids.push(id)', 'ids.at(-1)'],
  starter: `// $signature
function greedy(next, start, end, max) {
  const ids = [start]
  return ids
}`,
  solution: `// $signature
function greedy(next, start, end, max) {
  const ids = [start]
  while (ids.length <= max && ids.at(-1) !== end) {
    ids.push(next(ids).argmax().item())
  }
  return ids
}`,
  torch: {
    starter: `# $signature
def greedy(next_logits, start, end, max_new):
    ids = [start]
    return ids`,
    solution: `# $signature
def greedy(next_logits, start, end, max_new):
    ids = [start]
    while len(ids) <= max_new and ids[-1] != end:
        ids.append(next_logits(ids).argmax().item())
    return ids`
  },
  tolerance: 0,
  cases: ({ gf }) => ({
    ends: [createNext(gf, 0), 1, 4, 10],
    limit: [createNext(gf, 3), 2, 9, 6],
    one: [createNext(gf, 5), 3, 4, 1]
  }),
  expected: (gf, next, start, end, max) => {
    /** @param {number[][]} rows */
    const forward = rows => gf.stack(Array.from(rows, row => next(Array.from(row)))).unsqueeze(1)
    const options = { maxNewTokens: max, end, cache: false }
    return [start, ...gf.decoding.generate(forward, [start], options)]
  },
  mistakes: {
    noEnd: [' && ids.at(-1) !== end', ''],
    lastOnly: ['next(ids)', 'next(ids.slice(-1))'],
    withoutStart: ['return ids', 'return ids.slice(1)'],
    oneTooFew: ['ids.length <= max', 'ids.length < max'],
    smallest: ['argmax', 'argmin']
  }
}
