/** Curves of a training: losses and accuracy; for a closer look, the learning rate and gradients. */

import { mountLines } from '../../lib/chart.js'
import { findElement, h, syncChildren, setText, svg } from '../../lib/dom.js'
import { formatBrief, formatFixed } from '../../lib/number.js'
import { findDivergence, downsample } from '../downsample.js'

/** @import { Context, Palette, Translate } from '../../types.d.ts' */
/** @import { LinesView } from '../../lib/chart.js' */
/** @import { Evaluation, Seen } from '../../../src/training/training_record.js' */

const MAX_POINTS = 400

/** The style of another run's training loss. @type {{ color: keyof Palette, width: number, dash: number[] }} */
const OTHER_TRAIN = { color: 'muted', width: 1, dash: [1, 3] }

/**
 * The lines of the heads' scores, where a task measures them.
 * @type {[name: 'previous' | 'induction', dash: number[]][]}
 */
const HEAD_LINES = [['previous', [2, 2]], ['induction', [8, 3, 2, 3]]]

/** @param {number} fraction */
const percent = fraction => `${formatFixed(100 * fraction, 1)} %`

/** A label with its line style. @param {string} text @param {string} look */
function createKey(text, look) {
  const value = h('b')
  const element = h('li', {}, h('span', { 'className': `theatre-key is-${look}`, 'aria-hidden': 'true' }), text, ' ', value)
  return { element, setValue: (/** @type {string} */ said) => setText(value, said) }
}

/**
 * The held-out line of the other training.
 * @param {Seen | null} other @param {(evaluation: Evaluation) => number} valueOf @returns {LinesView['lines']}
 */
const rivalLines = (other, valueOf) => (other ? [{
  points: other.evaluations.map(evaluation => ({ x: evaluation.step, y: valueOf(evaluation) })), color: 'ink', width: 2, dash: [6, 4]
}] : [])

/**
 * @param {Element} container
 * @param {{ t: Translate, theme: Context['theme'], seek(step: number): void }} context
 */
export function mountCurves(container, { t, theme, seek }) {
  const slots = ['loss', 'right'].map(name => h('div', { 'className': 'chart-slot', 'data-chart': name }))
  const keys = {
    train: createKey(t('theatre.trainLoss'), 'thin'), held: createKey(t('theatre.heldLoss'), 'thick'),
    otherTrain: createKey(t('theatre.otherTrain'), 'dotted'), other: createKey(t('theatre.other'), 'dashed'),
    right: createKey(t('theatre.right'), 'thick'), otherRight: createKey(t('theatre.otherRight'), 'dashed'),
    previous: createKey(t('theatre.previousToken'), 'previous'), induction: createKey(t('theatre.induction'), 'induction')
  }
  const rivalKeys = [keys.otherTrain, keys.other, keys.otherRight]
  container.append(h('div', { className: 'theatre-charts' },
    h('figure', {}, h('figcaption', {}, h('ul', { className: 'theatre-keys' }, keys.train.element, keys.held.element,
      keys.otherTrain.element, keys.other.element)),
    slots[0]),
    h('figure', {}, h('figcaption', {}, h('ul', { className: 'theatre-keys' }, keys.right.element,
      keys.previous.element, keys.induction.element, keys.otherRight.element)), slots[1])))
  const [loss, right] = slots.map(slot => mountLines(slot, seek))
  return {
    /**
     * @param {Seen} seen @param {{ total: number, step: number }} facts
     * @param {Seen | null} other the record of the other training of a race
     */
    update(seen, { total, step }, other) {
      const divergenceStep = other ? findDivergence(seen.loss, other.loss) : 0
      const { palette } = theme()
      const evaluations = seen.evaluations.filter(evaluation => evaluation.step <= Math.max(step, seen.loss.length))
      const last = evaluations.findLast(evaluation => evaluation.step <= step) ?? evaluations[0]
      keys.train.setValue(step ? formatBrief(seen.loss[step - 1]) : '')
      // Held-out examples are evaluated only now and then; at other steps the label says of which step the value is.
      const stepNote = last && last.step !== step ? ` · ${t('theatre.stepNumber', { step: last.step })}` : ''
      keys.held.setValue(last ? formatBrief(last.loss) + stepNote : '')
      keys.right.setValue(last ? percent(last.right) + stepNote : '')
      for (const [name] of HEAD_LINES) {
        keys[name].element.hidden = !last?.heads
        keys[name].setValue(last?.heads ? percent(last.heads[name]) + stepNote : '')
      }
      const rivalEvaluation = other?.evaluations.at(-1)
      for (const key of rivalKeys) key.element.hidden = !other
      keys.otherTrain.setValue(other?.loss.length ? formatBrief(other.loss[other.loss.length - 1]) : '')
      keys.other.setValue(rivalEvaluation ? formatBrief(rivalEvaluation.loss) : '')
      keys.otherRight.setValue(rivalEvaluation ? percent(rivalEvaluation.right) : '')
      const held = evaluations.map(evaluation => ({ x: evaluation.step, y: evaluation.loss }))
      const common = { maxStep: total, title: t('theatre.stepAxis'), palette, at: step }
      const numbers = [...seen.loss, ...held.map(({ y }) => y)].filter(Number.isFinite)
      const high = held[0] ? Math.max(held[0].y, Math.min(...numbers)) : 1
      loss.update({
        ...common, low: 0, high, digits: 1, mark: divergenceStep || null,
        lines: [{ points: downsample(seen.loss, MAX_POINTS), color: 'soft', width: 1 },
          ...(other ? [{ points: downsample(other.loss, MAX_POINTS), ...OTHER_TRAIN }] : []),
          { points: held, color: 'accent', width: 2.5 }, ...rivalLines(other, item => item.loss)],
        label: t('theatre.lossSaid', { step, loss: step ? formatBrief(seen.loss[step - 1]) : '–', held: last ? formatBrief(last.loss) : '–' })
      })
      right.update({
        ...common, low: 0, high: 1, digits: 1,
        lines: [{ points: evaluations.map(evaluation => ({ x: evaluation.step, y: evaluation.right })), color: 'accent', width: 2.5 },
          ...HEAD_LINES.filter(() => last?.heads).map(([name, dash]) => ({
            points: evaluations.map(({ step: x, heads }) => ({ x, y: heads?.[name] ?? NaN })), color: /** @type {const} */ ('ink'),
            width: 1.5, dash
          })),
          ...rivalLines(other, item => item.right)],
        label: [t('theatre.rightSaid', { step, right: last ? percent(last.right) : '–' }), ...(last?.heads ? [t('theatre.headsSaid', {
          previous: percent(last.heads.previous), induction: percent(last.heads.induction)
        })] : [])].join(', ')
      })
    },
    destroy() {
      loss.destroy()
      right.destroy()
    }
  }
}

/** A dash pattern that distinguishes many lines without color. */
const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3], [1, 3], [12, 4], [4, 1], [10, 2, 2, 2, 2, 2], [3, 6]]
/** @type {(keyof Palette)[]} */
const COLORS = ['accent', 'ink', 'muted']
/** @param {number} i */
const lineStyle = i => ({ color: COLORS[i % COLORS.length], dash: DASHES[i % DASHES.length], width: 1.5 })

/** A sample of a layer's line, beside its name. */
const createSample = () => svg('svg', { 'class': 'theatre-sample', 'width': 32, 'height': 8, 'aria-hidden': 'true' },
  svg('line', { x1: 0, x2: 32, y1: 4, y2: 4 }))

/** @param {SVGLineElement} line @param {number} i */
function drawSample(line, i) {
  const { color, dash, width } = lineStyle(i)
  line.style.setProperty('stroke', `var(--${color})`)
  line.style.setProperty('stroke-width', String(width))
  line.style.setProperty('stroke-dasharray', dash.join(' ') || 'none')
}

/**
 * The learning rate, and by layer the norms of gradients and updates: in a table.
 * @param {Element} container
 * @param {{ t: Translate, theme: Context['theme'], seek(step: number): void }} context
 */
export function mountCloserCurves(container, { t, theme, seek }) {
  const slots = ['rate', 'norms'].map(name => h('div', { 'className': 'chart-slot is-low', 'data-chart': name }))
  const body = h('tbody')
  const caption = h('caption'), rival = h('th', { scope: 'col' }, t('theatre.otherNorm'))
  const table = h('table', { className: 'theatre-norms' }, caption, h('thead', {}, h('tr', {},
    ['layer', 'norm', 'ratio'].map(name => h('th', { scope: 'col' }, t(`theatre.${name}`))), rival)), body)
  container.append(h('div', { className: 'theatre-charts' },
    h('figure', {}, h('figcaption', {}, t('theatre.rate')), slots[0]),
    h('figure', {}, h('figcaption', {}, t('theatre.norms')), slots[1])), table)
  const [rate, norms] = slots.map(slot => mountLines(slot, seek))
  return {
    /**
     * @param {Seen} seen @param {{ total: number, step: number, groups: string[] }} facts
     * @param {Seen | null} other the record of the other training of a race
     */
    update(seen, { total, step, groups }, other) {
      const { palette } = theme()
      const common = { maxStep: total, title: t('theatre.stepAxis'), palette, at: step, low: 0 }
      rate.update({
        ...common, digits: 4, lines: [{ points: downsample(seen.rate, MAX_POINTS), color: 'accent' }],
        label: t('theatre.rateSaid', { step, rate: step ? formatBrief(seen.rate[step - 1]) : '–' })
      })
      /** @param {number} i */
      const layerPoints = i => downsample(seen.norms.map(row => row[i]), MAX_POINTS)
      norms.update({
        ...common, lines: groups.map((_, i) => ({ points: layerPoints(i), ...lineStyle(i) })), label: t('theatre.norms')
      })
      const evaluation = seen.evaluations.findLast(evaluation => evaluation.step <= step && evaluation.ratios),
        rivalNorms = other?.norms[step - 1]
      rival.hidden = !other
      setText(caption, t('theatre.normsAt', { step, look: evaluation?.step ?? '–' }))
      /** One layer's row, with its line before its name. */
      const createRow = () => (
        h('tr', {}, h('th', { scope: 'row' }, createSample(), h('span')), h('td'), h('td'), h('td')))
      syncChildren(body, groups, createRow, (row, name, i) => {
        drawSample(/** @type {SVGLineElement} */ (row.querySelector('line')), i)
        setText(findElement(row, 'span'), name)
        setText(row.children[1], step ? formatBrief(seen.norms[step - 1][i]) : '–')
        setText(row.children[2], evaluation?.ratios ? formatBrief(evaluation.ratios[i]) : '–')
        setText(row.children[3], rivalNorms?.length === groups.length ? formatBrief(rivalNorms[i]) : '–')
        row.children[3].hidden = !other
      })
    },
    destroy() {
      rate.destroy()
      norms.destroy()
    }
  }
}
