/**
 * The steps that each model of the page has to compute. They are derived from the settings and the names of the
 * weights, not from the run, so a run that leaves out a step, swaps two or reads the wrong input does not match it.
 */

/** @import { Settings } from '../types.d.ts' */

/** @typedef {{ op: string, inputs: Record<string, string>, out: string, parameters: Record<string, any> }} GraphStep */
/** A text as ids, and its padding. @typedef {{ ids: number[][], padding: boolean[][] }} Stream */
/**
 * The input of a run: settings, texts, and weights.
 * @typedef {object} GraphInput
 * @property {Settings} settings
 * @property {(name: string) => boolean} has whether the run has a tensor of that name
 * @property {(name: string) => number[]} shapeOf
 * @property {Record<string, Stream>} streams
 * @property {{ rows: number[], steps: { id: number }[] } | null} decoding
 * @property {Record<string, any>} [shape] of a model trained on the training page
 */
/** The architecture of a stack. @typedef {{ heads: number, kvHeads: number, normFirst: boolean, activation: string,
 *   norm: string, positions: string | null, base: number, rotaryBase: number, longest: number, scale: number | null,
 *   drops: boolean }} Architecture */
/** Masks. @typedef {{ isCausal: boolean, padding: boolean[][] | null }} Mask */

const EPS = 1e-5

/** Settings of the page's weights that are fixed by their training. @type {Record<string, Partial<Architecture>>} */
const TRAINED = {
  dates: { heads: 4, normFirst: false, activation: 'relu', positions: 'interleaved', base: 10000, longest: 12 },
  particles: { heads: 4, normFirst: false, activation: 'relu', positions: 'interleaved', base: 10 },
  stories: { heads: 4, normFirst: true, activation: 'gelu', positions: 'interleaved', base: 10 },
  induction: { heads: 4, normFirst: true, positions: 'learned' },
  text: { heads: 4, normFirst: true, activation: 'gelu', positions: 'interleaved', base: 10 },
  sentences: { positions: 'interleaved', base: 10000 }
}

/** Settings that change each model's architecture. @type {Record<string, string[]>} */
const CHOSEN = {
  dates: ['heads', 'normFirst', 'activation', 'positions', 'base'], particles: [], induction: [],
  stories: ['activation', 'positions', 'norm', 'kvHeads'], text: ['activation', 'positions', 'norm', 'kvHeads'],
  sentences: ['heads', 'positions', 'base']
}

/** @param {GraphInput} input @returns {Architecture} */
function architectureOf({ settings, shape: { nhead, ...shape } = {} }) {
  const { model, positional = true, scale = true, training, dropout } = settings
  const chosen = Object.fromEntries(CHOSEN[model].filter(name => settings[name] !== undefined)
    .map(name => [name, settings[name]]))
  const all = { norm: 'layer', rotaryBase: 10000, ...TRAINED[model], ...chosen, ...shape, ...(nhead && { heads: nhead }) }
  const { positions, heads } = all
  return /** @type {Architecture} */ ({
    kvHeads: heads, ...all, positions: positional && positions !== 'none' ? positions : null,
    scale: scale ? null : 1, drops: training && dropout > 0
  })
}

/** Records steps. @param {GraphInput} input @param {Architecture} architecture */
function recorder({ has, shapeOf, settings }, architecture) {
  /** @type {GraphStep[]} */ const steps = []
  /** @type {Map<string, number>} */ const calls = new Map()
  /**
   * The output gets the last of these names that the run has.
   * @param {string} op @param {Record<string, string>} inputs @param {string[]} names
   * @param {Record<string, any>} [parameters]
   */
  function make(op, inputs, names, parameters = {}) {
    const out = names.findLast(has) ?? names[0]
    steps.push({ op, inputs, out, parameters })
    return out
  }
  /** The name of a module's output in its next call: a number distinguishes later calls. @param {string} name */
  function callName(name) {
    const count = (calls.get(name) ?? 0) + 1
    calls.set(name, count)
    return count > 1 ? `${name}:${count}` : name
  }
  /** @param {string} x @param {string} path of a dropout @param {string[]} [names] */
  function drop(x, path, names = []) {
    if (!architecture.drops) return x
    return make('dropout', { x, mask: callName(`${path}.mask`) }, [callName(`${path}.output`), ...names], { p: settings.dropout })
  }
  /** @param {string} x @param {string} path of a linear layer @param {string[]} [names] */
  const linear = (x, path, names = []) => (
    make('linear', { x, weight: `${path}.weight`, ...(has(`${path}.bias`) && { bias: `${path}.bias` }) },
      [`${path}.output`, ...names], { first: 0, count: shapeOf(`${path}.weight`)[0] }))
  /** @param {string} x @param {string} path of a norm @param {string[]} [names] */
  const norm = (x, path, names = []) => (
    make(architecture.norm === 'rms' ? 'rms_norm' : 'layer_norm',
      { x, weight: `${path}.weight`, ...(architecture.norm !== 'rms' && { bias: `${path}.bias` }) },
      [`${path}.output`, ...names], { eps: EPS }))
  return { steps, make, again: callName, drop, linear, norm }
}

/** @typedef {ReturnType<typeof recorder>} Recorder */

/** @param {Recorder} recorder @param {string} path @param {Stream} stream @param {number} T */
const embed = ({ make }, path, { ids }, T) => (
  make('embedding', { weight: `${path}.weight` }, [`${path}.output`], { ids: ids.flat(), shape: [ids.length, T] }))

/**
 * Adds positions and applies dropout. Rotary positions are applied in the attention.
 * @param {GraphInput} input @param {Recorder} recorder @param {Architecture} architecture @param {string} x
 */
function addPositions({ has, shapeOf, settings: { model } }, { make, again, drop }, { positions, base, drops }, x) {
  if (!positions || positions === 'rotary') return x
  const isTable = positions !== 'learned', table = isTable ? 'positions.pe' : 'positions.weight'
  if (isTable && has(table)) {
    const [rows, dModel] = shapeOf(table)
    make('table', {}, [table], { rows, dModel, base, layout: positions })
  }
  const isDroppedInside = drops && model !== 'sentences', output = isDroppedInside ? null : again('positions.output')
  const sum = make('places', { x, table }, [again('positions.sum'), ...(output ? [output] : [])])
  return model === 'sentences' ? sum : drop(sum, 'positions.dropout', isDroppedInside ? [again('positions.output')] : [])
}

/**
 * @param {GraphInput} input @param {Recorder} recorder @param {Architecture} architecture @param {string} path
 * @param {string} x input of the queries @param {string} memory input of keys and values @param {Mask} mask
 */
function attend({ shapeOf, has }, { make, again, linear }, architecture, path, x, memory, mask) {
  const { heads, kvHeads, positions, rotaryBase, drops } = architecture
  const [weight, bias] = [`${path}.in_proj_weight`, `${path}.in_proj_bias`]
  const [rows, C] = shapeOf(weight), D = C / heads, own = rows - C, unrotated = `${path}.linear`
  /** @param {string} key @param {string} from @param {number} first @param {number} count @param {number} H */
  function project(key, from, first, count, H) {
    const isRotated = positions === 'rotary' && key !== 'v'
    const flat = make('linear', { x: from, weight, bias }, [isRotated ? again(unrotated) : `${path}.${key}`], { first, count })
    return isRotated ? rotate(flat, key, H) : flat
  }
  /** @param {string} flat @param {string} key @param {number} H */
  function rotate(flat, key, H) {
    const [cos, sin] = ['cos', 'sin'].map(name => {
      const table = again(`${path}.rotary.${name}`)
      const [places, half] = has(table) ? shapeOf(table) : [0, D / 2]
      return make('angles', {}, [table], { rows: places, half, base: rotaryBase, key: name })
    })
    return make('rotary', { x: flat, cos, sin }, [`${path}.${key}`], { heads: H, layout: 'half' })
  }
  const q = project('q', x, 0, C, heads), k = project('k', memory, C, own / 2, kvHeads)
  const v = project('v', memory, C + own / 2, own / 2, kvHeads)
  const dots = make('dots', { q, k }, [`${path}.dots`], { heads, kvHeads })
  const scores = make('scale', { dots }, [`${path}.scores`], { scale: architecture.scale ?? 1 / Math.sqrt(D) })
  const masked = make('mask', { scores }, [`${path}.masked_scores`], mask)
  const weights = make('softmax', { x: masked }, [`${path}.weights`])
  const w = drops ? make('dropout', { x: weights, mask: `${path}.dropout.mask` }, [`${path}.dropout.output`], {}) : weights
  return linear(make('sums', { w, v }, [`${path}.heads`], { heads, kvHeads }), `${path}.out_proj`, [`${path}.output`])
}

/**
 * @param {GraphInput} input @param {Recorder} recorder @param {Architecture} architecture @param {string} path
 * @param {string} x
 */
function feedForward({ has }, { make, drop, linear }, { activation }, path, x) {
  const wide = linear(x, `${path}.linear1`), isGated = has(`${path}.linear3.weight`)
  const activated = make(isGated ? 'silu' : activation, { x: wide }, [`${path}.activation`])
  const gated = isGated ? make('mul', { a: activated, b: linear(x, `${path}.linear3`) }, [`${path}.gated`]) : activated
  return linear(drop(gated, `${path}.dropout`), `${path}.linear2`)
}

/**
 * A stack of layers with residual connections.
 * @param {GraphInput} input @param {Recorder} recorder @param {Architecture} architecture @param {string} path
 * @param {string} x
 * @param {Mask} own
 * @param {{ memory: string, sight: Mask } | null} [cross]
 */
function stack(input, recorder, architecture, path, x, own, cross = null) {
  const { has } = input, { make, drop, norm } = recorder
  const count = layersIn(has, path), hasNorm = has(`${path}.norm.weight`)
  for (let layer = 0; layer < count; layer++) {
    const at = `${path}.layers.${layer}`, isLast = layer === count - 1 && !hasNorm
    const ends = [`${at}.output`, ...(isLast ? [`${path}.output`] : [])]
    /** @type {((x: string) => string)[]} */
    const parts = [from => attend(input, recorder, architecture, `${at}.self_attn`, from, from, own)]
    if (cross) parts.push(from => attend(input, recorder, architecture, `${at}.multihead_attn`, from, cross.memory, cross.sight))
    if (has(`${at}.linear1.weight`)) parts.push(from => feedForward(input, recorder, architecture, at, from))
    parts.forEach((part, n) => {
      const isEnd = n === parts.length - 1, number = n + 1
      const found = part(architecture.normFirst ? norm(x, `${at}.norm${number}`) : x)
      const sum = make('add', { a: x, b: drop(found, `${at}.dropout${number}`) },
        [`${at}.residual${number}`, ...(isEnd && architecture.normFirst ? ends : [])])
      x = architecture.normFirst ? sum : norm(sum, `${at}.norm${number}`, isEnd ? ends : [])
    })
  }
  return hasNorm ? norm(x, `${path}.norm`, [`${path}.output`]) : x
}

/** @param {(name: string) => boolean} has @param {string} path */
function layersIn(has, path) {
  let count = 0
  while (has(`${path}.layers.${count}.self_attn.out_proj.weight`)) count++
  return count
}

/**
 * From logits to the loss, and to the sampling probabilities.
 * @param {GraphInput} input @param {Recorder} recorder @param {string} logits @param {number} T rows of them
 */
function answer({ settings, decoding }, { make }, logits, T) {
  const target = Array(T).fill(-100)
  decoding?.rows.forEach((row, n) => { if (decoding.steps[n]) target[row] = decoding.steps[n].id })
  make('loss', { logs: make('log_softmax', { x: logits }, ['log_probs']) }, ['loss'], { target })
  const { temperature, topK, topP } = settings
  const b = make('reciprocal', {}, ['sampling.inverse_temperature'], { of: temperature })
  const tempered = make('mul', { a: logits, b }, ['sampling.tempered'])
  make('softmax', { x: tempered }, ['sampling.probabilities'])
  const mask = make('cut', { x: tempered }, ['sampling.choice.mask'], { topK, topP })
  make('softmax', { x: make('add', { a: tempered, b: mask }, ['sampling.choice.cut']) }, ['sampling.output'])
}

/** @param {Stream} stream */
const lengthOf = ({ ids }) => ids[0].length
/** @param {boolean[][]} padding @returns {boolean[][] | null} */
const ifAny = padding => (padding.some(row => row.includes(true)) ? padding : null)

/**
 * The steps of each model.
 * @type {Record<string, (input: GraphInput, recorder: Recorder, architecture: Architecture) => void>}
 */
const MODELS = {
  dates(input, recorder, architecture) {
    const { streams: { source, target }, settings: { tgtIsCausal } } = input
    const [S, T] = [source, target].map(lengthOf), hidden = { isCausal: false, padding: source.padding }
    const x = addPositions(input, recorder, architecture, embed(recorder, 'source_embedding', source, S))
    const memory = stack(input, recorder, architecture, 'transformer.encoder', x, hidden)
    const y = addPositions(input, recorder, architecture, embed(recorder, 'target_embedding', target, T))
    const own = tgtIsCausal ? { isCausal: true, padding: null } : { isCausal: false, padding: target.padding }
    const read = stack(input, recorder, architecture, 'transformer.decoder', y, own, { memory, sight: hidden })
    answer(input, recorder, recorder.linear(read, 'output', ['output']), T)
  },
  particles(input, recorder, architecture) {
    const { streams: { text } } = input, T = lengthOf(text)
    const x = addPositions(input, recorder, architecture, embed(recorder, 'embedding', text, T))
    const read = stack(input, recorder, architecture, 'encoder', x, { isCausal: false, padding: text.padding })
    answer(input, recorder, recorder.linear(read, 'output', ['output']), T)
  },
  stories(input, recorder, architecture) {
    const { streams: { text }, shapeOf } = input, T = lengthOf(text)
    const x = addPositions(input, recorder, architecture, embed(recorder, 'embedding', text, T))
    const read = stack(input, recorder, architecture, 'decoder', x, { isCausal: true, padding: null })
    const [count] = shapeOf('embedding.weight')
    answer(input, recorder, recorder.make('linear', { x: read, weight: 'embedding.weight' }, ['output'], { first: 0, count }), T)
  },
  induction(input, recorder, architecture) {
    const { streams: { text } } = input
    const x = addPositions(input, recorder, architecture, embed(recorder, 'embedding', text, lengthOf(text)))
    const read = stack(input, recorder, architecture, 'decoder', x, { isCausal: true, padding: null })
    answer(input, recorder, recorder.linear(read, 'output', ['output']), lengthOf(text))
  },
  text: (input, recorder, architecture) => MODELS.stories(input, recorder, architecture),
  sentences(input, recorder, architecture) {
    const { streams: { text }, settings: { causal } } = input
    const placed = addPositions(input, recorder, architecture, embed(recorder, 'embedding', text, lengthOf(text)))
    const x = recorder.drop(placed, 'dropout')
    attend(input, recorder, { ...architecture, drops: false }, 'self_attn', x, x, { isCausal: causal, padding: ifAny(text.padding) })
  }
}

/** Whether there is a graph for a model. @param {string} model */
export const hasGraph = model => Object.hasOwn(MODELS, model)

/** @param {GraphInput} input @returns {GraphStep[]} */
export function graphOf(input) {
  const architecture = architectureOf(input), recorded = recorder(input, architecture)
  MODELS[input.settings.model](input, recorded, architecture)
  return recorded.steps
}
