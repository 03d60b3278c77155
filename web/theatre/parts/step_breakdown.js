/**
 * The breakdown of one step: layers, token losses, a weight's gradient, a finite difference to check it, and
 * the update.
 */

import { h, syncChildren, setText, uniqueId } from '../../lib/dom.js'
import { formatBrief, formatExact, formatFixed } from '../../lib/number.js'
import { isInside, readIndex } from '../cells.js'
import { OPTIMIZERS } from '../optimizers/index.js'
import { line, format } from '../optimizers/formula_line.js'
import { layerByLayer } from './layers.js'

/** @import { Child, Translate } from '../../types.d.ts' */

/** @typedef {ReturnType<typeof import('../step_breakdown.js').breakDown>} Apart */

/** Four digits, so that two slopes can be compared. @param {number} value */
const digits = value => formatExact(Number(value.toPrecision(4)))

/** The lines from gradient to weight. @param {Apart} made */
function linesOf(made) {
  const { raw, g, norm, clip, optimizer } = made
  const shorter = `${format(raw)} × min(1, ${format(clip)} ∕ ${format(norm)})`
  const clipping = line('clip', 'g ← g · min(1, c ∕ ‖g‖)', shorter, g)
  return [...(clip ? [clipping] : []), ...OPTIMIZERS[optimizer].lines(made)]
}

/**
 * The symbols of an optimizer's formulas, and their values.
 * @type {[string, string & keyof Apart][]}
 */
const LETTERS = [['g', 'g'], ['c', 'clip'], ['η', 'rate'], ['λ', 'decay'], ['μ', 'momentum'], ['β₁', 'beta1'],
  ['β₂', 'beta2'], ['ε', 'eps']]

/** The symbols that occur in some lines. @param {ReturnType<typeof linesOf>} lines */
const lettersIn = lines => LETTERS.filter(([letter]) => lines.some(({ letters }) => letters.includes(letter)))

/**
 * @param {Element} container
 * @param {{ t: Translate, ask(type: string, details: object): Promise<any>, step(): void,
 *   pin(cell: { name: string, index: number[] }): void }} context
 */
export function stepBreakdown(container, { t, ask, step, pin }) {
  let made = /** @type {Apart} */ (/** @type {unknown} */ (null))
  /** @type {{ name: string, index?: number[] }} */
  let chosen = { name: 'output.weight', index: undefined }
  let isOpen = false, asked = -1
  const id = uniqueId('weight'), wrong = uniqueId('problem')
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, 'data-action': 'weight', 'onchange': () => take({ name: select.value }) })
  /** @type {HTMLInputElement} */
  const place = h('input', { 'type': 'text', 'inputmode': 'numeric', 'autocomplete': 'off', 'data-field': 'index',
    'aria-label': t('theatre.index'), 'aria-describedby': wrong, 'onchange': goTo })
  const problem = h('p', { className: 'problem', role: 'alert', id: wrong })
  const tokens = h('div', { className: 'theatre-tokens' })
  const loss = h('p')
  const gradient = h('p')
  const moving = h('tbody')
  const letters = h('ul', { className: 'theatre-keys theatre-letters' })
  const result = h('p', { className: 'theatre-moved' })
  const nudged = h('p', { role: 'status', className: 'theatre-nudged' })
  const nudge = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'nudge', 'onclick': check })
  const over = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'pin', 'onclick': () => (
    pin({ name: made.name, index: made.index })) }, t('theatre.pin'))
  const rows = h('div'), layers = layerByLayer(rows, { t, step })
  const walk = h('button', { type: 'button', className: 'theatre-inside', onclick: step }, t('theatre.takeStep'))
  const title = h('summary', {}, t('theatre.apart'))
  /** @param {string} name @param {...Child} children */
  const part = (name, ...children) => h('section', {}, h('h2', {}, t(`theatre.apartParts.${name}`)), children)
  /** @type {HTMLDetailsElement} */
  const details = h('details', { className: 'theatre-apart', ontoggle: () => {
    isOpen = details.open
    if (isOpen) take(chosen)
  } }, title, h('p', { className: 'theatre-why' }, t('theatre.apartWhy')),
  part('layers', rows), part('loss', tokens, loss),
  part('gradient', h('div', { className: 'theatre-choices' }, h('label', { for: id }, t('theatre.weight')), select, place), problem,
    gradient, h('div', {}, nudge, over), nudged),
  part('moved', h('div', { 'className': 'theatre-scroll', 'tabindex': '0', 'role': 'region', 'aria-label': t('theatre.apartParts.moved') },
    h('table', { className: 'theatre-optimizer' }, moving)), letters, result), walk)
  container.append(details)

  /** Opens the weight at the index that was typed, if it exists. */
  function goTo() {
    const index = readIndex(place.value) ?? []
    const isThere = isInside(made.shape, index)
    place.setAttribute('aria-invalid', String(!isThere))
    setText(problem, isThere ? '' : t('theatre.noPlace', {
      text: place.value.trim(), shape: made.shape.join(' × '), last: made.shape.map((/** @type {number} */ side) => side - 1).join(', ')
    }))
    if (isThere) take({ name: chosen.name, index })
  }
  /** @param {typeof chosen} wanted */
  async function take({ name, index }) {
    chosen = { name, index }
    setText(nudged, '')
    made = await ask('apart', chosen)
    if (!made) return
    chosen = { name: made.name, index: made.index }
    asked = made.step - 1
    show()
  }
  async function check() {
    const { slope, high, low, step: by } = await ask('nudge', chosen)
    setText(nudged, t('theatre.nudged', {
      high: formatExact(Number(high.toPrecision(7))), low: formatExact(Number(low.toPrecision(7))), by: formatExact(by),
      slope: digits(slope), gradient: digits(made.raw)
    }))
  }
  function show() {
    syncChildren(select, made.names, () => h('option'), (option, name) => {
      option.value = name
      setText(option, name)
    })
    select.value = made.name
    place.value = made.index.join(', ')
    place.setAttribute('aria-invalid', 'false')
    setText(problem, '')
    syncChildren(tokens, made.tokens, () => h('span', {}, h('b'), h('i'), h('small'), h('small')), (element, one) => {
      setText(element.children[0], one.word)
      setText(element.children[1], `p ${formatFixed(one.share, 3)}`)
      setText(element.children[2], `−log p ${formatFixed(one.surprise, 3)}`)
      const isSmooth = one.loss !== one.surprise
      element.children[3].hidden = !isSmooth
      setText(element.children[3], t('theatre.smoothed', { loss: formatFixed(one.loss, 3) }))
      element.style.setProperty('--share', String(one.share))
    })
    setText(loss, t('theatre.meanLoss', { count: made.count, rows: made.rows, mean: formatBrief(made.mean), loss: formatExact(made.loss) }))
    setText(gradient, t('theatre.gradientIs', { name: `${made.name}[${made.index.join(', ')}]`, raw: formatExact(made.raw) }))
    setText(nudge, t('theatre.nudge'))
    const lines = linesOf(made)
    syncChildren(letters, lettersIn(lines), () => h('li', {}, h('b'), h('span')), (item, [letter, key]) => {
      setText(item.children[0], letter)
      setText(item.children[1], ` ${t(`theatre.letters.${key}`)} ${format(Number(made[key]))}`)
    })
    syncChildren(moving, lines, () => h('tr', {}, h('th', { scope: 'row' }), h('td'), h('td'), h('td')), (row, one) => {
      [t(`theatre.optimizer.${one.name}`), one.letters, one.numbers, `= ${formatExact(one.result)}`]
        .forEach((text, i) => setText(row.children[i], text))
    })
    layers.show(made)
    setText(result, t('theatre.moved', { before: formatExact(made.before.w), after: formatExact(made.after.w), step: made.step }))
  }
  return {
    /** Steps one layer further in the next step. */
    async layer() {
      if (!details.open) {
        details.open = true
        await take(chosen)
        rows.scrollIntoView({ block: 'nearest' })
      }
      layers.advance()
    },
    /** @param {{ step: number, isPlaying: boolean, isOver: boolean }} facts */
    update({ step: done, isPlaying, isOver }) {
      walk.disabled = isPlaying || isOver
      layers.enable(!isPlaying && !isOver)
      if (isOpen && !isPlaying && asked !== done) {
        asked = done
        take(chosen)
      }
    }
  }
}
