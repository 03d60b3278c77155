// A post-norm encoder in plain JavaScript, as Hugging Face's classes compute it: positions are 0 .. T-1 regardless of
// the mask, and masked keys get no attention.

const sum = values => values.reduce((total, value) => total + value, 0)
const dot = (a, b) => sum(a.map((value, i) => value * b[i]))
const plus = (a, b) => a.map((value, i) => value + b[i])

/** The error function by its Taylor series. */
function erf(x) {
  let term = x, total = x
  for (let n = 1; n < 60; n++) {
    term *= -x * x / n
    total += term / (2 * n + 1)
  }
  return 2 / Math.sqrt(Math.PI) * total
}

export const ACTIVATIONS = { gelu: x => x * (1 + erf(x / Math.SQRT2)) / 2, swish: x => x / (1 + Math.exp(-x)) }

/**
 * The hidden states of one sequence.
 * @param {object} model
 * @param {(name: string) => any} model.weight nested numbers by the name that `names` gives
 * @param {Record<string, string>} model.names of the modules of a layer: q, k, v, out, norm1, up, down, norm2
 * @param {number[][]} x embeddings [T, C] @param {number[]} mask 1 for tokens
 */
export function encode({ weight, names, layers, heads, eps, activation }, x, mask) {
  const { linear, norm } = modulesOf(weight, eps), D = x[0].length / heads
  return Array.from({ length: layers }, (_, n) => n).reduce((rows, n) => {
    const module = name => names[name].replace('{n}', n)
    const [q, k, v] = ['q', 'k', 'v'].map(name => rows.map(row => linear(module(name), row)))
    const attended = rows.map((_, i) => Array.from({ length: heads }, (_, h) => {
      const part = row => row.slice(h * D, (h + 1) * D)
      const scores = k.map((row, j) => (mask[j] ? dot(part(q[i]), part(row)) / Math.sqrt(D) : -Infinity))
      const max = Math.max(...scores), exponentials = scores.map(score => Math.exp(score - max))
      const total = sum(exponentials)
      const weighted = v.map((row, j) => part(row).map(value => value * exponentials[j] / total))
      return weighted.reduce(plus, Array(D).fill(0))
    }).flat())
    return rows.map((row, i) => {
      const y = norm(module('norm1'), plus(row, linear(module('out'), attended[i])))
      return norm(module('norm2'), plus(y, linear(module('down'), linear(module('up'), y).map(activation))))
    })
  }, x)
}

/** Linear and LayerNorm by the names of their weights. */
export const modulesOf = (weight, eps) => ({
  linear: (name, row) => plus(weight(`${name}.weight`).map(columns => dot(columns, row)), weight(`${name}.bias`)),
  norm(name, row) {
    const mean = sum(row) / row.length, centered = row.map(value => value - mean)
    const scale = 1 / Math.sqrt(sum(centered.map(value => value * value)) / row.length + eps)
    return plus(centered.map((value, i) => value * scale * weight(`${name}.weight`)[i]), weight(`${name}.bias`))
  }
})
