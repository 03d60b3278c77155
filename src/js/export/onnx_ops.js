import { indicesOf } from '../shape.js'
import { attention, rotary } from './onnx_attention.js'
import { TYPES } from './onnx_file.js'
import { refused } from './onnx_graph.js'

/**
 * What every operation of the library becomes in ONNX, by the name that a trace knows it by: a line or a short function
 * each.
 *
 * @typedef {import('./onnx_graph.js').OnnxGraph} Graph
 * @typedef {import('../autograd.js').Node} Node
 * @typedef {import('../tensor.js').Tensor} Tensor
 * @typedef {(graph: Graph, node: Node) => string} Rule the name of the first result
 */

/**
 * An operator of x alone.
 * @param {string} type @param {(node: Node) => Record<string, any>} [attributes] @returns {Rule}
 */
const one = (type, attributes) => (g, node) => g.add(type, [g.of(node.inputs.x)], attributes?.(node))

/** Several of x, one after the other. @param {...string} types @returns {Rule} */
const chain = (...types) => (g, { inputs: { x } }) => types.reduce((value, type) => g.add(type, [value]), g.of(x))

/** What a formula makes of x. @param {(graph: Graph, x: string, node: Node) => string} make @returns {Rule} */
const of = make => (g, node) => make(g, g.of(node.inputs.x), node)

/** Both operands, of which one may be a number. @param {Graph} g @param {Node} node */
const pair = (g, { inputs: { a, b }, outputs: { out }, saved: { number } }) => [a, b].map(tensor => {
  if (!tensor) return g.number(number, out.dtype === 'float32' ? 'float32' : 'int32')
  return out.dtype === 'float32' ? g.of(tensor) : truthAsWhole(g, tensor)
})

/** @param {string} type @returns {Rule} */
const two = type => (g, node) => {
  const made = g.add(type, pair(g, node))
  return node.outputs.out.dtype === 'bool' ? g.add('Cast', [made], { to: TYPES.bool }) : made
}

/** Both as numbers, whatever they are. @param {Graph} g @param {Node} node */
const numbers = (g, { inputs: { a, b }, saved: { number } }) => [a, b].map(tensor => {
  if (!tensor) return g.number(number)
  return tensor.dtype === 'float32' ? g.of(tensor) : g.cast(g.of(tensor), 'float32', TYPES.float32)
})

/** @param {string} type @returns {Rule} */
const question = type => (g, node) => g.add(type, numbers(g, node))

/** Whether it is not 0, of both. @param {string} type @returns {Rule} */
const logical = type => (g, { inputs: { a, b }, saved: { number } }) => g.add(type, [a, b].map(tensor =>
  (tensor ? truth(g, tensor) : g.number(number ? 1 : 0, 'bool'))))

/** @param {Graph} g @param {Tensor} x */
const truth = (g, x) => (x.dtype === 'bool' ? g.of(x) : g.cast(g.of(x), 'bool', TYPES.bool))

/** x times something made of it. @param {(graph: Graph, x: string) => string} gate @returns {Rule} */
const gated = gate => of((g, x) => g.add('Mul', [x, gate(g, x)]))

/** @type {Record<string, (graph: Graph, x: string) => string>} */
const GELU = {
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

/** Over axes that stand among the attributes. @param {string} type @returns {Rule} */
const reduced = type => (g, node) => {
  const { inputs: { x }, saved: { axes } } = node, isWhole = x.dtype === 'bool'
  const from = isWhole ? g.cast(g.of(x), 'int32', TYPES.int32) : g.of(x)
  const made = axes.length ? g.add(type, [from], { axes, keepdims: keepdims(node) }) : g.add('Identity', [from])
  return isWhole ? g.add('Cast', [made], { to: TYPES.bool }) : made
}

/** @param {Graph} g @param {string} x @param {number[]} axes @param {number} keep */
const sum = (g, x, axes, keep) =>
  (axes.length ? g.add('ReduceSum', [x, g.ints(axes)], { keepdims: keep }) : g.add('Identity', [x]))

/** @param {Graph} g @param {Node} node @returns {string} Σ (x − mean)² / (n − correction) */
function variance(g, node) {
  const { inputs: { x }, saved: { axes, p } } = node, value = g.of(x)
  const n = axes.reduce((/** @type {number} */ all, /** @type {number} */ axis) => all * x.shape[axis], 1)
  const mean = axes.length ? g.add('ReduceMean', [value], { axes, keepdims: 1 }) : value
  const off = g.add('Sub', [value, mean])
  return g.add('Div', [sum(g, g.add('Mul', [off, off]), axes, keepdims(node)), g.number(Math.max(n - p, 0))])
}

/** (Σ |x|ᵖ)^(1/p) @type {Rule} */
function norm(g, node) {
  const { inputs: { x }, saved: { axes, p } } = node
  if (!Number.isFinite(p) || p === 0) throw refused(`norm with p = ${p} has no counterpart here`)
  const powers = g.add('Pow', [g.add('Abs', [g.of(x)]), g.number(p)])
  return g.add('Pow', [sum(g, powers, axes, keepdims(node)), g.number(1 / p)])
}

/** Along one axis, or of all cells in a row. @param {string} type @returns {Rule} */
const place = type => (g, { inputs: { x }, outputs: { out }, saved: { axes, keepdim } }) => {
  const isOne = axes.length === 1, from = isOne ? g.of(x) : g.reshape(g.of(x), [-1])
  const found = g.add(type, [from], { axis: isOne ? axes[0] : 0, keepdims: isOne && keepdim ? 1 : 0 })
  return isOne ? found : g.reshape(found, out.shape)
}

/** Whether every or any cell is not 0. @param {string} type @returns {Rule} */
const ask = type => (g, node) => {
  const whole = g.cast(truth(g, node.inputs.x), 'int32', TYPES.int32), { axes } = node.saved
  const found = axes.length ? g.add(type, [whole], { axes, keepdims: keepdims(node) }) : whole
  return g.add('Cast', [found], { to: TYPES.bool })
}

/**
 * Some rows of a weight [O, I], the other way round; its name and shape among the weights are the model's.
 * @param {Graph} g @param {Tensor} weight @param {number} first @param {number} count
 */
const columns = (g, weight, first, count) => g.once(`columns ${g.of(weight)} ${first} ${count}`,
  () => g.add('Transpose', [part(g, weight, first, count)], { perm: [1, 0] }))

/** @param {Graph} g @param {Tensor} weight @param {number} first @param {number} count */
const part = (g, weight, first, count) => (count === weight.shape[0] ? g.of(weight)
  : g.once(`rows ${g.of(weight)} ${first} ${count}`,
      () => g.add('Slice', [g.of(weight), g.ints([first]), g.ints([first + count]), g.ints([0])])))

/** @type {Rule} */
function linear(g, { inputs: { x, weight, bias }, saved: { first, count, biasFirst } }) {
  const made = g.add('MatMul', [g.of(x), columns(g, weight, first, count)])
  return bias ? g.add('Add', [made, part(g, bias, biasFirst, count)]) : made
}

/** @type {Rule} */
function layerNorm(g, { inputs: { x, weight, bias }, saved: { eps } }) {
  const C = x.shape.at(-1), scale = weight ? g.of(weight) : g.floats(`ones_${C}`, [C], new Float32Array(C).fill(1))
  const inputs = [g.of(x), scale, ...(bias ? [g.of(bias)] : [])]
  return g.add('LayerNormalization', inputs, { axis: -1, epsilon: { float: eps } })
}

/** @type {Rule} */
function rmsNorm(g, { inputs: { x, weight }, saved: { eps } }) {
  const value = g.of(x), squares = g.add('Mul', [value, value])
  const mean = g.add('ReduceMean', [squares], { axes: [-1], keepdims: 1 })
  const made = g.add('Div', [value, g.add('Sqrt', [g.add('Add', [mean, g.number(eps)])])])
  return weight ? g.add('Mul', [made, g.of(weight)]) : made
}

/** @type {Rule} */
const transpose = (g, { inputs: { x }, saved: { a, b } }) => g.add('Transpose', [g.of(x)], {
  perm: x.shape.map((/** @type {number} */ _, /** @type {number} */ axis) => (axis === a ? b : axis === b ? a : axis))
})

/**
 * Cells of x from `start` up to `end`, every `step`-th.
 * @param {Graph} g @param {Tensor} x @param {number[]} axes @param {number} start @param {number} end
 * @param {number} step
 */
const cut = (g, x, axes, start, end, step) => g.add('Slice', [g.of(x),
  ...[start, end].map(place => g.ints(axes.map(() => place))), g.ints(axes), g.ints(axes.map(() => step))])

/** Cells that lie anyhow in x, by their places. @type {Rule} */
function strided(g, { inputs: { x }, outputs: { out }, saved: { steps, offset } }) {
  const places = indicesOf(out.shape).map(index => index.reduce((at, i, axis) => at + i * steps[axis], offset))
  return g.reshape(g.add('Gather', [g.reshape(g.of(x), [-1]), g.ints(places)], { axis: 0 }), out.shape)
}

/** @param {string} [reduction] @returns {Rule} */
const scatter = reduction => (g, { inputs: { x, src }, saved: { dim, origin } }) => g.add('ScatterElements',
  [g.of(x), g.of(origin.places), g.of(src)], { axis: dim, ...(reduction && { reduction }) })

/** @type {Rule} */
function order(g, { inputs: { x }, outputs: { out }, saved: { dim, descending } }) {
  const inputs = [g.of(x), g.ints([out.shape[dim]])]
  return g.addAll('TopK', inputs, 2, { axis: dim, largest: descending ? 1 : 0 })[1]
}

/** @type {Rule} */
const chosen = (g, { inputs: { mask, a, b }, saved }) =>
  g.add('Where', [g.of(mask), a ? g.of(a) : g.number(saved.a), b ? g.of(b) : g.number(saved.b)])

/** @type {Rule} */
function softplus(g, { inputs: { x }, saved: { parameters: { beta, threshold } } }) {
  const inner = g.add('Mul', [g.of(x), g.number(beta)])
  const curve = g.add('Div', [g.add('Softplus', [inner]), g.number(beta)])
  return g.add('Where', [g.add('Greater', [inner, g.number(threshold)]), g.of(x), curve])
}

/** @type {Record<string, Rule>} */
export const RULES = {
  neg: one('Neg'), abs: one('Abs'), sign: one('Sign'), floor: one('Floor'), round: one('Round'), sqrt: one('Sqrt'),
  square: of((g, x) => g.add('Mul', [x, x])), rsqrt: chain('Sqrt', 'Reciprocal'), reciprocal: one('Reciprocal'),
  exp: one('Exp'), log: one('Log'), sin: one('Sin'), cos: one('Cos'), tanh: one('Tanh'), sigmoid: one('Sigmoid'),
  relu: one('Relu'), silu: gated((g, x) => g.add('Sigmoid', [x])), softplus,
  leaky_relu: one('LeakyRelu', ({ saved: { p } }) => ({ alpha: { float: p } })),
  clamp: of((g, x, { saved: { p, q } }) => g.add('Clip', [x, g.number(p), g.number(q)])),
  gelu: (g, node) => gated(GELU[node.saved.approximate])(g, node),

  add: two('Add'), sub: two('Sub'), mul: two('Mul'), div: two('Div'), pow: two('Pow'), maximum: two('Max'),
  minimum: two('Min'),
  squared_error: (g, node) => (off => g.add('Mul', [off, off]))(g.add('Sub', pair(g, node))),
  absolute_error: (g, node) => g.add('Abs', [g.add('Sub', pair(g, node))]),

  eq: question('Equal'), ne: (g, node) => g.add('Not', [g.add('Equal', numbers(g, node))]), lt: question('Less'),
  le: question('LessOrEqual'), gt: question('Greater'), ge: question('GreaterOrEqual'), logicalAnd: logical('And'),
  logicalOr: logical('Or'), logicalXor: logical('Xor'),

  sum: (g, node) => sum(g, truthAsWhole(g, node.inputs.x), node.saved.axes, keepdims(node)),
  mean: reduced('ReduceMean'), logsumexp: reduced('ReduceLogSumExp'), prod: reduced('ReduceProd'),
  max: reduced('ReduceMax'), amax: reduced('ReduceMax'), min: reduced('ReduceMin'), amin: reduced('ReduceMin'),
  var: variance, std: (g, node) => g.add('Sqrt', [variance(g, node)]), norm, argmax: place('ArgMax'),
  argmin: place('ArgMin'), all: ask('ReduceMin'), any: ask('ReduceMax'),
  cumsum: of((g, x, { saved: { dim } }) => g.add('CumSum', [x, g.number(dim, 'int32')])),

  softmax: one('Softmax', ({ saved: { dim } }) => ({ axis: dim })),
  log_softmax: one('LogSoftmax', ({ saved: { dim } }) => ({ axis: dim })),
  layer_norm: layerNorm, rms_norm: rmsNorm, linear, matmul: two('MatMul'), attention, rotary,
  embedding: (g, { inputs: { weight }, saved: { origin } }) => g.add('Gather', [g.of(weight), g.of(origin.ids)]),
  average_heads: (g, { inputs: { weights } }) => g.add('ReduceMean', [g.of(weights)], { axes: [1], keepdims: 0 }),

  reshape: of((g, x, { outputs: { out } }) => g.reshape(x, g.shapeOf(out))), transpose,
  permute: one('Transpose', ({ saved: { parameters: { dims } } }) => ({ perm: dims })),
  expand: of((g, x, { outputs: { out } }) => g.add('Expand', [x, g.ints(g.shapeOf(out).map(Math.abs))])),
  narrow: (g, { inputs: { x }, outputs: { out }, saved: { dim, start } }) =>
    cut(g, x, [dim], start, start + out.shape[dim], 1),
  slice: (g, { inputs: { x }, saved: { parameters: { dim, start, end, step } } }) => cut(g, x, [dim], start, end, step),
  flip: (g, { inputs: { x }, saved: { parameters: { dims } } }) =>
    (dims.length ? cut(g, x, dims, -1, -(2 ** 31), -1) : g.add('Identity', [g.of(x)])),
  diagonal: strided,
  cat: (g, { inputs, saved: { dim } }) => g.add('Concat', Object.values(inputs).map(x => g.of(x)), { axis: dim }),
  where: chosen,
  gather: (g, { inputs: { x }, saved: { dim, origin } }) =>
    g.add('GatherElements', [g.of(x), g.of(origin.places)], { axis: dim }),
  index_select: (g, { inputs: { x }, saved: { dim, origin } }) =>
    g.add('Gather', [g.of(x), g.of(origin.places)], { axis: dim }),
  scatter: scatter(), scatter_add: scatter('add'),
  order,
  to: of((g, x, { outputs: { out } }) => g.cast(x, out.dtype, TYPES[out.dtype])),
  clone: one('Identity'), detach: one('Identity'), dropout: one('Identity')
}

/** @param {Graph} g @param {Tensor} x */
const truthAsWhole = (g, x) => (x.dtype === 'bool' ? g.cast(g.of(x), 'int32', TYPES.int32) : g.of(x))
