import { BINARY } from '../ops/binary.js'
import { snake } from '../ops/checks.js'
import { COMPARISONS } from '../ops/compare.js'
import { UNARY } from '../ops/unary.js'
import { Tensor } from '../tensor.js'
import { sourcesOf } from './record.js'

/**
 * Whether a batch may have another size than it had: every operation on the way is asked whether it lets the first axis
 * through. No number is guessed at; where one operation does not, or is not known, the sizes stay as they were.
 *
 * @typedef {import('../autograd.js').Node} Node
 * @typedef {import('./record.js').Recorded} Recorded
 *
 * Tensors whose first axis is the batch, or a multiple of it, and constants that hold the same for every sentence.
 * @typedef {{ batched: Set<Tensor>, single: Set<Tensor> }} Open
 * @typedef {(node: Node, has: (tensor: Tensor) => boolean, batch: number) => boolean} Rule whether what it makes of a
 *   batch has it in front again
 */

/** @type {Rule} */ const always = () => true
/** @type {Rule} */ const beyond = ({ saved: { dim, parameters } }) => (dim ?? parameters?.dim) > 0
/** @type {Rule} */ const kept = ({ saved: { axes } }) => !axes.includes(0)

/** Others are stretched along it, or have no such axis. @type {Rule} */
const together = ({ inputs, outputs: { out } }, has) => Object.values(inputs).every(t =>
  !(t instanceof Tensor) || (has(t) ? t.shape.length === out.shape.length
    : t.shape.length < out.shape.length || t.shape[0] === 1))

/** @type {Rule} */
const product = (node, has, batch) => {
  const { inputs: { b } } = node
  return together(node, has, batch) && !(has(b) && b.shape.length < 3)
}

/** @type {Rule} */
const reshaped = ({ inputs: { x }, outputs: { out } }, _, batch) => {
  const inner = out.size / out.shape[0]
  return (x.size / batch) % inner === 0
}

/** @type {Rule} */
const attended = ({ inputs: { q, k, v, mask }, saved: { padding, origin } }, has) => [q, k, v].every(has) &&
  (!padding || has(origin?.padding)) && (!mask || mask.shape.length === 2 ||
    (mask.shape.length === 4 && (has(mask) || mask.shape[0] === 1)))

/** Whether every sentence has the same places. @param {Node} node */
export const hasOwnPlaces = ({ saved: { batch, positions } }) =>
  batch > 0 && !Array.from(positions).every((p, i) => p === positions[i % batch])

/** @param {string[]} names @param {Rule} rule */
const all = (names, rule) => Object.fromEntries(names.map(name => [name, rule]))

/** @type {Record<string, Rule>} */
const RULES = {
  ...all([...Object.keys(UNARY).map(snake), 'gelu', 'clone', 'detach', 'dropout', 'to', 'average_heads'], always),
  ...all([...Object.keys(BINARY).map(snake), ...Object.keys(COMPARISONS), 'where'], together),
  ...all(['linear', 'layer_norm', 'rms_norm'], ({ inputs: { x, weight, bias } }, has) =>
    x.shape.length > 1 && ![weight, bias].some(t => t && has(t))),
  ...all(['softmax', 'log_softmax', 'cumsum', 'narrow', 'slice', 'order'], beyond),
  ...all(['sum', 'mean', 'var', 'std', 'logsumexp', 'norm', 'max', 'min', 'amax', 'amin', 'prod', 'all', 'any', 'argmax',
    'argmin'], kept),
  matmul: product, reshape: reshaped, attention: attended,
  embedding: ({ inputs: { weight }, saved: { origin } }, has) => has(origin.ids) && !has(weight),
  rotary: (node, has) => node.inputs.x.shape.length > 2 && has(node.inputs.x) &&
    (has(node.saved.origin?.positions) || !hasOwnPlaces(node)),
  transpose: ({ saved: { a } }) => a > 0, // the first of the two
  permute: ({ saved: { parameters: { dims } } }) => dims[0] === 0,
  flip: ({ saved: { parameters: { dims } } }) => !dims.includes(0),
  expand: ({ inputs: { x }, outputs: { out } }) => x.shape.length === out.shape.length && x.shape[0] === out.shape[0],
  cat: ({ inputs, saved: { dim } }, has) => dim > 0 && Object.values(inputs).every(has),
  gather: ({ inputs: { x }, saved: { dim, origin } }, has) => dim > 0 && has(x) && has(origin.places),
  index_select: ({ saved: { dim, origin } }, has) => dim > 0 && !has(origin.places)
}

/** What a single row may go through and be one still. */
const ROWWISE = ['embedding', 'add', 'mul', 'layer_norm', 'rms_norm', 'linear']

const CELLWISE = new Set([...Object.keys(BINARY), ...Object.keys(COMPARISONS), 'where'].map(snake))

/**
 * Whether a tensor has the batch in front where it stands: a weight, or a matrix that a batch is multiplied by, may
 * have as many rows by chance.
 * @param {Node} node @param {Tensor} tensor
 */
function isInFront({ op: { name }, inputs, outputs, saved: { origin } }, tensor) {
  const { length } = tensor.shape
  if (CELLWISE.has(name)) return length === outputs.out.shape.length
  if (name === 'matmul') return length > 2 && length === outputs.out.shape.length
  if (name === 'attention') return tensor === inputs.mask && length === 4
  return tensor === (name === 'embedding' ? origin?.ids : inputs.x) && tensor !== inputs.weight
}

/** Whether all rows of a constant are the same. @param {Tensor} tensor @param {number} batch */
function isRepeated({ shape, bytes }, batch) {
  const row = bytes.length / batch
  return shape.length > 1 && shape[0] === batch && bytes.every((byte, i) => byte === bytes[i % row])
}

/**
 * @param {Recorded} recorded @param {Set<Node>} live what is to be written
 * @returns {Open} empty where the batch cannot be told from other sides, as with one of 1, or does not stay in front
 */
export function openBatch({ inputs, state }, live) {
  const none = { batched: new Set(), single: new Set() }, [batch = 1] = inputs[0]?.tensor.shape ?? []
  const fits = batch > 1 && inputs.every(({ tensor: { shape } }) => shape.length > 1 && shape[0] === batch)
  if (!fits) return none
  const batched = new Set(inputs.map(({ tensor }) => tensor)), single = /** @type {Set<Tensor>} */ (new Set())
  const made = /** @type {Set<Tensor>} */ (new Set()), has = (/** @type {Tensor} */ tensor) => batched.has(tensor)
  for (const node of live) {
    const sources = sourcesOf(node), { op: { name } } = node, outputs = Object.values(node.outputs)
    const isConstant = (/** @type {Tensor} */ t) => !made.has(t) && !state.has(t) && !has(t)
    if (name !== 'rotary') for (const t of sources) {
      if (isConstant(t) && isInFront(node, t) && isRepeated(t, batch)) single.add(t)
    }
    for (const tensor of outputs) made.add(tensor)
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : null, isSingle = sources.some(t => single.has(t))
    if (sources.some(t => single.has(t) && !isInFront(node, t))) return none
    if (sources.some(has)) {
      // A single row is stretched where others are: it counts as one of length 1.
      const seen = isSingle ? withRows(node, single) : node
      if (!rule?.(seen, has, batch)) return none
      for (const tensor of outputs) batched.add(tensor)
    } else if (isSingle) {
      if (!ROWWISE.includes(name)) return none
      for (const tensor of outputs) single.add(tensor)
    }
  }
  return { batched, single }
}

/** The node with single rows as they will be. @param {Node} node @param {Set<Tensor>} single @returns {Node} */
function withRows(node, single) {
  const inputs = Object.fromEntries(Object.entries(node.inputs).map(([key, t]) => [key, single.has(t)
    ? t.engine.view(t, [1, ...t.shape.slice(1)]) : t]))
  return { ...node, inputs }
}
