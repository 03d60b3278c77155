/** Masked scores are replaced by minus infinity. */

import { h } from '../lib/dom.js'
import { editOf, withEdit, withoutEdit } from '../lib/edits.js'
import { figure } from '../lib/figure.js'
import { domainOf } from '../lib/picture.js'
import { matrixOf } from '../lib/run.js'
import { cellOf } from '../lib/slice.js'

/** @import { Cell, Edit, Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'mask'
export const controls = ['causal', 'tgtIsCausal', 'padding']
export const pickers = ['sentence', 'head']

/**
 * The scores before and after masking, on one scale; and whether nothing is masked where something could be.
 * @param {Run} run @param {View} view
 */
export const data = (run, view) => ({
  before: matrixOf(run, view.room.parts.scores, view), after: matrixOf(run, view.room.parts.masked, view),
  domain: domainOf(run, view.room.parts.scores),
  isOpen: view.room.parts.kind === 'masked' && !view.room.parts.isCausal
})

/** @type {Stage['picture']} */
export const picture = (run, view) => ({
  part: matrixOf(run, view.room.parts.masked, view), domain: domainOf(run, view.room.parts.scores)
})

/**
 * The edits with one cell of a mask toggled: masked in every head, or unmasked with its score.
 * @param {Edit[]} edits @param {{ before: Slice, after: Slice }} shown @param {Cell} cell of either
 */
export function toggled(edits, { before, after }, { index: [sentence, head, query, key] }) {
  const place = { name: after.name, index: [sentence, null, query, key] }
  if (editOf(edits, place)) return withoutEdit(edits, place)
  const at = cellOf(after, { name: after.name, index: [sentence, head, query, key] })
  const isHidden = at !== null && after.values[at.row * after.cols + at.col] === -Infinity
  return withEdit(edits, isHidden ? { ...place, from: before.name } : { ...place, value: -Infinity })
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, get, set } = context
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  let isDrawing = false
  const editSwitch = h('button', { 'type': 'button', 'className': 'switch', 'role': 'switch', 'aria-checked': 'false', 'onclick': () => {
    isDrawing = !isDrawing
    editSwitch.setAttribute('aria-checked', String(isDrawing))
    fig.body.classList.toggle('is-drawn-on', isDrawing)
  } }, t('stages.mask.pen'))
  /** @param {Cell} cell */
  const press = cell => {
    const isHere = cell && latest && [latest.before.name, latest.after.name].includes(cell.name) && !cell.isTwin
    if (isDrawing && latest && isHere) set({ edits: toggled(get().edits, latest, cell) })
    else context.press(cell)
  }
  const fig = figure(container, { ...context, press })
  container.append(h('p', { className: 'mask-pen' }, editSwitch, ' ', h('span', { className: 'note' }, t('stages.mask.penWhat'))))
  fig.body.classList.add('is-pair')
  const before = fig.matrix()
  const after = fig.matrix()
  const open = h('p', { className: 'note', hidden: true }, t('stages.mask.open'))
  container.append(open)
  return {
    update(next) {
      latest = next
      const { domain } = next
      const names = [next.before.name, next.after.name]
      /** @type {Follow} */
      const twin = ({ name, index }) => (names.includes(name) ? { row: index[2], col: index[3] } : null)
      open.hidden = !next.isOpen
      const titles = { before: t('stages.mask.before'), after: t('stages.mask.after') }
      before.update(next.before, { title: titles.before, domain, follow: twin, pair: true })
      after.update(next.after, { title: titles.after, domain, follow: twin, pair: true })
      fig.legend([{ domain }])
      fig.numbers(t('frame.numbers'), /** @type {const} */ (['before', 'after']).map(name => (
        { title: titles[name], part: next[name] })))
    },
    mark: fig.mark,
    destroy() {}
  }
}
