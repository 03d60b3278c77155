import { describe, expect } from '../errors.js'
import { TensorSource } from '../trace/edits.js'
import { RunGraph } from './run_graph.js'
import { SubLayers } from './sub_layers.js'

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./sub_layers.js').SubLayer} SubLayer
 */

const WHERE = 'hookNames'

/**
 * The sub-layers of a layer, with what they are called: the second attention reads an encoder.
 * @param {SubLayer[]} subs of one layer
 */
const nameSubLayers = subs => subs.map(sub => {
  if (sub.kind === 'feedForward') return { sub, part: 'mlp', out: 'hook_mlp_out' }
  const isCross = subs.find(({ kind }) => kind === 'attention') !== sub
  return { sub, part: isCross ? 'cross_attn' : 'attn', out: isCross ? 'hook_cross_attn_out' : 'hook_attn_out' }
})

/**
 * What an attention computes.
 * @param {RunGraph} graph @param {SubLayer} sub @returns {Record<string, Tensor | undefined>}
 */
function attentionTensors(graph, { attentions: [attention] }) {
  const { q, k, v, out, weights } = attention
  const [node] = [...graph.attentions].find(([, own]) => own === attention) ?? []
  const rotations = [q, k].map(tensor => tensor && graph.producerOf(tensor)).filter(one => one?.op.name === 'rotary')
  const [rotatedQ, rotatedK] = rotations.map(one => one?.inputs.x)
  return {
    hook_q: rotatedQ ?? q, hook_k: rotatedK ?? k, hook_v: v, ...(rotatedQ && { hook_rot_q: q, hook_rot_k: k }),
    hook_attn_scores: node?.outputs.masked_scores, hook_pattern: weights, hook_z: out
  }
}

/**
 * What a feed-forward network computes before its last layer; with a gate, hook_pre is the gate's.
 * @param {RunGraph} graph @param {SubLayer} sub @returns {Record<string, Tensor | undefined>}
 */
function feedForwardTensors(graph, { change }) {
  const post = graph.producerOf(change)?.inputs.x, node = post && graph.producerOf(post)
  if (node?.op.name !== 'mul') return { hook_pre: node?.inputs.x, hook_post: post }
  const { a, b } = node.inputs, [gate, linear] = graph.producerOf(a)?.op.name === 'linear' ? [b, a] : [a, b]
  return { hook_pre: graph.producerOf(gate)?.inputs.x, hook_pre_linear: linear, hook_post: post }
}

/**
 * The stream after a layer: what the next one reads, or at the end the sum, or the norm that follows it in the layer.
 * @param {RunGraph} graph @param {SubLayers} all @param {SubLayer} last @param {SubLayer | undefined} next
 */
function streamAfter(graph, all, last, next) {
  if (next) return next.input
  const norm = graph.nodes.find(node => (
    node.op.kind === 'norm' && Object.values(node.inputs).includes(last.sum) && all.layerOf(node) === last.layer))
  return norm?.outputs.out ?? last.sum
}

/**
 * The names of TransformerLens for the tensors of a run, as its cache has them: blocks.0.attn.hook_pattern,
 * blocks.1.hook_resid_pre. They are found in the graph of the run, whatever the model's classes; of an encoder with a
 * decoder those of the decoder. Heads stand side by side, [B, T, H·D], where TransformerLens has an axis of heads.
 * @param {TensorSource} run a run or a trace
 * @returns {Record<string, string>} names in the run: trace.get(names['blocks.0.hook_attn_out'])
 * @throws {import('../errors.js').GlassformerError} 'state' for a run without layers on a residual stream
 * @example
 * const model = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 2).eval()
 * const { trace } = gf.trace(() => model(gf.ones([1, 3, 8])))
 * const names = gf.interpret.hookNames(trace)
 * names['blocks.1.attn.hook_pattern']             // 'layers.1.self_attn.weights'
 * trace.get(names['blocks.0.hook_resid_post']).shape // [1, 3, 8]
 * trace.dispose()
 */
export function hookNames(run) {
  expect(run instanceof TensorSource, 'type', () => `${WHERE}: run must be a run or a trace, got ${describe(run)}`)
  expect(!run.recording.isDisposed, 'state', () => `${WHERE}: the run was disposed`)
  const graph = new RunGraph(run), all = new SubLayers(graph), { numbered } = all
  expect(numbered.length > 0, 'state', () => `${WHERE}: the run has no layers that add to a residual stream`)
  /** @type {Record<string, string>} */ const names = {}
  /** @param {string} hook @param {Tensor | undefined} tensor */
  const add = (hook, tensor) => {
    const name = tensor && graph.nameOf(tensor)
    if (name) names[hook] = name
  }
  for (let layer = 0; layer <= numbered[numbered.length - 1].layer; layer++) {
    const block = `blocks.${layer}`, subs = numbered.filter(sub => sub.layer === layer)
    nameSubLayers(subs).forEach(({ sub, part, out }, i) => {
      if (sub.isFirst) add(`${block}.hook_resid_pre`, sub.input)
      else if (sub.input !== subs[0].input) add(`${block}.hook_resid_mid${i > 1 ? '_cross' : ''}`, sub.input)
      const inner = part === 'mlp' ? feedForwardTensors(graph, sub) : attentionTensors(graph, sub)
      for (const [hook, tensor] of Object.entries(inner)) add(`${block}.${part}.${hook}`, tensor)
      add(`${block}.${out}`, sub.change)
    })
    const next = numbered.find(sub => sub.layer === layer + 1)
    add(`${block}.hook_resid_post`, streamAfter(graph, all, subs[subs.length - 1], next))
  }
  return names
}
