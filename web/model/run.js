/** The whole encoder-decoder on one source and one target, with every number on the way. */

import { CONFIG, createTranslator } from './translator.js'
import { graphOf } from '../../src/js/graph.js'
import { sampling, targetOf } from './answer.js'
import { LONGEST, PAD, SOURCE_TOKENS, TARGET_TOKENS, encode, idsOf, splitSource } from './dates.js'
import { START_ID } from './decode.js'
import { fitting, isWithin, offset, scaleOf } from './edited.js'
import { axesOf } from './axes.js'

const SOURCE_IDS = idsOf(SOURCE_TOKENS)

/** @typedef {import('./edited.js').Edit} Edit */

const DEFAULTS = {
  model: 'trained', source: 'november 20 2026', target: null, seed: 42, heads: 4, layers: 2, dModel: 32,
  dimFeedforward: 64, normFirst: false, activation: 'relu', positional: true, positions: 'interleaved', base: 10000,
  scale: true, padding: false, dropout: 0.1, training: false, tgtIsCausal: true, temperature: 1, topK: 0, topP: 1,
  decoding: 'greedy', beams: 3
}

/** Sizes that the trained weights fix. */
const TRAINED = {
  heads: CONFIG.nhead, layers: CONFIG.layers, dModel: CONFIG.dModel, dimFeedforward: CONFIG.dimFeedforward
}

/** The model with its weights as they are before any edit. */
function build(gf, settings, weights) {
  const { dModel, heads, layers, dimFeedforward, dropout, normFirst, activation, positional, base, seed } = settings
  gf.manualSeed(seed)
  const model = createTranslator(gf, {
    dModel, nhead: heads, layers, dimFeedforward, dropout, normFirst, activation, base,
    positions: positional ? settings.positions : null
  })
  if (settings.model !== 'trained') return model
  const { tensors } = gf.loadSafetensors(weights)
  const wanted = Object.entries(model.stateDict())
    .map(([name, own]) => [name, name.startsWith('positions.') ? own : tensors[name]])
  model.loadStateDict(Object.fromEntries(wanted))
  Object.values(tensors).forEach((tensor) => tensor.dispose())
  return model
}

const MODEL_KEYS = [
  'model', 'seed', 'heads', 'layers', 'dModel', 'dimFeedforward', 'normFirst', 'activation', 'positional', 'positions',
  'base', 'dropout'
]
/** Whether any weight is drawn at random. */
const isDrawn = ({ model, positional, positions }) => model !== 'trained' || (positional && positions === 'learned')
const models = new WeakMap()

/** A model with what is asked of it again and again. */
function describe(key, model) {
  const modules = model.namedModules().map(([, module]) => module)
  return {
    key, model, modules, parameters: model.parameters(), attentions: modules.filter((module) => module.in_proj_weight),
    users: 0, shapes: new Map()
  }
}

/**
 * The model of these settings; the last one is kept, since most runs only change what it reads. Overwritten weights get
 * a model of their own, which nobody else sees.
 */
function modelFor(gf, settings, edits, weights) {
  const key = JSON.stringify(MODEL_KEYS.map((name) => (
    name === 'seed' && !isDrawn(settings) ? null : settings[name])))
  const last = models.get(gf)
  const made = last?.key === key ? last : describe(key, build(gf, settings, weights))
  const state = made.model.stateDict()
  const overwritten = edits.filter(({ name, index }) => isWithin(state[name]?.shape, index))
  if (overwritten.length) {
    const own = describe(null, made === last ? made.model.clone() : made.model)
    const tensors = own.model.stateDict()
    own.before = new Map()
    for (const { name, index, value } of overwritten) {
      own.before.set(`${name}:${index}`, tensors[name].at(...index))
      tensors[name].data[offset(tensors[name].shape, index)] = value
    }
    return own
  }
  if (made !== last) {
    models.set(gf, made)
    if (last && last.users === 0) last.model.dispose()
  }
  return made
}

/** A run lets go of its model. */
function release(gf, made) {
  made.users -= 1
  if (made.users === 0 && models.get(gf) !== made) made.model.dispose()
}

/** Sets the switches that need no new model, and forgets the gradients of the run before. */
function prepare({ model, modules, parameters, attentions }, { training, scale, tgtIsCausal }) {
  model.tgtIsCausal = tgtIsCausal
  for (const module of modules) module.training = training
  for (const attention of attentions) attention.scale = scale ? undefined : 1
  for (const parameter of parameters) {
    parameter.grad?.dispose()
    parameter.grad = null
  }
}

/** Everything that is computed, under one trace. */
function record(gf, model, settings, source, target, editsFor) {
  const input = [START_ID, ...target.slice(0, -1)]
  const { modules, forward } = sampling(gf, settings)
  const edits = editsFor(input.length)
  const result = {}
  const { trace } = gf.trace(() => {
    const logits = model.forward([source], [input])
    result.loss = gf.functional.crossEntropy(logits.reshape(-1, logits.shape[2]), target)
    gf.engine.trace.tag('loss', result.loss)
    forward(logits)
    return logits
  }, { modules, edits })
  return { trace, modules, input, loss: result.loss }
}

/** With the norm first, a layer's last sum is what it gives, and only known as that. */
const LAYER_OUTPUT = /^(transformer\.(encoder|decoder)\.layers\.\d+)\.output$/

/** The name each tensor is explained by, and the other names it goes by. */
function namesOf(trace) {
  const { names } = trace
  const canonical = new Map(names.map((name) => [trace.get(name), name]))
  const aliases = new Map()
  for (const name of names) {
    const known = canonical.get(trace.get(name))
    if (known !== name) aliases.set(name, known)
    const [, layer, tower] = LAYER_OUTPUT.exec(name) ?? []
    const last = `${layer}.residual${tower === 'encoder' ? 2 : 3}`
    if (layer && !names.includes(last)) aliases.set(last, known)
  }
  return { canonical, aliases }
}

/** Copies of all tensors, in one block of memory. */
function collect(trace, canonical) {
  const views = new Set(trace.nodes.filter(({ op }) => op.isView).flatMap(({ outputs }) => Object.values(outputs)))
  const list = [...canonical].filter(([tensor]) => tensor.dtype !== 'int32' && !views.has(tensor))
  const block = new Float32Array(list.reduce((sum, [tensor]) => sum + tensor.size, 0))
  const tensors = new Map()
  let at = 0
  for (const [tensor, name] of list) {
    const data = block.subarray(at, at + tensor.size)
    data.set(tensor.values)
    at += tensor.size
    tensors.set(name, { name, shape: [...tensor.shape], data, ...axesOf(name, tensor.shape) })
  }
  return tensors
}

/** What every tensor was computed from. */
const inputsOf = (trace, canonical) => new Map([...graphOf(trace.nodes)].map(([tensor, from]) => {
  const named = Object.entries(from).map(([key, input]) => [key, canonical.get(input)])
  return [canonical.get(tensor), Object.fromEntries(named)]
}))

/** Scores before they are divided by √d, rounded as the kernel rounds them, with what they are computed from. */
function addDots(tensors, inputs, heads, edits) {
  for (const scores of [...tensors.values()].filter(({ name }) => /attn\.scores$/.test(name))) {
    const [q, k] = ['q', 'k'].map((part) => tensors.get(scores.name.replace(/scores$/, part)))
    const [, H, rows, cols] = scores.shape
    const C = q.shape[2]
    const D = C / heads
    const data = new Float32Array(scores.data.length)
    for (let i = 0; i < data.length; i++) {
      const [h, r, c] = [Math.floor(i / (rows * cols)) % H, Math.floor(i / cols) % rows, i % cols]
      let sum = 0
      for (let d = h * D; d < (h + 1) * D; d++) {
        sum = Math.fround(sum + Math.fround(q.data[r * C + d] * k.data[c * C + d]))
      }
      data[i] = sum
    }
    const name = scores.name.replace(/scores$/, 'dots')
    for (const { index, value } of edits.filter((edit) => edit.name === name && isWithin(scores.shape, edit.index))) {
      data[offset(scores.shape, index)] = value
    }
    tensors.set(name, { ...scores, name, data })
    inputs.set(name, { q: q.name, k: k.name })
  }
}

const CURVE = Float32Array.from({ length: 161 }, (_, i) => (i - 80) / 8)

/** The activation from −10 to 10, as the kernel computes it. */
const curveOf = (gf, kind) => gf.tidy(() => ({ x: CURVE, y: gf.functional[kind](gf.tensor(CURVE)).values.slice() }))

const IS_DRAWN = /attn\.dropout\.mask$/

/** What attention drops is drawn inside it; told as any other dropout tells it. */
const drawn = (cell, p) => {
  const steps = [{ label: 'drawn', value: cell.computed }]
  const formula = `0 with probability ${p}, else 1 / (1 − ${p})`
  return { ...cell, op: 'dropout', formula, formulas: [formula], note: { name: 'drawn', values: { p } }, steps }
}

const DOTS = /\.dots$/
const scoresOf = (name) => name.replace(/dots$/, 'scores')

/** The gradient of q · k, which is no tensor of the trace: that of the score made of it, times the scale. */
function ofDots(trace, name, index, scale) {
  const { value: slope } = trace.explainGradient(scoresOf(name), index)
  const source = { name: scoresOf(name), index: [...index], isGradient: true }
  const symbol = `dscores[${index.join(', ')}]`
  const computed = slope * scale
  const value = Math.fround(computed)
  const factors = [{ symbol, value: slope, source }, { symbol: 'scale', value: scale }]
  return {
    name, index, value, computed, rounding: value - computed, edited: false,
    op: 'matmul', formula: 'dx = dscores × scale', formulas: ['dx = dscores × scale'],
    terms: [{ label: `${symbol} × scale`, value: computed, factors }], steps: [], sources: [source]
  }
}

/** Explanations of cells and of their gradients; backward runs when the first gradient is asked for. */
function explainer(trace, loss, names, { edits, settings, made }) {
  const { dropout: p } = settings
  const scale = scaleOf(settings)
  let isBackwardDone = false
  const withGradients = () => {
    if (!isBackwardDone) loss.backward()
    isBackwardDone = true
  }
  return {
    /** How a cell was made; see `trace.explain`. @param {string} name @param {readonly number[]} index */
    explain(name, index) {
      if (IS_DRAWN.test(name)) return drawn(trace.explain(name, index), p)
      if (/attn\.scores$/.test(name)) {
        const found = trace.explain(name, index)
        return { ...found, sources: [...found.sources, { name: name.replace(/scores$/, 'dots'), index: [...index] }] }
      }
      if (!DOTS.test(name)) {
        const found = trace.explain(names.get(name) ?? name, index)
        const before = found.op === 'given' ? made.before?.get(`${name}:${index}`) : undefined
        return before === undefined ? found : { ...found, computed: before, rounding: found.value - before }
      }
      const { terms, sources, steps } = trace.explain(scoresOf(name), index)
      const computed = steps[0].value
      const edit = edits.find((one) => one.name === name && one.index.join() === index.join())
      const parts = { op: 'matmul', formula: 'q · k', formulas: ['q · k'], terms, steps: [], sources, computed, rounding: 0 }
      return { name, index, value: edit?.value ?? computed, edited: Boolean(edit), ...parts }
    },
    /** How the derivative of the loss by a cell came about. @param {string} name @param {readonly number[]} index */
    explainGradient(name, index) {
      withGradients()
      if (DOTS.test(name)) return ofDots(trace, name, index, scale)
      return trace.explainGradient(names.get(name) ?? name, index)
    },
    /** The derivative of the loss by a whole tensor, as a copy. @param {string} name */
    gradient(name) {
      withGradients()
      if (DOTS.test(name)) return trace.gradient(scoresOf(name)).values.map((d) => d * scale)
      return trace.gradient(names.get(name) ?? name).values.slice()
    }
  }
}

const tokensOf = (ids, words) => ids.map((id) => words[id])

/** The tokens and what each step chose, as plain data. */
function wording(source, input, target, settings) {
  const tokens = { source: tokensOf(source, SOURCE_TOKENS), target: tokensOf(input, TARGET_TOKENS) }
  const { ids, isGiven, random, tree, best } = target
  return {
    texts: [settings.source], tokens: [tokens.source], ids: [source], vocab: SOURCE_TOKENS,
    padding: [tokens.source.map((token) => token === PAD)], lengths: [tokens.source.filter((x) => x !== PAD).length],
    labels: { ...tokens, sourceWord: SOURCE_TOKENS, targetWord: TARGET_TOKENS },
    source: { tokens: tokens.source, ids: source }, target: { tokens: tokens.target, ids: input },
    decoding: {
      kind: isGiven ? 'given' : settings.decoding, tree, best,
      steps: ids.map((id, t) => ({ id, token: TARGET_TOKENS[id], draw: random ? random[t] : null }))
    }
  }
}

/**
 * The date translator, or the same model with random weights, on one source; the target is the reader's or the model's.
 * Its own answer is chosen with dropout off; in training it is then read with dropout on, as a given one is.
 * @param {any} gf the library, from `load`
 * @param {Partial<typeof DEFAULTS>} options
 * @param {Edit[]} [edits] cells replaced the moment they are made
 * @param {Uint8Array} [weights] the file of the trained weights
 */
export function runTranslation(gf, options, edits = [], weights) {
  const settings = { ...DEFAULTS, ...options, ...(options.model === 'untrained' ? {} : TRAINED) }
  const words = splitSource(settings.source)
  const source = encode(words, SOURCE_IDS, settings.padding ? LONGEST.source : 0)
  const made = modelFor(gf, settings, edits, weights)
  const { model } = made
  made.users += 1
  const answering = { ...settings, training: false }
  prepare(made, answering)
  const target = targetOf(gf, model, settings, source, fitting(gf, made, answering, source, edits))
  prepare(made, settings)
  const fit = fitting(gf, made, settings, source, edits)
  if (settings.training) gf.manualSeed(settings.seed)
  const { trace, modules, input, loss } = record(gf, model, settings, source, target.ids, fit.at)
  const { canonical, aliases } = namesOf(trace)
  const tensors = collect(trace, canonical)
  const inputs = inputsOf(trace, canonical).set('choice.mask', { x: 'softmax.tempered' })
  if (tensors.has('positions.pe')) inputs.set('positions.pe', {})
  for (const name of tensors.keys()) if (IS_DRAWN.test(name)) inputs.set(name, {})
  addDots(tensors, inputs, settings.heads, edits)
  return {
    settings, tensors, aliases, inputs, loss: loss.item(), curve: curveOf(gf, settings.activation),
    /** Edits of cells that this run does not have. */
    idleEdits: fit.idle(input.length),
    ...wording(source, input, target, settings), ...explainer(trace, loss, aliases, { edits, settings, made }),
    /** Frees the memory of the run; the model is kept for the next. The copied tensors stay; `explain` ends. */
    dispose() {
      trace.dispose()
      Object.values(modules).forEach((module) => module.dispose())
      release(gf, made)
    }
  }
}
