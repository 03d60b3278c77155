/**
 * What all elements have in common: they start when they are near the viewport, or at once with `loading="eager"`, show
 * errors in words, and free everything when they leave the document.
 */

/** @import { Library, LibraryRun } from '../types.d.ts' */

/** Pixels around the viewport within which an element starts. */
const MARGIN = 600

/**
 * What an element displays. act: does what a program asks for.
 * @typedef {{ destroy(): void, print(isOn: boolean): void, show(): void, link(): string,
 *   act?: Record<string, () => void> }} Mounted
 */
/** @typedef {{ gf: Library, run: LibraryRun }} Source */
/** @typedef {typeof import('./start.js')} Code what a started element needs */

/** The code is fetched by the first element that starts. @type {Promise<Code> | undefined} */ let loading
const loadCode = () => {
  loading ??= import('./start.js')
  loading.catch(() => { loading = undefined })
  return loading
}

/** Elements that have started, for those that are printed and for changes of the theme. @type {Set<GlassElement>} */
const startedElements = new Set()
const dark = matchMedia('(prefers-color-scheme: dark)')
dark.addEventListener('change', () => startedElements.forEach(element => element.redraw()))
// A page's own switch of its colors changes a class or an attribute of its root or body.
const colorObserver = new MutationObserver(() => startedElements.forEach(element => element.followColors()))
addEventListener('beforeprint', () => startedElements.forEach(element => element.print(true)))
addEventListener('afterprint', () => startedElements.forEach(element => element.print(false)))

/** Until an element starts, it takes some space, by which it is seen. */
const waitingSheet = new CSSStyleSheet()
waitingSheet.replaceSync(':host { display: block; min-height: 240px } :host([hidden]) { display: none }')

const observer = new IntersectionObserver(entries => {
  for (const { isIntersecting, target } of entries) {
    if (isIntersecting) /** @type {GlassElement} */ (target).start()
  }
}, { rootMargin: `${MARGIN}px` })

export class GlassElement extends HTMLElement {
  /** @type {Mounted | null} */ #mounted = null
  /** Changes with every start and stop, so that what arrives late is recognized. */ #serial = 0
  #isWaiting = false
  #colors = ''
  /** @type {Source | null} */ #source = null
  /** What this element displays; the name of a function of `start.js`. @type {Extract<keyof Code, `start${string}`>} */
  static starter = 'startFigure'

  constructor() {
    super()
    this.attachShadow({ mode: 'open' })
  }

  connectedCallback() {
    // In another document, which has styles of its own, nothing starts.
    if (this.ownerDocument !== document) return
    /** @type {ShadowRoot} */ (this.shadowRoot).adoptedStyleSheets = [waitingSheet]
    for (const name of /** @type {any} */ (this.constructor).observedAttributes) this.#readEarlyProperty(name)
    if (this.matches('[loading=eager]')) this.start()
    else observer.observe(this)
    // A script that is loaded early runs before there is a body. What is observed already is not observed twice.
    for (const part of [document.documentElement, document.body]) colorObserver.observe(part, { attributes: true })
  }

  disconnectedCallback() {
    observer.unobserve(this)
    this.stop()
  }

  attributeChangedCallback() {
    if (!startedElements.has(this) || this.#isWaiting) return
    this.#isWaiting = true
    queueMicrotask(() => {
      this.#isWaiting = false
      if (startedElements.has(this)) this.start()
    })
  }

  /** A property that was set before the element was defined. @param {string} name */
  #readEarlyProperty(name) {
    if (!Object.hasOwn(this, name)) return
    const self = /** @type {any} */ (this), value = self[name]
    delete self[name]
    self[name] = value
  }

  /** Starts, or starts again with other attributes. */
  async start() {
    observer.unobserve(this)
    startedElements.add(this)
    this.#colors = this.#readColors()
    const serial = ++this.#serial
    try {
      const { starter } = /** @type {typeof GlassElement} */ (this.constructor)
      const mounted = await (await loadCode())[starter](this, () => serial === this.#serial)
      if (!mounted) return
      if (this.#mounted !== mounted) this.#mounted?.destroy()
      this.#mounted = mounted
      this.followColors()
    } catch (error) {
      if (serial === this.#serial) this.fail(error)
    }
  }

  /** Frees the runs and the figure. */
  stop() {
    this.#serial += 1
    startedElements.delete(this)
    this.#mounted?.destroy()
    this.#mounted = null
    this.shadowRoot?.replaceChildren()
  }

  /** The run of a program, instead of a model of the page. */
  get source() {
    return this.#source
  }

  set source(source) {
    this.#source = source
    if (startedElements.has(this)) this.start()
  }

  /** What is mounted now. */
  get mounted() {
    return this.#mounted
  }

  redraw() {
    this.#mounted?.show()
  }

  #readColors() {
    const { colorScheme, color, fontSize } = getComputedStyle(this.parentElement ?? this)
    return `${colorScheme} ${color} ${fontSize}`
  }

  /** Draws again if the colors or letters around the element have changed, as soon as there is something to draw. */
  followColors() {
    const colors = this.#readColors()
    if (colors === this.#colors || !this.#mounted) return
    this.#colors = colors
    this.redraw()
  }

  /** @param {boolean} isOn */
  print(isOn) {
    this.#mounted?.print(isOn)
  }

  /** Shows an error in the element, and dispatches it. @param {unknown} error */
  fail(error) {
    const message = error instanceof Error ? error.message : String(error)
    const line = document.createElement('p')
    line.setAttribute('role', 'alert')
    line.className = 'glass-error'
    line.textContent = message
    const root = this.shadowRoot?.querySelector('.root') ?? this.shadowRoot
    root?.querySelector('.glass-error')?.remove()
    root?.prepend(line)
    this.dispatchEvent(new ErrorEvent('error', { message, error }))
  }

  /** Removes an error that is no longer true. */
  clearError() {
    this.shadowRoot?.querySelector('.glass-error')?.remove()
  }

  /** The displayed state as the part of a link after `#`; empty before there is one. */
  get link() {
    return this.#mounted?.link() ?? ''
  }
}

/**
 * Adds properties that reflect attributes.
 * @param {typeof GlassElement} constructor @param {readonly string[]} names @param {readonly string[]} switches
 */
export function reflectAttributes(constructor, names, switches = []) {
  for (const name of [...names, ...switches]) {
    const isSwitch = switches.includes(name)
    Object.defineProperty(constructor.prototype, name, {
      configurable: true, enumerable: true,
      /** @this {GlassElement} */
      get() {
        return isSwitch ? this.hasAttribute(name) : this.getAttribute(name)
      },
      /** @this {GlassElement} @param {unknown} value */
      set(value) {
        if (isSwitch) this.toggleAttribute(name, Boolean(value))
        else if (value === null || value === undefined) this.removeAttribute(name)
        else this.setAttribute(name, String(value))
      }
    })
  }
}
