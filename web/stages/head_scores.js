/** Previous-token and induction heads, measured on a repeated sequence. */

import { probabilityDomain, createScale } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { mountGrid } from '../lib/grid.js'
import { mountLegend } from '../lib/legend.js'
import { formatFixed } from '../lib/number.js'
import { fullName, partLabel, layerHeading } from '../lib/ablation_parts.js'
import { createPicture } from '../lib/picture.js'

/** @import { HeadScores, Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Heads } from '../rooms/stream.js' */

export const id = 'head_scores'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** Attention patterns, in the order of the worker. */
const PATTERNS = ['previous', 'same', 'after', 'first']

/** The causal attentions, each with the room of its weights. @param {Run} run @param {View<'head_scores'>} view */
export function data(run, { room: { parts }, rooms }) {
  const layers = /** @type {Heads[]} */ (parts.layers).map(layer => (
    { ...layer, room: rooms.find(room => room.stage === 'weights' && room.parts.out === layer.out)?.id }))
  return { run, layers }
}

/** @type {Stage<'head_scores'>['picture']} */
export const picture = (run, { room: { parts: { out } } }) => createPicture(run, out)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, runQuery, set, theme, reportError } = context
  const none = h('p', { className: 'note', hidden: true }, t('stages.head_scores.none'))
  container.append(none)
  const table = mountGrid(container, t('stages.head_scores.name'), t)
  const legends = h('div', { className: 'figure-legends' })
  container.append(legends)
  const key = mountLegend(legends)
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  /** @type {HeadScores | null} */ let scores = null

  /**
   * A head links to its attention weights in this text.
   * @param {ReturnType<typeof data>['layers'][0]} own @param {number} head
   */
  function headOf({ room, tower, layer, block }, head) {
    const part = { kind: /** @type {const} */ ('head'), tower, layer, block, head, edits: [] }
    return h('button', { 'type': 'button', 'className': 'quiet', 'aria-label': fullName(part, t), 'onclick': () => (
      set({ room, head }, 'push')) }, partLabel(part, t))
  }
  function draw() {
    if (!latest) return
    const { layers } = latest, measured = scores?.layers ?? []
    const max = PATTERNS.map((_, pattern) => Math.max(...measured.flat().map(scoresOfHead => scoresOfHead[pattern])))
    const colors = createScale(probabilityDomain(), theme().mode)
    key.update(probabilityDomain(), theme().mode, t('frame.share'))
    const lines = layers.flatMap((layer, i) => [
      { key: `layer ${i}`, head: layerHeading(layer, t), isTitle: true, cells: [] },
      ...Array.from({ length: layer.heads }, (_, head) => ({
        key: `${i}.${head}`, head: headOf(layer, head), level: 2, cells: PATTERNS.map((_, pattern) => {
          const score = measured[i]?.[head]?.[pattern]
          if (score === undefined) return { text: '' }
          return { text: formatFixed(score), color: colors.at(score), isMarked: score === max[pattern] }
        })
      }))
    ])
    table.update(t('stages.head_scores.corner'), PATTERNS.map(look => t(`stages.head_scores.looks.${look}`)), lines)
  }
  /** @param {Run} run */
  async function compute(run) {
    const answer = await runQuery('headScores', {})
    if (latest?.run !== run) return
    scores = answer
    none.hidden = Boolean(answer)
    table.element.hidden = !answer
    draw()
    table.element.setAttribute('aria-busy', 'false')
  }
  return {
    update(next) {
      const isNew = next.run !== latest?.run
      latest = next
      if (isNew) {
        scores = null
        table.element.setAttribute('aria-busy', 'true')
      }
      draw()
      if (isNew) compute(next.run).catch(reportError)
    },
    mark() {},
    destroy() {
      latest = null
    }
  }
}
