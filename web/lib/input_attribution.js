/** What each token did to a score, through every way of the model: by gradients, or by hiding the token. */

import { formatPart } from './attribution.js'
import { mountChips } from './chips.js'
import { createScale, signedDomain } from './color.js'
import { h, setText } from './dom.js'
import { formatBrief, formatFixed } from './number.js'
import { getAxisLabels, getDescription } from './run.js'
import { createSegments } from './segments.js'
import { MAX_TOKENS, mountTokenWindow } from './token_window.js'

/** @import { Context, InputAttributions, QueryTypes, Room, Run } from '../types.d.ts' */

/** @typedef {QueryTypes['inputAttribution'][0]['method']} Method */
/** @typedef {{ run: Run, rooms: Room[] } & Omit<QueryTypes['inputAttribution'][0], 'method' | 'inputs'>} Target */

/** @type {Method[]} */
export const METHODS = ['gradientTimesInput', 'integratedGradients', 'occlusion']
/** @type {'none'} */
const NONE = 'none'

/**
 * The embeddings of the texts that the model reads.
 * @param {Room[]} rooms @returns {{ out: string, stream?: string }[]}
 */
export const listEmbeddings = rooms => rooms
  .flatMap(({ stage, parts }) => (stage === 'embedding' && !parts.by ? [(parts)] : []))

/** Leaves out the tokens after the last that the model read. @param {InputAttributions[0]} found */
const withoutUnread = ({ values, ...found }) => (
  { ...found, values: values.slice(0, values.findLastIndex(value => value !== 0) + 1) })

/** Gradients that account for less than this part of the score are said to be small. */
const SMALL_PART = 0.1

/**
 * Whether the texts make up far more of the score than gradients say: it hardly moves with a small change.
 * @param {InputAttributions} found by gradient × input
 */
export function isSaturated(found) {
  const size = found.flatMap(({ values }) => values).reduce((sum, value) => sum + Math.abs(value), 0)
  return size < SMALL_PART * Math.max(...found.map(({ total, baseline }) => Math.abs(total - baseline)))
}

/** The method applies to all answers. @type {Method | typeof NONE} */
let method = NONE

/** @param {Element} container @param {Pick<Context, 't' | 'theme' | 'runQuery' | 'reportError'>} context */
export function mountInputAttribution(container, { t, theme, runQuery, reportError }) {
  /** @param {string} name @param {Record<string, any>} [values] */
  const text = (name, values) => t(`stages.attribution.inputs.${name}`, values)
  const segments = createSegments(text('method'), (/** @type {typeof method} */ value) => {
    method = value
    compute().catch(reportError)
  })
  const result = h('div'), note = h('p', { className: 'note' }), status = h('p', { className: 'note source-details', role: 'status' })
  const pending = h('p', { className: 'note', role: 'status' })
  container.append(h('h2', {}, text('title')), h('p', { className: 'note' }, text('what')),
    h('div', { className: 'tools' }, segments.element), pending, result)
  const span = mountTokenWindow(result, t, () => draw())
  const chips = mountChips(result, { onHover: describe, onPress: describe, onLeave() {} })
  result.append(status, note)
  /** @type {Target | null} */ let target = null
  /** @type {{ of: Target, method: Method, found: InputAttributions | null } | null} */ let latest = null
  let job = {}, first = 0

  /** The tokens of the embedded texts, and their names where there are two. @param {Target} of */
  const textsOf = ({ run, rooms }) => listEmbeddings(rooms).map(({ out, stream = '' }, _, { length }) => ({
    tokens: getAxisLabels(run, getDescription(run, out), 1) ?? [],
    name: length === 1 ? '' : t(`stages.attribution.${run.streams[stream]?.isAnswer ? 'written' : 'text'}`) }))
  /** That the values of a text are complete. @param {string} name @param {InputAttributions[0]} found */
  const describeSum = (name, { values, total, baseline, gap }) => `${name ? `${name}: ` : ''}${text('sum', {
    sum: formatFixed(values.reduce((sum, value) => sum + value, 0), 4), total: formatFixed(total, 4),
    baseline: formatFixed(baseline, 4), gap: formatBrief(Math.abs(gap)) })}`
  /** @param {number} row @param {number} col */
  function describe(row, col) {
    const { of, found } = latest ?? {}
    if (!of || !found) return
    const at = first + col
    setText(status, text('token', { token: textsOf(of)[row].tokens[at], value: formatPart(found[row].values[at]) }))
  }
  function draw() {
    segments.update([NONE, ...METHODS].map((/** @type {typeof method} */ value) => ({ value, text: t(`stages.attribution.inputs.methods.${value}`) })), method)
    // Numbers of another method would stand under the name of this one until these are computed.
    result.hidden = latest?.method !== method
    setText(pending, result.hidden && method !== NONE && target ? text('pending') : '')
    if (!latest || result.hidden) return
    const { of, found, method: used } = latest, texts = textsOf(of)
    if (!found) {
      chips.update([])
      return setText(note, text('cannot'))
    }
    const range = span.rangeOf(Math.max(...found.map(({ values }) => values.length)), MAX_TOKENS)
    first = range[0]
    const sums = used === 'integratedGradients' ? found.map((own, i) => describeSum(texts[i].name, own)) : []
    const isFlat = used === 'gradientTimesInput' && isSaturated(found)
    setText(note, [t(`stages.attribution.inputs.details.${used}`), isFlat && text('saturated'), ...sums].filter(Boolean).join(' '))
    const max = Math.max(1e-6, ...found.flatMap(({ values }) => values.map(Math.abs)))
    const colors = createScale(signedDomain(max), theme().mode)
    chips.update(found.map(({ values }, i) => ({
      name: texts[i].name,
      chips: values.slice(...range).map((value, k) => (
        { text: texts[i].tokens[first + k] ?? '', note: formatPart(value), color: colors.at(value) }))
    })))
  }
  async function compute() {
    const ownJob = job = {}, of = target
    if (of && method !== NONE) {
      const { run: _, rooms, ...query } = of, used = method
      draw()
      result.setAttribute('aria-busy', 'true')
      const inputs = listEmbeddings(rooms).map(({ out }) => out)
      const found = await runQuery('inputAttribution', { ...query, method, inputs })
      if (job !== ownJob) return
      result.setAttribute('aria-busy', 'false')
      latest = { of, method: used, found: found && found.map(withoutUnread) }
      setText(status, '')
    }
    draw()
  }
  draw()
  return {
    /** @param {Target} next whose score is explained */
    update(next) {
      target = next
      return compute()
    },
    draw,
    destroy() {
      job = {}
    }
  }
}
