/** A collapsible PCA plot of a table's rows: a dot each, with the selected one highlighted. */

import { h, setText } from './dom.js'
import { largest } from './large_tables.js'
import { exact, fixed } from './number.js'
import { scatter } from './scatter.js'

/** @import { Context, PcaProjection, Run } from '../types.d.ts' */

const TALLEST = 380

/**
 * The rows to plot, and of which run; null for all.
 * @typedef {{ run: Run, name: string, rows: number[] | null, words: string[] }} Wanted
 */

/** @param {number} fraction */
const percent = fraction => `${fixed(100 * fraction, 1)} %`

/**
 * @param {Element} container
 * @param {Pick<Context, 't' | 'ask' | 'theme' | 'fails'>} context
 */
export function pcaPlot(container, context) {
  const { t, ask, theme, fails } = context
  const slot = h('div', { className: 'plane-slot' })
  const place = h('output', { className: 'plane-at' })
  const why = h('p', { className: 'note' })
  const element = h('details', { 'className': 'plane', 'data-action': 'plane', 'ontoggle': () => find() },
    h('summary', {}, t('stages.embedding.plane')), slot, place, why)
  container.append(element)
  /** @type {Wanted | null} */ let wanted = null
  /** @type {PcaProjection | null} */ let current = null
  let chosen = -1, serial = 0
  const picture = scatter(slot, i => {
    chosen = i
    draw()
  })

  function draw() {
    if (!current || !wanted) return
    const { x, y, variances } = current, { words } = wanted
    if (chosen < 0) [chosen] = largest(x.map((value, i) => Math.hypot(value, y[i])), 0, x.length, 1)
    const at = t('stages.embedding.planeAt', { token: words[chosen], x: exact(x[chosen]), y: exact(y[chosen]) })
    const width = Math.floor(slot.getBoundingClientRect().width) || 320
    setText(place, at)
    const [first, second] = variances.map(percent)
    setText(why, t('stages.embedding.planeWhy', { count: x.length, first, second }))
    picture.update({
      x, y, words, chosen, width, height: Math.min(TALLEST, width), palette: theme().palette,
      label: `${t('stages.embedding.plane')}. ${at}`
    })
  }
  /** Computed only while it is open. */
  async function find() {
    if (!element.open || !wanted) return
    serial += 1
    const mine = serial, { name, rows } = wanted
    element.setAttribute('aria-busy', 'true')
    try {
      const projection = await ask('pca', { name, rows, isTwin: 'which' in context })
      if (mine !== serial) return
      current = projection
      draw()
      element.setAttribute('aria-busy', 'false')
    } catch (error) {
      fails(error)
    }
  }
  return {
    /** @param {Wanted} next */
    update(next) {
      const isSame = next.run === wanted?.run && String(next.rows) === String(wanted.rows)
      wanted = next
      if (isSame) return draw()
      current = null
      chosen = -1
      find()
    },
    destroy() {
      serial += 1
    }
  }
}
