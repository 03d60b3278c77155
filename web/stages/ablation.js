/** Ablates every part of a model in turn and lists the effects on the probability of each token of the answer. */

import { probabilityDomain, createScale, signedDomain } from '../lib/color.js'
import { h, setText } from '../lib/dom.js'
import { changeEdits, hasEdits, toggleEdits } from '../lib/edits.js'
import { mountGrid } from '../lib/grid.js'
import { mountLegend } from '../lib/legend.js'
import { formatFixed, formatPoints } from '../lib/number.js'
import { fullName, partKey, partLabel, layerHeading } from '../lib/ablation_parts.js'
import { createPicture } from '../lib/picture.js'
import { getDescription } from '../lib/run.js'
import { mountProgress as progressOf } from '../lib/progress.js'

/** @import { AnswerTarget, Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { GridCell, Line } from '../lib/grid.js' */

export const id = 'ablation'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** @import { Part } from '../lib/ablation_parts.js' */

/**
 * The parts, each with whether it is ablated, and the values to compare.
 * @param {Run} run @param {View<'ablation'>} view
 */
export function data(run, { room: { parts: { parts, logits, out } }, edits = [] }) {
  const { decoding } = run
  const ids = decoding?.steps.map(step => step.id) ?? []
  const [stream] = Object.values(run.streams)
  /** @type {AnswerTarget} */ const what = { logits: decoding && logits, out, rows: decoding?.rows ?? [], ids }
  const places = () => Array.from({ length: getDescription(run, out).shape[1] }, (_, i) => String(i))
  const tokens = decoding?.steps.map(({ token }) => token) ?? stream?.tokens[0] ?? places()
  return {
    run, what, edits, tokens,
    parts: /** @type {Part[]} */ (parts).map(part => ({ ...part, isOff: hasEdits(edits, part.edits) }))
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
  const now = h('p', { className: 'note parts-now' })
  const legends = h('div', { className: 'figure-legends' })
  container.append(now)
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
  /** @type {Map<string, HTMLElement>} */ const heads = new Map()
  let job = {}

  /** @param {Part & { isOff: boolean }} part */
  function headOf(part) {
    const key = partKey(part)
    const cached = heads.get(key)
    const element = cached ?? h('button', {
      'type': 'button', 'role': 'switch', 'className': 'switch', 'aria-label': fullName(part, t),
      'onclick': () => {
        const at = latest?.parts.find(part => partKey(part) === key)
        if (at) changeEdits({ get, set }, toggleEdits(get().edits, at.edits, !at.isOff), 'push')
      }
    }, partLabel(part, t))
    heads.set(key, element)
    element.setAttribute('aria-checked', String(!part.isOff))
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
    const { parts, tokens, what } = latest
    /** @type {Line[]} */
    const lines = what.logits ? [{ key: 'base', head: t('stages.ablation.base'), isTitle: true, cells: tokens.map((_, i) => (
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
    const off = parts.filter(part => part.isOff)
    setText(now, off.length ? t('stages.ablation.off', { list: off.map(part => fullName(part, t)).join(', ') }) : t('stages.ablation.on'))
  }
  /**
   * Runs every ablation in turn; a new request stops the previous one.
   * @param {ReturnType<typeof data>} next @param {boolean} mayAsk whether to ask first if these runs take long
   */
  async function compute({ parts, what, edits }, mayAsk) {
    const ownJob = job = {}, start = performance.now()
    const state = get()
    /** @param {import('../types.d.ts').Edit[]} list @param {Float32Array} [from] */
    const ablate = (list, from) => runQuery('ablate', { state, edits: list, what, base: from })
    const first = await ablate(edits)
    if (job !== ownJob) return
    base = first
    results = new Map()
    const time = (performance.now() - start) * parts.length
    if (mayAsk && time >= LONG_MS) return askFirst(parts.length, time)
    for (const [done, part] of parts.entries()) {
      progress.update(done, parts.length)
      const result = await ablate(toggleEdits(edits, part.edits, !part.isOff), what.logits ? undefined : first)
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
