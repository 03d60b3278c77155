// A transformer as ONNX operators, in the two formulations that ONNX Runtime runs fastest. Which one is faster depends
// on the size, so both are measured and the faster one counts.
//   plain      Gemm for each projection, then MatMul, mask, Softmax, MatMul over the heads
//   Attention  ONNX Runtime's own operator for projections and heads
// x is [T, C]; weights come by PyTorch's names, as { shape, data }.
import { transposed } from './onnx.js'

/** The mask of hidden scores; -Infinity would make the softmax of a fully hidden row NaN. */
const HIDDEN = -1e30

export function causalMask(graph, T) {
  const data = Float32Array.from({ length: T * T }, (_, at) => (at % T > Math.floor(at / T) ? HIDDEN : 0))
  return graph.constant({ shape: [T, T], data })
}

/** q, k and v are [1, H, T, D]. */
export function attentionCore(graph, [q, k, v], { D, mask }) {
  const scores = graph.op('ms.FusedMatMul', [q, k], { transB: 1, alpha: 1 / Math.sqrt(D) })
  const weights = graph.op('Softmax', [graph.op('Add', [scores, mask])], { axis: -1 })
  return graph.op('MatMul', [weights, v])
}

/** The sizes and the mask that the functions below need. */
export const sizesOf = (graph, formulation, { T, C, H }) =>
  ({ formulation, T, C, H, mask: formulation === 'plain' ? causalMask(graph, T) : undefined })

const linear = (graph, x, weight, bias) =>
  graph.op('Gemm', [x, graph.constant(weight), graph.constant(bias)], { transB: 1 })

function third({ shape: [rows, ...rest], data }, part) {
  const size = data.length / 3
  return { shape: [rows / 3, ...rest], data: data.subarray(part * size, (part + 1) * size) }
}

function plainHeads(graph, x, weights, { T, C, H, mask }) {
  const D = C / H
  const heads = [0, 1, 2].map(part => {
    const all = linear(graph, x, third(weights.in_proj_weight, part), third(weights.in_proj_bias, part))
    return graph.op('Transpose', [graph.op('Reshape', [all, graph.shape(1, T, H, D)])], { perm: [0, 2, 1, 3] })
  })
  const joined = graph.op('Transpose', [attentionCore(graph, heads, { D, mask })], { perm: [0, 2, 1, 3] })
  return graph.op('Reshape', [joined, graph.shape(T, C)])
}

function operatorHeads(graph, x, weights, { T, C, H }) {
  const sentence = graph.op('Reshape', [x, graph.shape(1, T, C)])
  const projections = [graph.constant(transposed(weights.in_proj_weight)), graph.constant(weights.in_proj_bias)]
  const heads = graph.op('ms.Attention', [sentence, ...projections], { num_heads: H, unidirectional: 1 })
  return graph.op('Reshape', [heads, graph.shape(T, C)])
}

const HEADS = { plain: plainHeads, Attention: operatorHeads }
export const FORMULATIONS = Object.keys(HEADS)

/** nn.MultiheadAttention, causal. */
export function multihead(graph, x, weights, { formulation, ...sizes }) {
  const heads = HEADS[formulation](graph, x, weights, sizes)
  return linear(graph, heads, weights['out_proj.weight'], weights['out_proj.bias'])
}

function norm(graph, x, weights, name) {
  const affine = ['weight', 'bias'].map(part => graph.constant(weights[`${name}.${part}`]))
  return graph.op('LayerNormalization', [x, ...affine], { axis: -1, epsilon: 1e-5 })
}

/** The weights whose names begin with a prefix, which is removed. */
const withoutPrefix = (weights, prefix) =>
  Object.fromEntries(Object.entries(weights).flatMap(([name, tensor]) =>
    name.startsWith(prefix) ? [[name.slice(prefix.length), tensor]] : []))

/** nn.TransformerEncoderLayer with normFirst and GELU, causal. */
export function block(graph, x, weights, sizes) {
  const attention = multihead(graph, norm(graph, x, weights, 'norm1'), withoutPrefix(weights, 'self_attn.'), sizes)
  const y = graph.op('Add', [x, attention])
  const hidden = linear(graph, norm(graph, y, weights, 'norm2'), weights['linear1.weight'], weights['linear1.bias'])
  const activation = graph.op('Gelu', [hidden])
  return graph.op('Add', [y, linear(graph, activation, weights['linear2.weight'], weights['linear2.bias'])])
}
