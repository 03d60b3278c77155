/**
 * The breakdown of one step: layers, token losses, a weight's gradient, a finite difference to check it, and
 * the update.
 */

import { h, syncChildren, setText, uniqueId } from '../../lib/dom.js'
import { formatBrief, formatExact, formatFixed } from '../../lib/number.js'
import { isInside, readIndex } from '../../../src/training/cells.js'
import { createLine } from '../../../src/training/optimizers/formula_line.js'
import { FORMULAS } from '../../../src/training/optimizers/formulas.js'
import { mountLayerSteps } from './layers.js'

/** @import { Child, Translate } from '../../types.d.ts' */

/** @typedef {ReturnType<typeof import('../step_breakdown.js').breakDown>} Breakdown */

/** A number with few enough digits to read and enough to verify a formula. @param {number} value */
const formatShort = value => formatExact(Number(value.toPrecision(4)))

/** The lines from gradient to weight. @param {Breakdown} breakdown */
function createLines(breakdown) {
  const { raw, g, norm, clip, optimizer } = breakdown
  const clippedText = `${formatShort(raw)} × min(1, ${formatShort(clip)} ∕ ${formatShort(norm)})`
  const clipLine = createLine('clip', 'g ← g · min(1, c ∕ ‖g‖)', clippedText, g)
  return [...(clip ? [clipLine] : []), ...FORMULAS[optimizer].lines(breakdown, formatShort)]
}

/**
 * The symbols of an optimizer's formulas, and their values.
 * @type {[string, string & keyof Breakdown][]}
 */
const SYMBOLS = [['g', 'g'], ['c', 'clip'], ['η', 'rate'], ['λ', 'decay'], ['μ', 'momentum'], ['β₁', 'beta1'],
  ['β₂', 'beta2'], ['ε', 'eps']]

/** The symbols that occur in some lines. @param {ReturnType<typeof createLines>} lines */
const listSymbols = lines =>
  SYMBOLS.filter(([letter]) => lines.some(({ letters: symbolList }) => symbolList.includes(letter)))

/**
 * @param {Element} container
 * @param {{ t: Translate, named(text: string): string, ask(type: string, details: object): Promise<any>, step(): void,
 *   pin(cell: { name: string, index: number[] }): void }} context
 */
export function mountStepBreakdown(container, { t, named, ask, step, pin }) {
  let breakdown = /** @type {Breakdown} */ (/** @type {unknown} */ (null))
  /** @type {{ name: string, index?: number[] }} */
  let chosen = { name: 'output.weight', index: undefined }
  let isOpen = false, requestedStep = -1
  const id = uniqueId('weight'), wrong = uniqueId('problem')
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, 'data-action': 'weight', 'onchange': () => requestBreakdown({ name: select.value }) })
  /** @type {HTMLInputElement} */
  const indexField = h('input', { 'type': 'text', 'inputmode': 'numeric', 'autocomplete': 'off', 'data-field': 'index',
    'aria-label': t('theatre.index'), 'aria-describedby': wrong, 'onchange': goToIndex })
  const problem = h('p', { className: 'problem', role: 'alert', id: wrong })
  const tokens = h('div', { className: 'theatre-tokens' })
  const loss = h('p')
  const gradient = h('p')
  const optimizerRows = h('tbody')
  const symbolList = h('ul', { className: 'theatre-keys theatre-letters' })
  const result = h('p', { className: 'theatre-moved' })
  const differenceText = h('p', { role: 'status', className: 'theatre-nudged' })
  const differenceButton = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'nudge', 'onclick': measureDifference })
  const pinButton = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'pin', 'onclick': () => (
    pin({ name: breakdown.name, index: breakdown.index })) }, t('theatre.pin'))
  const rows = h('div'), layers = mountLayerSteps(rows, { t, step })
  const stepButton = h('button', { type: 'button', className: 'theatre-inside', onclick: step }, t('theatre.takeStep'))
  const title = h('summary', {}, t('theatre.apart'))
  /** @param {string} name @param {...Child} children */
  const createPart = (name, ...children) => h('section', {}, h('h2', {}, t(`theatre.apartParts.${name}`)), children)
  /** @type {HTMLDetailsElement} */
  const details = h('details', { className: 'theatre-apart', ontoggle: () => {
    isOpen = details.open
    if (isOpen) requestBreakdown(chosen)
  } }, title, h('p', { className: 'theatre-why' }, t('theatre.apartWhy')),
  createPart('layers', rows), createPart('loss', tokens, loss),
  createPart('gradient', h('div', { className: 'theatre-choices' }, h('label', { for: id }, t('theatre.weight')), select, indexField), problem,
    gradient, h('div', {}, differenceButton, pinButton), differenceText),
  createPart('moved', h('div', { 'className': 'theatre-scroll', 'tabindex': '0', 'role': 'region', 'aria-label': t('theatre.apartParts.moved') },
    h('table', { className: 'theatre-optimizer' }, optimizerRows)), symbolList, result), stepButton)
  container.append(details)

  /** Opens the weight at the index that was typed, if it exists. */
  function goToIndex() {
    const index = readIndex(indexField.value) ?? []
    const exists = isInside(breakdown.shape, index)
    indexField.setAttribute('aria-invalid', String(!exists))
    setText(problem, exists ? '' : t('theatre.noPlace', {
      text: indexField.value.trim(), shape: breakdown.shape.join(' × '), last: breakdown.shape.map((/** @type {number} */ side) => side - 1).join(', ')
    }))
    if (exists) requestBreakdown({ name: chosen.name, index })
  }
  /** @param {typeof chosen} wanted */
  async function requestBreakdown({ name, index }) {
    chosen = { name, index }
    setText(differenceText, '')
    breakdown = await ask('apart', chosen)
    if (!breakdown) return
    chosen = { name: breakdown.name, index: breakdown.index }
    requestedStep = breakdown.step - 1
    show()
  }
  async function measureDifference() {
    const { slope, high, low, step: by } = await ask('nudge', chosen)
    setText(differenceText, t('theatre.nudged', {
      high: formatExact(Number(high.toPrecision(7))), low: formatExact(Number(low.toPrecision(7))), by: formatExact(by),
      slope: formatShort(slope), gradient: formatShort(breakdown.raw)
    }))
  }
  function show() {
    syncChildren(select, breakdown.names, () => h('option'), (option, name) => {
      option.value = name
      setText(option, name)
    })
    select.value = breakdown.name
    indexField.value = breakdown.index.join(', ')
    indexField.setAttribute('aria-invalid', 'false')
    setText(problem, '')
    syncChildren(tokens, breakdown.tokens, () => h('span', {}, h('b'), h('i'), h('small'), h('small')), (element, item) => {
      setText(element.children[0], named(item.word))
      setText(element.children[1], `p ${formatFixed(item.share, 3)}`)
      setText(element.children[2], `−log p ${formatFixed(item.surprise, 3)}`)
      const isSmoothed = item.loss !== item.surprise
      element.children[3].hidden = !isSmoothed
      setText(element.children[3], t('theatre.smoothed', { loss: formatFixed(item.loss, 3) }))
      element.style.setProperty('--share', String(item.share))
    })
    setText(loss, t('theatre.meanLoss', { count: breakdown.count, rows: breakdown.rows, mean: formatBrief(breakdown.mean), loss: formatExact(breakdown.loss) }))
    setText(gradient, t('theatre.gradientIs', { name: `${breakdown.name}[${breakdown.index.join(', ')}]`, raw: formatExact(breakdown.raw) }))
    setText(differenceButton, t('theatre.nudge'))
    const lines = createLines(breakdown)
    syncChildren(symbolList, listSymbols(lines), () => h('li', {}, h('b'), h('span')), (item, [letter, key]) => {
      setText(item.children[0], letter)
      setText(item.children[1], ` ${t(`theatre.letters.${key}`)} ${formatShort(Number(breakdown[key]))}`)
    })
    syncChildren(optimizerRows, lines, () => h('tr', {}, h('th', { scope: 'row' }), h('td'), h('td'), h('td')), (row, item) => {
      [t(`theatre.optimizer.${item.name}`), item.letters, item.numbers, `= ${formatExact(item.result)}`]
        .forEach((text, i) => setText(row.children[i], text))
    })
    layers.show(breakdown)
    setText(result, t('theatre.moved', { before: formatExact(breakdown.before.w), after: formatExact(breakdown.after.w), step: breakdown.step }))
  }
  return {
    /** Steps one layer further in the next step. */
    async layer() {
      if (!details.open) {
        details.open = true
        await requestBreakdown(chosen)
        rows.scrollIntoView({ block: 'nearest' })
      }
      layers.advance()
    },
    /** @param {{ step: number, isPlaying: boolean, isOver: boolean }} facts */
    update({ step: done, isPlaying, isOver }) {
      stepButton.disabled = isPlaying || isOver
      layers.enable(!isPlaying && !isOver)
      if (isOpen && !isPlaying && requestedStep !== done) {
        requestedStep = done
        requestBreakdown(chosen)
      }
    }
  }
}
