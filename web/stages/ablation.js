/** Ablates every part of a model in turn and lists the effects on the probability of each token of the answer. */

import { probabilityDomain, createScale, signedDomain } from '../lib/color.js'
import { handleInternalClick, h, setText } from '../lib/dom.js'
import { changeEdits } from '../lib/edits.js'
import { mountGrid } from '../lib/grid.js'
import { mountLegend } from '../lib/legend.js'
import { formatFixed, formatPoints } from '../lib/number.js'
import { fullName, layerHeading, listAblated, meanEdits, partKey, partLabel, togglePart } from '../lib/ablation_parts.js'
import { createPicture } from '../lib/picture.js'
import { getDescription } from '../lib/run.js'
import { mountProgress as progressOf } from '../lib/progress.js'
import { createSegments } from '../lib/segments.js'

/** @import { AnswerTarget, Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { GridCell, Line } from '../lib/grid.js' */

export const id = 'ablation'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** @import { Means, Part } from '../lib/ablation_parts.js' */

/** @typedef {'zero' | 'mean'} Method */
/** @type {Method[]} */ const METHODS = ['zero', 'mean']
/** The method applies to all models. @type {Method} */ let method = 'zero'

/**
 * The parts, each with whether it is ablated, and the values to compare.
 * @param {Run} run @param {View<'ablation'>} view
 */
export function data(run, { room: { parts: { parts, logits, out } }, rooms, edits = [] }) {
  const { decoding } = run
  const ids = decoding?.steps.map(step => step.id) ?? []
  const [stream] = Object.values(run.streams)
  /** @type {AnswerTarget} */ const what = { logits: decoding && logits, out, rows: decoding?.rows ?? [], ids }
  const places = () => Array.from({ length: getDescription(run, out).shape[1] }, (_, i) => String(i))
  const tokens = decoding?.steps.map(({ token }) => token) ?? stream?.tokens[0] ?? places()
  return {
    run, what, edits, tokens, patching: rooms?.find(({ stage }) => stage === 'patching'),
    parts: listAblated(run, parts, edits)
  }
}

/** @type {Stage<'ablation'>['picture']} */
export const picture = (run, { room: { parts: { logits, out } } }) => {
  const name = logits ?? out
  return createPicture(run, name)
}

/** The page asks the reader before it runs ablations that take longer, in milliseconds. */
const LONG_MS = 60_000

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, get, set, theme, reportError } = context
  const now = h('p', { className: 'note parts-now' }), methodNote = h('p', { className: 'note' })
  const legends = h('div', { className: 'figure-legends' })
  const methods = createSegments(t('stages.ablation.method'), (/** @type {Method} */ value) => {
    method = value
    if (latest) begin(latest, true)
  })
  container.append(h('div', { className: 'tools' }, methods.element), methodNote, now)
  const question = h('p', {}), startButton = h('button', { 'type': 'button', 'className': 'primary', 'data-action': 'parts', 'onclick': () => {
    if (latest) begin(latest, false)
  } }, t('stages.ablation.begin'))
  const confirmation = h('div', { className: 'unkept', hidden: true }, question, h('p', {}, startButton))
  container.append(confirmation)
  const progress = progressOf(container, t)
  const table = mountGrid(container, t('stages.ablation.name'), t)
  container.append(legends)
  const keys = [mountLegend(legends), mountLegend(legends)]
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  /** @type {Float32Array | null} */ let base = null
  /** @type {Map<string, Float32Array>} */ let results = new Map()
  /** @type {Map<string, ReturnType<typeof createHead>>} */ const heads = new Map()
  /** Of the run, where parts are replaced by their means. @type {Means | null} */ let means = null
  let job = {}

  /** The parts that the method applies to. @param {ReturnType<typeof data>} next */
  const partsNow = ({ run, parts }) => (method === 'zero' ? parts : parts.filter(part => part.isOff || meanEdits(run, part).length))
  /** @param {string} key @param {Part} part */
  function createHead(key, part) {
    const off = h('b', { className: 'part-off' }, t('stages.ablation.isOff'))
    return Object.assign(h('button', {
      'type': 'button', 'role': 'switch', 'className': 'switch', 'aria-label': fullName(part, t),
      'onclick': () => {
        const found = latest?.parts.find(other => partKey(other) === key)
        if (latest && found) changeEdits({ get, set }, togglePart(latest.run, get().edits, found, means), 'push')
      }
    }, h('span', {}, partLabel(part, t)), off), { off })
  }

  /** @param {Part & { isOff: boolean }} part */
  function headOf(part) {
    const key = partKey(part)
    const element = heads.get(key) ?? createHead(key, part)
    heads.set(key, element)
    element.setAttribute('aria-checked', String(!part.isOff))
    element.off.hidden = !part.isOff
    return element
  }
  /** @param {Part & { isOff: boolean }} part @returns {GridCell[]} */
  function cellsOf(part) {
    const { tokens, what } = /** @type {NonNullable<typeof latest>} */ (latest)
    const result = results.get(partKey(part))
    return tokens.map((_, i) => {
      if (!result || !base) return { text: '' }
      if (!what.logits)
        return { text: formatFixed(result[i]),
          color: createScale(signedDomain(maxDistance()), theme().mode).at(result[i]) }
      const change = (result[i] - base[i]) * (part.isOff ? -1 : 1)
      return { text: formatPoints(change), color: createScale(signedDomain(1), theme().mode).at(change) }
    })
  }
  const maxDistance = () => Math.max(1e-6, ...[...results.values()].flatMap(values => [...values]))
  function draw() {
    if (!latest) return
    const { tokens, what } = latest, parts = partsNow(latest)
    const off = latest.parts.filter(part => part.isOff)
    drawMethods(latest)
    /** @type {Line[]} */
    const lines = what.logits ? [{ key: 'base', head: t(`stages.ablation.${off.length ? 'baseNow' : 'base'}`), isTitle: true, cells: tokens.map((_, i) => (
      base ? { text: formatFixed(base[i] * 100, 0), color: createScale(probabilityDomain(), theme().mode).at(base[i]) } : { text: '' })) }] : []
    let lastHeading = ''
    for (const part of parts) {
      const name = layerHeading(part, t)
      if (name !== lastHeading) lines.push({ key: name, head: name, isTitle: true, cells: [] })
      lastHeading = name
      const level = ['layer', 'sub', 'residual', 'places'].includes(part.kind) ? 1 : 2
      lines.push({ key: partKey(part), head: headOf(part), level, cells: cellsOf(part) })
    }
    table.update(t('stages.ablation.corner'), tokens, lines)
    keys.forEach((key, i) => key.update(i ? signedDomain(what.logits ? 100 : maxDistance()) : probabilityDomain(),
      theme().mode,
      t(`stages.ablation.${i ? what.logits ? 'change' : 'apart' : 'share'}`)))
    legends.firstElementChild?.toggleAttribute('hidden', !what.logits)
    setText(now, off.length ? t('stages.ablation.off', { list: off.map(part => fullName(part, t)).join(', ') }) : t('stages.ablation.on'))
  }
  /** The choice of what replaces a part, and what it does. @param {ReturnType<typeof data>} next */
  function drawMethods({ run, parts, patching }) {
    methods.update(METHODS.map(value => ({ value, text: t(`stages.ablation.methods.${value}`) })), method)
    methods.element.hidden = !parts.some(part => meanEdits(run, part).length)
    const link = patching && h('a', { className: 'deed', href: context.link({ room: patching.id }),
      onclick: handleInternalClick(() => set({ room: patching.id }, 'push')) }, t(`stages.${patching.words}.name`))
    methodNote.replaceChildren(t(`stages.ablation.details.${method}`), ...(link ? [' ', t('stages.ablation.resample'), ' ', link] : []))
  }
  /**
   * The means of what the parts add, where the method needs them.
   * @param {ReturnType<typeof data>} next @returns {Promise<Means | null>}
   */
  async function measureMeans({ parts }) {
    if (method === 'zero') return null
    const names = [...new Set(parts.flatMap(({ adds }) => adds?.name ?? []))]
    const found = await runQuery('channelMeans', { names })
    return new Map(names.map((name, i) => [name, found[i]]))
  }
  /**
   * Runs every ablation in turn; a new request stops the previous one.
   * @param {ReturnType<typeof data>} next @param {boolean} mayAsk whether to ask first if these runs take long
   */
  async function compute(next, mayAsk) {
    const ownJob = job = {}, start = performance.now(), { run, what, edits } = next, parts = partsNow(next)
    const state = get()
    /** @param {import('../types.d.ts').Edit[]} list @param {Float32Array} [from] */
    const ablate = (list, from) => runQuery('ablate', { state, edits: list, what, base: from })
    const [first, found] = await Promise.all([ablate(edits), measureMeans(next)])
    if (job !== ownJob) return
    means = found
    base = first
    results = new Map()
    const time = (performance.now() - start) * parts.length
    if (mayAsk && time >= LONG_MS) return askFirst(parts.length, time)
    for (const [done, part] of parts.entries()) {
      progress.update(done, parts.length)
      const result = await ablate(togglePart(run, edits, part, means), what.logits ? undefined : first)
      if (job !== ownJob) return
      results.set(partKey(part), result)
      draw()
    }
    progress.update(parts.length, parts.length)
    table.element.setAttribute('aria-busy', 'false')
  }
  /** @param {number} count of runs @param {number} time that they take */
  function askFirst(count, time) {
    setText(question, t('stages.ablation.takes', { count, minutes: Math.round(time / LONG_MS) }))
    confirmation.hidden = false
    draw()
    table.element.setAttribute('aria-busy', 'false')
  }
  /** @param {ReturnType<typeof data>} next @param {boolean} mayAsk */
  function begin(next, mayAsk) {
    confirmation.hidden = true
    table.element.setAttribute('aria-busy', 'true')
    compute(next, mayAsk).catch(reportError)
  }
  return {
    update(next) {
      const isNew = next.run !== latest?.run
      latest = next
      draw()
      if (!isNew) return
      // A model's first run includes its start, so its duration is only a reason to measure one ablation first.
      begin(next, next.parts.length * (next.run.duration ?? 0) >= LONG_MS)
    },
    mark() {},
    destroy() {
      job = {}
    }
  }
}
