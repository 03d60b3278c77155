/**
 * Helpers to build elements. Styles are set through the CSSOM, so that a Content-Security-Policy can forbid
 * inline ones.
 */

import { isPresenting } from './present.js'

/** @import { BuiltElement, Child, Props } from '../types.d.ts' */

const MATH = 'http://www.w3.org/1998/Math/MathML'
const SVG = 'http://www.w3.org/2000/svg'

/** @param {readonly Child[]} children @returns {(Node | string | false | null | undefined)[]} */
const flatten = children => /** @type {any[]} */ (children).flat(Infinity)

/**
 * @template {HTMLElement | SVGElement | MathMLElement} E
 * @param {E} element @param {Props<E> | null | undefined} props @param {Child[]} children @returns {BuiltElement<E>}
 */
export function fill(element, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue
    if (typeof value === 'function') element.addEventListener(key.slice(2), /** @type {EventListener} */ (value))
    else if (key === 'style') for (const [name, css] of Object.entries(value)) element.style.setProperty(name, css)
    else element.setAttribute(key === 'className' ? 'class' : key, value === true ? '' : String(value))
  }
  element.append(...flatten(children).filter(child => child !== null && child !== undefined && child !== false))
  return /** @type {BuiltElement<E>} */ (element)
}

/**
 * An HTML element. Function props are listeners (`onclick`), `style` is an object, `true` is an empty attribute.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Props<HTMLElementTagNameMap[Tag]>} [props]
 * @param {...Child} children
 */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children)

/**
 * The same for SVG.
 * @template {keyof SVGElementTagNameMap} Tag
 * @param {Tag} tag @param {Props<SVGElementTagNameMap[Tag]>} [props] @param {...Child} children
 */
export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children)

/**
 * The same for MathML.
 * @template {keyof MathMLElementTagNameMap} Tag
 * @param {Tag} tag @param {Props<MathMLElement>} [props] @param {...Child} children
 */
export const mathml = (tag, props, ...children) => fill(document.createElementNS(MATH, tag), props, children)

/**
 * A dotted name with a line-break opportunity before every dot.
 * @param {string} name @returns {(Node | string)[]}
 */
export const splitAtDots = name => name.split(/(?=\.)/).flatMap((part, i) => (i ? [h('wbr'), part] : [part]))

/**
 * Writes text only where it differs, to avoid announcements and layout.
 * @param {Node} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/**
 * Keeps a list of children in step with a list of items, reusing existing elements.
 * @template {Element} E
 * @template Item
 * @param {Element} parent
 * @param {readonly Item[]} items
 * @param {() => E} create
 * @param {(element: E, item: Item, index: number) => void} update
 */
export function syncChildren(parent, items, create, update) {
  while (parent.children.length > items.length) parent.lastElementChild?.remove()
  while (parent.children.length < items.length) parent.append(create())
  items.forEach((item, index) => update(/** @type {E} */ (parent.children[index]), item, index))
}

/**
 * Sets an element's children and their order; those in the right position already are not touched.
 * @param {Element} parent @param {readonly Element[]} children
 */
export function setChildren(parent, children) {
  for (const child of [...parent.children]) if (!children.includes(child)) child.remove()
  children.forEach((child, i) => {
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null)
  })
}

/**
 * Handles the click of an internal link; a new tab or window is left to the browser.
 * @param {() => void} action
 * @returns {(event: MouseEvent) => void}
 */
export const handleInternalClick = action => event => {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  action()
}

/** The target element of an event that is being handled, also inside a shadow root. @param {Event} event */
export const targetOf = event => /** @type {HTMLElement} */ (event.composedPath()[0])

/** The index of a child, −1 where it is none. @param {Element} parent @param {Element} child */
export const childIndex = (parent, child) => [...parent.children].indexOf(child)

/** The first match of a selector that always has one. @param {ParentNode} root @param {string} selector */
export const findElement = (root, selector) => /** @type {HTMLElement} */ (root.querySelector(selector))

/** The focused element in the document or shadow root of another. @param {Node} element */
export const activeElementNear = element => /** @type {Document | ShadowRoot} */ (element.getRootNode()).activeElement

/**
 * The factor by which an element is enlarged, on a slide or in a figure of another page. Elsewhere it is not asked for:
 * that computes all styles again for every matrix which is painted.
 * @param {Element} element
 */
export const readZoom = element => (
  isPresenting() || element.getRootNode() !== document ? element.currentCSSZoom || 1 : 1)
/** The width of an element in its own pixels, rounded down. @param {Element} element */
export const measureWidth = element => Math.floor(element.getBoundingClientRect().width / readZoom(element))

/** @param {HTMLCanvasElement} canvas */
export const getContext2d = canvas => /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))

/** @param {Element} element @param {Record<string, string | number>} attributes */
export function setAttributes(element, attributes) {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
}

/**
 * Whether a value is neither null nor undefined, for `filter`.
 * @template T
 * @param {T | null | undefined} value @returns {value is T}
 */
export const exists = value => value !== null && value !== undefined

let serial = 0

/** An id that no other element has. @param {string} stem its start */
export const uniqueId = stem => `${stem}-${++serial}`
