/** Small helpers to build elements. Styles go through the CSSOM, so that a page's policy can forbid inline ones. */

const MATH = 'http://www.w3.org/1998/Math/MathML'
const SVG = 'http://www.w3.org/2000/svg'

function fill(element, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue
    if (typeof value === 'function') element.addEventListener(key.slice(2), value)
    else if (key === 'style') for (const [name, css] of Object.entries(value)) element.style.setProperty(name, css)
    else element.setAttribute(key === 'className' ? 'class' : key, value === true ? '' : value)
  }
  element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined && child !== false))
  return element
}

/**
 * An HTML element. Function props are listeners (`onclick`), `style` is an object, `true` is an empty attribute.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...any} children
 * @returns {any}
 */
export const h = (tag, props, ...children) => fill(document.createElement(tag), props, children)

/** The same for SVG. @returns {any} */
export const svg = (tag, props, ...children) => fill(document.createElementNS(SVG, tag), props, children)

/** The same for MathML. @returns {any} */
export const mathml = (tag, props, ...children) => fill(document.createElementNS(MATH, tag), props, children)

/** A dotted name with places where a line may break, before every dot. @param {string} name @returns {any[]} */
export const dotted = name => name.split(/(?=\.)/).flatMap((part, i) => (i ? [h('wbr'), part] : [part]))

/**
 * Writes text only where it differs, so that screen readers and the layout are left in peace.
 * @param {Element} element
 * @param {string} text
 */
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text
}

/**
 * Keeps a list of children in step with a list of items, reusing the elements that are there.
 * @param {Element} parent
 * @param {any[]} items
 * @param {() => Element} create
 * @param {(element: any, item: any, index: number) => void} update
 */
export function keep(parent, items, create, update) {
  while (parent.children.length > items.length) parent.lastElementChild.remove()
  while (parent.children.length < items.length) parent.append(create())
  items.forEach((item, index) => update(parent.children[index], item, index))
}

/**
 * Handles the click of a link that the page follows by itself; a new tab or window is left to the browser.
 * @param {() => void} act
 */
export const following = act => event => {
  if (event.metaKey || event.ctrlKey || event.shiftKey) return
  event.preventDefault()
  act()
}

let serial = 0

/** An id no other element has. @param {string} stem */
export const uniqueId = stem => `${stem}-${++serial}`
