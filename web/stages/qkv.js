/** The projections of one input to queries, keys and values. */

import { mountFigure } from '../lib/figure.js'
import { setFormula } from '../lib/formula.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { listEntries } from '../lib/product.js'
import { sliceBias, sliceMatrix, getTensor, sliceWeight } from '../lib/run.js'

/** @import { Mount, ProjectionName, Projection, Run, Stage, View } from '../types.d.ts' */

/** @type {ProjectionName[]} */
const PARTS = ['q', 'k', 'v']

export const id = 'qkv'
export const controls = ['heads', 'kvHeads']
export const pickers = ['sentence', 'part']

/** Input, weight, bias and result of one of the three projections. @param {Run} run @param {View<'qkv'>} view */
export function data(run, view) {
  const { heads, kvHeads = heads } = view.room.parts
  const projections = /** @type {Record<ProjectionName, Projection>} */ (view.room.parts.projections)
  const { x, weight, bias, y, first, count, biasFirst } = projections[view.part]
  const names = PARTS.flatMap(part => [projections[part].y, projections[part].x])
  const { shape } = getTensor(run, y)
  // In cross-attention, queries have another input than keys and values.
  const tower = view.room.parts.kind !== 'cross' ? null : view.part === 'q' ? 'decoder' : 'encoder'
  return {
    part: view.part, tower, group: shape[shape.length - 1] / (view.part === 'q' ? heads : kvHeads),
    left: sliceMatrix(run, x, view), right: sliceWeight(run, weight, first, count),
    bias: sliceBias(run, bias, biasFirst, count), product: sliceMatrix(run, y, view),
    domains: {
      values: commonDomain(run, ...names),
      weights: commonDomain(run, weight)
    }
  }
}

/** @type {Stage<'qkv'>['picture']} */
export function picture(run, view) {
  const name = view.room.parts[view.part]
  return createPicture(run, name, view)
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  const sheet = fig.product()
  return {
    update({ part, tower, group, domains, left, right, bias, product }) {
      const letter = part.toUpperCase()
      const input = [t('stages.qkv.input'), tower && t(`map.${tower}`)].filter(Boolean).join(' · ')
      const titles = { left: input, right: `W_${letter}^T`, bias: `b_${letter}`, product: letter }
      setFormula(sheet.corner, `${letter} = X W_${letter}^T${bias ? ` + b_${letter}` : ''}`)
      sheet.update({ left, right, ...(bias && { bias }), product }, {
        titles, groups: { right: group, bias: group, product: group },
        domains: { left: domains.values, right: domains.weights, bias: domains.weights, product: domains.values }
      })
      fig.legend([{ domain: domains.values, text: `X, ${letter}` }, { domain: domains.weights, text: titles.right }])
      fig.numbers(t('frame.numbers'), listEntries(titles, { left, right, bias, product }))
    },
    mark: fig.mark,
    destroy() {}
  }
}
