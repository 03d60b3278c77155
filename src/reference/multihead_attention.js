// nn.MultiheadAttention: projects query, key and value to q, k and v, splits them into heads, applies attention per
// head and projects the concatenated heads. key defaults to query, value to key.
// The input weights are one [3E, E] matrix (in_proj_weight) or three (q_, k_, v_proj_weight).
// attn_mask is [Tq, Tk] or [B * H, Tq, Tk]: if its dtype is 'bool', true means masked; otherwise it is added.
import * as attention from './attention.js'
import * as linear from './linear.js'
import { map, zeros } from './tensor.js'

const names = ['query', 'key', 'value']

const sourceOf = ({ query, key = query, value = key }) => ({ query, key, value })

/** The input that each projection reads, after defaults: the gradient goes there. */
const ownerOf = ({ key, value }) => ({
  query: 'query',
  key: key ? 'key' : 'query',
  value: value ? 'value' : key ? 'key' : 'query'
})

function slice(x, part, rows) {
  const width = x.data.length / x.shape[0]
  return { shape: [rows, ...x.shape.slice(1)], data: x.data.slice(part * rows * width, (part + 1) * rows * width) }
}

/** Weight and bias of the three input projections. */
function projections(inputs) {
  const width = inputs.query.shape.at(-1)
  return names.map((name, part) => ({
    weight: inputs.in_proj_weight ? slice(inputs.in_proj_weight, part, width) : inputs[`${name[0]}_proj_weight`],
    bias: inputs.in_proj_bias && slice(inputs.in_proj_bias, part, width)
  }))
}

/** [B, T, H * D] -> [B, H, T, D] */
function splitHeads(x, heads) {
  const [batch, time, width] = x.shape
  const y = zeros([batch, heads, time, width / heads])
  forEachHeadPlace(y.shape, (split, merged) => {
    y.data[split] = x.data[merged]
  })
  return y
}

/** [B, H, T, D] -> [B, T, H * D] */
function mergeHeads(x) {
  const [batch, heads, time, size] = x.shape
  const y = zeros([batch, time, heads * size])
  forEachHeadPlace(x.shape, (split, merged) => {
    y.data[merged] = x.data[split]
  })
  return y
}

function forEachHeadPlace([batch, heads, time, size], visit) {
  let split = 0
  for (let b = 0; b < batch; b++) {
    for (let h = 0; h < heads; h++) {
      for (let t = 0; t < time; t++) {
        for (let d = 0; d < size; d++) visit(split++, ((b * time + t) * heads + h) * size + d)
      }
    }
  }
}

/** The module's mask as attention.js takes it: boolean masks are inverted (true means visible there). */
function attentionMask(mask, batch, heads) {
  if (!mask) return undefined
  const shape = mask.shape.length === 3 ? [batch, heads, ...mask.shape.slice(1)] : mask.shape
  if (mask.dtype !== 'bool') return { ...mask, shape }
  return { ...map(mask, hidden => 1 - hidden), shape, dtype: 'bool' }
}

function run(inputs, { num_heads: heads }) {
  const source = sourceOf(inputs)
  const projected = projections(inputs).map((parameters, i) => linear.forward({ x: source[names[i]], ...parameters }).y)
  const [q, k, v] = projected.map(x => splitHeads(x, heads))
  const attn_mask = attentionMask(inputs.attn_mask, source.query.shape[0], heads)
  const attended = { q, k, v, attn_mask, key_padding_mask: inputs.key_padding_mask }
  const { y, weights } = attention.forward(attended, {})
  const joined = { x: mergeHeads(y), weight: inputs.out_proj_weight, bias: inputs.out_proj_bias }
  return { source, attended, joined, weights }
}

export function forward(inputs, params) {
  const { joined, weights } = run(inputs, params)
  return { y: linear.forward(joined).y, weights }
}

export function backward(inputs, params, { y: dy }) {
  const { source, attended, joined } = run(inputs, params)
  const out = linear.backward(joined, {}, { y: dy })
  const heads = attention.backward(attended, {}, { y: splitHeads(out.x, params.num_heads) })
  const parts = projections(inputs).map((parameters, i) =>
    linear.backward({ x: source[names[i]], ...parameters }, {}, { y: mergeHeads(heads['qkv'[i]]) })
  )
  return { ...inputGradients(inputs, parts), ...parameterGradients(inputs, parts, out) }
}

function inputGradients(inputs, parts) {
  const grads = {}
  const owner = ownerOf(inputs)
  names.forEach((name, i) => {
    const total = (grads[owner[name]] ??= zeros(parts[i].x.shape))
    parts[i].x.data.forEach((value, at) => {
      total.data[at] += value
    })
  })
  return grads
}

function stacked(tensors) {
  const [first] = tensors
  const y = zeros([tensors.length * first.shape[0], ...first.shape.slice(1)])
  tensors.forEach((t, i) => y.data.set(t.data, i * t.data.length))
  return y
}

function parameterGradients(inputs, parts, out) {
  const grads = { out_proj_weight: out.weight }
  if (inputs.out_proj_bias) grads.out_proj_bias = out.bias
  if (inputs.in_proj_bias) grads.in_proj_bias = stacked(parts.map(part => part.bias))
  if (inputs.in_proj_weight) grads.in_proj_weight = stacked(parts.map(part => part.weight))
  else
    names.forEach((name, i) => {
      grads[`${name[0]}_proj_weight`] = parts[i].weight
    })
  return grads
}
