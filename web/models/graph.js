/**
 * What each model of the page has to compute, step by step. It is derived from the settings and the names of the
 * weights, not from the run, so a run that leaves out a step, swaps two or reads the wrong input does not match it.
 */

/** @import { Settings } from '../types.d.ts' */

/** @typedef {{ op: string, inputs: Record<string, string>, out: string, parameters: Record<string, any> }} Planned */
/** A text as ids, and its padding. @typedef {{ ids: number[][], padding: boolean[][] }} Stream */
/**
 * What is known of a run before it is computed: settings, texts, and weights.
 * @typedef {object} Asked
 * @property {Settings} settings
 * @property {(name: string) => boolean} has whether the run has a tensor of that name
 * @property {(name: string) => number[]} shapeOf
 * @property {Record<string, Stream>} streams
 * @property {{ rows: number[], steps: { id: number }[] } | null} decoding
 * @property {Record<string, any>} [shape] of a model trained on the training page
 */
/** The architecture of a stack. @typedef {{ heads: number, kvHeads: number, normFirst: boolean, activation: string,
 *   norm: string, positions: string | null, base: number, rotaryBase: number, longest: number, scale: number | null,
 *   drops: boolean }} Ways */
/** Masks. @typedef {{ isCausal: boolean, padding: boolean[][] | null }} Sight */

const EPS = 1e-5

/** Settings of the page's weights that are fixed by their training. @type {Record<string, Partial<Ways>>} */
const TRAINED = {
  dates: { heads: 4, normFirst: false, activation: 'relu', positions: 'interleaved', base: 10000, longest: 12 },
  particles: { heads: 4, normFirst: false, activation: 'relu', positions: 'interleaved', base: 10 },
  stories: { heads: 4, normFirst: true, activation: 'gelu', positions: 'interleaved', base: 10 },
  text: { heads: 4, normFirst: true, activation: 'gelu', positions: 'interleaved', base: 10 },
  sentences: { positions: 'interleaved', base: 10000 }
}

/** Settings that change each model's architecture. @type {Record<string, string[]>} */
const CHOSEN = {
  dates: ['heads', 'normFirst', 'activation', 'positions', 'base'], particles: [],
  stories: ['activation', 'positions', 'norm', 'kvHeads'], text: ['activation', 'positions', 'norm', 'kvHeads'],
  sentences: ['heads', 'positions', 'base']
}

/** @param {Asked} asked @returns {Ways} */
function waysOf({ settings, shape: { nhead, ...shape } = {} }) {
  const { model, positional = true, scale = true, training, dropout } = settings
  const chosen = Object.fromEntries(CHOSEN[model].filter(name => settings[name] !== undefined)
    .map(name => [name, settings[name]]))
  const all = { norm: 'layer', rotaryBase: 10000, ...TRAINED[model], ...chosen, ...shape, ...(nhead && { heads: nhead }) }
  const { positions, heads } = all
  return /** @type {Ways} */ ({
    kvHeads: heads, ...all, positions: positional && positions !== 'none' ? positions : null,
    scale: scale ? null : 1, drops: training && dropout > 0
  })
}

/** Records steps. @param {Asked} asked @param {Ways} ways */
function recorder({ has, shapeOf, settings }, ways) {
  /** @type {Planned[]} */ const steps = []
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
  /** The name of a module's output when it is called once more. @param {string} name */
  function again(name) {
    const count = (calls.get(name) ?? 0) + 1
    calls.set(name, count)
    return count > 1 ? `${name}:${count}` : name
  }
  /** @param {string} x @param {string} path of a dropout @param {string[]} [names] */
  function drop(x, path, names = []) {
    if (!ways.drops) return x
    return make('dropout', { x, mask: again(`${path}.mask`) }, [again(`${path}.output`), ...names], { p: settings.dropout })
  }
  /** @param {string} x @param {string} path of a linear layer @param {string[]} [names] */
  const linear = (x, path, names = []) => (
    make('linear', { x, weight: `${path}.weight`, ...(has(`${path}.bias`) && { bias: `${path}.bias` }) },
      [`${path}.output`, ...names], { first: 0, count: shapeOf(`${path}.weight`)[0] }))
  /** @param {string} x @param {string} path of a norm @param {string[]} [names] */
  const norm = (x, path, names = []) => (
    make(ways.norm === 'rms' ? 'rms_norm' : 'layer_norm',
      { x, weight: `${path}.weight`, ...(ways.norm !== 'rms' && { bias: `${path}.bias` }) },
      [`${path}.output`, ...names], { eps: EPS }))
  return { steps, make, again, drop, linear, norm }
}

/** @typedef {ReturnType<typeof recorder>} Pen */

/** @param {Pen} pen @param {string} path @param {Stream} stream @param {number} T */
const embed = ({ make }, path, { ids }, T) => (
  make('embedding', { weight: `${path}.weight` }, [`${path}.output`], { ids: ids.flat(), shape: [ids.length, T] }))

/**
 * Positions, added and dropped out; rotary ones add nothing here.
 * @param {Asked} asked @param {Pen} pen @param {Ways} ways @param {string} x
 */
function place({ has, shapeOf, settings: { model } }, { make, again, drop }, { positions, base, drops }, x) {
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
 * @param {Asked} asked @param {Pen} pen @param {Ways} ways @param {string} path
 * @param {string} x input of the queries @param {string} memory input of keys and values @param {Sight} sight
 */
function attend({ shapeOf, has }, { make, again, linear }, ways, path, x, memory, sight) {
  const { heads, kvHeads, positions, rotaryBase, drops } = ways
  const [weight, bias] = [`${path}.in_proj_weight`, `${path}.in_proj_bias`]
  const [rows, C] = shapeOf(weight), D = C / heads, own = rows - C, unturned = `${path}.linear`
  /** @param {string} key @param {string} from @param {number} first @param {number} count @param {number} H */
  function project(key, from, first, count, H) {
    const turns = positions === 'rotary' && key !== 'v'
    const flat = make('linear', { x: from, weight, bias }, [turns ? again(unturned) : `${path}.${key}`], { first, count })
    return turns ? turn(flat, key, H) : flat
  }
  /** @param {string} flat @param {string} key @param {number} H */
  function turn(flat, key, H) {
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
  const scores = make('scale', { dots }, [`${path}.scores`], { scale: ways.scale ?? 1 / Math.sqrt(D) })
  const masked = make('mask', { scores }, [`${path}.masked_scores`], sight)
  const weights = make('softmax', { x: masked }, [`${path}.weights`])
  const w = drops ? make('dropout', { x: weights, mask: `${path}.dropout.mask` }, [`${path}.dropout.output`], {}) : weights
  return linear(make('sums', { w, v }, [`${path}.heads`], { heads, kvHeads }), `${path}.out_proj`, [`${path}.output`])
}

/** @param {Asked} asked @param {Pen} pen @param {Ways} ways @param {string} path @param {string} x */
function feedForward({ has }, { make, drop, linear }, { activation }, path, x) {
  const wide = linear(x, `${path}.linear1`), isGated = has(`${path}.linear3.weight`)
  const bent = make(isGated ? 'silu' : activation, { x: wide }, [`${path}.activation`])
  const gated = isGated ? make('mul', { a: bent, b: linear(x, `${path}.linear3`) }, [`${path}.gated`]) : bent
  return linear(drop(gated, `${path}.dropout`), `${path}.linear2`)
}

/**
 * A stack of layers with residual connections.
 * @param {Asked} input @param {Pen} recorder @param {Ways} ways @param {string} path @param {string} x
 * @param {Sight} own
 * @param {{ memory: string, sight: Sight } | null} [cross]
 */
function stack(input, recorder, ways, path, x, own, cross = null) {
  const { has } = input, { make, drop, norm } = recorder
  const count = layersIn(has, path), isNormed = has(`${path}.norm.weight`)
  for (let layer = 0; layer < count; layer++) {
    const at = `${path}.layers.${layer}`, isLast = layer === count - 1 && !isNormed
    const ends = [`${at}.output`, ...(isLast ? [`${path}.output`] : [])]
    /** @type {((x: string) => string)[]} */
    const parts = [from => attend(input, recorder, ways, `${at}.self_attn`, from, from, own)]
    if (cross) parts.push(from => attend(input, recorder, ways, `${at}.multihead_attn`, from, cross.memory, cross.sight))
    parts.push(from => feedForward(input, recorder, ways, at, from))
    parts.forEach((part, n) => {
      const isEnd = n === parts.length - 1, number = n + 1
      const found = part(ways.normFirst ? norm(x, `${at}.norm${number}`) : x)
      const sum = make('add', { a: x, b: drop(found, `${at}.dropout${number}`) },
        [`${at}.residual${number}`, ...(isEnd && ways.normFirst ? ends : [])])
      x = ways.normFirst ? sum : norm(sum, `${at}.norm${number}`, isEnd ? ends : [])
    })
  }
  return isNormed ? norm(x, `${path}.norm`, [`${path}.output`]) : x
}

/** @param {(name: string) => boolean} has @param {string} path */
function layersIn(has, path) {
  let count = 0
  while (has(`${path}.layers.${count}.linear1.weight`)) count++
  return count
}

/**
 * From logits to the loss, and to the sampling probabilities.
 * @param {Asked} asked @param {Pen} pen @param {string} logits @param {number} T rows of them
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

/** The steps of each model. @type {Record<string, (input: Asked, recorder: Pen, ways: Ways) => void>} */
const MODELS = {
  dates(input, recorder, ways) {
    const { streams: { source, target }, settings: { tgtIsCausal } } = input
    const [S, T] = [source, target].map(lengthOf), hidden = { isCausal: false, padding: source.padding }
    const x = place(input, recorder, ways, embed(recorder, 'source_embedding', source, S))
    const memory = stack(input, recorder, ways, 'transformer.encoder', x, hidden)
    const y = place(input, recorder, ways, embed(recorder, 'target_embedding', target, T))
    const own = tgtIsCausal ? { isCausal: true, padding: null } : { isCausal: false, padding: target.padding }
    const read = stack(input, recorder, ways, 'transformer.decoder', y, own, { memory, sight: hidden })
    answer(input, recorder, recorder.linear(read, 'output', ['output']), T)
  },
  particles(input, recorder, ways) {
    const { streams: { text } } = input, T = lengthOf(text)
    const x = place(input, recorder, ways, embed(recorder, 'embedding', text, T))
    const read = stack(input, recorder, ways, 'encoder', x, { isCausal: false, padding: text.padding })
    answer(input, recorder, recorder.linear(read, 'output', ['output']), T)
  },
  stories(input, recorder, ways) {
    const { streams: { text }, shapeOf } = input, T = lengthOf(text)
    const x = place(input, recorder, ways, embed(recorder, 'embedding', text, T))
    const read = stack(input, recorder, ways, 'decoder', x, { isCausal: true, padding: null })
    const [count] = shapeOf('embedding.weight')
    answer(input, recorder, recorder.make('linear', { x: read, weight: 'embedding.weight' }, ['output'], { first: 0, count }), T)
  },
  text: (input, recorder, ways) => MODELS.stories(input, recorder, ways),
  sentences(input, recorder, ways) {
    const { streams: { text }, settings: { causal } } = input
    const placed = place(input, recorder, ways, embed(recorder, 'embedding', text, lengthOf(text)))
    const x = recorder.drop(placed, 'dropout')
    attend(input, recorder, { ...ways, drops: false }, 'self_attn', x, x, { isCausal: causal, padding: ifAny(text.padding) })
  }
}

/** Whether there is a graph for a model. @param {string} model */
export const isPlanned = model => Object.hasOwn(MODELS, model)

/** @param {Asked} input @returns {Planned[]} */
export function graphOf(input) {
  const ways = waysOf(input), written = recorder(input, ways)
  MODELS[input.settings.model](input, written, ways)
  return written.steps
}
