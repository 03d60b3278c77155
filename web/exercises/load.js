/** The trained weights in the reader's own code: does it write the same date? */

import { CONFIG, createTranslator } from '../../src/training/models/dates/model.js'
import { TARGET_TOKENS, textOf, encode, idsOf, splitSource, SOURCE_TOKENS } from '../../src/training/models/dates/data.js'
import { HEADS } from './run_values.js'
import { modelNames, modelOf, stateDictOf } from './weights.js'

const SOURCE = 'streams.source', TARGET = 'streams.target'
const [START, END, LONGEST] = [1, 2, 12]
/** A model without trained weights. */
const SMALL = { dModel: 8, nhead: 2, layers: 2, dimFeedforward: 8 }

/** @param {string} date */
const idsOfDate = date => encode(splitSource(date), idsOf(SOURCE_TOKENS), 0)

/** Small random weights. @param {import('../types.d.ts').Library} gf @param {(...shape: number[]) => any} random */
function smallModel(gf, random) {
  const model = createTranslator(gf, { ...CONFIG, ...SMALL })
  return modelOf(gf, Object.fromEntries(Object.entries(model.stateDict()).map(([name, { shape }]) => {
    const isGain = /norm\d?\.weight$/.test(name)
    return [name, { shape: [...shape], data: random(...shape).add(isGain ? 1 : 0).data.slice() }]
  })))
}

/** @type {import('./index.js').Exercise} */
export const exercise = {
  name: 'model',
  formula: 'Y_1 = "norm"_1(Y + "self"(Y)) ; Y_2 = "norm"_2(Y_1 + "cross"(Y_1 , M)) ; Y_3 = "norm"_3(Y_2 + "ffn"(Y_2))',
  names: ['w.crossQkv.chunk(3, 0)', 'w.crossQkvBias.chunk(3, 0)', 'multiHead(q, k, v, w.crossOut, H)', 'w.crossOutBias', 'w.gamma3, w.beta3'],
  uses: ['embedding', 'positions', 'softmax', 'attention', 'mask', 'heads', 'norm', 'feed_forward', 'block', 'stack', 'logits'],
  starter: `// $signature
function model(w, source, target, H) {
  const input = (ids, table) => (
    embed(ids, table).add(positions(ids.length, table.shape[1])))
  const scores = (q, k) => q.matmul(k.t()).div(Math.sqrt(q.shape[1]))
  const causal = (q, k, v) => softmax(causalMask(scores(q, k))).matmul(v)
  const norm = (x, { gamma, beta }) => layerNorm(x, gamma, beta)
  const memory = norm(stack(input(source, w.source), w.encoder, H), w.encoderNorm)

  function decoderBlock(x, w) {
    const [q, k, v] = x.matmul(w.qkv.t()).add(w.qkvBias).chunk(3, -1)
    const a = multiHead(q, k, v, w.out, H, causal).add(w.outBias)
    const y = layerNorm(x.add(a), w.gamma1, w.beta1)
    // $task
    return y
  }
  const last = w.decoder.reduce(decoderBlock, input(target, w.target))
  return logits(norm(last, w.decoderNorm), w.out, w.outBias)
}`,
  solution: `// $signature
function model(w, source, target, H) {
  const input = (ids, table) => (
    embed(ids, table).add(positions(ids.length, table.shape[1])))
  const scores = (q, k) => q.matmul(k.t()).div(Math.sqrt(q.shape[1]))
  const causal = (q, k, v) => softmax(causalMask(scores(q, k))).matmul(v)
  const norm = (x, { gamma, beta }) => layerNorm(x, gamma, beta)
  const memory = norm(stack(input(source, w.source), w.encoder, H), w.encoderNorm)

  function decoderBlock(x, w) {
    const [q, k, v] = x.matmul(w.qkv.t()).add(w.qkvBias).chunk(3, -1)
    const a = multiHead(q, k, v, w.out, H, causal).add(w.outBias)
    const y = layerNorm(x.add(a), w.gamma1, w.beta1)
    // $task
    const [wq, wk, wv] = w.crossQkv.chunk(3, 0)
    const [bq, bk, bv] = w.crossQkvBias.chunk(3, 0)
    const cq = y.matmul(wq.t()).add(bq)
    const ck = memory.matmul(wk.t()).add(bk)
    const cv = memory.matmul(wv.t()).add(bv)
    const c = multiHead(cq, ck, cv, w.crossOut, H).add(w.crossOutBias)
    const z = layerNorm(y.add(c), w.gamma2, w.beta2)
    const f = feedForward(z, w.w1, w.b1, w.w2, w.b2)
    return layerNorm(z.add(f), w.gamma3, w.beta3)
  }
  const last = w.decoder.reduce(decoderBlock, input(target, w.target))
  return logits(norm(last, w.decoderNorm), w.out, w.outBias)
}`,
  torch: {
    starter: `# $signature
def model(w, source, target, H):
    def embedded(ids, table):
        return embed(ids, table) + positions(len(ids), table.shape[1])

    def causal(q, k, v):
        return softmax(causal_mask(q @ k.T / math.sqrt(q.shape[1]))) @ v

    norm = w['encoderNorm']
    memory = layer_norm(stack(embedded(source, w['source']), w['encoder'], H), norm['gamma'], norm['beta'])

    def decoder_block(x, w):
        q, k, v = (x @ w['qkv'].T + w['qkvBias']).chunk(3, -1)
        a = multi_head(q, k, v, w['out'], H, causal) + w['outBias']
        y = layer_norm(x + a, w['gamma1'], w['beta1'])
        # $task
        return y

    last = embedded(target, w['target'])
    for layer in w['decoder']:
        last = decoder_block(last, layer)
    last = layer_norm(last, w['decoderNorm']['gamma'], w['decoderNorm']['beta'])
    return logits(last, w['out'], w['outBias'])`,
    solution: ''
  },
  tolerance: 1e-3,
  values: [SOURCE, TARGET, ...modelNames],
  cases: ({ gf, values, random }) => ({
    sentence: values && [modelOf(gf, values), Array.from(values[SOURCE].data), Array.from(values[TARGET].data), HEADS],
    date: values && [modelOf(gf, values), idsOfDate('the 3rd of may, 1999'), [START, 4, 12, 12], HEADS],
    random: [smallModel(gf, random), [3, 21, 7, 40], [START, 5, 3, 13, 9], 2],
    one: [smallModel(gf, random), [5], [START], 2]
  }),
  expected: (gf, weights, source, target, H) => {
    const [layers, { w1 }] = [weights.encoder.length, weights.encoder[0]]
    const [dimFeedforward, dModel] = w1.shape
    const model = createTranslator(gf, { ...CONFIG, dModel, dimFeedforward, layers, nhead: H })
    model.loadStateDict({ ...model.stateDict(), ...stateDictOf(weights) })
    return model.forward([source], [target]).squeeze(0)
  },
  show(compute, [weights, source, , H]) {
    const ids = [START]
    while (ids.length <= LONGEST && ids.at(-1) !== END) {
      ids.push(compute(weights, source, ids, H).select(0, -1).argmax().item())
    }
    return textOf(ids.map(id => TARGET_TOKENS[id] ?? ''))
  },
  mistakes: {
    noMask: ['w.out, H, causal)', 'w.out, H)'],
    onlyItself: ['const ck = memory.matmul(wk.t()).add(bk)\n    const cv = memory',
      'const ck = y.matmul(wk.t()).add(bk)\n    const cv = y'],
    noResidual: ['layerNorm(y.add(c), w.gamma2, w.beta2)', 'layerNorm(c, w.gamma2, w.beta2)'],
    noFeedForward: ['layerNorm(z.add(f), w.gamma3, w.beta3)', 'z']
  }
}
exercise.torch.solution = exercise.torch.starter.replace('        return y\n', `        wq, wk, wv = w['crossQkv'].chunk(3)
        bq, bk, bv = w['crossQkvBias'].chunk(3)
        c = multi_head(y @ wq.T + bq, memory @ wk.T + bk, memory @ wv.T + bv, w['crossOut'], H) + w['crossOutBias']
        z = layer_norm(y + c, w['gamma2'], w['beta2'])
        f = feed_forward(z, w['w1'], w['b1'], w['w2'], w['b2'])
        return layer_norm(z + f, w['gamma3'], w['beta3'])
`)
