/** The whole encoder-decoder on one source and one target, with every number on the way. */

import { CONFIG, createTranslator } from './translator.js'
import { LONGEST, PAD, SOURCE_TOKENS, TARGET_TOKENS, encode, idsOf, splitSource, splitTarget } from './dates.js'
import { END_ID, START_ID, beam, cutMask, decode, draws, drawn, greedy, pathTo } from './decode.js'
import { axesOf } from './axes.js'

const SOURCE_IDS = idsOf(SOURCE_TOKENS)
const TARGET_IDS = idsOf(TARGET_TOKENS)

/** @typedef {{ name: string, index: number[], value: number }} Edit */

const DEFAULTS = {
  model: 'trained', source: 'november 20 2026', target: null, seed: 42, heads: 4, layers: 2, dModel: 32,
  dimFeedforward: 64, normFirst: false, activation: 'relu', positional: true, scale: true, padding: false, dropout: 0.1,
  training: false, temperature: 1, topK: 0, topP: 1, decoding: 'greedy', beams: 3
}

/** Sizes that the trained weights fix. */
const TRAINED = {
  heads: CONFIG.nhead, layers: CONFIG.layers, dModel: CONFIG.dModel, dimFeedforward: CONFIG.dimFeedforward
}

/** The model with its weights as they are before any edit. */
function build(gf, settings, weights) {
  const { dModel, heads, layers, dimFeedforward, dropout, normFirst, activation, positional, seed } = settings
  gf.manualSeed(seed)
  const model = createTranslator(gf, {
    dModel, nhead: heads, layers, dimFeedforward, dropout, normFirst, activation, positions: positional
  })
  if (settings.model !== 'trained') return model
  const { tensors } = gf.loadSafetensors(weights)
  const wanted = Object.keys(model.stateDict()).map((name) => [name, tensors[name]])
  model.loadStateDict(Object.fromEntries(wanted))
  Object.values(tensors).forEach((tensor) => tensor.dispose())
  return model
}

const MODEL_KEYS = [
  'model', 'seed', 'heads', 'layers', 'dModel', 'dimFeedforward', 'normFirst', 'activation', 'positional', 'dropout'
]
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
    name === 'seed' && settings.model === 'trained' ? null : settings[name])))
  const last = models.get(gf)
  const made = last?.key === key ? last : describe(key, build(gf, settings, weights))
  const state = made.model.stateDict()
  const overwritten = edits.filter(({ name, index }) => isWithin(state[name]?.shape, index))
  if (overwritten.length) {
    const own = describe(null, made === last ? made.model.clone() : made.model)
    const tensors = own.model.stateDict()
    for (const { name, index, value } of overwritten) tensors[name].data[offset(tensors[name].shape, index)] = value
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

const isWithin = (shape, index) => (
  Boolean(shape) && shape.length === index.length && index.every((i, axis) => i < shape[axis]))
const offset = (shape, index) => index.reduce((sum, i, axis) => sum * shape[axis] + i, 0)

/** Sets the switches that need no new model, and forgets the gradients of the run before. */
function prepare({ modules, parameters, attentions }, { training, scale }) {
  for (const module of modules) module.training = training
  for (const attention of attentions) attention.scale = scale ? undefined : 1
  for (const parameter of parameters) {
    parameter.grad?.dispose()
    parameter.grad = null
  }
}

/** Divides logits by the temperature and turns them into shares, then does so again with what is cut out. */
function samplingModules(gf, { temperature, topK, topP }) {
  const F = gf.functional
  class Softmax extends gf.nn.Module {
    constructor() {
      super()
      this.registerBuffer('inverse_temperature', gf.tensor([1 / temperature]))
    }

    forward(logits) {
      return F.softmax(this.tag('tempered', F.mul(logits, this.inverse_temperature)))
    }
  }
  class Choice extends gf.nn.Module {
    constructor(tempered) {
      super()
      const { values, shape } = tempered
      this.registerBuffer('mask', gf.tensor(cutMask(values, shape.at(-1), { topK, topP }), { shape: [...shape] }))
    }

    forward(tempered) {
      return F.softmax(this.tag('cut', F.add(tempered, this.mask)))
    }
  }
  return { softmax: new Softmax(), choice: (tempered) => new Choice(tempered) }
}

/** The shapes of everything a pass of this model makes, by name; lengths are those of the example. */
function shapesOf(gf, { model, shapes }, source, training) {
  if (!shapes.has(training)) {
    const { output, trace } = gf.trace(() => gf.noGrad(() => model.forward([source], [[START_ID]])))
    shapes.set(training, new Map(trace.names.map((name) => [name, [...trace.get(name).shape]])))
    trace.dispose()
    output.dispose()
  }
  return shapes.get(training)
}

const ROWS = [1, LONGEST.target, TARGET_TOKENS.length]

/** Shapes of what is computed from the logits, at the longest. */
const AFTER = {
  cross_entropy: [], log_probs: ROWS.slice(1), 'softmax.inverse_temperature': [1], 'softmax.tempered': ROWS,
  'softmax.output': ROWS, 'choice.mask': ROWS, 'choice.cut': ROWS, 'choice.output': ROWS
}

/** Whether a pass over a source and a target of these lengths has the cell of an edit. */
function isMade({ name, index }, known, lengths) {
  const shape = known.get(name) ?? AFTER[name]
  if (!shape) return false
  const { along } = axesOf(name, shape)
  return isWithin(shape.map((side, axis) => lengths[along[axis]] ?? side), index)
}

/** Something computed without keeping anything; with edits it has to be traced, as they are made there. */
function compute(gf, edits, fn) {
  if (edits.length === 0) return gf.tidy(() => gf.noGrad(() => fn().values.slice()))
  const { output, trace } = gf.trace(() => gf.noGrad(fn), { edits })
  const values = output.values.slice()
  trace.dispose()
  output.dispose()
  return values
}

const shared = (row, { temperature, topK, topP }) => {
  const tempered = row.map((logit) => logit * Math.fround(1 / temperature))
  const mask = cutMask(tempered, tempered.length, { topK, topP })
  return tempered.map((value, i) => value + mask[i])
}

/** Which token the settings pick from a row of logits. */
function chooser(gf, settings) {
  if (settings.decoding !== 'sample') return { choose: greedy, random: null }
  const random = draws(gf, settings.seed)
  const choose = (row, step) => gf.tidy(() => (
    drawn(gf.functional.softmax(gf.tensor(shared(row, settings))).values.slice(), random[step])))
  return { choose, random }
}

const guesses = new WeakMap()

/** The model's own answer, one token after another. */
function answer(gf, model, settings, source, editsFor) {
  const inModel = ({ name }) => !AFTER[name]
  const forward = (rows) => compute(gf, editsFor(rows[0].length).filter(inModel), () => (
    model.forward(rows.map(() => source), rows)))
  if (settings.decoding === 'beam') {
    const V = TARGET_TOKENS.length
    const { tree, best } = beam((rows) => {
      const logits = forward(rows)
      const length = logits.length / rows.length
      return rows.map((_, n) => gf.tidy(() => (
        gf.functional.logSoftmax(gf.tensor(logits.slice((n + 1) * length - V, (n + 1) * length))).values.slice())))
    }, settings.beams)
    return { ids: pathTo(tree, best), tree, best, random: null }
  }
  const { choose, random } = chooser(gf, settings)
  const ids = decode((input) => forward([input]), choose, guesses.get(gf) ?? [])
  guesses.set(gf, ids)
  return { ids, random, tree: null, best: null }
}

/** What the decoder is to say: the reader's words, ids that another run has chosen, or its own. */
function targetOf(gf, model, settings, source, editsFor) {
  if (settings.target === null) return { ...answer(gf, model, settings, source, editsFor), isGiven: false }
  const ids = Array.isArray(settings.target) ? settings.target
    : [...encode(splitTarget(settings.target), TARGET_IDS, 0), END_ID].slice(0, LONGEST.target)
  return { ids, isGiven: true, random: null, tree: null, best: null }
}

/** Everything that is computed, under one trace. */
function record(gf, model, settings, source, target, editsFor) {
  const input = [START_ID, ...target.slice(0, -1)]
  const { softmax, choice } = samplingModules(gf, settings)
  const modules = { softmax }
  const result = {}
  const { trace } = gf.trace(() => {
    const logits = model.forward([source], [input])
    const loss = gf.functional.crossEntropy(logits.reshape(-1, logits.shape[2]), target)
    softmax.forward(logits)
    const tempered = gf.engine.trace.get('softmax.tempered')
    modules.choice = choice(tempered)
    modules.choice.forward(tempered)
    result.loss = loss
    return logits
  }, { modules, edits: editsFor(input.length) })
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

/** What every tensor was computed from, views looked through. */
function inputsOf(trace, canonical) {
  const through = new Map(trace.nodes.filter(({ op }) => op.isView)
    .map(({ inputs, outputs }) => [outputs.out, Object.values(inputs)[0]]))
  const nameOf = (tensor) => canonical.get(through.get(tensor) ?? tensor)
  return new Map(trace.nodes.flatMap(({ inputs, outputs }) => {
    const named = Object.fromEntries(Object.entries(inputs).flatMap(([key, t]) => (t ? [[key, nameOf(t)]] : [])))
    return Object.values(outputs).map((tensor) => [canonical.get(tensor), named])
  }))
}

/** Scores before they are divided by √d, rounded as the kernel rounds them. */
function addDots(tensors, heads) {
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
    tensors.set(name, { ...scores, name, data })
  }
}

const CURVE = Float32Array.from({ length: 161 }, (_, i) => (i - 80) / 8)

/** The activation from −10 to 10, as the kernel computes it. */
const curveOf = (gf, kind) => gf.tidy(() => ({ x: CURVE, y: gf.functional[kind](gf.tensor(CURVE)).values.slice() }))

/** Explanations of cells and of their gradients; backward runs when the first gradient is asked for. */
function explainer(trace, loss, names) {
  let isBackwardDone = false
  const withGradients = () => {
    if (!isBackwardDone) loss.backward()
    isBackwardDone = true
  }
  return {
    /** How a cell was made; see `trace.explain`. @param {string} name @param {readonly number[]} index */
    explain(name, index) {
      if (!name.endsWith('.dots')) return trace.explain(names.get(name) ?? name, index)
      const { terms, sources, steps } = trace.explain(name.replace(/dots$/, 'scores'), index)
      const { value } = steps[0]
      const made = { op: 'matmul', formula: 'q · k', terms, steps: [], sources, computed: value, rounding: 0 }
      return { name, index, value, ...made }
    },
    /** How the derivative of the loss by a cell came about. @param {string} name @param {readonly number[]} index */
    explainGradient(name, index) {
      withGradients()
      return trace.explainGradient(names.get(name) ?? name, index)
    },
    /** The derivative of the loss by a whole tensor, as a copy. @param {string} name */
    gradient(name) {
      withGradients()
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
  prepare(made, settings)
  const known = edits.length ? shapesOf(gf, made, source, settings.training) : null
  const editsFor = (length) => edits.filter((edit) => isMade(edit, known, { source: source.length, target: length }))
  if (settings.training) gf.manualSeed(settings.seed)
  const target = targetOf(gf, model, settings, source, editsFor)
  if (settings.training) gf.manualSeed(settings.seed)
  const { trace, modules, input, loss } = record(gf, model, settings, source, target.ids, editsFor)
  const { canonical, aliases } = namesOf(trace)
  const tensors = collect(trace, canonical)
  addDots(tensors, settings.heads)
  return {
    settings, tensors, aliases, inputs: inputsOf(trace, canonical), loss: loss.item(),
    curve: curveOf(gf, settings.activation),
    ...wording(source, input, target, settings), ...explainer(trace, loss, aliases),
    /** Frees the memory of the run; the model is kept for the next. The copied tensors stay; `explain` ends. */
    dispose() {
      trace.dispose()
      Object.values(modules).forEach((module) => module.dispose())
      release(gf, made)
    }
  }
}
