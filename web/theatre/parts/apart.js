/** One step taken apart: tokens and their loss, one weight's gradient, Adam term by term, and a nudge to check it. */

import { h, keep, setText, uniqueId } from '../../lib/dom.js'
import { brief, exact, fixed } from '../../lib/number.js'
import { readIndex } from '../cells.js'

/** @import { Child, Translate } from '../../types.d.ts' */

/** Numbers of a formula with enough digits to follow it, few enough to read. @param {number} value */
const written = value => exact(Number(value.toPrecision(4)))

/**
 * A line of the way from gradient to weight: a formula in letters, the same in numbers, what comes out.
 * @param {string} name @param {string} letters @param {string} numbers @param {number} result
 */
const line = (name, letters, numbers, result) => ({ name, letters, numbers, result })

/** @typedef {ReturnType<typeof import('../apart.js').takeApart>} Apart */

/** @param {Apart} made */
function linesOf(made) {
  const { raw, g, norm, clip, before, after, t, rate, beta1, beta2, eps, decay } = made
  const { fill1, fill2, mHat, vHat, shrunk } = made
  const n = written
  const clipping = line('clip', 'g ← g · min(1, c ∕ ‖g‖)', `${n(raw)} × min(1, ${n(clip)} ∕ ${n(norm)})`, g)
  const shrinking = line('decay', 'w ← w · (1 − η λ)', `${n(before.w)} × (1 − ${n(rate)} × ${n(decay)})`, shrunk)
  return [
    ...(clip ? [clipping] : []),
    line('first', 'm ← β₁ m + (1 − β₁) g', `${n(beta1)} × ${n(before.m)} + ${n(1 - beta1)} × ${n(g)}`, after.m),
    line('second', 'v ← β₂ v + (1 − β₂) g²', `${n(beta2)} × ${n(before.v)} + ${n(1 - beta2)} × (${n(g)})²`, after.v),
    line('mHat', `m̂ = m ∕ (1 − β₁ᵗ),  t = ${t}`, `${n(after.m)} ∕ ${n(fill1)}`, mHat),
    line('vHat', `v̂ = v ∕ (1 − β₂ᵗ)`, `${n(after.v)} ∕ ${n(fill2)}`, vHat),
    ...(decay ? [shrinking] : []),
    line('weight', 'w ← w − η m̂ ∕ (√v̂ + ε)',
      `${n(shrunk)} − ${n(rate)} × ${n(mHat)} ∕ (√${n(vHat)} + ${n(eps)})`, after.w)
  ]
}

/**
 * @param {Element} container
 * @param {{ t: Translate, ask(type: string, details: object): Promise<any>, step(): void,
 *   pin(cell: { name: string, index: number[] }): void }} context
 */
export function apart(container, { t, ask, step, pin }) {
  let made = /** @type {Apart} */ (/** @type {unknown} */ (null))
  /** @type {{ name: string, index?: number[] }} */
  let chosen = { name: 'output.weight', index: undefined }
  let isOpen = false, asked = -1
  const id = uniqueId('weight')
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, 'data-action': 'weight', 'onchange': () => take({ name: select.value }) })
  /** @type {HTMLInputElement} */
  const place = h('input', { 'type': 'text', 'inputmode': 'numeric', 'autocomplete': 'off', 'data-field': 'index',
    'aria-label': t('theatre.index'), 'onchange': () => (
      take({ name: chosen.name, index: readIndex(place.value) })) })
  const tokens = h('div', { className: 'theatre-tokens' })
  const loss = h('p')
  const gradient = h('p')
  const adam = h('tbody')
  const result = h('p', { className: 'theatre-moved' })
  const nudged = h('p', { role: 'status' })
  const nudge = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'nudge', 'onclick': check })
  const over = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'pin', 'onclick': () => (
    pin({ name: made.name, index: made.index })) }, t('theatre.pin'))
  const walk = h('button', { type: 'button', className: 'theatre-inside', onclick: step }, t('theatre.takeStep'))
  const title = h('summary', {}, t('theatre.apart'))
  /** @param {string} name @param {...Child} children */
  const part = (name, ...children) => h('section', {}, h('h2', {}, t(`theatre.apartParts.${name}`)), children)
  /** @type {HTMLDetailsElement} */
  const details = h('details', { className: 'theatre-apart', ontoggle: () => {
    isOpen = details.open
    if (isOpen) take(chosen)
  } }, title, h('p', { className: 'theatre-why' }, t('theatre.apartWhy')),
  part('loss', tokens, loss),
  part('gradient', h('div', { className: 'theatre-choices' }, h('label', { for: id }, t('theatre.weight')), select, place),
    gradient, h('div', {}, nudge, over), nudged),
  part('adam', h('div', { 'className': 'theatre-scroll', 'tabindex': '0', 'role': 'region', 'aria-label': t('theatre.apartParts.adam') },
    h('table', { className: 'theatre-adam' }, adam)), result), walk)
  container.append(details)

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
      high: exact(Number(high.toPrecision(7))), low: exact(Number(low.toPrecision(7))), by: exact(by),
      slope: brief(slope), gradient: brief(made.raw)
    }))
  }
  function show() {
    keep(select, made.names, () => h('option'), (option, name) => {
      option.value = name
      setText(option, name)
    })
    select.value = made.name
    place.value = made.index.join(', ')
    keep(tokens, made.tokens, () => h('span', {}, h('b'), h('i'), h('small'), h('small')), (element, one) => {
      setText(element.children[0], one.word)
      setText(element.children[1], `p ${fixed(one.share, 3)}`)
      setText(element.children[2], `−log p ${fixed(one.surprise, 3)}`)
      const isSmooth = one.loss !== one.surprise
      element.children[3].hidden = !isSmooth
      setText(element.children[3], t('theatre.smoothed', { loss: fixed(one.loss, 3) }))
      element.style.setProperty('--share', String(one.share))
    })
    setText(loss, t('theatre.meanLoss', { count: made.count, rows: made.rows, mean: brief(made.mean), loss: exact(made.loss) }))
    setText(gradient, t('theatre.gradientIs', { name: `${made.name}[${made.index.join(', ')}]`, raw: exact(made.raw) }))
    setText(nudge, t('theatre.nudge'))
    keep(adam, linesOf(made), () => h('tr', {}, h('th', { scope: 'row' }), h('td'), h('td'), h('td')), (row, one) => {
      [t(`theatre.adam.${one.name}`), one.letters, one.numbers, `= ${exact(one.result)}`]
        .forEach((text, i) => setText(row.children[i], text))
    })
    setText(result, t('theatre.moved', { before: exact(made.before.w), after: exact(made.after.w), step: made.step }))
  }
  return {
    /** @param {{ step: number, isPlaying: boolean, isOver: boolean }} facts */
    update({ step: done, isPlaying, isOver }) {
      walk.disabled = isPlaying || isOver
      if (isOpen && !isPlaying && asked !== done) {
        asked = done
        take(chosen)
      }
    }
  }
}
