/** An operation without a stage of its own: inputs and output. */

import { mountFigure } from '../lib/figure.js'
import { commonDomain, createPicture } from '../lib/picture.js'
import { roomName } from '../lib/room_name.js'
import { sliceMatrix } from '../lib/run.js'

/** @import { Mount, Room, Run, Stage, Translate, View } from '../types.d.ts' */

export const id = 'operation'
/** @type {string[]} */ export const controls = []
export const pickers = ['sentence', 'head']

/** All inputs and the output, each with a scale of its own. @param {Run} run @param {View<'operation'>} view */
export function data(run, view) {
  const { inputs, out, op } = view.room.parts
  const names = [...new Set([...Object.values(inputs), out])].filter(name => run.tensors.has(name))
  return {
    op, out: sliceMatrix(run, out, view), matrices: names.map(name => sliceMatrix(run, name, view)),
    domains: names.map(name => commonDomain(run, name)),
    makers: names.map(name => view.rooms.find(({ tensors }) => tensors[0] === name))
  }
}

/**
 * The titles of the matrices: the rooms that they come from, where all have names of their own; else the tensors.
 * @param {(Room | undefined)[]} makers @param {string[]} names @param {Translate} t
 */
function titlesOf(makers, names, t) {
  const titles = makers.map(room => (room && room.words !== id ? roomName(room, t) : ''))
  return titles.every(Boolean) && new Set(titles).size === titles.length ? titles : names
}

/** @type {Stage<'operation'>['picture']} */
export const picture = (run, view) => createPicture(run, view.room.parts.out, view)

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  const fig = mountFigure(container, context)
  /** @type {ReturnType<typeof fig.matrix>[]} */ const views = []
  return {
    update({ matrices, domains, makers }) {
      while (views.length < matrices.length) views.push(fig.matrix())
      const titles = titlesOf(makers, matrices.map(({ name }) => name), t)
      const list = matrices.map((part, i) => ({ title: titles[i], part, domain: domains[i] }))
      list.forEach(({ title, part, domain }, i) => views[i].update(part, { title, domain, dense: true }))
      fig.legend(list.map(({ domain, title }) => ({ domain, text: title })))
      fig.numbers(t('frame.numbers'), list)
    },
    mark: fig.mark,
    destroy() {}
  }
}
