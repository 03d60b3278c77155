import { describe, expect, expectOptions } from '../errors.js'
import { readPatchOptions, scaleOf } from './patch.js'
import { RunGraph } from './run_graph.js'
import { SubLayers } from './sub_layers.js'
import { findHeads, headIndex } from './targets.js'

/**
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('../trace/trace.js').Trace} Trace
 * @typedef {import('./targets.js').Site} Site
 * @typedef {{ layer: number, head: number }} Head
 *
 * The head of a sender, or its tensor; or several heads together.
 * @typedef {Head | Site | readonly Head[]} Sender
 *
 * What reads: the queries, keys or values of a head; a feed-forward network; or a tensor. 'output': what the model
 * returns.
 * @typedef {(Head & { input: 'q' | 'k' | 'v' }) | { layer: number, feedForward: true } | Site | 'output'} Receiver
 *
 * @typedef {object} PathPatchOptions
 * @property {import('./measure.js').Model} model a module, which is called with the input, or a function of the input
 * @property {any} clean the input whose values the sender gets
 * @property {any} corrupted the input of the run that is changed, with as many tokens
 * @property {Sender} [sender] { layer, head }, or an array of them, which send together, or { name, index } of a
 *   tensor; default: every head before the receivers, one at a time
 * @property {Receiver | readonly Receiver[]} receivers { layer, head, input: 'q' | 'k' | 'v' } (of the first attention
 *   of the layer), { layer, feedForward: true }, { name, index } of a tensor, or 'output'; layers are those of the
 *   decoder if there are an encoder and a decoder
 * @property {import('./measure.js').Metric} metric
 * @property {boolean} [normalize] false; with true, 0 is the corrupted run and 1 the clean one
 * @property {Record<string, import('../nn/module.js').Module>} [modules] see gf.trace
 * @property {(fraction: number) => void} [onProgress] @property {import('../platform.d.ts').Signal} [signal]
 *
 * With a sender `value`, without one `values` [attention][head], NaN for heads that no receiver can read.
 * @typedef {{ value?: number, values?: number[][], clean: number, corrupted: number }} PathPatchResult
 */

const OPTIONS = ['model', 'clean', 'corrupted', 'sender', 'receivers', 'metric', 'normalize', 'modules', 'onProgress',
  'signal']

/** @param {any} value @returns {value is Site} */
const isSite = value => typeof value?.name === 'string' && Array.isArray(value.index)

/** The points of the corrupted run that paths are made of. @param {Trace} trace */
function createPoints(trace) {
  const graph = new RunGraph(trace), subLayers = new SubLayers(graph), { list: subs } = subLayers
  return { graph, trace, subLayers, subs, heads: findHeads(graph, subs) }
}

/**
 * The cells of the senders.
 * @param {string} where @param {ReturnType<typeof createPoints>} points @param {any} sender @returns {Site[]}
 */
function readSenders(where, { graph, subLayers }, sender) {
  if (isSite(sender)) return [sender]
  expect(!Array.isArray(sender) || sender.length > 0, 'type', () => `${where}: sender must have one head or more, got []`)
  return [sender].flat().map((own, i) => {
    const { attention, head } = subLayers.headAt(where, Array.isArray(sender) ? `sender[${i}].` : 'sender.', own ?? {})
    const { out } = attention
    return { name: graph.nameOf(out), index: headIndex(out.shape, attention, head, out.shape.map(() => null)) }
  })
}

/**
 * The cells that a receiver computes.
 * @param {string} where @param {ReturnType<typeof createPoints>} points @param {any} receiver @param {string} name
 * @returns {Site | null} null: the output
 */
function readReceiver(where, points, receiver, name) {
  if (receiver === 'output') return null
  if (isSite(receiver)) return receiver
  const { layer, input, feedForward } = receiver ?? {}
  if (feedForward) {
    const sub = points.subLayers.numbered.find(own => own.layer === layer && own.kind === 'feedForward')
    expect(sub !== undefined, 'index', () => `${where}: ${name}.layer must have a feed-forward network, got ${describe(layer)}`)
    return { name: points.graph.nameOf(sub.change), index: sub.change.shape.map(() => null) }
  }
  const { attention: own, head: number } = points.subLayers.headAt(where, `${name}.`, receiver ?? {})
  expect(['q', 'k', 'v'].includes(input), 'type',
    () => `${where}: ${name}.input must be 'q', 'k' or 'v', got ${describe(input)}`)
  const tensor = own[/** @type {'q' | 'k' | 'v'} */ (input)]
  expect(tensor !== undefined, 'state', () => `${where}: the attention of layer ${layer} is made of single operations; ` +
    `name a tensor as receiver: { name, index }`)
  // Several heads of queries may share one of keys and values.
  const heads = input === 'q' ? own.heads : own.kvHeads ?? own.heads
  const head = Math.floor(number * heads / own.heads), { shape } = tensor
  const how = { heads, headAxis: shape.length === 4 ? 1 : null }
  return { name: points.graph.nameOf(tensor), index: headIndex(shape, how, head, shape.map(() => null)) }
}

/**
 * The edits of a run in which senders have other values and reach a receiver directly alone: what all sub-layers after
 * the first sender add is held at the corrupted run's, except the senders' own and the receiver's; and so are the other
 * heads of several senders' own sub-layers.
 * @param {ReturnType<typeof createPoints>} points of the corrupted run @param {Site[]} senders
 * @param {Site | null} receiver @param {Trace} clean @returns {import('../trace/edits.js').Edit[]}
 */
function sendDirectly({ graph, subs, trace }, senders, receiver, clean) {
  const orders = senders.map(({ name }) => graph.orderOf(trace.get(name))), first = Math.min(...orders)
  const isInside = (/** @type {Tensor} */ from, /** @type {Tensor} */ to, /** @type {number} */ order) => (
    graph.orderOf(from) < order && order <= graph.orderOf(to))
  const owners = subs.filter(({ attentions, input, change }) => senders.some(({ name }, i) => (
    attentions.some(({ out }) => graph.nameOf(out) === name) || isInside(input, change, orders[i]))))
  const heads = senders.length > 1 ? owners.flatMap(sub => sub.attentions.map(({ out }) => graph.nameOf(out))) : []
  const changes = subs.filter(sub => !owners.includes(sub) && graph.orderOf(sub.change) > first)
    .map(({ change }) => graph.nameOf(change)).filter(name => name !== receiver?.name)
  const held = [...heads, ...changes].map(name => ({ name, index: trace.get(name).shape.map(() => null), from: trace }))
  return [...held, ...senders.map(own => ({ ...own, from: clean }))]
}

/**
 * Path patching (Wang et al. 2022; Goldowsky-Dill et al. 2023): the effect of a sender on receivers along the direct
 * path alone, through the residual stream. In the corrupted run the sender gets its clean value, while what all other
 * sub-layers after it add to the stream stays as it was; what each receiver computes there is then put into a corrupted
 * run, in which everything else is computed anew, and the metric is measured. Feed-forward networks are held like
 * attentions (Wang et al. compute them anew).
 * @param {import('../engine/engine.js').Engine} engine @param {PathPatchOptions} options
 * @returns {Promise<PathPatchResult>}
 * @throws {import('../errors.js').GlassformerError} 'index' or 'range' for heads that there are not, 'range' for a
 *   sender that no receiver can read; the signal's reason when it is aborted
 * @example
 * const model = new gf.nn.TransformerEncoder(new gf.nn.TransformerEncoderLayer(8, 2), 2)
 * const { value } = await gf.interpret.pathPatch({
 *   model, clean: gf.randn([1, 4, 8]), corrupted: gf.randn([1, 4, 8]), metric: output => output.at(0, 3, 0),
 *   sender: { layer: 0, head: 1 }, receivers: { layer: 1, head: 0, input: 'k' }
 * })
 * typeof value                                    // 'number'
 */
export async function pathPatch(engine, options) {
  const where = 'pathPatch', checked = expectOptions(where, options, OPTIONS)
  const { sender, receivers, ...rest } = checked
  const { runs, clean, corrupted, normalize } = readPatchOptions(where, engine, rest)
  expect(receivers !== undefined, 'type', () => `${where}: receivers must be given, such as { layer: 1, head: 0, input: 'q' } or 'output'`)
  return runs.withRuns([clean, corrupted], async (source, base) => {
    const points = createPoints(base.trace), { graph, trace } = points
    const metrics = { clean: runs.measure(source), corrupted: runs.measure(base) }
    const scale = scaleOf(runs, base, metrics, normalize)
    const sites = [receivers].flat().map((receiver, i) => readReceiver(where, points, receiver, `receivers[${i}]`))
    expect(sites.length > 0 && (sites.length === 1 || !sites.includes(null)), 'type',
      () => `${where}: receivers must have one or more, and 'output' only alone, got ${describe(receivers)}`)
    const isRead = (/** @type {Site[]} */ senders, /** @type {Site | null} */ site) => (
      !site || senders.some(own => graph.orderOf(trace.get(own.name)) < graph.orderOf(trace.get(site.name))))
    const measureSenders = (/** @type {Site[]} */ senders) => {
      const read = sites.filter(site => isRead(senders, site))
      if (read.length === 0) return NaN
      /** @type {ReturnType<typeof runs.trace>[]} */ const frozen = []
      try {
        for (const site of read) frozen.push(runs.trace(corrupted, sendDirectly(points, senders, site, source.trace)))
        if (!read[0]) return scale(runs.measure(frozen[0]))
        /** @type {import('../trace/edits.js').Edit[]} */ const edits = []
        read.forEach((site, i) => { if (site) edits.push({ ...site, from: frozen[i].trace }) })
        return scale(runs.measureEdited(corrupted, edits))
      } finally {
        for (const run of frozen) run.trace.discard()
      }
    }
    if (sender !== undefined) {
      const own = readSenders(where, points, sender)
      expect(sites.some(site => isRead(own, site)), 'range', () => `${where}: sender must be computed before a receiver`)
      const [value] = await runs.forEach([own], measureSenders)
      return { value, ...metrics }
    }
    const firstHead = points.heads[0] && { name: graph.nameOf(points.heads[0].tensor), index: [] }
    expect(firstHead && sites.some(site => isRead([firstHead], site)), 'range',
      () => `${where}: receivers must be computed after a head`)
    const heads = points.heads.map(({ tensor, ...how }) => Array.from({ length: how.heads }, (_, head) => ({
      name: points.graph.nameOf(tensor), index: headIndex(tensor.shape, how, head, tensor.shape.map(() => null))
    })))
    const values = await runs.forEach(heads.flat().map(own => [own]), measureSenders)
    return { values: heads.map(own => values.splice(0, own.length)), ...metrics }
  })
}
