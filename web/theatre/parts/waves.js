/** The embeddings of the numbers on a clock as waves: the share of the variance of each, over the steps. */

import { mountLines } from '../../lib/chart.js'
import { h, setText } from '../../lib/dom.js'
import { formatFixed } from '../../lib/number.js'

/** @import { Context, Translate } from '../../types.d.ts' */
/** @import { Seen } from '../../../src/training/training_record.js' */

const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]]

/**
 * @param {HTMLElement} container hidden for other tasks
 * @param {{ t: Translate, theme: Context['theme'], seek(step: number): void }} context
 */
export function mountWaves(container, { t, theme, seek }) {
  const slot = h('div', { 'className': 'chart-slot', 'data-chart': 'waves' })
  const explanation = h('p', { className: 'theatre-why' }), list = h('output', { className: 'theatre-token' })
  container.append(h('h2', {}, t('theatre.waves')), h('p', { className: 'note' }, t('theatre.wavesWhat')), slot, list,
    explanation)
  const chart = mountLines(slot, seek)
  return {
    /** @param {Seen} seen @param {{ total: number, step: number }} facts */
    update(seen, { total, step }) {
      const until = Math.max(step, seen.loss.length)
      const evaluations = seen.evaluations.filter(({ waves, step: at }) => waves && at <= until)
      const last = evaluations.findLast(evaluation => evaluation.step <= step) ?? evaluations[0]
      container.hidden = !last
      if (!last?.waves) return
      const even = 1 / last.waves.length, all = last.waves.map((share, i) => ({ wave: i + 1, share }))
      const large = all.filter(({ share }) => share > even).sort((a, b) => b.share - a.share)
      const said = t('theatre.wavesSaid', {
        step: last.step, count: large.length,
        list: large.map(({ wave, share }) => `${wave} (${formatFixed(100 * share, 1)} %)`).join(', ')
      })
      setText(list, said)
      setText(explanation, t('theatre.wavesEven', { even: formatFixed(100 * even, 1) }))
      const isLarge = new Set(large.map(({ wave }) => wave))
      chart.update({
        maxStep: total, title: t('theatre.stepAxis'), palette: theme().palette, at: step, low: 0, digits: 2,
        high: Math.max(2 * even, ...evaluations.flatMap(({ waves = [] }) => waves)), label: `${t('theatre.waves')}. ${said}`,
        lines: last.waves.map((_, i) => ({
          points: evaluations.map(({ step: x, waves = [] }) => ({ x, y: waves[i] })),
          ...(isLarge.has(i + 1) ? { color: 'accent', width: 1.5, dash: DASHES[i % DASHES.length] } : { color: 'muted', width: 1 })
        }))
      })
    },
    destroy: chart.destroy
  }
}
