/**
 * A matrix product in the layout of a calculation by hand: the left factor at the left, the right factor above, and
 * each cell of the product where its row and column cross. The corner between the factors holds the formula.
 */

import { h, exists } from './dom.js'
import { mountLabels, leftWidth, planTopLabels } from './labels.js'
import { MIN_CELL_WIDTH, mountCaption, fitCellWidth, cellHeight, mountTensorHeatmap } from './matrix.js'

/** @import { ProductDrawing } from './svg.js' */
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
export const listEntries = (titles, parts) => ROLES.flatMap(name => {
  const part = parts[name]
  return part ? [{ title: titles[name] ?? '', part }] : []
})

const GAP = 12
const MIN_FACTOR_WIDTH = 2
const NUMBER_WIDTH = 34
const MANY_ROWS = 24
const MAX_HEIGHT = 480

/** @param {Element} root @param {string} name */
function addArea(root, name) {
  const element = h('div', { className: `product-${name}` })
  root.append(element)
  return element
}

/**
 * The row height of a right factor without numbers: low, so that the product below stays visible.
 * @param {number} width @param {number} rows
 */
function innerCellHeight(width, rows) {
  return rows > MANY_ROWS ? Math.max(4, Math.min(width, 10, Math.floor(MAX_HEIGHT / rows))) : 14
}

/**
 * One width for all columns; if that is too small for numbers, the side with fewer columns takes up to half of the
 * width. Cells may get smaller than in a single matrix, since both factors of a product have to be visible.
 * @param {number} width @param {number} inner @param {number} outer
 */
function columnWidths(width, inner, outer) {
  const equalWidth = fitCellWidth(width, inner + outer, MIN_FACTOR_WIDTH)
  if (equalWidth >= NUMBER_WIDTH || equalWidth < MIN_CELL_WIDTH) return { inner: equalWidth, outer: equalWidth }
  const spare = fitCellWidth(width - inner * MIN_CELL_WIDTH, outer)
  const outerWidth = Math.max(equalWidth, Math.min(NUMBER_WIDTH, spare, fitCellWidth(width / 2, outer)))
  return { inner: Math.min(NUMBER_WIDTH, fitCellWidth(width - outerWidth * outer, inner)), outer: outerWidth }
}

/**
 * Widths and heights at which both factors and the labels between them fit.
 * @param {Parts<Slice>} parts @param {number} width
 */
function chooseSizes({ left, right, product, bias }, width) {
  const gutter = leftWidth(left.rowLabels)
  const middleGutter = Math.max(leftWidth(right.rowLabels), bias ? leftWidth(bias.rowLabels) : 0) + GAP
  const available = width - gutter - middleGutter
  const { overhang } = planTopLabels(right.colLabels, columnWidths(available, left.cols, product.cols).outer)
  const { inner, outer } = columnWidths(available - overhang, left.cols, product.cols)
  const innerHeight = outer >= NUMBER_WIDTH && right.rows <= MANY_ROWS ? 28 : innerCellHeight(outer, right.rows)
  return { gutter, between: middleGutter, inner, outer, innerHeight, rowHeight: cellHeight(Math.max(inner, outer)) }
}

/**
 * Mounts an empty product.
 * @param {Element} container
 * @param {Handlers} handlers
 */
export function mountProduct(container, handlers) {
  const root = h('div', { className: 'product' })
  container.append(root)
  const corner = addArea(root, 'corner')
  const heads = { left: mountCaption(addArea(root, 'left-caption')), right: mountCaption(addArea(root, 'right-caption')) }
  const resultCaption = mountCaption(addArea(root, 'caption'))
  const sides = {
    rightTop: mountLabels(addArea(root, 'right-top'), 'top'), rightLeft: mountLabels(addArea(root, 'right-left'), 'left'),
    biasLeft: mountLabels(addArea(root, 'bias-left'), 'left'), leftTop: mountLabels(addArea(root, 'left-top'), 'top'),
    leftLeft: mountLabels(addArea(root, 'left-left'), 'left')
  }
  const left = mountTensorHeatmap(addArea(root, 'left'), handlers)
  const right = mountTensorHeatmap(addArea(root, 'right'), handlers)
  const biasArea = addArea(root, 'bias')
  const bias = mountTensorHeatmap(biasArea, handlers)
  const heats = { left, right, bias, product: mountTensorHeatmap(addArea(root, 'result'), handlers) }
  let hasBias = false
  const isVisible = (/** @type {keyof Parts<Slice>} */ name) => name !== 'bias' || hasBias

  /** @param {Parts<Slice>} parts @param {ReturnType<typeof chooseSizes>} sizes */
  function updateLabels({ left, right, bias },
    { gutter, between: middleGutter, inner, outer, rowHeight, innerHeight }) {
    const rightPlan = planTopLabels(right.colLabels, outer)
    /** @param {ReturnType<typeof planTopLabels>} plan @param {string[]} items @param {number} cell */
    const top = (plan, items, cell) => ({ items, cell, room: plan.height, slanted: plan.slanted, step: plan.step })
    sides.rightTop.update(top(rightPlan, right.colLabels, outer))
    sides.leftTop.update(top(planTopLabels(left.colLabels, inner), left.colLabels, inner))
    sides.rightLeft.update({ items: right.rowLabels, cell: innerHeight, room: middleGutter })
    sides.biasLeft.update({ items: bias?.rowLabels ?? [], cell: innerHeight, room: middleGutter })
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
      const sizes = chooseSizes(parts, width)
      const { inner, outer, innerHeight, rowHeight } = sizes
      hasBias = Boolean(parts.bias)
      biasArea.hidden = !hasBias
      heads.left.update(titles.left, parts.left.rows, parts.left.cols)
      heads.right.update(titles.right, parts.right.rows, parts.right.cols)
      resultCaption.update(titles.product, parts.product.rows, parts.product.cols)
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
    sheet: () => /** @type {ProductDrawing} */ (Object.fromEntries(
      ROLES.filter(isVisible).map(name => [name, heats[name].drawing()]))),
    drawings: () => ROLES.filter(isVisible).map(name => heats[name].drawing()).filter(exists),
    /** @param {Marks} marks */
    mark({ current, pinned, sources, isChosen }) {
      const [left, right, result] = [heats.left, heats.right, heats.product].map(heat => heat.find(current))
      const [row, col] = [(result ?? left)?.row, (result ?? right)?.col]
      const inner = left?.col ?? right?.row
      /** @param {keyof Parts<Slice>} name @param {Band | null | undefined} band */
      const markPart = (name, band) => heats[name].mark({
        current: heats[name].find(current), pinned, band, isChosen, cells: heats[name].findSquares(sources)
      })
      markPart('left', result && { row })
      markPart('right', result && { col })
      markPart('product', left ? { row } : right && { col })
      if (hasBias) markPart('bias', result && { col })
      sides.leftLeft.mark(row)
      sides.rightTop.mark(col)
      sides.leftTop.mark(inner)
      sides.rightLeft.mark(inner)
    }
  }
}
