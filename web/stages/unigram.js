/** How a unigram model segments a text: all pieces that fit, their scores, and the path with the highest sum. */

import { mountChipChooser } from '../lib/chips.js'
import { probabilityDomain } from '../lib/color.js'
import { h, childIndex, syncChildren, setText, targetOf } from '../lib/dom.js'
import { formatFixed } from '../lib/number.js'

/** @import { Arc, BuiltElement, ExplainedWord, Mount, Run, Stage, View } from '../types.d.ts' */

/**
 * A box: its columns, its line, and its rank.
 * @typedef {Arc & { first: number, last: number, line: number, before: number, total: number,
 *   kind: 'taken' | 'best' | 'worse', winner: Box | null }} Box
 * @typedef {{ text: string, letters: string[], boxes: Box[], totals: (number | null)[] }} Stretch
 */

export const id = 'unigram'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

const DECIMALS = 4
const SPACE = '␣'

/** Splits a text at spaces that no piece crosses. @param {ExplainedWord} word */
function bordersOf({ text, arcs = [], best = [] }) {
  const inside = best.map(({ at }) => at).filter(at => at > 0 && text[at] === SPACE)
  return [0, ...inside.filter(at => !arcs.some(({ from, to }) => from < at && at < to)), text.length]
}

/**
 * The lines of boxes: the best path in the first, the others below it where there is room, short ones first.
 * @param {Box[]} boxes
 */
function lay(boxes) {
  const others = boxes.filter(({ kind }) => kind !== 'taken')
  for (const box of others.sort((a, b) => (a.last - a.first) - (b.last - b.first) || a.first - b.first)) {
    let line = 1
    const isTaken = () => others.some(item => item.line === line && item.first < box.last && box.first < item.last)
    while (isTaken()) line++
    box.line = line
  }
}

/**
 * A part of a word: its letters, the boxes over them, the best total up to the end of each letter.
 * @param {ExplainedWord} word @param {number} from @param {number} to @returns {Stretch}
 */
function stretchOf({ text, arcs = [], best = [], path = [] }, from, to) {
  const letters = [...text.slice(from, to)]
  const ends = letters.map((_, i) => from + letters.slice(0, i + 1).join('').length)
  /** @param {number} at */
  const column = at => (at === from ? 0 : ends.indexOf(at) + 1)
  /** @param {number} at */
  const bestAt = at => best.find(item => item.at === at)
  /** @type {Map<number, Box>} */ const boxByArc = new Map()
  for (const [k, arc] of arcs.entries()) {
    if (arc.from < from || arc.to > to) continue
    const before = bestAt(arc.from)?.score ?? 0
    const kind = path.includes(k) ? 'taken' : bestAt(arc.to)?.arc === k ? 'best' : 'worse'
    boxByArc.set(k, { ...arc, first: column(arc.from), last: column(arc.to), line: 0, before, total: before + arc.score,
      kind, winner: null })
  }
  for (const box of boxByArc.values()) {
    if (box.kind === 'worse') box.winner = boxByArc.get(bestAt(box.to)?.arc ?? -1) ?? null
  }
  const boxes = [...boxByArc.values()]
  lay(boxes)
  return {
    text: text.slice(from, to), letters, boxes: boxes.sort((a, b) => a.first - b.first || a.line - b.line),
    totals: [from, ...ends].map(at => bestAt(at)?.score ?? null)
  }
}

/** The parts of the text, each with its lattice. @param {Run} run @param {View<'unigram'>} view */
export function data(run, { room }) {
  const { cut } = run.streams[room.parts.stream]
  return { stretches: (cut?.words ?? []).flatMap(word => {
    const borders = bordersOf(word)
    return borders.slice(1).map((to, i) => stretchOf(word, borders[i], to))
  }) }
}

/** The thumbnail: one cell per piece of the path, by its probability. @type {Stage<'unigram'>['picture']} */
export function picture(run, view) {
  const scores = data(run, view).stretches.flatMap(({ boxes }) => boxes)
    .filter(({ kind }) => kind === 'taken').map(({ score }) => score)
  if (scores.length === 0) return null
  const [min, max] = [Math.min(...scores), Math.max(...scores)]
  const values = Float32Array.from(scores, score => (score - min) / (max - min || 1))
  return { part: { rows: 1, cols: scores.length, values }, domain: probabilityDomain() }
}

const createBox = () => h('button', { type: 'button', tabindex: '-1' }, h('span'), h('small'))

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  /** @type {Stretch[]} */ let parts = []
  let pressed = -1
  const list = mountChipChooser(container, () => {
    pressed = -1
    draw()
  })
  const heading = h('h2')
  const letters = h('div', { className: 'lattice-letters' })
  const boxes = h('div', { className: 'lattice-boxes' })
  const totals = h('div', { className: 'lattice-totals', role: 'group' })
  const figure = h('div', { className: 'lattice' }, letters, boxes, totals)
  const sum = h('p', { className: 'lattice-sum' }, h('span'), h('span'))
  const caption = h('p', { className: 'note' })
  container.append(h('section', { className: 'search' }, heading, figure,
    h('div', { 'aria-live': 'polite' }, sum, caption)))

  boxes.addEventListener('click', event => {
    const box = targetOf(event).closest('button')
    if (box) press(childIndex(boxes, box))
  })
  boxes.addEventListener('keydown', event => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!move) return
    event.preventDefault()
    const at = childIndex(boxes, targetOf(event)) + move
    if (at < 0 || at >= boxes.children.length) return
    press(at)
    boxes.children[at].focus()
  })
  /** @param {number} at */
  function press(at) {
    pressed = at
    draw()
  }

  /** @param {BuiltElement<HTMLElement>} element @param {Box} box @param {number} index */
  function fillBox(element, { piece, score, kind, first, last, line }, index) {
    setText(element.children[0], piece)
    setText(element.children[1], formatFixed(score))
    element.className = `lattice-box is-${kind}`
    element.style.setProperty('grid-column', `${first + 2} / ${last + 2}`)
    element.style.setProperty('grid-row', String(line + 2))
    element.setAttribute('aria-pressed', String(index === pressed))
    element.tabIndex = index === pressed ? 0 : -1
  }
  /** @param {Element} parent @param {string[]} texts @param {number} row @param {number} first */
  const place = (parent, texts, row, first) => syncChildren(parent, texts, () => h('span'), (cell, text, i) => {
    setText(cell, text)
    cell.style.setProperty('grid-column', String(i + first))
    cell.style.setProperty('grid-row', String(row))
  })

  /** The sum of a path through a box, and whether it is the best there. @param {Box} box */
  function describe({ id, piece, before, score, total, kind, winner }) {
    const [name, line] = sum.children
    setText(name, t('stages.unigram.through', { piece }))
    const numbers = [before, score, total].map(value => formatFixed(value, DECIMALS))
    setText(line, `${numbers[0]} + (${numbers[1]}) = ${numbers[2]}`)
    const why = winner ? t('stages.unigram.worse', { piece: winner.piece, total: formatFixed(winner.total, DECIMALS) })
      : kind === 'taken' ? t('stages.unigram.taken') : t('stages.unigram.best')
    setText(caption, id === undefined ? `${why} ${t('stages.unigram.unknown')}` : why)
  }
  function draw() {
    const longest = parts.reduce((found, { boxes: all }, i) => (all.length > parts[found].boxes.length ? i : found), 0)
    const at = list.chosenIndex(longest, parts.length)
    list.update([{ name: '', chips: parts.map(({ text, boxes: all }, i) => (
      { text, note: String(all.filter(({ kind }) => kind === 'taken').length), isHighlighted: i === at })) }])
    const stretch = parts[at]
    figure.hidden = sum.hidden = caption.hidden = !stretch
    if (!stretch) {
      setText(heading, t('stages.unigram.empty'))
      return
    }
    const { boxes: all, text } = stretch
    if (pressed < 0 || pressed >= all.length) pressed = all.findIndex(({ kind }) => kind === 'taken')
    setText(heading, t('stages.unigram.of', { word: text, count: all.length,
      kept: all.filter(({ kind }) => kind === 'taken').length }))
    figure.style.setProperty('--letters', String(stretch.letters.length))
    place(letters, stretch.letters, 1, 2)
    syncChildren(boxes, all, createBox, (element, box, i) => (
      fillBox(/** @type {BuiltElement<HTMLElement>} */ (element), box, i)))
    const below = Math.max(...all.map(({ line }) => line)) + 3
    place(totals, stretch.totals.map(total => (total === null ? '' : formatFixed(total))), below, 1)
    totals.setAttribute('aria-label', t('stages.unigram.start'))
    describe(all[pressed])
  }
  return {
    update({ stretches }) {
      parts = stretches
      draw()
    },
    mark() {},
    destroy() {}
  }
}
