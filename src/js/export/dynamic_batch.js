import { Tensor } from '../tensor/tensor.js'
import { dependenciesOf } from './record.js'

/**
 * Decides whether the batch of an exported graph may have any size: every operation must keep the batch in front. If
 * one does not, or is unknown, all sizes stay those of the example.
 *
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('./record.js').Recorded} Recorded
 *
 * batched: tensors whose first axis is the batch or a multiple of it; single: constants with the same values for every
 * row of the batch.
 * @typedef {{ batched: Set<Tensor>, single: Set<Tensor> }} DynamicBatch
 * @typedef {(node: Node, isBatched: (tensor: Tensor) => boolean, batch: number) => boolean | 'any'} Rule whether the
 *   result has the batch in front if the inputs have; 'any' for a result without it that is right for any batch
 */

/** @type {Rule} */ const keepsAlways = () => true
/** @type {Rule} */ const keepsAlongOtherDim = ({ saved: { dim, parameters } }) => (dim ?? parameters?.dim) > 0
/** @type {Rule} */ const keepsUnlessReduced = ({ saved: { axes } }) => !axes.includes(0)

/** Operands without the batch must be broadcast along it, or have no such axis. @type {Rule} */
const keepsElementwise = ({ inputs, outputs: { out } }, isBatched) => Object.values(inputs).every(t =>
  !(t instanceof Tensor) || (isBatched(t) ? t.shape.length === out.shape.length
    : t.shape.length < out.shape.length || t.shape[0] === 1))

/** @type {Rule} */
const keepsInMatmul = (node, isBatched, batch) => {
  const { inputs: { b } } = node
  return keepsElementwise(node, isBatched, batch) && !(isBatched(b) && b.shape.length < 3)
}

/** @type {Rule} */
const keepsInReshape = ({ inputs: { x }, outputs: { out } }, _, batch) => {
  const inner = out.numel() / out.shape[0]
  return (x.numel() / batch) % inner === 0
}

/** @type {Rule} */
const keepsInAttention = ({ inputs: { q, k, v, mask }, saved: { padding, origin } }, isBatched) =>
  [q, k, v].every(isBatched) &&
  (!padding || isBatched(origin?.padding)) && (!mask || mask.shape.length === 2 ||
    (mask.shape.length === 4 && (isBatched(mask) || mask.shape[0] === 1)))

/** Whether the positions differ between the rows of a batch. @param {Node} node */
export const hasPositionsPerRow = ({ saved: { batch, positions } }) =>
  batch > 0 && !Array.from(positions).every((p, i) => p === positions[i % batch])

/** A mean or sum is taken over the rows that are there. @type {Rule} */
const keepsInLoss = ({ inputs, saved: { origin, reduction } }, isBatched) =>
  isBatched(inputs.logits ?? inputs.x) && isBatched(origin.target) && (reduction === 'none' || 'any')

/** @param {string[]} names @param {Rule} rule */
const forAll = (names, rule) => Object.fromEntries(names.map(name => [name, rule]))

/** @type {Rule} */
const keepsRows = ({ inputs: { x, weight, bias } }, isBatched) => (
  x.shape.length > 1 && ![weight, bias].some(t => t && isBatched(t)))

/** The rules of kinds of operations. @type {Record<string, Rule>} */
const KIND_RULES = {
  activation: keepsElementwise, elementwise: keepsElementwise, norm: keepsRows, reduction: keepsUnlessReduced
}

/** The rules of further operations by name. @type {Record<string, Rule>} */
const RULES = {
  ...forAll(['clone', 'detach', 'average_heads'], keepsAlways),
  linear: keepsRows,
  ...forAll(['softmax', 'log_softmax', 'cumsum', 'narrow', 'slice', 'order'], keepsAlongOtherDim),
  cross_entropy: keepsInLoss, nll_loss: keepsInLoss,
  matmul: keepsInMatmul, reshape: keepsInReshape, attention: keepsInAttention,
  embedding: ({ inputs: { weight }, saved: { origin } }, isBatched) => isBatched(origin.ids) && !isBatched(weight),
  rotary: (node, isBatched) => node.inputs.x.shape.length > 2 && isBatched(node.inputs.x) &&
    (isBatched(node.saved.origin?.positions) || !hasPositionsPerRow(node)),
  transpose: ({ saved: { a } }) => a > 0, // the smaller of the two axes
  permute: ({ saved: { parameters: { dims } } }) => dims[0] === 0,
  flip: ({ saved: { parameters: { dims } } }) => !dims.includes(0),
  expand: ({ inputs: { x }, outputs: { out } }) => x.shape.length === out.shape.length && x.shape[0] === out.shape[0],
  cat: ({ inputs, saved: { dim } }, isBatched) => dim > 0 && Object.values(inputs).every(isBatched),
  gather: ({ inputs: { x }, saved: { dim, origin } }, isBatched) =>
    dim > 0 && isBatched(x) && isBatched(origin.indices),
  index_select: ({ saved: { dim, origin } }, isBatched) => dim > 0 && !isBatched(origin.indices)
}

/** Operations that compute each row by itself, so that equal rows stay equal. */
const ROWWISE = ['embedding', 'add', 'mul', 'layer_norm', 'rms_norm', 'linear']

/**
 * Whether a tensor's first axis is the batch for this operation. A weight, or the right operand of a matrix product,
 * may have as many rows by chance.
 * @param {Node} node @param {Tensor} tensor
 */
function hasBatchFirst({ op: { name, kind }, inputs, outputs, saved: { origin } }, tensor) {
  const { length } = tensor.shape
  if (kind === 'elementwise') return length === outputs.out.shape.length
  if (name === 'matmul') return length > 2 && length === outputs.out.shape.length
  if (name === 'attention') return tensor === inputs.mask && length === 4
  return tensor === (name === 'embedding' ? origin?.ids : inputs.x) && tensor !== inputs.weight
}

/** Whether all rows of a constant are equal. @param {Tensor} tensor @param {number} batch */
function hasEqualRows({ shape, bytes }, batch) {
  const row = bytes.length / batch
  return shape.length > 1 && shape[0] === batch && bytes.every((byte, i) => byte === bytes[i % row])
}

/**
 * Finds the tensors with a batch of any size.
 * @param {Recorded} recorded @param {Set<Node>} live nodes to be exported
 * @returns {DynamicBatch} empty if the batch is 1, which cannot be distinguished from other sizes, or does not stay in
 *   front
 */
export function findBatched({ inputs, state }, live) {
  const none = { batched: new Set(), single: new Set() }, [batch = 1] = inputs[0]?.tensor.shape ?? []
  const hasCommonBatch = batch > 1 && inputs.every(({ tensor: { shape } }) => shape.length > 1 && shape[0] === batch)
  if (!hasCommonBatch) return none
  const batched = new Set(inputs.map(({ tensor }) => tensor)), single = /** @type {Set<Tensor>} */ (new Set())
  const computed = /** @type {Set<Tensor>} */ (new Set())
  const isBatched = (/** @type {Tensor} */ tensor) => batched.has(tensor)
  for (const node of live) {
    const sources = dependenciesOf(node), { op: { name, kind } } = node, outputs = Object.values(node.outputs)
    const isConstant = (/** @type {Tensor} */ t) => !computed.has(t) && !state.has(t) && !isBatched(t)
    if (name !== 'rotary') for (const t of sources) {
      if (isConstant(t) && hasBatchFirst(node, t) && hasEqualRows(t, batch)) single.add(t)
    }
    for (const tensor of outputs) computed.add(tensor)
    const rule = Object.hasOwn(RULES, name) ? RULES[name] : KIND_RULES[kind ?? ''], hasSingle = sources.some(t => single.has(t))
    if (sources.some(t => single.has(t) && !hasBatchFirst(node, t))) return none
    if (sources.some(isBatched)) {
      // A single row is broadcast: its batch counts as 1.
      const ruleNode = hasSingle ? withSingleRows(node, single) : node
      const keeps = rule?.(ruleNode, isBatched, batch)
      if (!keeps) return none
      if (keeps !== 'any') for (const tensor of outputs) batched.add(tensor)
    } else if (hasSingle) {
      if (!ROWWISE.includes(name)) return none
      for (const tensor of outputs) single.add(tensor)
    }
  }
  return { batched, single }
}

/**
 * A copy of the node in which single rows are batches of 1.
 * @param {Node} node @param {Set<Tensor>} single @returns {Node}
 */
function withSingleRows(node, single) {
  const inputs = Object.fromEntries(Object.entries(node.inputs).map(([key, t]) => [key, single.has(t)
    ? t.engine.view(t, [1, ...t.shape.slice(1)]) : t]))
  return { ...node, inputs }
}
