/** A collapsible PCA plot of a table: one dot per row, the selected one highlighted. */

import { h, measureWidth, setText } from './dom.js'
import { largestIndices } from './large_tables.js'
import { formatExact, formatFixed } from './number.js'
import { mountScatter } from './scatter.js'

/** @import { Context, PcaProjection, Run } from '../types.d.ts' */

const MAX_HEIGHT = 380

/**
 * The rows to plot, null for all, with their labels.
 * @typedef {{ run: Run, name: string, rows: number[] | null, words: string[] }} PlotRequest
 */

/** @param {number} fraction */
const percent = fraction => `${formatFixed(100 * fraction, 1)} %`

/**
 * @param {Element} container
 * @param {Pick<Context, 't' | 'runQuery' | 'theme' | 'reportError' | 'isTwin'>} context
 */
export function mountPcaPlot(container, context) {
  const { t, runQuery, theme, reportError } = context
  const slot = h('div', { className: 'plane-slot' })
  const status = h('output', { className: 'plane-at' })
  const explanation = h('p', { className: 'note' })
  const element = h('details', { 'className': 'plane', 'data-action': 'plane', 'ontoggle': () => compute() },
    h('summary', {}, t('stages.embedding.plane')), slot, status, explanation)
  container.append(element)
  /** @type {PlotRequest | null} */ let request = null
  /** @type {PcaProjection | null} */ let current = null
  let chosen = -1, serial = 0
  const picture = mountScatter(slot, i => {
    chosen = i
    draw()
  })

  function draw() {
    if (!current || !request) return
    const { x, y, variances } = current, { words } = request
    if (chosen < 0) [chosen] = largestIndices(x.map((value, i) => Math.hypot(value, y[i])), 0, x.length, 1)
    const at = t('stages.embedding.planeAt', { token: words[chosen], x: formatExact(x[chosen]), y: formatExact(y[chosen]) })
    const width = measureWidth(slot) || 320
    setText(status, at)
    const [first, second] = variances.map(percent)
    setText(explanation, t('stages.embedding.planeWhy', { count: x.length, first, second }))
    picture.update({
      x, y, words, chosen, width, height: Math.min(MAX_HEIGHT, width), palette: theme().palette,
      label: `${t('stages.embedding.plane')}. ${at}`
    })
  }
  /** Requests the projection, while the plot is open. */
  async function compute() {
    if (!element.open || !request) return
    serial += 1
    const requestSerial = serial, { name, rows } = request
    element.setAttribute('aria-busy', 'true')
    try {
      const projection = await runQuery('pca', { name, rows, isTwin: context.isTwin ?? false })
      if (requestSerial !== serial) return
      current = projection
      draw()
      element.setAttribute('aria-busy', 'false')
    } catch (error) {
      reportError(error)
    }
  }
  return {
    /** @param {PlotRequest} next */
    update(next) {
      const isSame = next.run === request?.run && next.name === request.name &&
        String(next.rows) === String(request.rows)
      request = next
      if (isSame) return draw()
      current = null
      chosen = -1
      compute()
    },
    destroy() {
      serial += 1
    }
  }
}
