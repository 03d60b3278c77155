import { BINARY, LOSSES } from '../ops/binary.js'
import { snake } from '../ops/checks.js'
import { COMPARISONS } from '../ops/compare.js'
import { UNARY } from '../ops/unary.js'
import { range } from '../shape.js'
import { dtypeOf, literal, number, sides, tuple } from './python.js'

/**
 * What every operation of the library is in PyTorch: one expression each, by the name that a trace knows it by.
 *
 * @typedef {import('../autograd.js').Node} Node
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {(tensor: Tensor) => string} Names what a tensor is called in the script
 * @typedef {(node: Node, of: Names, isComputed: (tensor: Tensor) => boolean) => string} Rule isComputed: whether a
 *   tensor is an input or comes of one
 */

/**
 * A line of PyTorch's with other words in the place of some.
 * @param {string} line @param {Record<string, string>} words
 */
const withWords = (line, words) => line.replaceAll('torch.nn.functional', 'F').replace(new RegExp(`(?<!\\.)\\b(${Object.keys(words).join('|')})\\b(?! ?=[^=])`, 'g'),
  word => words[word])

/** @param {import('../ops/unary.js').Unary} line @returns {Rule} */
const unary = ({ torch, options = {} }) => ({ inputs: { x }, saved: { parameters = {} } }, of) => withWords(torch, {
  x: of(x), ...Object.fromEntries(Object.keys(options).map(name => [snake(name), number(parameters[name])]))
})

/**
 * A number is given as such to Python's operators, and as a tensor to a function.
 * @param {{ torch: string }} line @returns {Rule}
 */
const binary = ({ torch }) => ({ inputs: { a, b }, saved: { number: given } }, of) => {
  const plain = () => (torch.includes('(') && !torch.includes('pow') ? `torch.tensor(${number(given)})` : number(given))
  return withWords(torch, { a: a ? of(a) : plain(), b: b ? of(b) : plain() })
}

/** @param {Record<string, any>} table @param {(line: any) => Rule} rule @param {(name: string) => string} [named] */
const all = (table, rule, named = snake) =>
  Object.fromEntries(Object.entries(table).map(([name, line]) => [named(name), rule(line)]))

/** @param {Node} node the axes of a reduction, as an argument; of all of them none */
function along({ inputs: { x }, saved: { axes, keepdim } }) {
  if (axes.length === x.shape.length && !keepdim) return ''
  return `, dim=${axes.length === 1 ? axes[0] : tuple(axes)}${keepdim ? ', keepdim=True' : ''}`
}

/** @param {string} name @param {(node: Node) => string} [more] @returns {Rule} */
const reduced = (name, more = () => '') => (node, of) => `torch.${name}(${of(node.inputs.x)}${along(node)}${more(node)})`

/** Where PyTorch needs the axes named. @param {string} name @param {(node: Node) => string} [more] @returns {Rule} */
const overAll = (name, more = () => '') => ({ inputs: { x }, saved: { axes, keepdim, ...saved } }, of) =>
  `torch.${name}(${of(x)}, dim=${tuple(axes)}, keepdim=${literal(keepdim)}${more(/** @type {any} */ ({ saved }))})`

/** One axis after the other. @param {string} name @returns {Rule} */
const stepwise = name => ({ inputs: { x }, saved: { axes, keepdim } }, of) => [...axes].reverse().reduce(
  (made, axis) => `${made}.${name}(dim=${axis}, keepdim=${literal(keepdim)})`, of(x))

/** @param {string} name @returns {Rule} */
const place = name => (node, of) => {
  const { inputs: { x }, outputs: { out }, saved: { axes } } = node
  return axes.length === 1 ? `torch.${name}(${of(x)}${along(node)})`
    : `torch.${name}(${of(x)}).reshape${sides(out.shape)}`
}

/** What is not given goes without saying. @param {Record<string, string | null | undefined>} words */
const keywords = words => Object.entries(words).filter(([, value]) => value).map(([name, value]) => `, ${name}=${value}`)
  .join('')

/** The first side is left to be found out, so that a batch may be of any size. @param {readonly number[]} shape */
const anyBatch = shape => (shape.length > 1 && !shape.includes(0) ? sides([-1, ...shape.slice(1)]) : sides(shape))

/** Rows of a weight. @param {string} name @param {Tensor} weight @param {number} first @param {number} count */
const rows = (name, weight, first, count) => (count === weight.shape[0] ? name : `${name}[${first}:${first + count}]`)

/** @type {Rule} */
function linear({ inputs: { x, weight, bias }, saved: { first, count, biasFirst } }, of) {
  const own = rows(of(weight), weight, first, count)
  return `F.linear(${of(x)}, ${own}${bias ? `, ${rows(of(bias), bias, biasFirst, count)}` : ''})`
}

/** @type {Rule} */
function attention({ inputs: { q, k, v, mask }, saved }, of) {
  const { sizes: { B, H, KV, Tq, Tk, D }, scale, isCausal, past, window, padding, origin } = saved
  const isSquare = mask?.shape.length === 3, hidden = origin?.padding ? `${of(origin.padding)}.bool()`
    : padding && `torch.tensor(${literal(range(B).map(b => Array.from(padding.subarray(b * Tk, (b + 1) * Tk), Boolean)))})`
  return `attention(${[q, k, v].map(of).join(', ')}, ${H}${keywords({
    kv_heads: KV === H ? null : String(KV), scale: Math.abs(scale - 1 / Math.sqrt(D)) > 1e-9 ? number(scale) : null,
    causal: isCausal ? 'True' : null, past: past ? String(past) : null, window: window ? String(window) : null,
    mask: mask && (isSquare ? `${of(mask)}.reshape${sides([B, H, Tq, Tk])}` : of(mask)), padding: hidden
  })})`
}

/** @type {Rule} */
function rotary({ inputs: { x }, saved }, of, isComputed) {
  const { sizes, batch, heads, base, interleaved, frequencies, positions, origin } = saved, T = sizes[3]
  const isGiven = origin && isComputed(origin.positions), isPlain = Array.from(positions).every((p, i) => p === i % T)
  const given = batch ? range(positions.length / T).map(b => Array.from(positions.subarray(b * T, (b + 1) * T)))
    : Array.from(positions)
  return `rotary(${of(x)}${keywords({
    heads: heads === 1 ? null : String(heads), base: base === 10000 ? null : number(base),
    interleaved: interleaved ? 'True' : null,
    positions: isGiven ? of(origin.positions) : isPlain ? null : `torch.tensor(${literal(given)})`,
    frequencies: frequencies && `torch.tensor(${literal([...frequencies])})`
  })})`
}

/** @type {Rule} */
const cut = ({ inputs: { x }, outputs: { out }, saved }, of) => {
  const { dim, start, end, step } = saved.parameters ?? { ...saved, end: saved.start + out.shape[saved.dim], step: 1 }
  return `${of(x)}[${':, '.repeat(dim)}${start}:${end}${step === 1 ? '' : `:${step}`}]`
}

/** @type {Rule} */
const diagonal = ({ inputs: { x }, outputs: { out }, saved: { steps, offset } }, of) =>
  `${of(x)}.contiguous().as_strided(${tuple(out.shape)}, ${tuple(steps)}, ${offset})`

/** @type {Record<string, Rule>} */
export const EXPRESSIONS = {
  ...all(UNARY, unary), ...all(BINARY, binary), ...all(LOSSES, binary), ...all(COMPARISONS, binary, name => name),
  gelu: ({ inputs: { x }, saved: { approximate } }, of) =>
    `F.gelu(${of(x)}${approximate === 'tanh' ? ", approximate='tanh'" : ''})`,

  sum: reduced('sum'), mean: reduced('mean'), logsumexp: overAll('logsumexp'), max: overAll('amax'),
  amax: overAll('amax'), min: overAll('amin'), amin: overAll('amin'), prod: stepwise('prod'), all: stepwise('all'),
  any: stepwise('any'), argmax: place('argmax'), argmin: place('argmin'),
  var: overAll('var', ({ saved: { p } }) => `, correction=${p}`),
  std: overAll('std', ({ saved: { p } }) => `, correction=${p}`),
  norm: overAll('linalg.vector_norm', ({ saved: { p } }) => `, ord=${number(p)}`),
  cumsum: ({ inputs: { x }, saved: { dim } }, of) => `torch.cumsum(${of(x)}, ${dim})`,

  softmax: ({ inputs: { x }, saved: { dim } }, of) => `F.softmax(${of(x)}, dim=${dim})`,
  log_softmax: ({ inputs: { x }, saved: { dim } }, of) => `F.log_softmax(${of(x)}, dim=${dim})`,
  layer_norm: ({ inputs: { x, weight, bias }, saved: { eps } }, of) => `F.layer_norm(${of(x)}, ${tuple(x.shape.slice(-1))}, ` +
    `${weight ? of(weight) : 'None'}, ${bias ? of(bias) : 'None'}, ${number(eps)})`,
  rms_norm: ({ inputs: { x, weight }, saved: { eps } }, of) =>
    `rms_norm(${of(x)}, ${weight ? of(weight) : 'None'}, ${number(eps)})`,
  linear, matmul: ({ inputs: { a, b } }, of) => `${of(a)} @ ${of(b)}`, attention, rotary,
  embedding: ({ inputs: { weight }, saved: { origin } }, of) => `F.embedding(${of(origin.ids)}, ${of(weight)})`,
  average_heads: ({ inputs: { weights } }, of) => `${of(weights)}.mean(dim=1)`,

  reshape: ({ inputs: { x }, outputs: { out } }, of) => `${of(x)}.reshape${anyBatch(out.shape)}`,
  transpose: ({ inputs: { x }, saved: { a, b } }, of) => `${of(x)}.transpose(${a}, ${b})`,
  permute: ({ inputs: { x }, saved: { parameters: { dims } } }, of) => `${of(x)}.permute${tuple(dims)}`,
  expand: ({ inputs: { x }, outputs: { out } }, of) => `${of(x)}.expand${sides(out.shape)}`,
  narrow: cut, slice: cut, diagonal,
  flip: ({ inputs: { x }, saved: { parameters: { dims } } }, of) => `torch.flip(${of(x)}, ${tuple(dims)})`,
  cat: ({ inputs, saved: { dim } }, of) => `torch.cat([${Object.values(inputs).map(of).join(', ')}], dim=${dim})`,
  where: ({ inputs: { mask, a, b }, saved }, of) =>
    `torch.where(${of(mask)}, ${a ? of(a) : number(saved.a)}, ${b ? of(b) : number(saved.b)})`,
  gather: ({ inputs: { x }, saved: { dim, origin } }, of) => `torch.gather(${of(x)}, ${dim}, ${of(origin.places)})`,
  index_select: ({ inputs: { x }, saved: { dim, origin } }, of) =>
    `torch.index_select(${of(x)}, ${dim}, ${of(origin.places)})`,
  scatter: ({ inputs: { x, src }, saved: { dim, origin } }, of) =>
    `${of(x)}.scatter(${dim}, ${of(origin.places)}, ${of(src)})`,
  scatter_add: ({ inputs: { x, src }, saved: { dim, origin } }, of) =>
    `${of(x)}.scatter_add(${dim}, ${of(origin.places)}, ${of(src)})`,
  order: ({ inputs: { x }, outputs: { out }, saved: { dim, descending } }, of) =>
    `torch.sort(${of(x)}, dim=${dim}, descending=${literal(descending)}, stable=True).indices` +
    `${out.shape[dim] === x.shape[dim] ? '' : `.narrow(${dim}, 0, ${out.shape[dim]})`}`,
  nonzero: ({ inputs: { x } }, of) => `torch.nonzero(${of(x)})`,
  to: ({ inputs: { x }, outputs: { out } }, of) => `${of(x)}.to(${dtypeOf(out.dtype)})`,
  clone: ({ inputs: { x } }, of) => `${of(x)}.clone()`, detach: ({ inputs: { x } }, of) => `${of(x)}.detach()`,
  dropout: ({ inputs: { x }, saved: { p } }, of) => `F.dropout(${of(x)}, ${number(p)}, self.training)`
}
