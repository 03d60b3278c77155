/**
 * A stand-in for the engine's run: the same object from plain loops and a toy random stream. It lets the stages be
 * tested in Node without wasm; its numbers are of the right kind but are nobody's reference.
 */

const DEFAULTS = {
  texts: ['I wonder what will come next', '나는 최근 파리 여행을 다녀왔다'], tokenizer: 'words', dModel: 8, heads: 2,
  base: 10000, maxLength: 12, positions: 'interleaved', dropout: 0.1, training: false, seed: 1, causal: false
}

function stream(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let x = Math.imul(state ^ (state >>> 15), 1 | state)
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296
  }
}

const tensor = (name, axes, shape, at) => {
  const size = shape.reduce((a, b) => a * b, 1)
  const data = new Float32Array(size)
  for (let i = 0; i < size; i++) {
    let rest = i
    const index = shape.map(() => 0)
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape[axis]
      rest = Math.floor(rest / shape[axis])
    }
    data[i] = at(...index)
  }
  return { name, shape, axes, data }
}

const total = (n, at) => Array.from({ length: n }, (_, i) => at(i)).reduce((a, b) => a + b, 0)

function text({ texts, tokenizer }) {
  const clean = (line) => (tokenizer === 'words' ? line.replace(/[,?!.]/g, '') : line)
  const tokens = texts.map((line) => clean(line).split(/\s+/u).filter(Boolean))
  const vocab = [...new Set(tokens.flat())].sort()
  const lengths = tokens.map((list) => list.length)
  const T = Math.max(...lengths)
  const padded = lengths.some((length) => length < T)
  if (padded) vocab.unshift('<pad>')
  const ids = tokens.map((list) => Array.from({ length: T }, (_, t) => (t < list.length ? vocab.indexOf(list[t]) : 0)))
  const padding = lengths.map((length) => Array.from({ length: T }, (_, t) => t >= length))
  return { tokens, vocab, ids, padding, lengths, T }
}

function position(p, i, { dModel, base, positions }, random) {
  if (positions === 'learned') return random() - 0.5
  const pair = positions === 'interleaved' ? i >> 1 : i % (dModel / 2)
  const cosine = positions === 'interleaved' ? i % 2 : i >= dModel / 2
  const angle = p / base ** ((2 * pair) / dModel)
  return cosine ? Math.cos(angle) : Math.sin(angle)
}

/**
 * @param {object} [changes] settings that differ from the defaults
 */
export function fakeRun(changes = {}) {
  const settings = { ...DEFAULTS, ...changes }
  const { dModel: C, heads: H, dropout: p } = settings
  const words = text(settings)
  const { T } = words
  const [B, V, D] = [words.ids.length, words.vocab.length, C / H]
  const random = stream(settings.seed)
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const tensors = new Map()
  const put = (name, axes, shape, at) => tensors.set(name, tensor(name, axes, shape, at)).get(name).data

  const table = put('embedding.weight', ['word', 'dim'], [V, C], normal)
  const inWeight = put('self_attn.in_proj_weight', ['row', 'dim'], [3 * C, C], () => (random() - 0.5) * 1.2)
  const inBias = put('self_attn.in_proj_bias', ['row'], [3 * C], () => 0)
  const outWeight = put('self_attn.out_proj.weight', ['row', 'dim'], [C, C], () => (random() - 0.5))
  const outBias = put('self_attn.out_proj.bias', ['row'], [C], () => 0)
  const BTC = [['sentence', 'token', 'dim'], [B, T, C]]
  const BHTT = [['sentence', 'head', 'query', 'key'], [B, H, T, T]]
  const btc = (b, t, c) => (b * T + t) * C + c
  const bhtt = (b, h, q, k) => ((b * H + h) * T + q) * T + k

  const embedding = put('embedding', ...BTC, (b, t, c) => table[words.ids[b][t] * C + c])
  const pe = put('positional_encoding', ['position', 'dim'], [settings.maxLength, C], (t, i) =>
    position(t, i, settings, random))
  const sum = put('sum', ...BTC, (b, t, c) => embedding[btc(b, t, c)] + pe[t * C + c])
  const mask = settings.training ? put('dropout.mask', ...BTC, () => (random() < p ? 0 : 1 / (1 - p))) : null
  const x = put('dropout', ...BTC, (b, t, c) => sum[btc(b, t, c)] * (mask ? mask[btc(b, t, c)] : 1))
  const project = (part) => (b, t, c) =>
    total(C, (i) => x[btc(b, t, i)] * inWeight[(part * C + c) * C + i]) + inBias[part * C + c]
  const [q, k, v] = ['q', 'k', 'v'].map((name, part) => put(`self_attn.${name}`, ...BTC, project(part)))
  const scores = put('self_attn.scores', ...BHTT, (b, h, i, j) =>
    total(D, (d) => q[btc(b, i, h * D + d)] * k[btc(b, j, h * D + d)]) / Math.sqrt(D))
  const hidden = (b, i, j) => words.padding[b][j] || (settings.causal && j > i)
  const masked = put('self_attn.masked_scores', ...BHTT, (b, h, i, j) =>
    (hidden(b, i, j) ? -Infinity : scores[bhtt(b, h, i, j)]))
  const weights = put('self_attn.weights', ...BHTT, (b, h, i, j) =>
    Math.exp(masked[bhtt(b, h, i, j)]) / total(T, (n) => Math.exp(masked[bhtt(b, h, i, n)])))
  const heads = put('self_attn.heads', ...BTC, (b, t, c) =>
    total(T, (n) => weights[bhtt(b, Math.floor(c / D), t, n)] * v[btc(b, n, c)]))
  put('self_attn.output', ...BTC, (b, t, c) => total(C, (i) => heads[btc(b, t, i)] * outWeight[c * C + i]) + outBias[c])
  return { settings, texts: settings.texts, ...words, tensors }
}
