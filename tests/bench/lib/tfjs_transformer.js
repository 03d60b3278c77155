// The model of works/training.js in TensorFlow.js. Weights are variables by PyTorch's names, matrices as [in, out].
// These formulations were the fastest of those whose gradients the wasm backend supports (it lacks squaredDifference's
// and gather's).
import { transposed } from './onnx.js'
import { tf, toTf } from './tfjs.js'

const EPSILON = 1e-5
const HIDDEN = -1e30

/** @param {Record<string, { shape: number[], data: Float32Array }>} weights */
export function toVariables(weights) {
  const entries = Object.entries(weights).map(([name, tensor]) => {
    const value = toTf(tensor.shape.length === 2 ? transposed(tensor) : tensor)
    return [name, tf.variable(value)]
  })
  return Object.fromEntries(entries)
}

/**
 * Products of a linear layer: with TensorFlow.js's own gradient, or with a custom one that copies transposed operands.
 */
export const products = {
  builtIn: (x, weight) => tf.matMul(x, weight),
  byHand: tf.customGrad((x, weight, save) => {
    save([x, weight])
    const gradFunc = (dy, [x, weight]) => [tf.matMul(dy, tf.transpose(weight)), tf.matMul(tf.transpose(x), dy)]
    return { value: tf.matMul(x, weight), gradFunc }
  })
}

function layerNorm(x, weight, bias) {
  const centered = tf.sub(x, tf.mean(x, -1, true))
  const variance = tf.mean(tf.square(centered), -1, true)
  return tf.add(tf.mul(tf.mul(centered, tf.rsqrt(tf.add(variance, EPSILON))), weight), bias)
}

const gelu = x => tf.mul(tf.mul(x, 0.5), tf.add(tf.erf(tf.mul(x, Math.SQRT1_2)), 1))

function causalMask(T) {
  return tf.tensor(Float32Array.from({ length: T * T }, (_, at) => (at % T > Math.floor(at / T) ? HIDDEN : 0)), [T, T])
}

function attention(qkv, mask, { B, T, C, H }) {
  const D = C / H
  const [q, k, v] = tf.split(qkv, 3, 1).map(part => tf.transpose(tf.reshape(part, [B, T, H, D]), [0, 2, 1, 3]))
  const scores = tf.mul(tf.matMul(q, k, false, true), 1 / Math.sqrt(D))
  const heads = tf.matMul(tf.softmax(tf.add(scores, mask)), v)
  return tf.reshape(tf.transpose(heads, [0, 2, 1, 3]), [B * T, C])
}

/** @returns {(x: any) => any} x [B * T, C] to logits [B * T, V] */
export function model(variables, sizes, product) {
  const mask = causalMask(sizes.T)
  const linear = (x, weight, bias) => tf.add(product(x, variables[weight]), variables[bias])
  const norm = (x, name) => layerNorm(x, variables[`${name}.weight`], variables[`${name}.bias`])
  const dense = (x, name) => linear(x, `${name}.weight`, `${name}.bias`)
  const block = (x, name) => {
    const qkv = linear(norm(x, `${name}.norm1`), `${name}.self_attn.in_proj_weight`, `${name}.self_attn.in_proj_bias`)
    const y = tf.add(x, dense(attention(qkv, mask, sizes), `${name}.self_attn.out_proj`))
    const activation = gelu(dense(norm(y, `${name}.norm2`), `${name}.linear1`))
    return tf.add(y, dense(activation, `${name}.linear2`))
  }
  return x => dense(block(block(x, 'layers.0'), 'layers.1'), 'head')
}
