import { describe, expect, formatShape } from '../errors.js'
import { range } from '../shape.js'
import { expectFloatTensor } from './checks.js'
import { matmul } from './matmul.js'
import { diagonal, permute } from './strided.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/**
 * Sums of products by a rule, such as 'bhid,bhjd->bhij': torch.einsum. Two tensors at a time become one matrix product:
 * letters of both that stay are its batch, letters of both that go are summed, the rest are rows and columns.
 */

/** @typedef {{ tensor: Tensor, letters: string[] }} Labelled */

/** @param {readonly string[]} letters */
const distinct = letters => [...new Set(letters)]

/** Cells where a letter meets itself. @param {Labelled} one @returns {Labelled} */
function withoutRepeats({ tensor, letters }) {
  const again = letters.find((letter, i) => letters.indexOf(letter) !== i)
  if (again === undefined) return { tensor, letters }
  const axes = range(letters.length).filter(i => letters[i] === again)
  return withoutRepeats({ tensor: diagonal(tensor, axes),
    letters: letters.filter((_, i) => i === axes[0] || !axes.includes(i)) })
}

/** @param {Labelled} one @param {readonly string[]} order @returns {Tensor} */
function inOrder({ tensor, letters }, order) {
  const dims = order.map(letter => letters.indexOf(letter))
  return dims.every((dim, i) => dim === i) ? tensor : permute(tensor, dims)
}

/** @param {Record<string, number>} sides @param {readonly string[]} letters */
const sizeBy = (sides, letters) => letters.reduce((size, letter) => size * sides[letter], 1)

/**
 * The product of two, summed over the letters that nobody needs any more.
 * @param {Labelled} a @param {Labelled} b @param {Set<string>} needed @param {Record<string, number>} sides
 * @returns {Labelled}
 */
function together(a, b, needed, sides) {
  const shared = a.letters.filter(letter => b.letters.includes(letter))
  const batch = shared.filter(letter => needed.has(letter)), gone = shared.filter(letter => !needed.has(letter))
  const rows = a.letters.filter(letter => !shared.includes(letter)),
    columns = b.letters.filter(letter => !shared.includes(letter))
  const [B, M, N, K] = [batch, rows, columns, gone].map(letters => sizeBy(sides, letters))
  const left = inOrder(a, [...batch, ...rows, ...gone]).reshape(B, M, K)
  const right = inOrder(b, [...batch, ...gone, ...columns]).reshape(B, K, N)
  const letters = [...batch, ...rows, ...columns]
  return { tensor: matmul(left, right).reshape(letters.map(letter => sides[letter])), letters }
}

/**
 * Letters summed away: a product with ones. @param {Labelled} one @param {Set<string>} needed
 * @param {Record<string, number>} sides
 */
function withoutUnneeded(one, needed, sides) {
  const gone = one.letters.filter(letter => !needed.has(letter))
  if (!gone.length) return one
  const ones = one.tensor.engine.empty(gone.map(letter => sides[letter]))
  ones.values.fill(1)
  return together(one, { tensor: ones, letters: gone }, needed, sides)
}

/** @param {string} rule @param {number} count of tensors */
function parse(rule, count) {
  expect(typeof rule === 'string', 'type',
    () => `einsum: rule must be a string such as 'ij,jk->ik', got ${describe(rule)}`)
  const [left, right, ...more] = rule.replace(/\s/g, '').split('->'), inputs = left.split(',').map(part => [...part])
  expect(!more.length && /^[a-zA-Z,]*$/.test(left + (right ?? '')) && !right?.includes(','), 'range',
    () => `einsum: rule must be letters, commas and one ->, got ${describe(rule)}`)
  expect(inputs.length === count, 'shape',
    () => `einsum: rule ${describe(rule)} is about ${inputs.length} tensors, got ${count}`)
  const all = inputs.flat(), once = distinct(all).filter(
    letter => all.indexOf(letter) === all.lastIndexOf(letter)).sort()
  const output = right === undefined ? once : [...right]
  const isGood = output.length === distinct(output).length && output.every(letter => all.includes(letter))
  expect(isGood, 'range', () => `einsum: each letter after -> must stand there once and before it, got ${describe(
    rule)}`)
  return { inputs, output }
}

/**
 * Products summed over the letters that the result does not have: torch.einsum.
 * @param {string} rule such as 'bij,bjk->bik' @param {...Tensor} tensors @returns {Tensor}
 * @throws {import('../errors.js').GlassformerError} 'range' for what is no rule, 'shape' for tensors that do not fit it
 * @example
 * gf.einsum('ij,jk->ik', gf.tensor([[1, 2]]), gf.tensor([[3], [4]]))   // [[11]]
 */
export function einsum(rule, ...tensors) {
  const { inputs, output } = parse(rule, tensors.length)
  /** @type {Record<string, number>} */ const sides = {}
  /** @type {Record<string, string>} which tensor a letter stood for first */ const seen = {}
  tensors.forEach((tensor, n) => {
    const { shape } = expectFloatTensor('einsum', `tensors[${n}]`, tensor)
    expect(shape.length === inputs[n].length, 'shape',
      () => `einsum: tensors[${n}] must have ${inputs[n].length} axes for '${inputs[n].join('')}', got ${describe(
        tensor)}`)
    shape.forEach((side, axis) => {
      const letter = inputs[n][axis], here = `tensors[${n}] ${formatShape(shape)}`
      const known = sides[letter] ??= side, first = seen[letter] ??= here
      expect(known === side, 'shape', () => `einsum: '${letter}' is ${known} long in ${first}, but ${side} in ${here}`)
    })
  })
  const [first, ...rest] = tensors.map((tensor, n) => withoutRepeats({ tensor, letters: inputs[n] }))
  /** @param {number} n what is needed after the n-th of the rest */
  const neededAfter = n => new Set([...output, ...rest.slice(n).flatMap(one => one.letters)])
  let done = withoutUnneeded(first, neededAfter(0), sides)
  rest.forEach((one, n) => {
    const alone = withoutUnneeded(one, new Set([...done.letters, ...neededAfter(n + 1)]), sides)
    done = together(done, alone, neededAfter(n + 1), sides)
  })
  return inOrder(withoutUnneeded(done, new Set(output), sides), output)
}
