// One more token of a model of GPT-2 small's shape, 255 tokens being in the cache: all weights are read once. Ours with
// weights of 32, 16 and 8 bits; onnxruntime-web with float32, keys and values of the past as constants of the graph,
// the new ones joined to them, which is how its decoders go on. In pages wllama, too, with weights of 8 bits.
import { GPT2 } from '../../../src/js/models/gpt2.js'
import { faster, ofLimit } from '../lib/claims.js'
import { READ, read } from '../lib/limit.js'
import { Graph } from '../lib/onnx.js'
import { F, gf, plainOf } from '../lib/ours.js'
import { ORT, WLLAMA } from '../lib/peers.js'

const C = 768, H = 12, D = C / H, LAYERS = 12, WORDS = 50257, PAST = 255, LAST = 7
const TOLERANCE = 1e-3
const IN_PAGE = Boolean(globalThis.document)
/** How far logits may be off, of the largest one: random weights are spread more evenly than trained ones. */
const STORED = { float16: 0.01, bfloat16: 0.05, int8: 0.05 }
const past = Array.from({ length: PAST }, (_, i) => i * 197 % WORDS)

/** Weights of the size that trained ones have, the same for every dtype. */
function drawn() {
  gf.manualSeed(1)
  const model = gf.engine.withoutInitialization(() => new GPT2(gf.engine, {
    channels: C, heads: H, layers: LAYERS, feedForwardSize: 4 * C, maxPositions: 1024,
    vocabSize: WORDS, activation: x => F.gelu(x),
    eps: 1e-5, dropout: 0, isScaled: true, isScaledByLayer: false, isTied: true, isTransposed: false
  })).eval()
  for (const weight of model.parameters()) {
    gf.nn.init.normal_(weight, weight.shape.length === 1 ? { mean: 0.5, std: 0.1 } : { std: 0.05 })
  }
  return model
}

/** A model with its past: one run is one token. */
function decoder(dtype) {
  const { bytes } = gf.memory(), model = drawn()
  if (dtype !== 'float32') gf.quantize(model, { dtype })
  const cache = new gf.decoding.Cache(PAST + 1)
  const run = use => gf.tidy(() => gf.noGrad(() => {
    const { logits } = model.forward([[LAST]], { cache })
    cache.truncate(PAST)
    return use?.(logits)
  }))
  gf.tidy(() => gf.noGrad(() => void model.forward([past.slice(0, 128)], { cache })))
  gf.tidy(() => gf.noGrad(() => void model.forward([past.slice(128)], { cache })))
  return { model, cache, held: gf.memory().bytes - bytes, run: () => run(), result: () => run(t => t.data.slice()) }
}

/** [1, T, H·D] as [1, H, T, D]. */
const headsOf = t => gf.tidy(() => plainOf(t.reshape(1, PAST, H, D).transpose(1, 2)))

function ortAttention(graph, x, layer, cache) {
  const { in_proj_weight: all, in_proj_bias: bias, out_proj: out } = layer.self_attn
  const project = (y, weight, b) => graph.op('Gemm', [y, graph.constant(weight), graph.constant(b)], { transB: 1 })
  const kept = cache.of(layer.self_attn).toTensors(null, null).map(headsOf)
  const third = (t, i) => gf.tidy(() => plainOf(t.narrow(0, i * C, C)))
  const [q, k, v] = [0, 1, 2].map(i => {
    const y = project(x, third(all, i), third(bias, i))
    const heads = graph.op('Reshape', [y, graph.shape(1, H, 1, D)])
    return i ? graph.op('Concat', [graph.constant(kept[i - 1]), heads], { axis: 2 }) : heads
  })
  const scores = graph.op('ms.FusedMatMul', [q, k], { transB: 1, alpha: 1 / Math.sqrt(D) })
  const seen = graph.op('MatMul', [graph.op('Softmax', [scores], { axis: -1 }), v])
  return project(graph.op('Reshape', [seen, graph.shape(1, C)]), plainOf(out.weight), plainOf(out.bias))
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
  graph.output(graph.op('Gemm', [norm(x, model.ln_f), plain(model.wte.weight)], { transB: 1 }), [1, WORDS])
  return graph
}

async function ortDecoder(ours) {
  const { ortSide } = await import('../lib/ort.js'), { wte, wpe } = ours.model
  const x = gf.tidy(() => plainOf(F.add(wte.forward([LAST]), wpe.forward([PAST]))))
  return ortSide(ortGraph(ours), { x: { ...x, shape: [1, C] } })
}

/** How far some values are from others, of the largest one. */
function distance(values, exact) {
  const most = exact.reduce((m, v) => Math.max(m, Math.abs(v)), 0)
  return exact.reduce((m, v, i) => Math.max(m, Math.abs(v - values[i])), 0) / most
}

/** What is stored in fewer bits must say nearly the same. */
function checkStored(name, values, exact) {
  const off = distance(values, exact)
  if (!(off < STORED[name])) throw new Error(`${name}: logits are off by ${off} of the largest one`)
}

/** llama.cpp takes the tangent for GELU: as far off as 8 bits may be. */
async function wllamaSide({ model, result }) {
  const { wllamaDecoder } = await import('../lib/wllama.js')
  const { time, logShares } = await wllamaDecoder(model, { heads: H, eps: 1e-5 }, past, LAST)
  const exact = gf.tidy(() => F.logSoftmax(gf.tensor(result(), { shape: [WORDS] })).data.slice())
  checkStored('int8', await logShares(), exact)
  return { time }
}

async function prepare() {
  const ours = decoder('float32'), weights = ours.model.parameters().reduce((sum, { size }) => sum + 4 * size, 0)
  const sides = { ours }, held = { float32: ours.held }
  for (const dtype of Object.keys(STORED)) {
    const { run, ...stored } = decoder(dtype)
    checkStored(dtype, stored.result(), ours.result())
    sides[dtype] = { run }
    held[dtype] = stored.held
  }
  const peers = { [ORT]: await ortDecoder(ours), ...(IN_PAGE && { [WLLAMA]: await wllamaSide(ours) }) }
  return { sides: { ...sides, ...peers, ...(await read()) }, tolerance: TOLERANCE, work: weights, held, weights }
}

/** A side is faster than another by this factor. */
const fasterThan = (side, than, target) => ({ stats }) => ({
  against: `${side} than ${than === 'ours' ? 'float32' : than}`, ours: stats[side], theirs: stats[than],
  value: stats[than].min / stats[side].min, unit: 'x', target
})

/** What weights and cache take, as a share of the weights in this many bits each. */
const holds = (dtype, bits, target) => ({ held, weights }) => ({
  against: `memory of ${dtype}, of its weights`, value: held[dtype] / (weights * bits / 32), unit: 'x', target, atMost: true
})

export default [{
  name: `a token of a GPT-2 small, ${PAST} in the cache`,
  claims: [
    ofLimit(READ, 85), faster(ORT), ...Object.keys(STORED).map(dtype => fasterThan(dtype, 'ours', { bfloat16: 1.7 }[dtype])),
    fasterThan('int8', ORT, 3), ...(IN_PAGE ? [fasterThan('int8', WLLAMA, 1.2)] : []),
    holds('float32', 32, 1.15), holds('float16', 16, 1.15), holds('int8', 8.5)
  ],
  prepare
}]
