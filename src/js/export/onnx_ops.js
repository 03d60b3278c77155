import { indicesOf } from '../tensor/shape.js'
import { attention, rotary } from './onnx_attention.js'
import { TYPES } from './onnx_file.js'
import { unsupported } from './onnx_graph.js'
import { crossEntropy, nllLoss } from './onnx_loss.js'

/**
 * The ONNX operators of every operation of the library, by its name in a trace.
 *
 * @typedef {import('./onnx_graph.js').OnnxGraph} Graph
 * @typedef {import('../autograd/autograd.js').Node} Node
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {(graph: Graph, node: Node) => string} Rule the name of the first result
 */

/**
 * An operator with one input.
 * @param {string} type @param {(node: Node) => Record<string, any>} [attributes] @returns {Rule}
 */
const unary = (type, attributes) => (g, node) => g.add(type, [g.value(node.inputs.x)], attributes?.(node))

/** Several operators in a row. @param {...string} types @returns {Rule} */
const chain = (...types) => (g, { inputs: { x } }) => types.reduce((value, type) => g.add(type, [value]), g.value(x))

/**
 * Several operators that compute a formula of x.
 * @param {(graph: Graph, x: string, node: Node) => string} make @returns {Rule}
 */
const formula = make => (g, node) => make(g, g.value(node.inputs.x), node)

/** Both operands, one of which may be a number. @param {Graph} g @param {Node} node */
const operands = (g, { inputs: { a, b }, outputs: { out }, saved: { number } }) => [a, b].map(tensor => {
  if (!tensor) return g.number(number, out.dtype === 'float32' ? 'float32' : 'int32')
  return out.dtype === 'float32' ? g.value(tensor) : boolAsInt(g, tensor)
})

/** @param {string} type @returns {Rule} */
const binary = type => (g, node) => {
  const result = g.add(type, operands(g, node))
  return node.outputs.out.dtype === 'bool' ? g.add('Cast', [result], { to: TYPES.bool }) : result
}

/** Both operands as float32. @param {Graph} g @param {Node} node */
const floatOperands = (g, { inputs: { a, b }, saved: { number } }) => [a, b].map(tensor => {
  if (!tensor) return g.number(number)
  return tensor.dtype === 'float32' ? g.value(tensor) : g.cast(g.value(tensor), 'float32', TYPES.float32)
})

/** @param {string} type @returns {Rule} */
const comparison = type => (g, node) => g.add(type, floatOperands(g, node))

/** A logical operator of `a != 0` and `b != 0`. @param {string} type @returns {Rule} */
const logical = type => (g, { inputs: { a, b }, saved: { number } }) => g.add(type, [a, b].map(tensor =>
  (tensor ? asBool(g, tensor) : g.number(number ? 1 : 0, 'bool'))))

/** @param {Graph} g @param {Tensor} x */
const asBool = (g, x) => (x.dtype === 'bool' ? g.value(x) : g.cast(g.value(x), 'bool', TYPES.bool))

/** x × gate(x). @param {(graph: Graph, x: string) => string} gate @returns {Rule} */
const gated = gate => formula((g, x) => g.add('Mul', [x, gate(g, x)]))

/** @type {Record<string, (graph: Graph, x: string) => string>} */
const GELU_NODES = {
  /** (1 + erf(x / √2)) / 2 */
  none: (g, x) => half(g, g.add('Erf', [g.add('Mul', [x, g.number(Math.SQRT1_2)])])),
  /** (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2 */
  tanh(g, x) {
    const cube = g.add('Mul', [x, g.add('Mul', [x, x])]), small = g.add('Mul', [cube, g.number(0.044715)])
    return half(g, g.add('Tanh', [g.add('Mul', [g.add('Add', [x, small]), g.number(Math.sqrt(2 / Math.PI))])]))
  }
}
/** @param {Graph} g @param {string} x @returns {string} (1 + x) / 2 */
const half = (g, x) => g.add('Mul', [g.add('Add', [x, g.number(1)]), g.number(0.5)])

/** @param {Node} node */
const keepdims = ({ saved: { keepdim } }) => (keepdim ? 1 : 0)

/** A reduction whose axes are an attribute. @param {string} type @returns {Rule} */
const reduce = type => (g, node) => {
  const { inputs: { x }, saved: { axes } } = node, isBool = x.dtype === 'bool'
  const source = isBool ? g.cast(g.value(x), 'int32', TYPES.int32) : g.value(x)
  const result = axes.length ? g.add(type, [source], { axes, keepdims: keepdims(node) }) : g.add('Identity', [source])
  return node.outputs.out.dtype === 'bool' ? g.add('Cast', [result], { to: TYPES.bool }) : result
}

/** @param {Graph} g @param {string} x @param {number[]} axes @param {number} keepdim */
const sum = (g, x, axes, keepdim) =>
  (axes.length ? g.add('ReduceSum', [x, g.ints(axes)], { keepdims: keepdim }) : g.add('Identity', [x]))

/** @param {Graph} g @param {Node} node @returns {string} Σ (x − mean)² / (n − correction) */
function variance(g, node) {
  const { inputs: { x }, saved: { axes, p } } = node, value = g.value(x)
  const n = axes.reduce((/** @type {number} */ all, /** @type {number} */ axis) => all * x.shape[axis], 1)
  const mean = axes.length ? g.add('ReduceMean', [value], { axes, keepdims: 1 }) : value
  const difference = g.add('Sub', [value, mean])
  return g.add('Div', [sum(g, g.add('Mul', [difference, difference]), axes, keepdims(node)), g.number(Math.max(n - p, 0))])
}

/** (Σ |x|ᵖ)^(1/p) @type {Rule} */
function norm(g, node) {
  const { inputs: { x }, saved: { axes, p } } = node
  if (!Number.isFinite(p) || p === 0) throw unsupported(`norm with p = ${p} cannot be exported`)
  const powers = g.add('Pow', [g.add('Abs', [g.value(x)]), g.number(p)])
  return g.add('Pow', [sum(g, powers, axes, keepdims(node)), g.number(1 / p)])
}

/** argmax or argmin along one axis, or of all elements. @param {string} type @returns {Rule} */
const argReduce = type => (g, { inputs: { x }, outputs: { out }, saved: { axes, keepdim } }) => {
  const isSingleAxis = axes.length === 1, source = isSingleAxis ? g.value(x) : g.reshape(g.value(x), [-1])
  const result = g.add(type, [source], { axis: isSingleAxis ? axes[0] : 0, keepdims: isSingleAxis && keepdim ? 1 : 0 })
  return isSingleAxis ? result : g.reshape(result, out.shape)
}

/** Whether all or any elements are not 0. @param {string} type @returns {Rule} */
const allOrAny = type => (g, node) => {
  const asInt = g.cast(asBool(g, node.inputs.x), 'int32', TYPES.int32), { axes } = node.saved
  const result = axes.length ? g.add(type, [asInt], { axes, keepdims: keepdims(node) }) : asInt
  return g.add('Cast', [result], { to: TYPES.bool })
}

/**
 * Rows of a weight [O, I], transposed. The weight itself keeps its name and shape.
 * @param {Graph} g @param {Tensor} weight @param {number} first @param {number} count
 */
const transposedRows = (g, weight, first, count) => g.once(`columns ${g.value(weight)} ${first} ${count}`,
  () => g.add('Transpose', [sliceRows(g, weight, first, count)], { perm: [1, 0] }))

/** @param {Graph} g @param {Tensor} weight @param {number} first @param {number} count */
const sliceRows = (g, weight, first, count) => (count === weight.shape[0] ? g.value(weight)
  : g.once(`rows ${g.value(weight)} ${first} ${count}`,
      () => g.add('Slice', [g.value(weight), g.ints([first]), g.ints([first + count]), g.ints([0])])))

/** @type {Rule} */
function linear(g, { inputs: { x, weight, bias }, saved: { first, count, biasFirst } }) {
  const result = g.add('MatMul', [g.value(x), transposedRows(g, weight, first, count)])
  return bias ? g.add('Add', [result, sliceRows(g, bias, biasFirst, count)]) : result
}

/** @type {Rule} */
function layerNorm(g, { inputs: { x, weight, bias }, saved: { eps } }) {
  const C = x.shape.at(-1), scale = weight ? g.value(weight) : g.floats(`ones_${C}`, [C], new Float32Array(C).fill(1))
  const inputs = [g.value(x), scale, ...(bias ? [g.value(bias)] : [])]
  return g.add('LayerNormalization', inputs, { axis: -1, epsilon: { float: eps } })
}

/** @type {Rule} */
function rmsNorm(g, { inputs: { x, weight }, saved: { eps } }) {
  const value = g.value(x), squares = g.add('Mul', [value, value])
  const mean = g.add('ReduceMean', [squares], { axes: [-1], keepdims: 1 })
  const result = g.add('Div', [value, g.add('Sqrt', [g.add('Add', [mean, g.number(eps)])])])
  return weight ? g.add('Mul', [result, g.value(weight)]) : result
}

/** @type {Rule} */
const transpose = (g, { inputs: { x }, saved: { a, b } }) => g.add('Transpose', [g.value(x)], {
  perm: x.shape.map((/** @type {number} */ _, /** @type {number} */ axis) => (axis === a ? b : axis === b ? a : axis))
})

/**
 * Elements of x from `start` up to `end`, every `step`-th.
 * @param {Graph} g @param {Tensor} x @param {number[]} axes @param {number} start @param {number} end
 * @param {number} step
 */
const slice = (g, x, axes, start, end, step) => g.add('Slice', [g.value(x),
  ...[start, end].map(bound => g.ints(axes.map(() => bound))), g.ints(axes), g.ints(axes.map(() => step))])

/** Elements at arbitrary strides, by their indices. @type {Rule} */
function strided(g, { inputs: { x }, outputs: { out }, saved: { steps, offset } }) {
  const positions = indicesOf(out.shape).map(index => index.reduce((at, i, axis) => at + i * steps[axis], offset))
  return g.reshape(g.add('Gather', [g.reshape(g.value(x), [-1]), g.ints(positions)], { axis: 0 }), out.shape)
}

/** @param {string} [reduction] @returns {Rule} */
const scatter = reduction => (g, { inputs: { x, src }, saved: { dim, origin } }) => g.add('ScatterElements',
  [g.value(x), g.value(origin.indices), g.value(src)], { axis: dim, ...(reduction && { reduction }) })

/** @type {Rule} */
function order(g, { inputs: { x }, outputs: { out }, saved: { dim, descending } }) {
  const inputs = [g.value(x), g.ints([out.shape[dim]])]
  return g.addAll('TopK', inputs, 2, { axis: dim, largest: descending ? 1 : 0 })[1]
}

/** @type {Rule} */
function where(g, { inputs: { mask, a, b }, outputs: { out: { dtype } }, saved }) {
  const [first, second] = [[a, saved.a], [b, saved.b]].map(([tensor, number]) =>
    (tensor ? boolAsInt(g, tensor) : g.number(number, dtype === 'float32' ? 'float32' : 'int32')))
  const result = g.add('Where', [g.value(mask), first, second])
  return dtype === 'bool' ? g.add('Cast', [result], { to: TYPES.bool }) : result
}

/** @type {Rule} */
function softplus(g, { inputs: { x }, saved: { parameters: { beta, threshold } } }) {
  const inner = g.add('Mul', [g.value(x), g.number(beta)])
  const curve = g.add('Div', [g.add('Softplus', [inner]), g.number(beta)])
  return g.add('Where', [g.add('Greater', [inner, g.number(threshold)]), g.value(x), curve])
}

/** @type {Record<string, Rule>} */
export const RULES = {
  neg: unary('Neg'), abs: unary('Abs'), sign: unary('Sign'), floor: unary('Floor'), round: unary('Round'), sqrt: unary('Sqrt'),
  square: formula((g, x) => g.add('Mul', [x, x])), rsqrt: chain('Sqrt', 'Reciprocal'), reciprocal: unary('Reciprocal'),
  exp: unary('Exp'), log: unary('Log'), sin: unary('Sin'), cos: unary('Cos'), tanh: unary('Tanh'), sigmoid: unary('Sigmoid'),
  ceil: unary('Ceil'), erf: unary('Erf'), log1p: formula((g, x) => g.add('Log', [g.add('Add', [x, g.number(1)])])),
  expm1: formula((g, x) => g.add('Sub', [g.add('Exp', [x]), g.number(1)])),
  trunc: formula((g, x) => g.add('Mul', [g.add('Sign', [x]), g.add('Floor', [g.add('Abs', [x])])])),
  relu: unary('Relu'), silu: gated((g, x) => g.add('Sigmoid', [x])), softplus,
  leaky_relu: unary('LeakyRelu', ({ saved: { p } }) => ({ alpha: { float: p } })),
  clamp: formula((g, x, { saved: { p, q } }) => g.add('Clip', [x, g.number(p), g.number(q)])),
  gelu: (g, node) => gated(GELU_NODES[node.saved.approximate])(g, node),

  add: binary('Add'), sub: binary('Sub'), mul: binary('Mul'), div: binary('Div'), pow: binary('Pow'), maximum: binary('Max'),
  minimum: binary('Min'),
  squared_error: (g, node) => (difference => g.add('Mul', [difference, difference]))(g.add('Sub', operands(g, node))),
  absolute_error: (g, node) => g.add('Abs', [g.add('Sub', operands(g, node))]),

  eq: comparison('Equal'), ne: (g, node) => g.add('Not', [g.add('Equal', floatOperands(g, node))]), lt: comparison('Less'),
  le: comparison('LessOrEqual'), gt: comparison('Greater'), ge: comparison('GreaterOrEqual'), logicalAnd: logical('And'),
  logicalOr: logical('Or'), logicalXor: logical('Xor'),

  sum: (g, node) => sum(g, boolAsInt(g, node.inputs.x), node.saved.axes, keepdims(node)),
  mean: reduce('ReduceMean'), logsumexp: reduce('ReduceLogSumExp'), prod: reduce('ReduceProd'),
  max: reduce('ReduceMax'), amax: reduce('ReduceMax'), min: reduce('ReduceMin'), amin: reduce('ReduceMin'),
  var: variance, std: (g, node) => g.add('Sqrt', [variance(g, node)]), norm, argmax: argReduce('ArgMax'),
  argmin: argReduce('ArgMin'), all: allOrAny('ReduceMin'), any: allOrAny('ReduceMax'),
  cumsum: formula((g, x, { saved: { dim } }) => g.add('CumSum', [x, g.number(dim, 'int32')])),

  softmax: unary('Softmax', ({ saved: { dim } }) => ({ axis: dim })),
  log_softmax: unary('LogSoftmax', ({ saved: { dim } }) => ({ axis: dim })),
  layer_norm: layerNorm, rms_norm: rmsNorm, linear, matmul: binary('MatMul'), attention, rotary,
  cross_entropy: crossEntropy, nll_loss: nllLoss,
  embedding: (g, { inputs: { weight }, saved: { origin } }) => g.add('Gather', [g.value(weight), g.value(origin.ids)]),
  average_heads: (g, { inputs: { weights } }) => g.add('ReduceMean', [g.value(weights)], { axes: [1], keepdims: 0 }),

  reshape: formula((g, x, { outputs: { out } }) => g.reshape(x, g.shapeOf(out))), transpose,
  permute: unary('Transpose', ({ saved: { parameters: { dims } } }) => ({ perm: dims })),
  expand: formula((g, x, { outputs: { out } }) => g.add('Expand', [x, g.ints(g.shapeOf(out).map(Math.abs))])),
  narrow: (g, { inputs: { x }, outputs: { out }, saved: { dim, start } }) =>
    slice(g, x, [dim], start, start + out.shape[dim], 1),
  slice: (g, { inputs: { x }, saved: { parameters: { dim, start, end, step } } }) =>
    slice(g, x, [dim], start, end, step),
  flip: (g, { inputs: { x }, saved: { parameters: { dims } } }) =>
    (dims.length ? slice(g, x, dims, -1, -(2 ** 31), -1) : g.add('Identity', [g.value(x)])),
  diagonal: strided, unfold: strided,
  cat: (g, { inputs, saved: { dim } }) => g.add('Concat', Object.values(inputs).map(x => g.value(x)), { axis: dim }),
  where,
  gather: (g, { inputs: { x }, saved: { dim, origin } }) =>
    g.add('GatherElements', [g.value(x), g.value(origin.indices)], { axis: dim }),
  index_select: (g, { inputs: { x }, saved: { dim, origin } }) =>
    g.add('Gather', [g.value(x), g.value(origin.indices)], { axis: dim }),
  scatter: scatter(), scatter_add: scatter('add'),
  order,
  to: formula((g, x, { outputs: { out } }) => g.cast(x, out.dtype, TYPES[out.dtype])),
  clone: unary('Identity'), detach: unary('Identity'), dropout: unary('Identity')
}

/** @param {Graph} g @param {Tensor} x */
const boolAsInt = (g, x) => (x.dtype === 'bool' ? g.cast(g.value(x), 'int32', TYPES.int32) : g.value(x))
