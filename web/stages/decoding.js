/** One token after another: the most probable, one drawn by its share, or the best of several beginnings. */

import { chance } from '../lib/color.js'
import { h, keep, setText } from '../lib/dom.js'
import { figure } from '../lib/figure.js'
import { fixed } from '../lib/number.js'
import { cellAt, ofCell } from '../lib/origin.js'
import { ranking } from '../lib/ranking.js'
import { sentenceMatrix } from '../lib/run.js'
import { tree } from '../lib/tree.js'

export const id = 'decoding'
export const tensors = []
export const controls = ['decoding', 'beams', 'seed']
export const pickers = []

/** The share a piece needs for each character written on it. */
const ROOM = 0.022

/** Every step with the shares it chose from, side by side as they lie on the number line, and the tree of a beam. */
export function data(run) {
  const shares = sentenceMatrix(run, 'choice.output')
  const { cols, colLabels, values } = shares
  const steps = run.decoding.steps.map(({ id: word, token, draw }, step) => {
    const row = values.slice(step * cols, (step + 1) * cols)
    let start = 0
    const pieces = ranking(row).filter((i) => row[i] > 0).map((i) => {
      const piece = { word: i, token: colLabels[i], start, share: row[i], isChosen: i === word }
      start += row[i]
      return piece
    })
    return { step, token, word, draw, pieces, share: row[word] }
  })
  const { kind, tree: branches, best } = run.decoding
  const nodes = branches && branches.map((branch) => ({ ...branch, token: colLabels[branch.id] }))
  return { kind, steps, shares, nodes, best, loss: run.loss }
}

export const picture = (run) => {
  const part = sentenceMatrix(run, 'choice.output')
  const isChosen = (i) => i % part.cols === run.decoding.steps[Math.floor(i / part.cols)].id
  const values = part.values.map((share, i) => (isChosen(i) ? share : 0))
  return { part: { ...part, values }, domain: chance() }
}

const createStep = () => h('li', { className: 'pick' }, h('span', { className: 'pick-step' }),
  h('div', { className: 'pick-line' }), h('b', { className: 'pick-token' }),
  h('button', { type: 'button', className: 'cell-link pick-share' }))

const createPiece = () => h('span', { className: 'piece' }, h('span'))

export function mount(container, context) {
  const { t } = context
  const heading = h('h2')
  const list = h('ol', { className: 'picks' })
  const slot = h('div', {
    className: 'tree-slot', tabindex: '0', role: 'group', 'aria-label': t('stages.decoding.tree')
  })
  const note = h('p', { className: 'note' })
  container.append(h('section', {}, heading, slot, list, note))
  const branches = tree(slot)
  const fig = figure(container, context)
  const shares = fig.matrix()

  function fillStep(item, { step, token, word, draw, pieces, share }) {
    const [number, line, chosen, link] = item.children
    setText(number, String(step))
    setText(chosen, token)
    setText(link, fixed(share, 3))
    ofCell(link, 'choice.output', [0, step, word])
    link.onclick = () => context.press(cellAt(link))
    const marks = [...pieces.map((piece) => ({ piece })), ...(draw === null ? [] : [{ draw }])]
    keep(line, marks, createPiece, (element, one) => {
      const { piece } = one
      element.className = piece ? `piece${piece.isChosen ? ' is-chosen' : ''}` : 'piece is-draw'
      element.style.setProperty('left', `${(piece ? piece.start : one.draw) * 100}%`)
      element.style.setProperty('width', piece ? `${piece.share * 100}%` : '0')
      const written = piece && piece.share > ROOM * piece.token.length ? piece.token : ''
      setText(element.firstChild, piece ? written : fixed(one.draw, 3))
    })
  }
  return {
    update(next) {
      setText(heading, t(next.nodes ? 'stages.decoding.tree' : 'stages.decoding.line'))
      setText(note, t(`stages.decoding.${next.kind}`, { loss: fixed(next.loss, 3) }))
      slot.hidden = !next.nodes
      if (next.nodes) branches.update(next.nodes, next.best)
      keep(list, next.steps, createStep, fillStep)
      list.classList.toggle('has-draws', next.kind === 'sample')
      const title = t('stages.decoding.shares')
      shares.update(next.shares, { title, domain: chance() })
      fig.legend([{ domain: chance(), text: t('frame.chance') }])
      fig.numbers(t('frame.numbers'), [{ title, part: next.shares }])
    },
    mark: fig.mark,
    destroy() {}
  }
}
