import { BINARY, LOSSES } from '../ops/binary.js'
import { toSnakeCase } from '../interface/letter_case.js'
import { COMPARISONS } from '../ops/compare.js'
import { COMPOSED } from '../ops/composed.js'
import { UNARY } from '../ops/unary.js'
import { range } from '../tensor/shape.js'
import { dtypeOf, literal, numberLiteral, sizeArguments, tuple } from './python.js'

/**
 * The PyTorch expression of every operation of the library, by its name in a trace.
 *
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {(tensor: Tensor) => string} NameTensor the name of a tensor in the script
 * @typedef {(node: Node, nameTensor: NameTensor, isComputed: (tensor: Tensor) => boolean) => string} Rule isComputed:
 *   whether a
Rule isComputed: whether a
 *   tensor is an input or computed
 */

/**
 * A PyTorch expression with some names replaced.
 * @param {string} line @param {Record<string, string>} replacements
 */
const substitute = (line, replacements) => line.replaceAll('torch.nn.functional', 'F').replace(new RegExp(`(?<!\\.)\\b(${Object.keys(replacements).join('|')})\\b(?! ?=[^=])`, 'g'),
  name => replacements[name])

/** The expression of an elementwise operation. @param {import('../ops/unary.js').Unary} entry @returns {Rule} */
const unary = ({ torch, options = {} }) => ({ inputs: { x }, saved: { parameters = {} } }, nameTensor) => {
  const values = Object.keys(options).map(name => [toSnakeCase(name), numberLiteral(parameters[name])])
  return substitute(torch, { x: nameTensor(x), ...Object.fromEntries(values) })
}

/**
 * A number stays a number for Python's operators and becomes a tensor for functions.
 * @param {{ torch: string }} entry @returns {Rule}
 */
const binary = ({ torch }) => ({ inputs: { a, b }, saved: { number: value } }, nameTensor) => {
  const plain = () => (torch.includes('(') && !torch.includes('pow') ? `torch.tensor(${numberLiteral(value)})` : numberLiteral(value))
  return substitute(torch, { a: a ? nameTensor(a) : plain(), b: b ? nameTensor(b) : plain() })
}

/**
 * @param {Record<string, any>} table
 * @param {(entry: any) => Rule} rule @param {(name: string) => string} [convertName]
 */
const rulesOf = (table, rule, convertName = toSnakeCase) =>
  Object.fromEntries(Object.entries(table).map(([name, entry]) => [convertName(name), rule(entry)]))

/** The dim argument of a reduction, empty for all axes. @param {Node} node */
function dimArguments({ inputs: { x }, saved: { axes, keepdim } }) {
  if (axes.length === x.shape.length && !keepdim) return ''
  return `, dim=${axes.length === 1 ? axes[0] : tuple(axes)}${keepdim ? ', keepdim=True' : ''}`
}

/** @param {string} name @param {(node: Node) => string} [extra] @returns {Rule} */
const reduction = (name, extra = () => '') => (node, nameTensor) => `torch.${name}(${nameTensor(node.inputs.x)}${dimArguments(node)}${extra(node)})`

/** A reduction that requires dim. @param {string} name @param {(node: Node) => string} [extra] @returns {Rule} */
const reductionWithDim = (name, extra = () => '') => ({ inputs: { x }, saved: { axes, keepdim, ...saved } }, nameTensor) =>
  `torch.${name}(${nameTensor(x)}, dim=${tuple(axes)}, keepdim=${literal(keepdim)}${extra(/** @type {any} */ ({ saved }))})`

/** A reduction that takes one axis at a time. @param {string} name @returns {Rule} */
const stepwise = name => ({ inputs: { x }, saved: { axes, keepdim } }, nameTensor) => [...axes].reverse().reduce(
  (result, axis) => `${result}.${name}(dim=${axis}, keepdim=${literal(keepdim)})`, nameTensor(x))

/** @param {string} name @returns {Rule} */
const argReduction = name => (node, nameTensor) => {
  const { inputs: { x }, outputs: { out }, saved: { axes } } = node
  return axes.length === 1 ? `torch.${name}(${nameTensor(x)}${dimArguments(node)})`
    : `torch.${name}(${nameTensor(x)}).reshape${sizeArguments(out.shape)}`
}

/**
 * Keyword arguments; those without value are left out.
 * @param {Record<string, string | null | undefined>} args
 */
const keywords = args => Object.entries(args).filter(([, value]) => value)
  .map(([name, value]) => `, ${name}=${value}`).join('')

/** The first size is -1, so that the batch may have any size. @param {readonly number[]} shape */
const reshapeArguments = shape =>
  sizeArguments(shape.length > 0 && !shape.includes(0) ? [-1, ...shape.slice(1)] : shape)

/** Rows of a weight. @param {string} name @param {Tensor} weight @param {number} first @param {number} count */
const rows = (name, weight, first, count) => (count === weight.shape[0] ? name : `${name}[${first}:${first + count}]`)

/** @type {Rule} */
function linear({ inputs: { x, weight, bias }, saved: { first, count, biasFirst } }, nameTensor) {
  const rowsText = rows(nameTensor(weight), weight, first, count)
  return `F.linear(${nameTensor(x)}, ${rowsText}${bias ? `, ${rows(nameTensor(bias), bias, biasFirst, count)}` : ''})`
}

/** @type {Rule} */
function attention({ inputs: { q, k, v, mask }, saved }, nameTensor) {
  const { sizes: { B, H, KV, Tq, Tk, D }, scale, isCausal, past, window, padding, origin } = saved
  const hasFlatHeads = mask?.shape.length === 3, hidden = origin?.padding ? `${nameTensor(origin.padding)}.bool()`
    : padding && `torch.tensor(${literal(range(B).map(b => Array.from(padding.subarray(b * Tk, (b + 1) * Tk), Boolean)))})`
  return `attention(${[q, k, v].map(nameTensor).join(', ')}, ${H}${keywords({
    kv_heads: KV === H ? null : String(KV),
    scale: Math.abs(scale - 1 / Math.sqrt(D)) > 1e-9 ? numberLiteral(scale) : null,
    causal: isCausal ? 'True' : null, past: past ? String(past) : null, window: window ? String(window) : null,
    mask: mask && (hasFlatHeads ? `${nameTensor(mask)}.reshape${sizeArguments([B, H, Tq, Tk])}` : nameTensor(mask)), padding: hidden
  })})`
}

/** @type {Rule} */
function rotary({ inputs: { x }, saved }, nameTensor, isComputed) {
  const { sizes, batch, heads, base, interleaved, frequencies, positions, origin, D, dims, scale } = saved, T = sizes[3]
  const isInGraph = origin && isComputed(origin.positions)
  const isDefault = Array.from(positions).every((p, i) => p === i % T)
  const value = batch ? range(positions.length / T).map(b => Array.from(positions.subarray(b * T, (b + 1) * T)))
    : Array.from(positions)
  return `rotary(${nameTensor(x)}${keywords({
    heads: heads === 1 ? null : String(heads), base: base === 10000 ? null : numberLiteral(base),
    interleaved: interleaved ? 'True' : null,
    positions: isInGraph ? nameTensor(origin.positions) : isDefault ? null : `torch.tensor(${literal(value)})`,
    frequencies: frequencies && `torch.tensor(${literal([...frequencies])})`,
    dims: dims === D ? null : String(dims), scale: scale === 1 ? null : numberLiteral(scale)
  })})`
}

/**
 * The loss of rows of logits, or of log probabilities.
 * @param {'cross_entropy' | 'nll_loss'} name @returns {Rule}
 */
const classLoss = name => ({ inputs: { x, logits = x }, saved }, nameTensor) => {
  const { origin, weight, ignoreIndex, labelSmoothing, reduction } = saved, target = nameTensor(origin.target)
  return `F.${name}(${nameTensor(logits)}, ${target}${origin.target.shape.length === 1 ? '' : '.reshape(-1)'}${keywords({
    weight: weight && nameTensor(weight), ignore_index: ignoreIndex === -100 ? null : String(ignoreIndex),
    label_smoothing: labelSmoothing ? numberLiteral(labelSmoothing) : null,
    reduction: reduction === 'mean' ? null : literal(reduction)
  })})`
}

/** @type {Rule} */
const slice = ({ inputs: { x }, outputs: { out }, saved }, nameTensor) => {
  const { dim, start, end, step } = saved.parameters ?? { ...saved, end: saved.start + out.shape[saved.dim], step: 1 }
  return `${nameTensor(x)}[${':, '.repeat(dim)}${start}:${end}${step === 1 ? '' : `:${step}`}]`
}

/** @type {Rule} */
const diagonal = ({ inputs: { x }, outputs: { out }, saved: { steps, offset } }, nameTensor) =>
  `${nameTensor(x)}.contiguous().as_strided(${tuple(out.shape)}, ${tuple(steps)}, ${offset})`

/** @type {Record<string, Rule>} */
export const EXPRESSIONS = {
  ...rulesOf(UNARY, unary), ...rulesOf(COMPOSED, unary), ...rulesOf(BINARY, binary), ...rulesOf(LOSSES, binary),
  ...rulesOf(COMPARISONS, binary, name => name),
  gelu: ({ inputs: { x }, saved: { approximate } }, nameTensor) =>
    `F.gelu(${nameTensor(x)}${approximate === 'tanh' ? ", approximate='tanh'" : ''})`,

  sum: reduction('sum'), mean: reduction('mean'), logsumexp: reductionWithDim('logsumexp'), max: reductionWithDim('amax'),
  amax: reductionWithDim('amax'), min: reductionWithDim('amin'), amin: reductionWithDim('amin'), prod: stepwise('prod'), all: stepwise('all'),
  any: stepwise('any'), argmax: argReduction('argmax'), argmin: argReduction('argmin'),
  var: reductionWithDim('var', ({ saved: { p } }) => `, correction=${p}`),
  std: reductionWithDim('std', ({ saved: { p } }) => `, correction=${p}`),
  norm: reductionWithDim('linalg.vector_norm', ({ saved: { p } }) => `, ord=${numberLiteral(p)}`),
  cumsum: ({ inputs: { x }, saved: { dim } }, nameTensor) => `torch.cumsum(${nameTensor(x)}, ${dim})`,

  softmax: ({ inputs: { x }, saved: { dim } }, nameTensor) => `F.softmax(${nameTensor(x)}, dim=${dim})`,
  log_softmax: ({ inputs: { x }, saved: { dim } }, nameTensor) => `F.log_softmax(${nameTensor(x)}, dim=${dim})`,
  layer_norm: ({ inputs: { x, weight, bias }, saved: { eps } }, nameTensor) => `F.layer_norm(${nameTensor(x)}, ${tuple(x.shape.slice(-1))}, ` +
    `${weight ? nameTensor(weight) : 'None'}, ${bias ? nameTensor(bias) : 'None'}, ${numberLiteral(eps)})`,
  rms_norm: ({ inputs: { x, weight }, saved: { eps } }, nameTensor) =>
    `rms_norm(${nameTensor(x)}, ${weight ? nameTensor(weight) : 'None'}, ${numberLiteral(eps)})`,
  linear, matmul: ({ inputs: { a, b } }, nameTensor) => `${nameTensor(a)} @ ${nameTensor(b)}`, attention, rotary,
  embedding: ({ inputs: { weight }, saved: { origin } }, nameTensor) => `F.embedding(${nameTensor(origin.ids)}, ${nameTensor(weight)})`,
  average_heads: ({ inputs: { weights } }, nameTensor) => `${nameTensor(weights)}.mean(dim=1)`,

  cross_entropy: classLoss('cross_entropy'), nll_loss: classLoss('nll_loss'),

  reshape: ({ inputs: { x }, outputs: { out } }, nameTensor) => `${nameTensor(x)}.reshape${reshapeArguments(out.shape)}`,
  transpose: ({ inputs: { x }, saved: { a, b } }, nameTensor) => `${nameTensor(x)}.transpose(${a}, ${b})`,
  permute: ({ inputs: { x }, saved: { parameters: { dims } } }, nameTensor) => `${nameTensor(x)}.permute${tuple(dims)}`,
  expand: ({ inputs: { x }, outputs: { out } }, nameTensor) => `${nameTensor(x)}.expand${sizeArguments(out.shape)}`,
  narrow: slice, slice, diagonal, unfold: diagonal,
  flip: ({ inputs: { x }, saved: { parameters: { dims } } }, nameTensor) => `torch.flip(${nameTensor(x)}, ${tuple(dims)})`,
  cat: ({ inputs, saved: { dim } }, nameTensor) => `torch.cat([${Object.values(inputs).map(nameTensor).join(', ')}], dim=${dim})`,
  where: ({ inputs: { mask, a, b }, outputs: { out }, saved }, nameTensor) => {
    const [first, second] = [[a, saved.a], [b, saved.b]].map(([tensor, number]) => (tensor ? nameTensor(tensor)
      : out.dtype === 'bool' ? literal(Boolean(number)) : numberLiteral(number)))
    return `torch.where(${nameTensor(mask)}, ${first}, ${second})${a || b ? '' : `.to(${dtypeOf(out.dtype)})`}`
  },
  bitwise_and: binary({ torch: 'a & b' }),
  gather: ({ inputs: { x }, saved: { dim, origin } }, nameTensor) => `torch.gather(${nameTensor(x)}, ${dim}, ${nameTensor(origin.indices)})`,
  index_select: ({ inputs: { x }, saved: { dim, origin } }, nameTensor) =>
    `torch.index_select(${nameTensor(x)}, ${dim}, ${nameTensor(origin.indices)})`,
  scatter: ({ inputs: { x, src }, saved: { dim, origin } }, nameTensor) =>
    `${nameTensor(x)}.scatter(${dim}, ${nameTensor(origin.indices)}, ${nameTensor(src)})`,
  scatter_add: ({ inputs: { x, src }, saved: { dim, origin } }, nameTensor) =>
    `${nameTensor(x)}.scatter_add(${dim}, ${nameTensor(origin.indices)}, ${nameTensor(src)})`,
  order: ({ inputs: { x }, outputs: { out }, saved: { dim, descending } }, nameTensor) =>
    `torch.sort(${nameTensor(x)}, dim=${dim}, descending=${literal(descending)}, stable=True).indices` +
    `${out.shape[dim] === x.shape[dim] ? '' : `.narrow(${dim}, 0, ${out.shape[dim]})`}`,
  nonzero: ({ inputs: { x } }, nameTensor) => `torch.nonzero(${nameTensor(x)})`,
  to: ({ inputs: { x }, outputs: { out } }, nameTensor) => `${nameTensor(x)}.to(${dtypeOf(out.dtype)})`,
  clone: ({ inputs: { x } }, nameTensor) => `${nameTensor(x)}.clone()`, detach: ({ inputs: { x } }, nameTensor) => `${nameTensor(x)}.detach()`,
  dropout: ({ inputs: { x }, saved: { p } }, nameTensor) => `F.dropout(${nameTensor(x)}, ${numberLiteral(p)}, self.training)`
}
