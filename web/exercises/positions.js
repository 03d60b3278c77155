/** Sinusoidal positional encodings. */

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'positions',
  formula: 'P_{k,2i} = "sin"(frac{k}{10000^{2i/d}}) ; P_{k,2i+1} = "cos"(frac{k}{10000^{2i/d}})',
  names: ['Math.sin(x)', 'Math.cos(x)', '10000 ** x', 'j % 2', 'gf.tensor(rows)'],
  shortcuts: ['gf.positionalEncoding'],
  starter: `// $signature
function positions(T, d) {
  const rows = Array.from({ length: T }, (_, k) => Array.from({ length: d }, (_, j) => {
    return 0
  }))
  return gf.tensor(rows)
}`,
  solution: `// $signature
function positions(T, d) {
  const rows = Array.from({ length: T }, (_, k) => Array.from({ length: d }, (_, j) => {
    const angle = k / 10000 ** ((j - j % 2) / d)
    return j % 2 === 0 ? Math.sin(angle) : Math.cos(angle)
  }))
  return gf.tensor(rows)
}`,
  torch: {
    starter: `# $signature
def positions(T, d):
    return torch.zeros(T, d)`,
    solution: `# $signature
def positions(T, d):
    k, j = torch.arange(T).double()[:, None], torch.arange(d)
    angle = k / 10000 ** ((j - j % 2) / d)
    return torch.where(j % 2 == 0, angle.sin(), angle.cos()).float()`
  },
  tolerance: 1e-5,
  values: ['source_embedding.output'],
  cases: ({ values }) => ({
    sentence: values && values['source_embedding.output'].shape.slice(1),
    odd: [5, 7],
    one: [1, 4],
    far: [60, 6]
  }),
  expected: (gf, T, d) => gf.positionalEncoding(T, d),
  mistakes: {
    swapped: ['j % 2 === 0', 'j % 2 === 1'],
    ownFrequency: ['(j - j % 2) / d', 'j / d'],
    halfExponent: ['(j - j % 2) / d', '(j - j % 2) / 2 / d'],
    fromOne: ['const angle = k', 'const angle = (k + 1)'],
    concatenated: `function positions(T, d) {
  const sines = Math.ceil(d / 2)
  return gf.tensor(Array.from({ length: T }, (_, k) => Array.from({ length: d }, (_, j) => {
    const i = j < sines ? j : j - sines, angle = k / 10000 ** (2 * i / d)
    return j < sines ? Math.sin(angle) : Math.cos(angle)
  })))
}`
  }
}
