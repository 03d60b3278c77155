/** An operation without a stage of its own: inputs and output. */

import { mountFigure } from '../lib/figure.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { sliceMatrix } from '../lib/run.js'

/** @import { Mount, Run, Stage, View } from '../types.d.ts' */

export const id = 'operation'
/** @type {string[]} */ export const controls = []
export const pickers = ['sentence', 'head']

/** All inputs and the output, each with a scale of its own. @param {Run} run @param {View<'operation'>} view */
export function data(run, view) {
  const { inputs, out, op } = view.room.parts
  const names = [...new Set([...Object.values(inputs), out])].filter(name => run.tensors.has(name))
  return {
    op, out: sliceMatrix(run, out, view), matrices: names.map(name => sliceMatrix(run, name, view)),
    domains: names.map(name => commonDomain(run, name))
  }
}

/** @type {Stage<'operation'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.out, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  /** @type {ReturnType<typeof fig.matrix>[]} */ const views = []
  return {
    update({ matrices, domains }) {
      while (views.length < matrices.length) views.push(fig.matrix())
      const list = matrices.map((part, i) => ({ title: part.name, part, domain: domains[i] }))
      list.forEach(({ title, part, domain }, i) => views[i].update(part, { title, domain, dense: true }))
      fig.legend(list.map(({ domain, title }) => ({ domain, text: title })))
      fig.numbers(t('frame.numbers'), list)
    },
    mark: fig.mark,
    destroy() {}
  }
}
