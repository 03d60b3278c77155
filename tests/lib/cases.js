// The examples of every operation. They compare the engine with the reference and the reference with finite
// differences. Extents 1, 5, 17 and 33 leave a tail of 1 behind blocks of four, 130 one of 2, 3 and 67 one of 3; 33, 67
// and 130 cross several tiles; where products are summed, a few extents near 300 cross the blocks into which a fast
// kernel divides long sums.
import * as references from '../../src/reference/index.js'
import { reductionNames } from '../../src/reference/reduce.js'
import { binaryNames, unaryNames } from '../../src/reference/elementwise.js'
import { booleans, filled, integers, numbers } from './numbers.js'

const EXTENTS = [1, 3, 5, 17, 33, 67, 130]

/** An example with a cotangent of the operation's first output. */
function example(op, name, inputs, params = {}) {
  const [[output, { shape }]] = Object.entries(references[op].forward(inputs, params))
  return { name, inputs, params, cot: { [output]: numbers(shape, 991) } }
}

/** Random weights of a projection, scaled so that outputs are about as large as inputs. */
const projection = (shape, seed) => numbers(shape, seed, { scale: 1 / Math.sqrt(shape.at(-1)) })

const examplesFrom = (op, rows) => rows.map(([name, inputs, params]) => example(op, name, inputs, params))

const shapes = [[0], ...EXTENTS.map(n => [n]), [2, 0, 3], [1, 1], [3, 5], [2, 7, 12], [2, 3, 5, 7]]
const elementwiseExamples = (op, options) =>
  examplesFrom(op, shapes.map(shape => (
    [`[${shape}] ${JSON.stringify(options)}`, { x: numbers(shape, 7, { scale: 2 }) }, options])))

const shapePairs = [
  ...EXTENTS.map(n => [[n], [n]]), [[2, 7, 5], [2, 7, 5]], [[2, 7, 5], [7, 5]], [[2, 7, 5], [5]], [[2, 7, 5], [1]],
  [[2, 7, 5], []], [[2, 7, 5], [2, 1, 5]], [[2, 7, 5], [2, 7, 1]], [[7, 5], [2, 7, 5]], [[3, 1], [1, 4]], [[0, 5], [5]],
  [[33, 67], [67]]
]
const broadcastExamples = op =>
  examplesFrom(op, shapePairs.map(([a, b]) => [`[${a}] with [${b}]`, { a: numbers(a, 1), b: numbers(b, 2) }]))

/** Operations that need inputs well above 0, where they are defined and the difference quotient is accurate. */
const positive = ['sqrt', 'rsqrt', 'reciprocal', 'log']
const unaryOptions = {
  softplus: [{}, { beta: 2.5, threshold: 4 }], leakyRelu: [{}, { negativeSlope: 0.2 }],
  clamp: [{ min: -0.5, max: 0.75 }, { min: 0 }, { max: 0.3 }]
}
const unaryRows = () => unaryNames.flatMap(op => (unaryOptions[op] ?? [{}]).flatMap(options => (
  [[0], [1], [3], [5], [17], [67], [2, 3, 5], [300]].map(shape => {
    const x = numbers(shape, 7, positive.includes(op) ? { scale: 0.4, shift: 1.6 } : { scale: 2 })
    return [`${op} [${shape}] ${JSON.stringify(options)}`, { x }, { op, ...options }]
  }))))

/** Shapes with many axes, and shapes of which both are extended. */
const moreBroadcasts = [
  [[2, 1, 3, 1, 2, 1, 3, 1], [1, 2, 1, 3, 1, 2, 1, 3]], [[5, 1, 3], [1, 4, 1]], [[3, 5], [3, 1]], [[1], [17]]
]
const binaryRows = () => binaryNames.flatMap(op => {
  const left = shape => numbers(shape, 1, op === 'pow' ? { scale: 0.4, shift: 1.6 } : {})
  const right = shape => numbers(shape, 2, op === 'div' ? { scale: 0.4, shift: -1.6 } : {})
  const tensors = [...shapePairs, ...moreBroadcasts, [[300], [300]], [[2, 300], [300]], [[300], [1]]].map(([a, b]) => (
    [`${op} [${a}] with [${b}]`, { a: left(a), b: right(b) }, { op }]))
  return [...tensors, [`${op} with 2.5`, { a: left([2, 5]) }, { op, b: 2.5 }],
    [`${op} of 1.5`, { b: right([7]) }, { op, a: 1.5 }]]
})

const reduceDims = [
  // shape, dim
  [[1]], [[5]], [[17]], [[300]], [[3, 5]], [[3, 5], 0], [[3, 5], 1], [[2, 3, 5], 1], [[2, 3, 5], [0, 2]], [[67, 3], 0],
  [[2, 3, 4, 5], [1, 3]], [[2, 3, 2, 5, 2], [0, 2, 4]], [[2, 1, 3], 1], [[0, 3], 1]
]
const reduceOptions = {
  var: [{}, { correction: 0 }], std: [{}, { correction: 0 }],
  norm: [{}, { p: 1 }, { p: 3 }, { p: Infinity }, { p: 2.5 }]
}
const reduceRows = () => reductionNames.flatMap(op => (reduceOptions[op] ?? [{}]).flatMap(options => (
  reduceDims.flatMap(([shape, dim], i) => {
    // The deviation of a single value is undefined.
    const sides = dim === undefined ? shape : [dim].flat().map(d => shape[d])
    if (['var', 'std'].includes(op) && sides.reduce((a, b) => a * b, 1) < 2) return []
    const x = numbers(shape, 7, op === 'prod' ? { scale: 0.2, shift: 1.1 } : {}), keepdim = i % 2 === 1
    const params = { op, ...options, ...(dim === undefined ? {} : { dim }), ...(keepdim ? { keepdim } : {}) }
    return [[`${JSON.stringify(params)} of [${shape}]`, { x }, params]]
  }))))

/** The operation `rowwise`: softmax and its logarithm along any axis. */
const rowwiseRows = () => ['softmax', 'logSoftmax'].flatMap(op => (
  [[[5], 0], [[3, 17], 0], [[2, 3, 5], 1], [[2, 3, 5], -3], [[2, 3, 5], -1], [[3, 0, 2], 0]].map(([shape, dim]) => (
    [`${op} ${dim} of [${shape}]`, { x: numbers(shape, 7, { scale: 3 }) }, { op, dim }]))))

const lossShapes = [[1], [5], [3, 5], [2, 3, 17]]
/** Losses of two tensors of one shape: the scale and shift of inputs and of targets, and further parameters. */
const pairLosses = [
  ['mseLoss', {}, {}], ['l1Loss', {}, {}], ['binaryCrossEntropyWithLogits', {}, {}], ['klDiv', {}, { scale: 0.2, shift: 0.8 }],
  ['klDiv', {}, {}, { logTarget: true }], ['binaryCrossEntropy', { scale: 0.15, shift: 0.5 }, { scale: 0.2, shift: 0.5 }]
]
const lossRows = () => pairLosses.flatMap(([op, ofInput, ofTarget, more]) => (
  ['mean', 'sum', 'none'].flatMap(reduction => lossShapes.map(shape => (
    [`${op} ${reduction} of [${shape}] ${Object.keys(more ?? {})}`,
      { input: numbers(shape, 1, ofInput), target: numbers(shape, 2, ofTarget) }, { op, reduction, ...more }])))
)).concat(['crossEntropy', 'nllLoss'].flatMap(op => ['mean', 'sum', 'none'].flatMap(reduction => (
  [[5], [1, 1], [3, 17], [2, 5, 3]].flatMap(shape => {
    const V = shape.length === 1 ? shape[0] : shape[1], lead = shape.length === 1 ? [] : [shape[0], ...shape.slice(2)]
    const inputs = { input: numbers(shape, 1), target: integers(lead, V, 3) }, weight = numbers([V], 4, { shift: 4 })
    return [[inputs, {}], [{ ...inputs, weight }, op === 'crossEntropy' ? { labelSmoothing: 0.2 } : {}]].map(
      ([all, more]) => (
        [`${op} ${reduction} of [${shape}] ${Object.keys(all)}`, all, { op, reduction, ...more }]))
  })))))

const normRows = () => [[1], [5], [3, 5], [2, 3, 17], [2, 130], [0, 3]].flatMap(shape => {
  const x = numbers(shape, 5, { shift: 0.5 }), weight = numbers(shape.slice(-1), 6, { shift: 1 })
  return [[`rmsNorm of [${shape}]`, { x, weight }, { op: 'rmsNorm', eps: 1e-3 }],
    [`rmsNorm of [${shape}], bare`, { x }, { op: 'rmsNorm', eps: 0.1 }],
    [`normalize [${shape}]`, { x }, { op: 'normalize', dim: -1 }]]
})

/** The operation `pair`: products of two tensors. */
const pairRows = () => [
  ['cosineSimilarity', [3, 5], [3, 5], {}], ['cosineSimilarity', [2, 3, 17], [3, 17], { dim: -1 }],
  ['dot', [17], [17], {}],
  ['outer', [3], [5], {}], ['matmul', [17], [17], {}], ['matmul', [17], [17, 3], {}], ['matmul', [2, 3, 5], [5], {}],
  ['matmul', [5], [2, 5, 3], {}], ['dot', [0], [0], {}], ['outer', [0], [3], {}]
].map(([op, a, b, params]) => [`${op} [${a}] [${b}]`, { a: numbers(a, 1), b: numbers(b, 2) }, { op, ...params }])

const rowShapes = [[1], [7], [1, 1], [3, 5], [1, 17], [5, 33], [4, 67], [3, 130], [2, 3, 5, 7], [2, 1, 12], [0, 7]]
const lastAxisExamples = op => examplesFrom(op, rowShapes.map(shape => [`[${shape}]`, { x: numbers(shape, 7, { scale: 3 }) }]))

const tables = [
  // rows, width, shape of the ids
  [1, 1, [1]], [3, 5, [4]], [11, 5, [2, 7]], [5, 17, [1, 1]], [17, 33, [3, 5]], [67, 130, [2, 9]], [4, 3, [0]],
  [4, 3, [2, 0]]
]

const embeddingRows = () => tables.flatMap(([rows, width, shape]) => [undefined, rows - 1].map(padding_idx => {
  const name = `[${shape}] ids of [${rows}, ${width}], padding ${padding_idx}`
  return [name, { idx: integers(shape, rows, 6), weight: numbers([rows, width], 5) }, { padding_idx }]
}))

const linearSizes = [
  // leading shape, inputs, outputs
  [[1], 1, 1], [[], 5, 3], [[3], 5, 1], [[2, 7], 12, 5], [[2, 1], 12, 5], [[5], 17, 33], [[33], 5, 17], [[4], 67, 33],
  [[9], 130, 67], [[17], 33, 130], [[0], 4, 3], [[2, 0], 4, 3], [[3], 300, 20], [[270], 5, 9], [[259], 261, 3],
  [[2], 7, 290]
]

const linearRows = () => linearSizes.flatMap(([leading, inputs, outputs]) => {
  const x = numbers([...leading, inputs], 1)
  const weight = projection([outputs, inputs], 2)
  const name = `[${x.shape}] to ${outputs}`
  return [[name, { x, weight, bias: numbers([outputs], 3) }], [`${name} without bias`, { x, weight }]]
})

const matmulShapes = [
  [[1, 1], [1, 1]], [[3, 5], [5, 17]], [[17, 1], [1, 17]], [[1, 67], [67, 1]], [[33, 67], [67, 5]],
  [[5, 130], [130, 33]], [[130, 3], [3, 67]], [[3, 300], [300, 20]], [[290, 5], [5, 3]],
  [[2, 3], [3, 290]], [[2, 3, 7, 4], [2, 3, 4, 5]], [[2, 1, 17], [2, 17, 3]],
  [[2, 3, 5], [5, 4]], [[3, 5], [2, 5, 4]], [[2, 1, 3, 5], [4, 5, 2]], [[0, 3], [3, 2]], [[2, 0], [0, 3]],
  [[2, 3], [3, 0]]
]

const matmulRows = () => matmulShapes.map(([a, b]) => [`[${a}] by [${b}]`, { a: numbers(a, 1), b: numbers(b, 2) }])

const dropoutRows = () => [0, 0.1, 0.5, 1].map(p => {
  const scale = p < 1 ? 1 / (1 - p) : 0
  return [`p = ${p}`, { x: numbers([3, 7], 1), keep: booleans([3, 7], 1 - p, 2) }, { p, scale }]
})

const layerNormSizes = [
  // leading shape, normalized size
  [[1], 1], [[], 5], [[3], 2], [[2, 7], 12], [[2, 1], 17], [[4], 33], [[3], 67], [[2], 130], [[0], 5]
]

function layerNormRows() {
  const far = { x: numbers([3, 12], 6, { shift: 50 }), weight: filled([12], 1), bias: filled([12], 0) }
  return [['a mean of 50', far], ...layerNormSizes.flatMap(([leading, n]) => {
    const x = numbers([...leading, n], 3, { scale: 1.5, shift: 0.5 })
    const weight = numbers([n], 4, { scale: 0.3, shift: 1 })
    const bias = numbers([n], 5, { scale: 0.3 })
    const name = `[${x.shape}]`
    return [
      [name, { x, weight, bias }],
      [`${name} without weight and bias`, { x }],
      [`${name} with a large eps`, { x, weight, bias }, { eps: 0.1 }]
    ]
  })]
}

const crossEntropyOptions = [
  {}, { reduction: 'sum' }, { reduction: 'none' }, { label_smoothing: 0.1 }, { ignore_index: 0 },
  { ignore_index: 0, label_smoothing: 0.2 }, { ignore_index: 0, label_smoothing: 0.2, reduction: 'none' },
  { ignore_index: 0, reduction: 'sum' }, { label_smoothing: 1 }
]
const crossEntropySizes = [[1, 1], [1, 5], [3, 2], [5, 17], [14, 11], [4, 130], [33, 67]]

function crossEntropyRows() {
  return crossEntropySizes.flatMap(([rows, classes]) => crossEntropyOptions.map(params => {
    const target = integers([rows], classes, 8)
    if ('ignore_index' in params && rows > 1) target.data[1] = 0
    const logits = numbers([rows, classes], 9, { scale: 2 })
    return [`[${rows}, ${classes}] ${JSON.stringify(params)}`, { logits, target }, params]
  // If every target is ignored the mean is 0/0, which cross_entropy.test.js tests.
  })).filter(([, { target }, params]) => params.reduction || target.data.some(id => id !== params.ignore_index))
}

const attentionSizes = [
  // B, H, Tq, Tk, D
  [1, 1, 1, 1, 1], [1, 1, 1, 5, 3], [2, 3, 7, 5, 4], [1, 2, 5, 1, 17], [2, 1, 17, 17, 5], [1, 2, 33, 33, 16],
  [1, 1, 67, 67, 8], [1, 1, 5, 130, 33], [1, 1, 3, 300, 5], [1, 1, 0, 3, 4], [0, 2, 3, 3, 4]
]

function attentionRows() {
  return attentionSizes.flatMap(([B, H, Tq, Tk, D]) => {
    const inputs = { q: numbers([B, H, Tq, D], 11), k: numbers([B, H, Tk, D], 12), v: numbers([B, H, Tk, D], 13) }
    const mask = booleans([Tq, Tk], 0.7, 14)
    const padding = booleans([B, Tk], 0.3, 15)
    // The first key is visible to every query: a row without visible keys is NaN, which attention.test.js tests.
    for (let i = 0; i < Tq; i++) mask.data[i * Tk] = 1
    for (let b = 0; b < B; b++) padding.data[b * Tk] = 0
    const name = `[${[B, H, Tq, D]}] on ${Tk} keys`
    return [
      [name, inputs],
      [`${name}, causal`, inputs, { causal: true }],
      [`${name}, bool mask`, { ...inputs, attn_mask: mask }],
      [`${name}, float mask`, { ...inputs, attn_mask: numbers([Tq, Tk], 16) }],
      [`${name}, float mask per head`, { ...inputs, attn_mask: numbers([B, H, Tq, Tk], 17) }],
      [`${name}, key padding`, { ...inputs, key_padding_mask: padding }],
      [`${name}, bool mask and padding`, { ...inputs, attn_mask: mask, key_padding_mask: padding }],
      [`${name}, causal and padding`, { ...inputs, key_padding_mask: padding }, { causal: true }]
    ]
  })
}

const groupSizes = [
  // B, H, KV, T, D, Dv
  [1, 2, 1, 1, 1, 1], [2, 6, 2, 5, 3, 4], [1, 4, 4, 17, 5, 3], [2, 3, 1, 33, 8, 8], [1, 8, 2, 9, 16, 17],
  [1, 4, 2, 0, 3, 3]
]

/** Grouped queries (heads that share keys and values), a custom scale, and a window. */
const groupedRows = () => groupSizes.flatMap(([B, H, KV, T, D, Dv]) => {
  const q = numbers([B, H, T, D], 51), k = numbers([B, KV, T, D], 52), v = numbers([B, KV, T, Dv], 53)
  const name = `[${[B, H, T, D]}] on ${KV} heads of keys`
  return [
    [name, { q, k, v }],
    [`${name}, causal`, { q, k, v }, { causal: true }],
    [`${name}, scale 0.3`, { q, k, v }, { scale: 0.3 }],
    [`${name}, causal, window 3`, { q, k, v }, { causal: true, window: 3 }],
    [`${name}, window 4, float mask per head`, { q, k, v, attn_mask: numbers([1, H, T, T], 54) }, { window: 4 }]
  ]
})

function attentionParameters(width, seed) {
  return {
    in_proj_weight: projection([3 * width, width], seed),
    in_proj_bias: numbers([3 * width], seed + 1, { scale: 0.2 }),
    out_proj_weight: projection([width, width], seed + 2),
    out_proj_bias: numbers([width], seed + 3, { scale: 0.2 })
  }
}

const headSizes = [
  // B, Tq, Tk, E, heads
  [1, 1, 1, 1, 1], [2, 3, 5, 6, 2], [1, 5, 5, 17, 1], [2, 7, 4, 12, 3], [1, 17, 9, 32, 4], [1, 3, 3, 132, 4]
]

function multiheadRows() {
  return headSizes.flatMap(([B, Tq, Tk, E, heads]) => {
    const query = numbers([B, Tq, E], 21)
    const memory = numbers([B, Tk, E], 22)
    const weights = attentionParameters(E, 23)
    const { in_proj_weight, ...others } = weights
    const separate = {
      query, key: numbers([B, Tk, E + 2], 27), value: numbers([B, Tk, 3], 28), ...others,
      q_proj_weight: projection([E, E], 24), k_proj_weight: projection([E, E + 2], 25),
      v_proj_weight: projection([E, 3], 26)
    }
    const params = { num_heads: heads }
    const name = `[${[B, Tq, E]}], ${heads} heads`
    return [
      [`${name}, self`, { query, ...weights }, params],
      [`${name}, cross`, { query, key: memory, ...weights }, params],
      [`${name}, separate projections`, separate, params],
      [`${name}, no bias`, { query, in_proj_weight, out_proj_weight: weights.out_proj_weight }, params]
    ]
  })
}

function layerParameters(width, hidden, attentions, seed) {
  const state = {}
  attentions.forEach((name, i) => {
    for (const [key, t] of Object.entries(attentionParameters(width, seed + 10 * i))) {
      state[`${name}.${key.replace('out_proj_', 'out_proj.')}`] = t
    }
  })
  const affine = (name, weight, biasSeed) => {
    state[`${name}.weight`] = weight
    state[`${name}.bias`] = numbers(weight.shape.slice(0, 1), seed + biasSeed, { scale: 0.1 })
  }
  affine('linear1', projection([hidden, width], seed + 50), 51)
  affine('linear2', projection([width, hidden], seed + 52), 53)
  for (let i = 1; i <= attentions.length + 1; i++) {
    affine(`norm${i}`, numbers([width], seed + 60 + i, { scale: 0.1, shift: 1 }), 70 + i)
  }
  return state
}

const prefixed = (prefix, state) => Object.fromEntries(Object.entries(state).map(([name, t]) => [prefix + name, t]))

const variants = [
  { norm_first: false, activation: 'relu' },
  { norm_first: true, activation: 'gelu' },
  { norm_first: true, activation: 'relu' }
]

const layerRows = (inputs, state) => variants.map(variant => (
  [JSON.stringify(variant), { ...inputs, ...state }, { num_heads: 2, ...variant }]))

const source = { src: numbers([2, 5, 6], 31) }
const target = { tgt: numbers([2, 4, 6], 32), memory: numbers([2, 5, 6], 33) }
const encoderState = seed => layerParameters(6, 9, ['self_attn'], seed)
const decoderState = seed => layerParameters(6, 9, ['self_attn', 'multihead_attn'], seed)
const finalNorm = {
  'norm.weight': numbers([6], 41, { scale: 0.1, shift: 1 }), 'norm.bias': numbers([6], 42, { scale: 0.1 })
}
const twoLayers = state => (
  { ...prefixed('layers.0.', state(100)), ...prefixed('layers.1.', state(300)), ...finalNorm })
const stackRows = (inputs, state) => layerRows(inputs, twoLayers(state)).map(([name, all, params]) => (
  [name, all, { ...params, layers: 2, final_norm: true }]))

const rotaryShapes = [[1, 1, 1, 2], [2, 3, 5, 4], [1, 2, 17, 6], [2, 1, 3, 66], [1, 1, 0, 4], [0, 2, 3, 4],
  [2, 2, 7, 12]]
const rotaryRows = () => rotaryShapes.flatMap(shape => {
  const [B, , T, C] = shape, x = numbers(shape, 61), name = `[${shape}]`
  return [
    [name, { x }, {}],
    [`${name}, interleaved`, { x }, { layout: 'interleaved' }],
    [`${name}, base 100, from 900 on`, { x }, { base: 100, positions: Array.from({ length: T }, (_, t) => 900 + t) }],
    ...(B ? [[`${name}, positions per row`, { x },
      { positions: Array.from({ length: B }, (_, b) => Array.from({ length: T }, (_, t) => 3 * t + 7 * b)) }]] : []),
    ...(C % 4 ? [] : [[`${name}, two heads in a row`, { x }, { heads: 2 }]])
  ]
})

const CASES = {
  add: () => broadcastExamples('add'),
  mul: () => broadcastExamples('mul'),
  relu: () => elementwiseExamples('relu', {}),
  loss: () => examplesFrom('loss', lossRows()),
  norm: () => examplesFrom('norm', normRows()),
  pair: () => examplesFrom('pair', pairRows()),
  unary: () => examplesFrom('unary', unaryRows()),
  reduce: () => examplesFrom('reduce', reduceRows()),
  rowwise: () => examplesFrom('rowwise', rowwiseRows()),
  binary: () => examplesFrom('binary', binaryRows()),
  gelu: () => [...elementwiseExamples('gelu', { approximate: 'none' }), ...elementwiseExamples('gelu', { approximate: 'tanh' })],
  softmax: () => lastAxisExamples('softmax'),
  log_softmax: () => lastAxisExamples('log_softmax'),
  layer_norm: () => examplesFrom('layer_norm', layerNormRows()),
  rms_norm: () => examplesFrom('rms_norm', layerNormRows().map(
    ([name, { bias, ...inputs }, params]) => [name, inputs, params])),
  embedding: () => examplesFrom('embedding', embeddingRows()),
  linear: () => examplesFrom('linear', linearRows()),
  matmul: () => examplesFrom('matmul', matmulRows()),
  dropout: () => examplesFrom('dropout', dropoutRows()),
  cross_entropy: () => examplesFrom('cross_entropy', crossEntropyRows()),
  attention: () => examplesFrom('attention', [...attentionRows(), ...groupedRows()]),
  rotary: () => examplesFrom('rotary', rotaryRows()),
  multihead_attention: () => examplesFrom('multihead_attention', multiheadRows()),
  encoderLayer: () => examplesFrom('encoderLayer', layerRows(source, encoderState(100))),
  decoderLayer: () => examplesFrom('decoderLayer', layerRows(target, decoderState(100))),
  encoder: () => examplesFrom('encoder', stackRows(source, encoderState)),
  decoder: () => examplesFrom('decoder', stackRows(target, decoderState))
}

export const opsWithCases = Object.keys(CASES)

export const casesOf = op => CASES[op]()
