/**
 * A matrix product in the layout of a calculation by hand: the left factor at the left, the right factor above, and
 * each cell of the product where its row and column cross. The corner between the factors holds the formula.
 */

import { h, exists } from './dom.js'
import { labels, leftGutter, topPlan } from './labels.js'
import { SMALLEST, caption, fit, heightFor, tensorHeat } from './matrix.js'

/** @import { Sheet } from './svg.js' */
/** @import { Entry } from './figure.js' */
/** @import { Handlers, HeatView } from './matrix.js' */
/** @import { Band } from './heatmap.js' */
/** @import { Marks, Slice } from '../types.d.ts' */

/**
 * The parts of a product, by role.
 * @template T
 * @typedef {{ left: T, right: T, product: T, bias?: T }} Parts
 */
/** @typedef {Omit<HeatView, 'title' | 'cell'>} PartView */

/** @type {(keyof Parts<Slice>)[]} */
const ROLES = ['left', 'right', 'bias', 'product']

/**
 * The parts of a product with their titles, in order.
 * @param {Parts<string>} titles @param {Parts<Slice>} parts @returns {Entry[]}
 */
export const entriesOf = (titles, parts) => ROLES.flatMap(name => {
  const part = parts[name]
  return part ? [{ title: titles[name] ?? '', part }] : []
})

const GAP = 12
const FINEST = 2
const MIN_CELL = 34
const MANY_ROWS = 24
const MAX_HEIGHT = 480

/** @param {Element} root @param {string} name */
function area(root, name) {
  const element = h('div', { className: `product-${name}` })
  root.append(element)
  return element
}

/**
 * The row height of a right factor without numbers: low, so that the product below stays visible.
 * @param {number} width @param {number} rows
 */
function innerHeightFor(width, rows) {
  return rows > MANY_ROWS ? Math.max(4, Math.min(width, 10, Math.floor(MAX_HEIGHT / rows))) : 14
}

/**
 * One width for all columns; if that is small, the side with fewer columns takes up to half the room. Where the room is
 * short the cells get smaller than elsewhere, since a product needs both of its factors visible.
 * @param {number} room @param {number} inner @param {number} outer
 */
function columnWidths(room, inner, outer) {
  const even = fit(room, inner + outer, FINEST)
  if (even >= MIN_CELL || even < SMALLEST) return { inner: even, outer: even }
  const spare = fit(room - inner * SMALLEST, outer)
  const wide = Math.max(even, Math.min(MIN_CELL, spare, fit(room / 2, outer)))
  return { inner: Math.min(MIN_CELL, fit(room - wide * outer, inner)), outer: wide }
}

/**
 * Widths and heights at which both factors and the labels between them fit.
 * @param {Parts<Slice>} parts @param {number} width
 */
function sizesOf({ left, right, product, bias }, width) {
  const gutter = leftGutter(left.rowLabels)
  const between = Math.max(leftGutter(right.rowLabels), bias ? leftGutter(bias.rowLabels) : 0) + GAP
  const room = width - gutter - between
  const { overhang } = topPlan(right.colLabels, columnWidths(room, left.cols, product.cols).outer)
  const { inner, outer } = columnWidths(room - overhang, left.cols, product.cols)
  const innerHeight = outer >= MIN_CELL && right.rows <= MANY_ROWS ? 28 : innerHeightFor(outer, right.rows)
  return { gutter, between, inner, outer, innerHeight, rowHeight: heightFor(Math.max(inner, outer)) }
}

/**
 * Mounts an empty product.
 * @param {Element} container
 * @param {Handlers} handlers
 */
export function product(container, handlers) {
  const root = h('div', { className: 'product' })
  container.append(root)
  const corner = area(root, 'corner')
  const heads = { left: caption(area(root, 'left-caption')), right: caption(area(root, 'right-caption')) }
  const below = caption(area(root, 'caption'))
  const sides = {
    rightTop: labels(area(root, 'right-top'), 'top'), rightLeft: labels(area(root, 'right-left'), 'left'),
    biasLeft: labels(area(root, 'bias-left'), 'left'), leftTop: labels(area(root, 'left-top'), 'top'),
    leftLeft: labels(area(root, 'left-left'), 'left')
  }
  const left = tensorHeat(area(root, 'left'), handlers)
  const right = tensorHeat(area(root, 'right'), handlers)
  const biasArea = area(root, 'bias')
  const bias = tensorHeat(biasArea, handlers)
  const heats = { left, right, bias, product: tensorHeat(area(root, 'result'), handlers) }
  let hasBias = false
  const isShown = (/** @type {keyof Parts<Slice>} */ name) => name !== 'bias' || hasBias

  /** @param {Parts<Slice>} parts @param {ReturnType<typeof sizesOf>} sizes */
  function updateLabels({ left, right, bias }, { gutter, between, inner, outer, rowHeight, innerHeight }) {
    const rightPlan = topPlan(right.colLabels, outer)
    /** @param {ReturnType<typeof topPlan>} plan @param {string[]} items @param {number} cell */
    const top = (plan, items, cell) => ({ items, cell, room: plan.height, slanted: plan.slanted, step: plan.step })
    sides.rightTop.update(top(rightPlan, right.colLabels, outer))
    sides.leftTop.update(top(topPlan(left.colLabels, inner), left.colLabels, inner))
    sides.rightLeft.update({ items: right.rowLabels, cell: innerHeight, room: between })
    sides.biasLeft.update({ items: bias?.rowLabels ?? [], cell: innerHeight, room: between })
    sides.leftLeft.update({ items: left.rowLabels, cell: rowHeight, room: gutter })
    root.style.setProperty('padding-right', `${rightPlan.overhang}px`)
  }

  return {
    corner,
    /**
     * @param {Parts<Slice>} parts
     * @param {{ width: number, titles: Parts<string>, views: Parts<PartView> }} view
     */
    update(parts, { width, titles, views }) {
      const sizes = sizesOf(parts, width)
      const { inner, outer, innerHeight, rowHeight } = sizes
      hasBias = Boolean(parts.bias)
      biasArea.hidden = !hasBias
      heads.left.update(titles.left, parts.left.rows, parts.left.cols)
      heads.right.update(titles.right, parts.right.rows, parts.right.cols)
      below.update(titles.product, parts.product.rows, parts.product.cols)
      updateLabels(parts, sizes)
      /** @param {keyof Parts<Slice>} name @param {number} width @param {number} height */
      const draw = (name, width, height) => heats[name].update(/** @type {Slice} */ (parts[name]), {
        ...(/** @type {PartView} */ (views[name])), title: titles[name] ?? '', cell: { width, height }
      })
      draw('left', inner, rowHeight)
      draw('right', outer, innerHeight)
      draw('product', outer, rowHeight)
      if (hasBias) draw('bias', outer, innerHeight)
    },
    /** The parts by role. */
    sheet: () => /** @type {Sheet} */ (Object.fromEntries(
      ROLES.filter(isShown).map(name => [name, heats[name].drawing()]))),
    drawings: () => ROLES.filter(isShown).map(name => heats[name].drawing()).filter(exists),
    /** @param {Marks} marks */
    mark({ current, pinned, sources, isAsked }) {
      const [left, right, result] = [heats.left, heats.right, heats.product].map(heat => heat.find(current))
      const [row, col] = [(result ?? left)?.row, (result ?? right)?.col]
      const inner = left?.col ?? right?.row
      /** @param {keyof Parts<Slice>} name @param {Band | null | undefined} band */
      const show = (name, band) => heats[name].mark({
        current: heats[name].find(current), pinned, band, isAsked, cells: heats[name].among(sources)
      })
      show('left', result && { row })
      show('right', result && { col })
      show('product', left ? { row } : right && { col })
      if (hasBias) show('bias', result && { col })
      sides.leftLeft.mark(row)
      sides.rightTop.mark(col)
      sides.leftTop.mark(inner)
      sides.rightLeft.mark(inner)
    }
  }
}
