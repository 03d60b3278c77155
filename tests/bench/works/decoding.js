// Decoding one token with a model of GPT-2 small's size and 255 tokens in the cache, which reads all weights once. Ours
// has weights of 32, 16 and 8 bits, and in GGUF's blocks of 8 and 4 bits. onnxruntime-web has float32 weights; cached
// keys and values are constants of the graph, to which the new ones are concatenated, as in its decoders. In browsers
// wllama with 8-bit weights is measured, too.
import { GPT2 } from '../../../src/js/models/gpt2.js'
import { faster, fasterThan, ofLimit } from '../lib/claims.js'
import { READ, read } from '../lib/limit.js'
import { Graph } from '../lib/onnx.js'
import { F, gf, plainOf } from '../lib/ours.js'
import { ORT, WLLAMA } from '../lib/peers.js'

const C = 768, H = 12, D = C / H, LAYERS = 12, VOCAB_SIZE = 50257, PAST = 255, LAST_ID = 7
const TOLERANCE = 1e-3
const IN_PAGE = Boolean(globalThis.document)
/**
 * Maximum errors of logits relative to the largest, by the dtype of the weights. Trained weights give smaller errors.
 */
const DTYPE_TOLERANCES = { float16: 0.01, bfloat16: 0.05, int8: 0.05, q8_0: 0.05, q4_0: 0.5, q4_k: 0.5 }
const past = Array.from({ length: PAST }, (_, i) => i * 197 % VOCAB_SIZE)

/** A model with random weights of the magnitude of trained ones, always the same. */
function createModel() {
  gf.manualSeed(1)
  const model = gf.engine.withoutInitialization(() => new GPT2(gf.engine, {
    channels: C, heads: H, layers: LAYERS, feedForwardSize: 4 * C, maxPositions: 1024,
    vocabSize: VOCAB_SIZE, activation: x => F.gelu(x),
    eps: 1e-5, dropout: 0, isScaled: true, isScaledByLayer: false, isTied: true, isTransposed: false
  })).eval()
  for (const weight of model.parameters()) {
    gf.nn.init.normal_(weight, weight.shape.length === 1 ? { mean: 0.5, std: 0.1 } : { std: 0.05 })
  }
  return model
}

/** A side that decodes one token per run, with a model and a filled cache. */
function createDecoder(dtype) {
  const { bytes } = gf.memory(), model = createModel()
  if (dtype !== 'float32') gf.quantize(model, { dtype })
  const cache = new gf.decoding.Cache(PAST + 1)
  const run = use => gf.tidy(() => gf.noGrad(() => {
    const { logits } = model.forward([[LAST_ID]], { cache })
    cache.truncate(PAST)
    return use?.(logits)
  }))
  gf.tidy(() => gf.noGrad(() => void model.forward([past.slice(0, 128)], { cache })))
  gf.tidy(() => gf.noGrad(() => void model.forward([past.slice(128)], { cache })))
  return { model, cache, bytes: gf.memory().bytes - bytes, run: () => run(), result: () => run(t => t.data.slice()) }
}

/** [1, T, H·D] as [1, H, T, D]. */
const headsOf = t => gf.tidy(() => plainOf(t.reshape(1, PAST, H, D).transpose(1, 2)))

function ortAttention(graph, x, layer, cache) {
  const { in_proj_weight: all, in_proj_bias: bias, out_proj: out } = layer.self_attn
  const project = (y, weight, b) => graph.op('Gemm', [y, graph.constant(weight), graph.constant(b)], { transB: 1 })
  const cached = cache.of(layer.self_attn).toTensors(null, null).map(headsOf)
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

function ortGraph({ model, cache }) {
  const graph = new Graph(), plain = t => graph.constant(plainOf(t))
  const norm = (x, { weight, bias }) =>
    graph.op('LayerNormalization', [x, plain(weight), plain(bias)], { axis: -1, epsilon: 1e-5 })
  const linear = (x, { weight, bias }) => graph.op('Gemm', [x, plain(weight), plain(bias)], { transB: 1 })
  graph.input('x', [1, C])
  let x = 'x'
  for (const layer of model.h) {
    x = graph.op('Add', [x, ortAttention(graph, norm(x, layer.norm1), layer, cache)])
    x = graph.op('Add', [x, linear(graph.op('Gelu', [linear(norm(x, layer.norm2), layer.linear1)]), layer.linear2)])
  }
  graph.output(graph.op('Gemm', [norm(x, model.ln_f), plain(model.wte.weight)], { transB: 1 }), [1, VOCAB_SIZE])
  return graph
}

async function ortDecoder(ours) {
  const { ortSide } = await import('../lib/ort.js'), { wte, wpe } = ours.model
  const x = gf.tidy(() => plainOf(F.add(wte.forward([LAST_ID]), wpe.forward([PAST]))))
  return ortSide(ortGraph(ours), { x: { ...x, shape: [1, C] } })
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
async function wllamaSide({ model, result }) {
  const { wllamaDecoder } = await import('../lib/wllama.js')
  const { time, logProbabilities } = await wllamaDecoder(model, { heads: H, eps: 1e-5 }, past, LAST_ID)
  const exact = gf.tidy(() => F.logSoftmax(gf.tensor(result(), { shape: [VOCAB_SIZE] })).data.slice())
  checkLogits('int8', await logProbabilities(), exact)
  return { time }
}

async function prepare() {
  await gf.loadBlocks()
  const ours = createDecoder('float32'), weightBytes = ours.model.parameters().reduce((sum, weight) => sum + 4 * weight.numel(), 0)
  const sides = { ours }, bytes = { float32: ours.bytes }
  for (const dtype of Object.keys(DTYPE_TOLERANCES)) {
    const { run, ...decoder } = createDecoder(dtype)
    checkLogits(dtype, decoder.result(), ours.result())
    sides[dtype] = { run }
    bytes[dtype] = decoder.bytes
  }
  const peers = { [ORT]: await ortDecoder(ours), ...(IN_PAGE && { [WLLAMA]: await wllamaSide(ours) }) }
  return {
    sides: { ...sides, ...peers, ...(await read()) }, tolerance: TOLERANCE, work: weightBytes, bytes, weightBytes
  }
}

/** The memory of weights and cache, relative to the weights with so many bits each. */
const memoryOf = (dtype, bits, target) => ({ bytes, weightBytes }) => ({
  against: `memory of ${dtype}, of its weights`, value: bytes[dtype] / (weightBytes * bits / 32), unit: 'x', target,
  atMost: true
})

export default [{
  name: `a token of a GPT-2 small, ${PAST} in the cache`,
  claims: [
    ofLimit(READ, 85), faster(ORT), ...Object.keys(DTYPE_TOLERANCES).map(dtype => fasterThan(dtype, 'ours', { bfloat16: 1.7 }[dtype], 'float32')),
    fasterThan('int8', ORT, 3), ...(IN_PAGE ? [fasterThan('int8', WLLAMA, 1.2), fasterThan('q8_0', WLLAMA, 1.5)] : []),
    memoryOf('float32', 32, 1.15), memoryOf('float16', 16, 1.15), memoryOf('int8', 8.5)
  ],
  prepare
}]
