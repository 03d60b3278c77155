/** Composition scores: how much of what one head writes the heads of later layers read, as a table. */

import { layerHeading } from './ablation_parts.js'
import { createScale, probabilityDomain } from './color.js'
import { h, setText } from './dom.js'
import { mountGrid } from './grid.js'
import { mountLegend } from './legend.js'
import { formatFixed } from './number.js'
import { createSegments } from './segments.js'

/** @import { CompositionScores, Context, Translate } from '../types.d.ts' */
/** @typedef {'q' | 'k' | 'v'} Kind */
/** @typedef {{ sender: number, receiver: number }} Pair */

/** The quotient of Frobenius norms that a score is. @type {Record<Kind, string>} */
const FORMULAS = {
  q: '‖W_QKᵀ W_OV‖ ÷ (‖W_QK‖ ‖W_OV‖)', k: '‖W_QK W_OV‖ ÷ (‖W_QK‖ ‖W_OV‖)', v: '‖W_OV′ W_OV‖ ÷ (‖W_OV′‖ ‖W_OV‖)'
}
const KINDS = /** @type {Kind[]} */ (Object.keys(FORMULAS))

/** With more heads than this the scores take seconds, so the reader begins. */
const MANY_HEADS = 32

/**
 * The pairs of a head and one of a later layer, with their scores.
 * @param {CompositionScores} scores @param {Kind} kind
 */
export const listPairs = (scores, kind) => scores[kind].flatMap((row, sender) => (
  row.flatMap((score, receiver) => (Number.isNaN(score) ? [] : [{ sender, receiver, score }]))))

/** The largest score of any kind, so that the three tables have one scale. @param {CompositionScores} scores */
const largestOfAll = scores => (
  Math.max(1e-6, ...KINDS.flatMap(kind => listPairs(scores, kind).map(({ score }) => score))))

/** @param {Element} container @param {Pick<Context, 't' | 'runQuery' | 'reportError' | 'theme'>} context */
export function mountHeadCompositions(container, { t, runQuery, reportError, theme }) {
  const key = (/** @type {string} */ name) => `stages.head_scores.compositions.${name}`
  const cannot = h('p', { className: 'note', hidden: true }, t(key('cannot')))
  const start = h('p', { hidden: true }, h('button', { type: 'button', className: 'primary', onclick: () => compute() }, t('stages.ablation.begin')))
  const kinds = createSegments(t(key('reads')), (/** @type {Kind} */ value) => {
    kind = value
    choose(largest())
  })
  const tools = h('div', { className: 'tools' }, kinds.element)
  container.append(h('h2', {}, t(key('title'))), h('p', { className: 'note' }, t(key('what'))), cannot, start, tools)
  const table = mountGrid(container, t(key('title')), t, (sender, col) => (
    choose({ sender: Number(sender), receiver: receivers()[col] })))
  const status = h('p', { className: 'note grid-note', role: 'status' }), legends = h('div', { className: 'figure-legends' })
  container.append(status, legends)
  const legend = mountLegend(legends)
  /** @type {Kind} */ let kind = 'k'
  /** @type {CompositionScores | null} */ let scores = null
  /** @type {Pair | undefined} */ let chosen
  let job = {}

  const pairsNow = () => (scores ? listPairs(scores, kind) : [])
  /** The heads that read others. @returns {number[]} */
  const receivers = () => [...new Set(pairsNow().map(({ receiver }) => receiver))].sort((a, b) => a - b)
  const largest = () => [...pairsNow()].sort((a, b) => b.score - a.score).at(0)
  /** @param {number} i */
  function nameOf(i) {
    const { layer, head } = /** @type {CompositionScores} */ (scores).heads[i]
    return [layerHeading({ layer }, t), t('stages.ablation.head', { head })].join(' · ')
  }
  /** @param {Pair} [pair] */
  function choose(pair) {
    const score = pair && scores?.[kind][pair.sender][pair.receiver]
    if (score === undefined || Number.isNaN(score)) return
    chosen = pair
    draw()
  }
  function draw() {
    for (const element of [tools, table.element, status, legends]) element.hidden = !scores
    if (!scores) return
    kinds.update(KINDS.map(value => ({ value, text: t(`stages.head_scores.compositions.kinds.${value}`) })), kind)
    const pairs = listPairs(scores, kind), columns = receivers(), own = scores[kind]
    const domain = probabilityDomain(largestOfAll(scores)), colors = createScale(domain, theme().mode)
    const senders = [...new Set(pairs.map(({ sender }) => sender))]
    table.update(t(key('corner')), columns.map(nameOf), senders.map(sender => ({
      key: String(sender), head: nameOf(sender), cells: columns.map(receiver => {
        const score = own[sender][receiver]
        if (Number.isNaN(score)) return { text: '' }
        const isMarked = chosen?.sender === sender && chosen.receiver === receiver
        return { text: formatFixed(score), color: colors.at(score), isMarked }
      })
    })))
    legend.update(domain, theme().mode, t(key('scale')))
    if (!chosen) return
    const mean = pairs.reduce((sum, { score }) => sum + score, 0) / pairs.length
    setText(status, t(key('description'), {
      sender: nameOf(chosen.sender), receiver: nameOf(chosen.receiver), kind: t(`stages.head_scores.compositions.kinds.${kind}`), formula: FORMULAS[kind],
      score: formatFixed(own[chosen.sender][chosen.receiver], 3), mean: formatFixed(mean, 3)
    }))
  }
  async function computeNow() {
    const ownJob = job = {}
    start.hidden = true
    table.element.setAttribute('aria-busy', 'true')
    const found = await runQuery('compositions', {})
    if (job !== ownJob) return
    scores = found
    cannot.hidden = Boolean(found)
    chosen = largest()
    draw()
    table.element.setAttribute('aria-busy', 'false')
  }
  const compute = () => computeNow().catch(reportError)
  return {
    /** The scores of another run. @param {number} headCount of the model */
    update(headCount) {
      job = {}
      scores = null
      chosen = undefined
      cannot.hidden = true
      draw()
      start.hidden = headCount <= MANY_HEADS
      return start.hidden ? compute() : Promise.resolve()
    },
    draw,
    destroy() {
      job = {}
    }
  }
}
