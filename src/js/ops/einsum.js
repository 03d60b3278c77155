import { describe, expect, formatShape } from '../errors.js'
import { range, sameShape } from '../tensor/shape.js'
import { expectFloatTensor } from './checks.js'
import { matmul } from './matmul.js'
import { expand, mergeAxes, permute } from './strided.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/**
 * Sums of products by a rule, such as 'bhid,bhjd->bhij': torch.einsum. Two tensors at a time are multiplied by one
 * matrix product: shared letters that are still needed are its batch, other shared letters are summed, the rest are
 * rows and columns. '...' stands for further axes, which are given letters of their own and broadcast.
 */

/** @typedef {{ tensor: Tensor, letters: string[] }} Labeled */

/** @param {readonly string[]} letters */
const distinct = letters => [...new Set(letters)]

/** Takes the diagonal over axes with the same letter. @param {Labeled} operand @returns {Labeled} */
function takeDiagonals({ tensor, letters }) {
  const repeated = letters.find((letter, i) => letters.indexOf(letter) !== i)
  if (repeated === undefined) return { tensor, letters }
  const axes = range(letters.length).filter(i => letters[i] === repeated)
  return takeDiagonals({ tensor: mergeAxes(tensor, axes),
    letters: letters.filter((_, i) => i === axes[0] || !axes.includes(i)) })
}

/** @param {Labeled} operand @param {readonly string[]} order @returns {Tensor} */
function permuteTo({ tensor, letters }, order) {
  const dims = order.map(letter => letters.indexOf(letter))
  return dims.every((dim, i) => dim === i) ? tensor : permute(tensor, dims)
}

/**
 * Repeats axes of '...' that are longer in another tensor.
 * @param {Tensor} tensor @param {readonly string[]} letters @param {Record<string, number>} sides @returns {Tensor}
 */
function broadcastTo(tensor, letters, sides) {
  const shape = letters.map(letter => sides[letter])
  return sameShape(shape, tensor.shape) ? tensor : expand(tensor, shape)
}

/** @param {Record<string, number>} sides @param {readonly string[]} letters */
const sizeBy = (sides, letters) => letters.reduce((size, letter) => size * sides[letter], 1)

/**
 * The product of two operands, summed over the shared letters that are no longer needed.
 * @param {Labeled} a @param {Labeled} b @param {Set<string>} needed @param {Record<string, number>} sides
 * @returns {Labeled}
 */
function contract(a, b, needed, sides) {
  const shared = a.letters.filter(letter => b.letters.includes(letter))
  const batch = shared.filter(letter => needed.has(letter)), summed = shared.filter(letter => !needed.has(letter))
  const rows = a.letters.filter(letter => !shared.includes(letter)),
    columns = b.letters.filter(letter => !shared.includes(letter))
  const [B, M, N, K] = [batch, rows, columns, summed].map(letters => sizeBy(sides, letters))
  const left = permuteTo(a, [...batch, ...rows, ...summed]).reshape(B, M, K)
  const right = permuteTo(b, [...batch, ...summed, ...columns]).reshape(B, K, N)
  const letters = [...batch, ...rows, ...columns]
  return { tensor: matmul(left, right).reshape(letters.map(letter => sides[letter])), letters }
}

/**
 * Sums over letters that are not needed, by a product with ones.
 * @param {Labeled} operand @param {Set<string>} needed @param {Record<string, number>} sides
 */
function sumUnneeded(operand, needed, sides) {
  const summed = operand.letters.filter(letter => !needed.has(letter))
  if (!summed.length) return operand
  const ones = operand.tensor.engine.empty(summed.map(letter => sides[letter]))
  ones.values.fill(1)
  return contract(operand, { tensor: ones, letters: summed }, needed, sides)
}

/** The letters of a part of a rule, with '...' as one of them. @param {string} part @returns {string[]} */
const lettersOf = part => part.match(/\.\.\.|./g) ?? []

/** The last n letters for the axes of '...'. @param {number} n */
const ellipsisLetters = n => range(n).map(i => `...${n - i}`)

/** @param {string} rule @param {readonly number[]} ranks of the tensors */
function parseRule(rule, ranks) {
  expect(typeof rule === 'string', 'type',
    () => `einsum: rule must be a string such as 'ij,jk->ik', got ${describe(rule)}`)
  const [left, right, ...more] = rule.replace(/\s/g, '').split('->'), written = left.split(',').map(lettersOf)
  const parts = [...written, lettersOf(right ?? '')], isLetter = (/** @type {string} */ letter) => /^([a-zA-Z]|\.\.\.)$/.test(letter)
  expect(!more.length && parts.every(part => part.every(isLetter) && part.indexOf('...') === part.lastIndexOf('...')), 'range',
    () => `einsum: rule must be letters, commas, at most one ... for each tensor and one ->, got ${describe(rule)}`)
  expect(written.length === ranks.length, 'shape',
    () => `einsum: rule ${describe(rule)} is for ${written.length} tensors, got ${ranks.length}`)
  const lengths = written.map((part, n) => (part.includes('...') ? Math.max(0, ranks[n] - part.length + 1) : 0)), longest = Math.max(0, ...lengths)
  const spell = (/** @type {string[]} */ part, /** @type {number} */ n) => part.flatMap(
    letter => (letter === '...' ? ellipsisLetters(n) : letter))
  const inputs = written.map((part, n) => spell(part, lengths[n]))
  const all = written.flat().filter(letter => letter !== '...'), unique = distinct(all).filter(
    letter => all.indexOf(letter) === all.lastIndexOf(letter)).sort()
  const output = right === undefined ? [...ellipsisLetters(longest), ...unique] : spell(parts[written.length], longest)
  const isValid = output.length === distinct(output).length && output.every(letter => inputs.flat().includes(letter))
  expect(isValid, 'range', () => `einsum: each letter after -> must be there once, and before it, got ${describe(rule)}`)
  return { inputs, output }
}

/**
 * Sums products of tensors over the letters that the result does not have: torch.einsum. '...' stands for any number of
 * further axes, which broadcast.
 * @param {string} rule such as 'bij,bjk->bik' @param {...Tensor} tensors @returns {Tensor}
 * @throws {import('../errors.js').GlassformerError} 'range' for an invalid rule, 'shape' for tensors that do not fit it
 * @example
 * gf.einsum('ij,jk->ik', gf.tensor([[1, 2]]), gf.tensor([[3], [4]]))   // [[11]]
 */
export function einsum(rule, ...tensors) {
  const { inputs, output } = parseRule(rule, tensors.map((tensor, n) => expectFloatTensor('einsum', `tensors[${n}]`, tensor).shape.length))
  /** @type {Record<string, number>} */ const sides = {}
  /** @type {Record<string, string>} the tensor in which each letter occurred first */ const firstUses = {}
  tensors.forEach((tensor, n) => {
    const { shape } = tensor
    expect(shape.length === inputs[n].length, 'shape',
      () => `einsum: tensors[${n}] must have ${inputs[n].length} axes for '${inputs[n].join('')}', got ${describe(
        tensor)}`)
    shape.forEach((side, axis) => {
      const letter = inputs[n][axis], here = `tensors[${n}] ${formatShape(shape)}`
      if (letter.length > 1 && sides[letter] === 1) delete sides[letter]
      const known = sides[letter] ??= side, first = firstUses[letter] ??= here
      const isRepeated = letter.length > 1 && side === 1
      expect(known === side || isRepeated, 'shape', () => `einsum: '${letter}' is ${known} long in ${first}, but ${side} in ${here}`)
    })
  })
  const [first, ...rest] = inputs.map((letters, n) =>
    takeDiagonals({ tensor: broadcastTo(tensors[n], letters, sides), letters }))
  /** The letters that are needed from the n-th of the rest on. @param {number} n */
  const neededFrom = n => new Set([...output, ...rest.slice(n).flatMap(operand => operand.letters)])
  let result = sumUnneeded(first, neededFrom(0), sides)
  rest.forEach((operand, n) => {
    const reduced = sumUnneeded(operand, new Set([...result.letters, ...neededFrom(n + 1)]), sides)
    result = contract(result, reduced, neededFrom(n + 1), sides)
  })
  return permuteTo(sumUnneeded(result, new Set(output), sides), output)
}
