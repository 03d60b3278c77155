// Decoding one token. A model of GPT-2 small's size, with 255 tokens in the cache, reads all weights once; ours has
// weights of 32, 16 and 8 bits, and in GGUF's blocks of 8 and 4 bits. In a model of the size of the page's stories,
// the calls take the time. onnxruntime-web has float32 weights; cached keys and values are constants of the graph, to
// which the new ones are concatenated, as in its decoders. In browsers wllama with 8-bit weights is measured, too.
import { GPT2 } from '../../../src/js/models/gpt2.js'
import { faster, fasterThan, ofLimit } from '../lib/claims.js'
import { READ, read } from '../lib/limit.js'
import { Graph } from '../lib/onnx.js'
import { F, gf, plainOf } from '../lib/ours.js'
import { ORT, WLLAMA } from '../lib/peers.js'

/**
 * Channels, heads, layers, feed-forward size and vocabulary of a model, and the number of tokens in its cache.
 * @typedef {{ C: number, H: number, layers: number, F: number, V: number, past: number }} Sizes
 */
const GPT2_SMALL = { C: 768, H: 12, layers: 12, F: 3072, V: 50257, past: 255 }
const STORIES = { C: 40, H: 4, layers: 2, F: 96, V: 1024, past: 31 }
const LAST_ID = 7, TOLERANCE = 1e-3
const IN_PAGE = Boolean(globalThis.document)
/**
 * Maximum errors of logits relative to the largest, by the dtype of the weights. Trained weights give smaller errors.
 */
const DTYPE_TOLERANCES = { float16: 0.01, bfloat16: 0.05, int8: 0.05, q8_0: 0.05, q4_0: 0.5, q4_k: 0.5 }
/** @param {Sizes} sizes */
const pastOf = ({ V, past }) => Array.from({ length: past }, (_, i) => i * 197 % V)

/** A model with random weights of the magnitude of trained ones, always the same. @param {Sizes} sizes */
function createModel({ C, H, layers, F: feedForwardSize, V }) {
  gf.manualSeed(1)
  const model = gf.engine.withoutInitialization(() => new GPT2(gf.engine, {
    channels: C, heads: H, layers, feedForwardSize, maxPositions: 1024,
    vocabSize: V, activation: x => F.gelu(x),
    eps: 1e-5, dropout: 0, isScaled: true, isScaledByLayer: false, isTied: true, isTransposed: false
  })).eval()
  for (const weight of model.parameters()) {
    gf.nn.init.normal_(weight, weight.shape.length === 1 ? { mean: 0.5, std: 0.1 } : { std: 0.05 })
  }
  return model
}

/**
 * A side that decodes one token per run, with a model and a filled cache.
 * @param {Sizes} sizes @param {string} dtype of the weights
 */
function createDecoder(sizes, dtype = 'float32') {
  const { bytes } = gf.memory(), model = createModel(sizes), past = pastOf(sizes)
  if (dtype !== 'float32') gf.quantize(model, { dtype })
  const cache = new gf.decoding.Cache(past.length + 1)
  const run = use => gf.tidy(() => gf.noGrad(() => {
    const { logits } = model.forward([[LAST_ID]], { cache })
    cache.truncate(past.length)
    return use?.(logits)
  }))
  for (let i = 0; i < past.length; i += 128) {
    gf.tidy(() => gf.noGrad(() => void model.forward([past.slice(i, i + 128)], { cache })))
  }
  return {
    sizes, model, cache, bytes: gf.memory().bytes - bytes, run: () => run(), result: () => run(t => t.data.slice())
  }
}

/** [1, T, H·D] as [1, H, T, D]. */
const headsOf = (t, H) => gf.tidy(() => plainOf(t.reshape(1, t.shape[1], H, t.shape[2] / H).transpose(1, 2)))

function ortAttention(graph, x, layer, cache, { C, H }) {
  const D = C / H
  const { in_proj_weight: all, in_proj_bias: bias, out_proj: out } = layer.self_attn
  const project = (y, weight, b) => graph.op('Gemm', [y, graph.constant(weight), graph.constant(b)], { transB: 1 })
  const cached = cache.of(layer.self_attn).toTensors(null, null).map(t => headsOf(t, H))
  const third = (t, i) => gf.tidy(() => plainOf(t.narrow(0, i * C, C)))
  const [q, k, v] = [0, 1, 2].map(i => {
    const y = project(x, third(all, i), third(bias, i))
    const heads = graph.op('Reshape', [y, graph.shapeConstant(1, H, 1, D)])
    return i ? graph.op('Concat', [graph.constant(cached[i - 1]), heads], { axis: 2 }) : heads
  })
  const scores = graph.op('ms.FusedMatMul', [q, k], { transB: 1, alpha: 1 / Math.sqrt(D) })
  const attended = graph.op('MatMul', [graph.op('Softmax', [scores], { axis: -1 }), v])
  return project(graph.op('Reshape', [attended, graph.shapeConstant(1, C)]), plainOf(out.weight), plainOf(out.bias))
}

function ortGraph({ sizes, model, cache }) {
  const { C, V } = sizes, graph = new Graph(), plain = t => graph.constant(plainOf(t))
  const norm = (x, { weight, bias }) =>
    graph.op('LayerNormalization', [x, plain(weight), plain(bias)], { axis: -1, epsilon: 1e-5 })
  const linear = (x, { weight, bias }) => graph.op('Gemm', [x, plain(weight), plain(bias)], { transB: 1 })
  graph.input('x', [1, C])
  let x = 'x'
  for (const layer of model.h) {
    x = graph.op('Add', [x, ortAttention(graph, norm(x, layer.norm1), layer, cache, sizes)])
    x = graph.op('Add', [x, linear(graph.op('Gelu', [linear(norm(x, layer.norm2), layer.linear1)]), layer.linear2)])
  }
  graph.output(graph.op('Gemm', [norm(x, model.ln_f), plain(model.wte.weight)], { transB: 1 }), [1, V])
  return graph
}

async function ortDecoder(ours) {
  const { ortSide } = await import('../lib/ort.js'), { model: { wte, wpe }, sizes } = ours
  const x = gf.tidy(() => plainOf(F.add(wte.forward([LAST_ID]), wpe.forward([sizes.past]))))
  return ortSide(ortGraph(ours), { x: { ...x, shape: [1, sizes.C] } })
}

/** The largest error, relative to the largest exact value. */
function relativeError(values, exact) {
  const largest = exact.reduce((max, value) => Math.max(max, Math.abs(value)), 0)
  return exact.reduce((max, value, i) => Math.max(max, Math.abs(value - values[i])), 0) / largest
}

/** Checks the logits of a model with smaller weights. */
function checkLogits(dtype, values, exact) {
  const error = relativeError(values, exact)
  if (!(error < DTYPE_TOLERANCES[dtype])) throw new Error(`${dtype}: logits are off by ${error} of the largest one`)
}

/** llama.cpp computes GELU by tanh; the error stays within the tolerance of 8-bit weights. */
async function wllamaSide({ sizes, model, result }) {
  const { wllamaDecoder } = await import('../lib/wllama.js')
  const { time, logProbabilities } = await wllamaDecoder(model, { heads: sizes.H, eps: 1e-5 }, pastOf(sizes), LAST_ID)
  const exact = gf.tidy(() => F.logSoftmax(gf.tensor(result(), { shape: [sizes.V] })).data.slice())
  checkLogits('int8', await logProbabilities(), exact)
  return { time }
}

async function prepare() {
  await gf.loadBlocks()
  const ours = createDecoder(GPT2_SMALL)
  const weightBytes = ours.model.parameters().reduce((sum, weight) => sum + 4 * weight.numel(), 0)
  const sides = { ours }, bytes = { float32: ours.bytes }
  for (const dtype of Object.keys(DTYPE_TOLERANCES)) {
    const { run, ...decoder } = createDecoder(GPT2_SMALL, dtype)
    checkLogits(dtype, decoder.result(), ours.result())
    sides[dtype] = { run }
    bytes[dtype] = decoder.bytes
  }
  const peers = { [ORT]: await ortDecoder(ours), ...(IN_PAGE && { [WLLAMA]: await wllamaSide(ours) }) }
  return {
    sides: { ...sides, ...peers, ...(await read()) }, tolerance: TOLERANCE, work: weightBytes, bytes, weightBytes
  }
}

async function prepareStories() {
  const ours = createDecoder(STORIES)
  return { sides: { ours, [ORT]: await ortDecoder(ours) }, tolerance: TOLERANCE }
}

/** The memory of weights and cache, relative to the weights with so many bits each. */
const memoryOf = (dtype, bits, target) => ({ bytes, weightBytes }) => ({
  against: `memory of ${dtype}, of its weights`, value: bytes[dtype] / (weightBytes * bits / 32), unit: 'x', target,
  atMost: true
})

export default [{
  name: `a token of a GPT-2 small, ${GPT2_SMALL.past} in the cache`,
  claims: [
    ofLimit(READ, 85), faster(ORT), ...Object.keys(DTYPE_TOLERANCES).map(dtype => fasterThan(dtype, 'ours', { bfloat16: 1.7 }[dtype], 'float32')),
    fasterThan('int8', ORT, 3), ...(IN_PAGE ? [fasterThan('int8', WLLAMA, 1.2), fasterThan('q8_0', WLLAMA, 1.5)] : []),
    memoryOf('float32', 32, 1.15), memoryOf('float16', 16, 1.15), memoryOf('int8', 8.5)
  ],
  prepare
}, {
  name: `a token of the page's stories, ${STORIES.past} in the cache`, claims: [faster(ORT)], prepare: prepareStories
}]
