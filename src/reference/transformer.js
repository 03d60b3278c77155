// PyTorch's encoder and decoder layers and their stacks, composed from the other references. They consist of steps:
// functions x -> { y, back }, where back(dy) returns dx and adds the gradients of the parameters to `grads`.
//
// Inputs: src (encoder) or tgt and memory (decoder); mask, padding, memory_mask, memory_padding; and the parameters by
// their state-dict names. Params: num_heads, norm_first, activation 'relu' | 'gelu', eps; layers, final_norm in stacks.
import * as attention from './multihead_attention.js'
import * as gelu from './gelu.js'
import * as layerNorm from './layer_norm.js'
import * as linear from './linear.js'
import * as relu from './relu.js'
import { map } from './tensor.js'

const activations = { relu, gelu }

const plus = (a, b) => map(a, (value, i) => value + b.data[i])

const chain =
  (...steps) =>
    x => {
      const done = []
      for (const step of steps) {
        const { y, back } = step(x)
        done.unshift(back)
        x = y
      }
      return { y: x, back: dy => done.reduce((gradient, back) => back(gradient), dy) }
    }

const residual = branch => x => {
  const { y, back } = branch(x)
  return { y: plus(x, y), back: dy => plus(dy, back(dy)) }
}

function collect(grads, name, gradient) {
  grads[name] = grads[name] ? plus(grads[name], gradient) : gradient
}

/** The parts of a model, each a step. `names` maps the inputs of a reference to inputs of the model. */
function parts(inputs, params, grads) {
  const step =
    (op, main, names = {}, options = {}) =>
      x => {
        const opInputs = { [main]: x }
        for (const [key, name] of Object.entries(names)) opInputs[key] = inputs[name]
        return {
          y: op.forward(opInputs, options).y,
          back: dy => {
            const { [main]: dx, ...rest } = op.backward(opInputs, options, { y: dy })
            for (const [key, gradient] of Object.entries(rest)) collect(grads, names[key], gradient)
            return dx
          }
        }
      }
  const affine = prefix => ({ weight: `${prefix}.weight`, bias: `${prefix}.bias` })
  const norm = prefix => step(layerNorm, 'x', affine(prefix), { eps: params.eps })
  const dense = prefix => step(linear, 'x', affine(prefix))
  const activate = step(activations[params.activation], 'x')
  const attend = (prefix, others) =>
    step(
      attention,
      'query',
      {
        in_proj_weight: `${prefix}.in_proj_weight`,
        in_proj_bias: `${prefix}.in_proj_bias`,
        out_proj_weight: `${prefix}.out_proj.weight`,
        out_proj_bias: `${prefix}.out_proj.bias`,
        ...others
      },
      { num_heads: params.num_heads }
    )
  const feedForward = prefix => chain(dense(`${prefix}linear1`), activate, dense(`${prefix}linear2`))
  const sublayer = (branch, prefix) =>
    params.norm_first ? residual(chain(norm(prefix), branch)) : chain(residual(branch), norm(prefix))
  return { norm, attend, feedForward, sublayer }
}

const selfAttention = { attn_mask: 'mask', key_padding_mask: 'padding' }
const crossAttention = { key: 'memory', attn_mask: 'memory_mask', key_padding_mask: 'memory_padding' }

const encoderStep = ({ attend, feedForward, sublayer }, prefix = '') =>
  chain(
    sublayer(attend(`${prefix}self_attn`, selfAttention), `${prefix}norm1`),
    sublayer(feedForward(prefix), `${prefix}norm2`)
  )

const decoderStep = ({ attend, feedForward, sublayer }, prefix = '') =>
  chain(
    sublayer(attend(`${prefix}self_attn`, selfAttention), `${prefix}norm1`),
    sublayer(attend(`${prefix}multihead_attn`, crossAttention), `${prefix}norm2`),
    sublayer(feedForward(prefix), `${prefix}norm3`)
  )

/** All layers in sequence, and the final norm if the model has one. */
const stack =
  layerStep =>
    (built, { layers, final_norm: finalNorm }) =>
      chain(
        ...Array.from({ length: layers }, (_, i) => layerStep(built, `layers.${i}.`)),
        ...(finalNorm ? [built.norm('norm')] : [])
      )

const reference = (main, build) => {
  const run = (inputs, params, grads) => {
    const settings = { eps: 1e-5, activation: 'relu', norm_first: false, ...params }
    return build(parts(inputs, settings, grads), settings)(inputs[main])
  }
  return {
    forward: (inputs, params) => ({ y: run(inputs, params, {}).y }),
    backward(inputs, params, { y: dy }) {
      const grads = {}
      const dx = run(inputs, params, grads).back(dy)
      return { [main]: dx, ...grads }
    }
  }
}

export const encoderLayer = reference('src', built => encoderStep(built))
export const decoderLayer = reference('tgt', built => decoderStep(built))
export const encoder = reference('src', stack(encoderStep))
export const decoder = reference('tgt', stack(decoderStep))
