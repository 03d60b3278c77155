/** Four positional encodings, measured by magnitude, distances between positions, and dot products. */

import { signedDomain } from '../lib/color.js'
import { h } from '../lib/dom.js'
import { mountFigure } from '../lib/figure.js'
import { mountPlot } from '../lib/plot.js'
import { getTensor } from '../lib/run.js'
import { slice } from '../lib/slice.js'

/** @import { Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { PlotView } from '../lib/plot.js' */

export const id = 'requirements'
export const controls = ['base', 'dModel', 'seed']
/** @type {string[]} */ export const pickers = []

const SCHEMES = ['index', 'share', 'sinusoidal', 'random']
const MEASURES = ['most', 'nearest', 'shortest', 'longest', 'least', 'greatest']
const GAP = 32

/** @param {Slice} part */
const max = ({ values }) => values.reduce((top, value) => Math.max(top, Math.abs(value)), 0)

/**
 * The measures of all encodings; for each the dot products of all pairs of positions, and their distances.
 * @param {Run} run @param {View} view
 */
export function data(run, view) {
  const { products, distances, measures, norms, neighbours } = view.room.parts
  /** @param {string} name */
  const each = name => SCHEMES.map((_, i) => slice(getTensor(run, name), { row: 1, col: 2, fixed: [i, 0, 0] }))
  /** @param {string} name */
  const table = name => slice(getTensor(run, name), { row: 0, col: 1, rowLabels: SCHEMES })
  return {
    measures: { ...table(measures), colLabels: MEASURES }, norms: table(norms), neighbours: table(neighbours),
    products: each(products), distances: each(distances)
  }
}

/** @type {Stage['picture']} */
export function picture(run, { room }) {
  const part = slice(getTensor(run, room.parts.products), { row: 1, col: 2, fixed: [2, 0, 0] })
  return { part, domain: signedDomain(max(part)) }
}

/**
 * The dots of all pairs of positions, at their offset and the distance of their vectors.
 * @param {Slice} part @param {number} scheme @returns {NonNullable<PlotView['dots']>}
 */
const byOffset = ({ name, values, rows }, scheme) => Array.from({ length: rows }, (_, from) => (
  Array.from({ length: rows - from }, (_, offset) => ({
    at: /** @type {[number, number]} */ ([offset, values[from * rows + from + offset]]), kind: 'is-small',
    cell: { name, index: [scheme, from, from + offset] }
  })))).flat()

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  /** @param {string[]} list @param {string} kind */
  const words = (list, kind) => list.map(name => t(`lab.requirements.${kind}.${name}`))
  /** @param {Slice} part */
  const named = part => ({ ...part, rowLabels: words(SCHEMES, 'schemes') })
  const fig = mountFigure(container, context)
  const measures = fig.matrix()
  const places = [fig.matrix(), fig.matrix()]
  const panes = h('div', { className: 'panes-grid' })
  fig.body.append(panes)
  // Outside the frame, so that it is exported with the figure.
  const distances = h('div', { className: 'panes-grid' })
  container.append(distances)
  const schemes = SCHEMES.map(scheme => {
    const [products, apart] = [h('div'), h('div', {}, h('h2', {}, t(`lab.requirements.schemes.${scheme}`)))]
    panes.append(products)
    distances.append(apart)
    return { matrix: fig.matrix(products), plot: mountPlot(apart, context), scheme }
  })
  return {
    update(next) {
      const table = { ...named(next.measures), colLabels: words(MEASURES, 'measures') }
      measures.update(table, { title: t('lab.requirements.table'), domain: signedDomain(max(next.measures)) })
      const views = /** @type {const} */ (['neighbours', 'norms']).map((name, i) => {
        const part = named(next[name])
        places[i].update(part, { title: t(`lab.requirements.${name}`), domain: signedDomain(max(part)), dense: true })
        return { title: t(`lab.requirements.${name}`), part }
      })
      const isWide = context.width() >= 640
      // The frame scrolls, so nothing in it would wrap.
      panes.style.setProperty('max-width', `${context.width()}px`)
      const width = isWide ? Math.floor((context.width() - GAP) / 2) : context.width()
      schemes.forEach(({ matrix, plot: distance, scheme }, i) => {
        const product = next.products[i]
        const far = next.distances[i]
        const name = t(`lab.requirements.schemes.${scheme}`)
        matrix.update(product, { title: `${name}, P P^T`, domain: signedDomain(max(product)), dense: true, pair: isWide })
        distance.update({
          width, height: 200, x: [0, far.rows - 1], y: [0, max(far)], xName: t('lab.requirements.offset'),
          yName: t('lab.requirements.distance'), label: `${name}: ${t('lab.requirements.distance')}`, dots: byOffset(far, i)
        })
      })
      fig.legend(next.products.map((part, i) => ({ domain: signedDomain(max(part)), text: t(`lab.requirements.schemes.${SCHEMES[i]}`) })))
      fig.numbers(t('frame.numbers'), [{ title: t('lab.requirements.table'), part: table }, ...views,
        ...SCHEMES.map((scheme, i) => ({ title: `${t(`lab.requirements.schemes.${scheme}`)}, P P^T`, part: next.products[i] }))])
    },
    mark: fig.mark,
    destroy() {}
  }
}
