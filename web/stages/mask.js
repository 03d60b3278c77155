/** Masked scores are replaced by minus infinity. */

import { h } from '../lib/dom.js'
import { changeEdits, findEdit, withEdit, withoutEdit } from '../lib/edits.js'
import { mountFigure } from '../lib/figure.js'
import { commonDomain } from '../lib/picture.js'
import { sliceMatrix } from '../lib/run.js'
import { findSquare } from '../lib/slice.js'

/** @import { Cell, Edit, Mount, Run, Slice, Stage, View } from '../types.d.ts' */
/** @import { Follow } from '../lib/matrix.js' */

export const id = 'mask'
export const controls = ['causal', 'tgtIsCausal', 'padding']
export const pickers = ['sentence', 'head']

/**
 * The scores before and after masking, on one scale, and whether a causal mask is switched off.
 * @param {Run} run @param {View<'mask'>} view
 */
export const data = (run, view) => ({
  before: sliceMatrix(run, view.room.parts.scores, view), after: sliceMatrix(run, view.room.parts.masked, view),
  domain: commonDomain(run, view.room.parts.scores),
  isOpen: view.room.parts.kind === 'masked' && !view.room.parts.isCausal
})

/** @type {Stage<'mask'>['picture']} */
export const picture = (run, view) => ({
  part: sliceMatrix(run, view.room.parts.masked, view), domain: commonDomain(run, view.room.parts.scores)
})

/**
 * Toggles one cell of a mask: masks it in every head, or restores its score.
 * @param {Edit[]} edits @param {{ before: Slice, after: Slice }} shown @param {Cell} cell of either
 */
export function toggleMask(edits, { before, after }, { index: [sentence, head, query, key] }) {
  const target = { name: after.name, index: [sentence, null, query, key] }
  if (findEdit(edits, target)) return withoutEdit(edits, target)
  const at = findSquare(after, { name: after.name, index: [sentence, head, query, key] })
  const isHidden = at !== null && after.values[at.row * after.cols + at.col] === -Infinity
  return withEdit(edits, isHidden ? { ...target, from: before.name } : { ...target, value: -Infinity })
}

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t, get, set } = context
  /** @type {ReturnType<typeof data> | null} */ let latest = null
  let isEditing = false
  const editSwitch = h('button', { 'type': 'button', 'className': 'switch', 'role': 'switch', 'aria-checked': 'false', 'onclick': () => {
    isEditing = !isEditing
    editSwitch.setAttribute('aria-checked', String(isEditing))
    fig.body.classList.toggle('is-drawn-on', isEditing)
  } }, t('stages.mask.pen'))
  /** @param {Cell} cell */
  const press = cell => {
    const isHere = cell && latest && [latest.before.name, latest.after.name].includes(cell.name) && !cell.isTwin
    if (isEditing && latest && isHere) changeEdits({ get, set }, toggleMask(get().edits, latest, cell))
    else context.pinCell(cell)
  }
  const fig = mountFigure(container, { ...context, pinCell: press })
  container.append(h('p', { className: 'mask-pen' }, editSwitch, ' ', h('span', { className: 'note' }, t('stages.mask.penWhat'))))
  fig.body.classList.add('is-pair')
  const before = fig.matrix()
  const after = fig.matrix()
  const openNote = h('p', { className: 'note', hidden: true }, t('stages.mask.open'))
  container.append(openNote)
  return {
    update(next) {
      latest = next
      const { domain } = next
      const names = [next.before.name, next.after.name]
      /** @type {Follow} */
      const twin = ({ name, index }) => (names.includes(name) ? { row: index[2], col: index[3] } : null)
      openNote.hidden = !next.isOpen
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
