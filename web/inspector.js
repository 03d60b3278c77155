/** One cell, taken apart: where it is, what it is worth, how it was made, and the way to the cells it was made from. */

import { h, prose, setText } from './lib/dom.js'
import { dimensions, exact, fixed } from './lib/number.js'
import { tensorOf, tokenLabels } from './lib/run.js'
import { valueAt } from './lib/slice.js'
import { homeOf } from './stages/index.js'

const FIRST_TERMS = 24
const AXES = ['sentence', 'token', 'dim', 'head', 'query', 'key', 'word', 'position', 'row']

const key = ({ name, index }) => `${name}[${index.join(', ')}]`

/** Whether the run has this cell. */
export function exists(run, cell) {
  const tensor = cell && tensorOf(run, cell.name)
  if (!tensor || tensor.shape.length !== cell.index.length) return false
  return cell.index.every((i, axis) => i < tensor.shape[axis])
}

/** What an index along an axis stands for: a token where there is one. */
function place(run, axes, index, axis) {
  const sentence = index[axes.indexOf('sentence')] ?? 0
  if (['token', 'query', 'key'].includes(axes[axis])) return tokenLabels(run, sentence)[index[axis]]
  return axes[axis] === 'word' ? run.vocab[index[axis]] : String(index[axis])
}

function places(run, { name, index }, t) {
  const { axes } = tensorOf(run, name)
  return axes.map((axis, i) => h('li', {},
    h('span', {}, AXES.includes(axis) ? t(`inspector.axes.${axis}`) : axis), h('b', {}, place(run, axes, index, i))))
}

/** A term's label with every symbol replaced by its number, which leads to the cell it comes from. */
function worth(label, factors, go) {
  let rest = label
  const parts = factors.flatMap(({ symbol, value, source }) => {
    const at = rest.indexOf(symbol)
    if (at < 0) return []
    const before = rest.slice(0, at)
    rest = rest.slice(at + symbol.length)
    if (!source) return [before, fixed(value)]
    const props = { type: 'button', className: 'cell-link', title: key(source), onclick: () => go(source) }
    return [before, h('button', props, fixed(value))]
  })
  return [...parts, rest]
}

function term({ label, value, factors }, most, go) {
  const bar = h('span', { className: value < 0 ? 'bar is-negative' : 'bar' })
  bar.style.setProperty('width', `${most ? Math.max(1, (Math.abs(value) / most) * 100) : 0}%`)
  return h('li', { title: label }, h('span', { className: 'factors' }, worth(label, factors, go)),
    h('span', { className: 'equals' }, '='), h('span', { className: 'product-value' }, fixed(value)),
    h('span', { className: 'track' }, bar))
}

const step = ({ label, value }) => [h('dt', {}, label), h('dd', {}, fixed(value, 4))]

/** The list of terms, by position or by size, the first few until asked for all. */
function termList(explanation, { t, go, sorted, all, change }) {
  const { terms } = explanation
  const most = Math.max(...terms.map(({ value }) => Math.abs(value)).filter(Number.isFinite), 0)
  const order = sorted ? [...terms].sort((a, b) => Math.abs(b.value) - Math.abs(a.value)) : terms
  const shown = all ? order : order.slice(0, FIRST_TERMS)
  const choose = (text, by) => h('button', {
    type: 'button', className: 'quiet', 'aria-pressed': String(sorted === by), onclick: () => change({ sorted: by })
  }, text)
  return [
    h('div', { className: 'terms-head' }, h('span', {}, t('inspector.terms', { count: terms.length })),
      terms.length > 2 ? h('span', {}, choose(t('inspector.order'), false), choose(t('inspector.size'), true)) : ''),
    h('ol', { className: 'terms' }, shown.map((one) => term(one, most, go))),
    shown.length < order.length
      ? h('button', { type: 'button', className: 'quiet', onclick: () => change({ all: true }) },
        t('inspector.more', { count: order.length - shown.length })) : ''
  ]
}

/**
 * Mounts the inspector.
 * @param {Element} container
 * @param {object} context
 * @param {Function} context.t
 * @param {(cell: object | null) => void} context.press pins a cell, or lets go
 * @param {(cell: object) => void} context.visit follows a source
 * @param {(patch: object, history?: string) => void} context.set
 */
export function inspector(container, { t, press, visit, set }) {
  const heading = h('h2', { className: 'visually-hidden' }, t('inspector.label'))
  const sheet = h('button', { type: 'button', className: 'sheet-handle', onclick: () => toggle() },
    h('span', { className: 'sheet-name' }), h('b', { className: 'sheet-value' }),
    h('span', { className: 'sheet-sign', 'aria-hidden': 'true' }))
  const body = h('div', { className: 'inspector-body' })
  container.append(heading, sheet, body)
  let view = { run: null, cell: null, pinned: false, trail: [], explanation: null, stage: null }
  let reading = { sorted: false, all: false }

  function toggle(open = !container.classList.contains('is-open')) {
    container.classList.toggle('is-open', open)
    sheet.setAttribute('aria-expanded', open ? 'true' : 'false')
    sheet.setAttribute('aria-label', t(open ? 'inspector.collapse' : 'inspector.expand'))
  }
  const change = (patch) => {
    reading = { ...reading, ...patch }
    draw()
  }

  function crumbs() {
    if (view.trail.length < 2) return ''
    const crumb = (cell) => (
      h('button', { type: 'button', className: 'cell-link', onclick: () => press(cell) }, key(cell)))
    return h('nav', { className: 'trail', 'aria-label': t('inspector.trail') },
      view.trail.map((cell, i) => [i ? ' › ' : '', crumb(cell)]))
  }
  function made() {
    const { explanation } = view
    if (!explanation) return ''
    if (explanation.op === 'given') return h('p', { className: 'note given' }, t('inspector.given'))
    const { steps, rounding } = explanation
    return h('section', { className: 'made' }, h('h3', {}, t('inspector.made')),
      h('p', { className: 'rule' }, explanation.formula),
      explanation.terms.length ? termList(explanation, { t, go: visit, change, ...reading }) : '',
      steps.length ? h('dl', { className: 'steps' }, steps.map(step)) : '',
      rounding ? h('p', { className: 'note' }, `${t('inspector.rounding')}: ${exact(rounding)}`) : '')
  }
  function homeLink() {
    const home = homeOf(view.cell.name)
    if (!home || home === view.stage) return ''
    return h('button', { type: 'button', className: 'quiet', onclick: () => set({ stage: home }, 'push') },
      t('inspector.goto', { stage: t(`stages.${home}.name`) }))
  }
  function draw() {
    const { run, cell, pinned } = view
    if (!run || !exists(run, cell)) {
      body.replaceChildren(h('p', { className: 'note' }, prose(t('inspector.empty'))))
      return
    }
    const tensor = tensorOf(run, cell.name)
    const value = valueAt(tensor, cell.index)
    const type = tensor.data instanceof Int32Array ? 'int32' : 'float32'
    const short = type === 'int32' ? exact(value) : fixed(value)
    body.replaceChildren(
      crumbs(), h('p', { className: 'cell-name' }, h('code', {}, key(cell))),
      h('p', { className: 'cell-value' }, short),
      h('ul', { className: 'places' }, places(run, cell, t)),
      h('dl', { className: 'facts' },
        h('dt', {}, t('inspector.exact', { type })), h('dd', { 'data-exact': key(cell) }, exact(value)),
        h('dt', {}, t('inspector.index')), h('dd', {}, `[${cell.index.join(', ')}]`),
        h('dt', {}, t('inspector.shape')), h('dd', {}, dimensions(tensor.shape))),
      made(),
      h('p', { className: 'actions' }, homeLink(), pinned
        ? h('button', { type: 'button', className: 'quiet', onclick: () => press(null) }, t('inspector.release')) : ''))
    setText(sheet.children[0], key(cell))
    setText(sheet.children[1], short)
  }
  toggle(false)

  return {
    /** @param {Partial<typeof view>} next */
    update(next) {
      if (next.cell !== view.cell) reading = { ...reading, all: false }
      view = { ...view, ...next }
      container.classList.toggle('is-empty', !view.run || !exists(view.run, view.cell))
      container.classList.toggle('is-pinned', view.pinned)
      draw()
    }
  }
}
