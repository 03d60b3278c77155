/** Converts elements to SVG: texts, boxes, drawings and charts as currently rendered, for exported pictures. */

import { escape, round, tag } from './svg.js'

/** @import { Piece } from '../types.d.ts' */

/** Not exported: controls, visually hidden text, prose, and formulas, which an SVG cannot contain. */
const EXCLUDED = '.figure, .scrubber, .visually-hidden, .note, math'
const STYLES = [
  'fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linecap', 'opacity', 'font-size', 'font-weight'
]

/** @typedef {{ x: number, y: number, opacity: number }} Offset the translation and opacity of an element's content */
/** @typedef {Piece & { x: number, y: number }} PlacedPiece */
/** @typedef {{ x: number, y: number, width: number, height: number }} Box */
/** @typedef {'Top' | 'Right' | 'Bottom' | 'Left'} Edge */

/** @type {Record<Edge, (box: Box, weight: number) => Box>} */
const SIDES = {
  Top: ({ x, y, width }, weight) => ({ x, y, width, height: weight }),
  Right: ({ x, y, width, height }, weight) => ({ x: x + width - weight, y, width: weight, height }),
  Bottom: ({ x, y, width, height }, weight) => ({ x, y: y + height - weight, width, height: weight }),
  Left: ({ x, y, height }, weight) => ({ x, y, width: weight, height })
}

const EDGES = /** @type {Edge[]} */ (Object.keys(SIDES))

/** @param {string} text */
const parsePixels = text => Number.parseFloat(text) || 0
/** @param {string} color */
const isTransparent = color => color === 'transparent' || color.endsWith(', 0)')
/** @param {DOMRect} box @param {Offset} at @returns {Box} */
const offsetBox = (box, at) => (
  { x: round(box.left + at.x), y: round(box.top + at.y), width: round(box.width), height: round(box.height) })
/** @param {Element} element @param {Offset} at */
const measureBox = (element, at) => offsetBox(element.getBoundingClientRect(), at)

/**
 * @param {string} name @param {Box} box @param {Offset} at @param {Record<string, string>} attributes @returns
 *   {PlacedPiece}
 */
const createShape = (name, box, { opacity }, attributes) => (
  { ...box, svg: tag(name, { ...box, ...attributes, ...(opacity < 1 && { opacity: round(opacity) }) }) })

/**
 * Clones a drawing with the style sheet's properties inlined.
 * @param {SVGElement} element @param {Offset} at @returns {PlacedPiece}
 */
function cloneSvg(element, at) {
  const copy = /** @type {SVGElement} */ (element.cloneNode(true))
  /** @type {NodeListOf<SVGElement>} */ const copies = copy.querySelectorAll('*')
  const parts = element.querySelectorAll('*')
  parts.forEach((part, i) => {
    const style = getComputedStyle(part)
    if (style.display === 'none') return copies[i].remove()
    for (const name of ['class', 'style']) copies[i].removeAttribute(name)
    for (const name of Object.keys(copies[i].dataset)) delete copies[i].dataset[name]
    for (const name of STYLES) copies[i].setAttribute(name, style.getPropertyValue(name))
  })
  const box = measureBox(element, at)
  for (const [name, value] of Object.entries({ ...box, overflow: 'visible' })) copy.setAttribute(name, String(value))
  copy.removeAttribute('class')
  return { ...box, svg: new XMLSerializer().serializeToString(copy) }
}

/** The rendered lines of a text node, each with its box. @param {Text} node */
function measureLines(node) {
  const range = document.createRange()
  /** @type {{ start: number, end: number, box: DOMRect }[]} */ const lines = []
  for (let i = 0; i < node.length; i++) {
    range.setStart(node, i)
    range.setEnd(node, i + 1)
    const box = range.getBoundingClientRect()
    const line = lines.at(-1)
    if (line && Math.abs(line.box.top - box.top) < 2) line.end = i + 1
    else lines.push({ start: i, end: i + 1, box })
  }
  return lines.map(({ start, end }) => {
    range.setStart(node, start)
    range.setEnd(node, end)
    return { text: node.data.slice(start, end).trim(), box: range.getBoundingClientRect() }
  })
}

/** @param {Text} node @param {Offset} at */
function createTexts(node, at) {
  const { color, fontSize, fontWeight } = getComputedStyle(/** @type {Element} */ (node.parentElement))
  return measureLines(node).filter(({ text, box }) => text && box.height).map(({ text, box }) => {
    const place = offsetBox(box, at)
    return { ...place, svg: tag('text', {
      'x': place.x, 'y': round(place.y + place.height / 2), 'dominant-baseline': 'central', 'fill': color,
      'font-size': parsePixels(fontSize), 'font-weight': fontWeight, ...(at.opacity < 1 && { opacity: round(at.opacity) })
    }, escape(text)) }
  })
}

/**
 * The background and borders of an element, except dotted ones, which only mark buttons.
 * @param {Element} element @param {CSSStyleDeclaration} style @param {Offset} at @returns {PlacedPiece[]}
 */
function createBoxes(element, style, at) {
  const box = measureBox(element, at)
  const color = style.backgroundColor
  const lines = EDGES.flatMap(side => {
    const [weight, fill] = [parsePixels(style[`border${side}Width`]), style[`border${side}Color`]]
    const isDrawn = weight > 0 && ['solid', 'dashed'].includes(style[`border${side}Style`]) && !isTransparent(fill)
    return isDrawn ? [createShape('rect', SIDES[side](box, weight), at, { fill })] : []
  })
  return isTransparent(color) ? lines : [createShape('rect', box, at, { fill: color }), ...lines]
}

/** @returns {PlacedPiece[]} @param {Element} element @param {Offset} at */
function listPieces(element, at) {
  if (element.matches(EXCLUDED)) return []
  const style = getComputedStyle(element)
  if (style.display === 'none' || style.visibility === 'hidden') return []
  if (element instanceof SVGElement) return [cloneSvg(element, at)]
  if (element instanceof HTMLCanvasElement) return [createShape('image', measureBox(element, at), at, { href: element.toDataURL() })]
  const ownOffset = { ...at, opacity: at.opacity * Number(style.opacity) }
  const childOffset = { ...ownOffset, x: at.x + element.scrollLeft, y: at.y + element.scrollTop }
  return [...createBoxes(element, style, ownOffset), ...Array.from(element.childNodes, node => {
    if (node instanceof Text) return createTexts(node, childOffset)
    return node instanceof Element ? listPieces(node, childOffset) : []
  }).flat()]
}

/**
 * The visible content of an element, without the empty space above and below.
 * @param {Element} element
 * @returns {Piece | null} null where nothing is visible
 */
export function snapshot(element) {
  const { left, top } = element.getBoundingClientRect()
  const pieces = listPieces(element, { x: -left, y: -top, opacity: 1 })
  if (!pieces.length) return null
  const start = Math.min(...pieces.map(({ y }) => y))
  return {
    svg: tag('g', { transform: `translate(0 ${-start})` }, pieces.map(({ svg }) => svg).join('')),
    width: Math.max(...pieces.map(({ x, width }) => x + width)),
    height: Math.max(...pieces.map(({ y, height }) => y + height)) - start
  }
}
