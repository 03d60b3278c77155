/** Previous-token and induction heads, measured on a repeated sequence. */

import { probabilities, scale } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { grid } from '../lib/grid.js'
import { legend } from '../lib/legend.js'
import { fixed } from '../lib/number.js'
import { fullName, partWords, storeyOf } from '../lib/ablation_parts.js'
import { pictureOf } from '../lib/picture.js'

/** @import { HeadScores, Mount, Run, Stage, View } from '../types.d.ts' */
/** @import { Heads } from '../rooms/stream.js' */

export const id = 'habits'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

/** Attention patterns, in the order of the worker. */
const PATTERNS = ['previous', 'same', 'after', 'first']

/** The causal attentions, each with the room of its weights. @param {Run} run @param {View} view */
export function data(run, { room: { parts }, rooms }) {
  const layers = /** @type {Heads[]} */ (parts.layers).map(layer => (
    { ...layer, room: rooms.find(one => one.stage === 'weights' && one.parts.out === layer.out)?.id }))
  return { run, layers }
}

/** @type {Stage['picture']} */
export const picture = (run, { room: { parts: { out } } }) => pictureOf(run, out)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, ask, set, theme, fails } = context
  const none = h('p', { className: 'note', hidden: true }, t('stages.habits.none'))
  container.append(none)
  const table = grid(container, t('stages.habits.name'), t)
  const legends = h('div', { className: 'figure-legends' })
  container.append(legends)
  const key = legend(legends)
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  /** @type {HeadScores | null} */ let scores = null

  /**
   * A head links to its attention weights in this text.
   * @param {ReturnType<typeof data>['layers'][0]} own @param {number} head
   */
  function headOf({ room, tower, layer, block }, head) {
    const part = { kind: /** @type {const} */ ('head'), tower, layer, block, head, edits: [] }
    return h('button', { 'type': 'button', 'className': 'quiet', 'aria-label': fullName(part, t), 'onclick': () => (
      set({ room, head }, 'push')) }, partWords(part, t))
  }
  function draw() {
    if (!latest) return
    const { layers } = latest, measured = scores?.layers ?? []
    const max = PATTERNS.map((_, look) => Math.max(...measured.flat().map(scoresOfHead => scoresOfHead[look])))
    const colors = scale(probabilities(), theme().mode)
    key.update(probabilities(), theme().mode, t('frame.share'))
    const lines = layers.flatMap((layer, i) => [
      { key: `layer ${i}`, head: storeyOf(layer, t), isTitle: true, cells: [] },
      ...Array.from({ length: layer.heads }, (_, head) => ({
        key: `${i}.${head}`, head: headOf(layer, head), level: 2, cells: PATTERNS.map((_, look) => {
          const score = measured[i]?.[head]?.[look]
          if (score === undefined) return { text: '' }
          return { text: fixed(score), color: colors.at(score), isMarked: score === max[look] }
        })
      }))
    ])
    table.update(t('stages.habits.corner'), PATTERNS.map(look => t(`stages.habits.looks.${look}`)), lines)
  }
  /** @param {Run} run */
  async function compute(run) {
    const answer = await ask('headScores', {})
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
      if (isNew) compute(next.run).catch(fails)
    },
    mark() {},
    destroy() {
      latest = null
    }
  }
}
