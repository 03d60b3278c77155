import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { indicesOf } from '../../src/js/tensor/shape.js'
import { convertFormula, convertLabel } from '../../web/lib/engine_formula.js'

const read = path => readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
const texts = async language => JSON.parse(await read(`web/words/${language}/page.json`)).page
const [ko, en] = await Promise.all(['ko', 'en'].map(texts))
const gf = await load()
const F = gf.functional
const trainable = values => gf.tensor(values, { requiresGrad: true })

/** One use of every operation there is, forward and backward. */
const USES = {
  add: () => F.add(trainable([1, 2]), trainable([3, 4])),
  mul: () => F.mul(trainable([1, 2]), trainable([3, 4])),
  matmul: () => F.matmul(trainable([[1, 2]]), trainable([[3], [4]])),
  linear: () => F.linear(trainable([[1, 2]]), trainable([[3, 4]]), trainable([1])),
  relu: () => F.relu(trainable([1, -1])),
  gelu: () => F.gelu(trainable([1, -1])),
  gelu_tanh: () => F.gelu(trainable([1, -1]), { approximate: 'tanh' }),
  softmax: () => F.softmax(trainable([[1, 2]])),
  log_softmax: () => F.logSoftmax(trainable([[1, 2]])),
  layer_norm: () => F.layerNorm(trainable([[1, 2]]), trainable([1, 1]), trainable([0, 0])),
  rms_norm: () => F.rmsNorm(trainable([[1, 2]]), trainable([1, 1])),
  silu: () => F.silu(trainable([1, -1])),
  layer_norm_bare: () => F.layerNorm(trainable([[1, 2]])),
  dropout: () => F.dropout(trainable([1, 2, 3]), { p: 0.4 }),
  embedding: () => F.embedding([0, 1], trainable([[1, 2], [3, 4]])),
  cross_entropy: () => F.crossEntropy(trainable([[1, 2], [3, 4]]), [0, 1]),
  cross_entropy_sum: () => F.crossEntropy(trainable([[1, 2]]), [1], { reduction: 'sum' }),
  attention: () => F.scaledDotProductAttention(...[1, 2, 3].map(n => trainable([[[[n, 1], [0, n]]]])),
    { attnMask: trainable([[0, -1], [0, 0]]) }),
  attention_module: () => {
    const inputs = [1, 2, 3].map(() => trainable([[[1, 2, 3, 4]]]))
    return new gf.nn.MultiheadAttention(4, 2).forward(...inputs)[0]
  },
  attention_dropout: () => {
    const x = trainable([[[1, 2, 3, 4], [0, 1, 0, 1]]])
    return new gf.nn.MultiheadAttention(4, 2, { dropout: 0.5 }).forward(x, x, x)[0]
  },
  cache: () => gf.noGrad(() => {
    const cache = new gf.decoding.Cache(2), mha = new gf.nn.MultiheadAttention(4, 2), x = gf.tensor([[[1, 2, 3, 4]]])
    mha.forward(x, x, x, { isCausal: true, cache })
    return mha.forward(x, x, x, { isCausal: true, cache })[0]
  }),
  rotary: () => F.rotary(trainable([[1, 2], [3, 4]])),
  alibi: () => gf.alibi(2, 2),
  positional_encoding: () => gf.positionalEncoding(2, 3),
  reshape: () => trainable([[1, 2]]).reshape(2, 1)
}

/** Every formula and label an explanation holds, and its note; one stands in place of the formula. */
const wordings = ({ formulas, note, terms, steps }) => ({
  note, texts: [
    ...(['drawn', 'started'].includes(note?.name) ? [] : formulas), ...steps.map(({ label }) => label),
    ...terms.flatMap(({ label, factors }) => [label, ...factors.map(({ symbol }) => symbol)])
  ]
})

/** The answer, or null where there is none. */
function attempt(ask) {
  try {
    return ask()
  } catch (error) {
    assert.equal(error.code, 'state', error.message)
    return null
  }
}

/** A use of an operation with backward done. */
function traced(use) {
  return gf.trace(() => {
    const out = use(), ones = new Float32Array(out.numel()).fill(1)
    if (out.requiresGrad) out.backward(gf.tensor(ones, { shape: out.shape }))
    return out
  }).trace
}

function explained(use) {
  const trace = traced(use)
  const explanation = trace.names.flatMap(name => {
    const first = trace.get(name).shape.map(() => 0)
    const last = trace.get(name).shape.map(side => side - 1)
    const backward = () => {
      try {
        return [wordings(trace.explainGradient(name, last))]
      } catch {
        return []
      }
    }
    const forward = [first, last].map(at => trace.explain(name, at)).filter(({ op }) => op !== 'given')
    return [...forward.map(wordings), ...backward()]
  })
  return { ops: trace.names.map(name => trace.operation(name)), found: explanation }
}

test('no formula, label or symbol of any operation is left untranslated', async () => {
  const seenOps = new Set()
  const askedOps = new Set()
  for (const [name, use] of Object.entries(USES)) {
    const { ops, found } = explained(use)
    ops.forEach(op => seenOps.add(op))
    for (const { texts, note } of found) {
      if (note) assert.ok(ko.inspector.notes[note.name] && en.inspector.notes[note.name], `${name}: ${note.name}`)
      const word = item => {
        askedOps.add(item)
        assert.ok(ko.inspector.words[item] && en.inspector.words[item], `${name}: no words for '${item}' in '${texts}'`)
        return item
      }
      for (const text of texts) {
        if (!text.startsWith('d(')) convertFormula(text, word)
        convertLabel(text, word)
      }
    }
  }
  const files = await readdir(new URL('../../src/js/ops/', import.meta.url))
  const sources = await Promise.all(files.map(file => read(`src/js/ops/${file}`)))
  const all = sources.flatMap(code => [...code.matchAll(/^ {2}name: '(\w+)'/gm)].map(match => match[1]))
  const knownOps = [...seenOps].filter(Boolean)
  const unseen = all.filter(op => !knownOps.includes(op))
  const notOnThePage = ['cat', 'cumsum', 'nll_loss', 'nonzero', 'order', 'prod', 'rounded', 'to', 'where']
  const missingOps = unseen.filter(op => !notOnThePage.includes(op))
  assert.deepEqual(missingOps.sort(), ['narrow', 'transpose'], 'both only say out = x')
  const unused = Object.keys(en.inspector.words).filter(word => !askedOps.has(word))
  assert.deepEqual(unused, [], 'words that no operation uses')
})

test('a factor that links to a cell has the value of that cell, in every operation', () => {
  const uses = { ...USES, narrow: () => new gf.nn.LearnedPositionalEncoding(3, 1).forward(trainable([[[1], [2]]])) }
  let count = 0
  for (const [op, use] of Object.entries(uses)) {
    const trace = traced(use)
    for (const name of trace.names) {
      const places = indicesOf(trace.get(name).shape)
      for (const at of places) {
        for (const way of ['explain', 'explainGradient']) {
          const explanation = attempt(() => trace[way](name, at))
          for (const { label, factors } of explanation?.terms ?? []) {
            let rest = label
            for (const { symbol, value, source } of factors) {
              assert.ok(rest.includes(symbol), `${op}: '${symbol}' is not in '${label}' where it should be`)
              rest = rest.slice(rest.indexOf(symbol) + symbol.length)
              if (!source) continue
              const tensor = source.isGradient ? trace.gradient(source.name) : trace.get(source.name)
              assert.ok(Object.is(value, tensor.at(...source.index)), `${op}: ${label}, ${symbol} is ${value}`)
              count += 1
            }
          }
        }
      }
    }
  }
  assert.ok(count > 300, `${count} factors`)
})

test('formulas of the engine are converted to the page\'s formula language', () => {
  const word = name => name.toUpperCase()
  const cases = [
    ['y = b + Σₖ x[k] × W[o, k]', 'y = b + sum_{k} x_{k} × W_{o , k}'],
    ['q · k / √4', 'frac{q · k}{sqrt{4}}'],
    ['exp(x[i] − max) / Σⱼ exp(x[j] − max)', 'frac{e^{x_{i} − max}}{sum_{j} e^{x_{j} − max}}'],
    ['dx[k] = Σₒ dy[o] × W[o, k]', 'frac{∂ L}{∂ x_{k}} = sum_{o} frac{∂ L}{∂ y_{o}} × W_{o , k}'],
    ['rstd = 1 / √(variance + 0.00001)', '"RSTD" = frac{1}{sqrt{"VARIANCE" + 0.00001}}'],
    ['sin(k / 10000^(2·0/16))', 'sin ( frac{k}{10000^{frac{2 · 0}{16}}} )'],
    ['÷ √4', '÷ sqrt{4}'],
    ['p[k, 2·i + 1] = cos(k)', 'p_{k , 2 · i + 1} = cos ( k )']
  ]
  for (const [from, to] of cases) assert.equal(convertFormula(from, word).replace(/ +/g, ' '), to)
})
