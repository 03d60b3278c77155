/** Tokens as rows of small buttons with a single tab stop; arrow keys move between them. */

import { h, syncChildren, setText, targetOf } from './dom.js'

/**
 * @typedef {{ text: string, note: string, isFaint?: boolean, isHighlighted?: boolean,
 *   color?: { css: string, ink: string } }} Chip
 */

/** @type {Record<string, [number, number]>} */
export const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }

const createChip = () => h('button', { type: 'button', className: 'chip', tabindex: '-1' }, h('span'), h('small'))

/** @param {HTMLElement} button @param {Chip} chip */
function fillChip(button, { text, note, isFaint, isHighlighted, color }) {
  setText(button.children[0], text)
  setText(button.children[1], note)
  button.classList.toggle('is-faint', Boolean(isFaint))
  button.classList.toggle('is-lit', Boolean(isHighlighted))
  button.classList.toggle('is-colored', Boolean(color))
  button.style.setProperty('background', color?.css ?? '')
  button.style.setProperty('color', color?.ink ?? '')
}

/**
 * Mounts an empty list of rows.
 * @param {Element} container
 * @param {{ onHover(row: number, col: number): void, onPress(row: number, col: number): void,
 *   onLeave(): void, onRow?(row: number): void }} handlers
 * @param {{ inline?: boolean }} [options] inline: a row's name stands at its left
 */
export function mountChips(container, { onHover, onPress, onLeave, onRow }, { inline = false } = {}) {
  const root = h('div', { className: inline ? 'chips is-inline' : 'chips' })
  container.append(root)
  /** @param {Element} element */
  const indexAmongSiblings = element => [...element.parentElement?.children ?? []].indexOf(element)
  /** @param {number} row */
  const buttons = row => [...root.children[row]?.lastChild.children ?? []]
  /**
   * @template {keyof HTMLElementEventMap} Type
   * @param {Type} type
   * @param {(event: HTMLElementEventMap[Type], row: number, col: number, button: HTMLElement) => void} listener
   */
  const listen = (type, listener) => root.addEventListener(type, event => {
    /** @type {HTMLElement | null} */ const button = targetOf(event).closest('.chip')
    if (button) listener(event, indexAmongSiblings(/** @type {Element} */ (button.closest('.chips-row'))), indexAmongSiblings(button), button)
  })

  listen('pointerover', (event, row, col) => event.pointerType !== 'touch' && onHover(row, col))
  root.addEventListener('pointerleave', event => event.pointerType !== 'touch' && onLeave())
  listen('focusin', (_, row, col, button) => {
    root.querySelectorAll('.chip[tabindex="0"]').forEach(chip => chip.setAttribute('tabindex', '-1'))
    button.setAttribute('tabindex', '0')
    if (button.matches(':focus-visible')) onHover(row, col)
  })
  listen('click', (_, row, col) => onPress(row, col))
  listen('keydown', (event, row, col) => {
    const direction = ARROWS[event.key]
    if (!direction) return
    event.preventDefault()
    const rowButtons = buttons(row + direction[0])
    rowButtons[Math.min(rowButtons.length - 1, col + direction[1])]?.focus()
  })

  const createName = () => (onRow ? h('button', { type: 'button', className: 'chips-name', onclick: ({ currentTarget }) => {
    onRow(indexAmongSiblings(/** @type {Element} */ (currentTarget.parentElement)))
  } }) : h('span', { className: 'chips-name' }))
  const createRow = () => h('div', { className: 'chips-row' }, createName(), h('div', { className: 'chips-list' }))

  return {
    /**
     * @param {{ name: string, chosen?: boolean, chips: Chip[] }[]} rows
     */
    update(rows) {
      syncChildren(root, rows, createRow, (element, row) => {
        const name = element.children[0]
        name.hidden = !row.name
        setText(name, row.name)
        if (onRow) name.setAttribute('aria-pressed', row.chosen ? 'true' : 'false')
        syncChildren(element.children[1], row.chips, createChip, fillChip)
      })
      if (!root.querySelector('.chip[tabindex="0"]')) root.querySelector('.chip')?.setAttribute('tabindex', '0')
    }
  }
}

/**
 * Chips with an explanation of one of them: the one pressed last; before any press the most instructive one.
 * @param {Element} container @param {() => void} draw
 */
export function mountChipChooser(container, draw) {
  /** @type {number | null} */ let chosen = null
  const { update } = mountChips(container, {
    onHover() {}, onLeave() {},
    onPress(_, col) {
      chosen = col
      draw()
    }
  })
  return {
    update,
    /** The index of the explained chip. @param {number} initial before a press @param {number} count of all chips */
    chosenIndex: (initial, count) => Math.min(chosen ?? initial, count - 1)
  }
}
