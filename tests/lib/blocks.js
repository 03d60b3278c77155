// The cases of golden blocks.json under the state-dict names of PyTorch's modules. The file itself uses the parameter
// names of the lessons.
import { loadGolden } from '../golden/index.js'

const norms = {
  enc: { norm1: 'norm1', norm2: 'feed_forward.norm' },
  dec: { norm1: 'norm1', norm2: 'norm2', norm3: 'feed_forward.norm' }
}
const attentions = { enc: { self_attn: 'attn' }, dec: { self_attn: 'self_attn', multihead_attn: 'multihead_attn' } }

/** Concatenates tensors along the first axis. */
function concatenate(tensors) {
  const [{ shape: [rows, ...rest] }] = tensors
  return { shape: [rows * tensors.length, ...rest], data: tensors.flatMap(t => t.data) }
}

/** Renames the tensors of a layer from the lessons' names to PyTorch's. */
function toStateDict(layer, kind) {
  const state = {}
  for (const [name, lessonName] of Object.entries(attentions[kind])) {
    const projections = suffix => ['q', 'k', 'v'].map(part => layer[`${lessonName}.weight_${part}.${suffix}`])
    state[`${name}.in_proj_weight`] = concatenate(projections('weight'))
    state[`${name}.in_proj_bias`] = concatenate(projections('bias'))
    state[`${name}.out_proj.weight`] = layer[`${lessonName}.concat_linear.weight`]
    state[`${name}.out_proj.bias`] = layer[`${lessonName}.concat_linear.bias`]
  }
  const renamed = { ...norms[kind], linear1: 'feed_forward.linear1', linear2: 'feed_forward.linear2' }
  for (const [name, lessonName] of Object.entries(renamed)) {
    for (const suffix of ['weight', 'bias']) state[`${name}.${suffix}`] = layer[`${lessonName}.${suffix}`]
  }
  return state
}

/**
 * Every nn.* case: { id, kind: 'enc' | 'dec', stack, params, inputs, masks, state, cot, outputs, grads, tol, rtol }.
 * `inputs` are src or tgt and memory, and `state` is the state dict of the layer or of the stack.
 */
export function blockCases() {
  const golden = loadGolden('blocks')
  const { shared } = golden
  return golden.cases
    .filter(item => item.id.startsWith('nn.'))
    .map(item => {
      const kind = item.layers[0].slice(0, 3)
      const stack = item.layers.length > 1
      const layers = item.layers.map(name => toStateDict(golden.layers[name], kind))
      const prefixed = layers.flatMap((layer, i) =>
        Object.entries(layer).map(([name, t]) => [stack ? `layers.${i}.${name}` : name, t])
      )
      const state = { ...Object.fromEntries(prefixed), ...(item.final_norm ? shared.final_norm : {}) }
      const params = {
        num_heads: golden.h,
        dim: golden.d,
        dim_feedforward: golden.ff,
        eps: golden.eps,
        norm_first: item.norm_first,
        activation: item.activation,
        layers: item.layers.length,
        final_norm: item.final_norm ?? false
      }
      const inputs = kind === 'enc' ? { src: shared.src } : { tgt: shared.tgt, memory: shared[golden.nn_memory] }
      return { ...item, kind, stack, params, inputs, state, cot: { y: shared.cot }, rtol: golden.rtol }
    })
}
