// A minimal DOM for parts of the page that only build elements, fill them in and listen to events.

class Node {
  parentNode = null
  get isConnected() { return true }
  getRootNode() { return globalThis.document }
  remove() {
    if (this.parentNode) this.parentNode.childNodes = this.parentNode.childNodes.filter(node => node !== this)
    this.parentNode = null
  }
}

class Text extends Node {
  constructor(data) {
    super()
    this.data = data
  }

  get textContent() { return this.data }
}

const STATES = ['hidden', 'open', 'disabled', 'checked']

class Element extends Node {
  childNodes = []
  attributes = new Map()
  listeners = new Map()
  style = { setProperty() {} }
  value = ''
  constructor(tag) {
    super()
    this.tagName = tag.toUpperCase()
    this.dataset = new Proxy({}, { get: (_, name) => this.attributes.get(`data-${String(name)}`) })
    const { attributes } = this
    const names = () => new Set((attributes.get('class') ?? '').split(' ').filter(Boolean))
    this.classList = {
      contains: name => names().has(name),
      toggle(name, isOn) {
        const list = names()
        list[isOn ? 'add' : 'delete'](name)
        attributes.set('class', [...list].join(' '))
      }
    }
    for (const name of STATES) {
      Object.defineProperty(this, name, {
        get: () => attributes.has(name), set: isOn => { this.toggleAttribute(name, Boolean(isOn)) }
      })
    }
  }

  closest() { return null }
  get children() { return this.childNodes.filter(node => node instanceof Element) }
  get lastElementChild() { return this.children.at(-1) ?? null }
  get id() { return this.attributes.get('id') ?? '' }
  get textContent() { return this.childNodes.map(node => node.textContent).join('') }
  set textContent(text) { this.replaceChildren(text) }
  setAttribute(name, value) { this.attributes.set(name, String(value)) }
  removeAttribute(name) { this.attributes.delete(name) }
  getAttribute(name) { return this.attributes.get(name) ?? null }
  hasAttribute(name) { return this.attributes.has(name) }
  toggleAttribute(name, isOn) { return isOn ? this.attributes.set(name, '') : this.attributes.delete(name) }
  addEventListener(type, listener) { this.listeners.set(type, [...this.listeners.get(type) ?? [], listener]) }
  append(...nodes) {
    for (const item of nodes) {
      const node = item instanceof Node ? item : new Text(String(item))
      node.remove()
      node.parentNode = this
      this.childNodes.push(node)
    }
  }

  replaceChildren(...nodes) {
    for (const node of [...this.childNodes]) node.remove()
    this.append(...nodes)
  }

  /** Elements have no size, and drawing on a canvas does nothing. */
  getBoundingClientRect() { return { width: 0, height: 0, top: 0, left: 0, right: 0, bottom: 0 } }
  getContext() {
    const draw = (w, h) => ({ width: 0, data: new Uint8ClampedArray(4 * w * h || 0) })
    return new Proxy({}, { get: (_, name) => (name === 'canvas' ? this : draw), set: () => true })
  }

  /** All descendants with a tag or a class (`.name`), in document order. */
  all(selector) {
    const matches = element => (selector.startsWith('.') ? element.classList.contains(selector.slice(1))
      : element.tagName === selector.toUpperCase())
    return this.children.flatMap(element => [...(matches(element) ? [element] : []), ...element.all(selector)])
  }

  /** Calls the listeners with an event; `more` are further properties of it. */
  fire(type, more = {}) {
    const event = { type, target: this, currentTarget: this, preventDefault() {}, ...more }
    for (const listener of this.listeners.get(type) ?? []) listener(event)
  }
}

/** Sets globalThis.document to such a document. @returns an empty element, as a container */
export function useDocument() {
  const createElement = tag => new Element(tag)
  Object.assign(globalThis, { document: {
    createElement, createElementNS: (_, tag) => new Element(tag), createTextNode: text => new Text(text),
    activeElement: null, documentElement: createElement('html')
  } })
  return createElement('div')
}
