/** Starts elements: their texts, their styles, a session of the shared engine, and what they display. */

import { h } from '../lib/dom.js'
import { translator } from '../lib/text.js'
import { MODELS, explainError } from '../models/index.js'
import { resolveMode } from '../shell/theme.js'
import { LANGUAGES, loadTexts } from '../words/index.js'
import { AttributeError, expectHead, readFromLink, readLanguage, readState, readStateOfRun } from './attributes.js'
import { openSession } from './engine.js'
import { mountElementFigure } from './figure.js'
import { sheetsFor } from './styles.js'

/** @import { GlassElement } from './base.js' */
/** @import { Failure, Language, Mode, Translate } from '../types.d.ts' */

/** The font size that the styles were made for, and how much larger or smaller a figure may be. */
const FONT_SIZE = 16, [MIN_ZOOM, MAX_ZOOM] = [0.75, 2]

/** The model that an element names, or the page's first. @param {Element} host */
const modelIdOf = host => host.getAttribute('model') ?? readFromLink(host, 'model') ?? MODELS[0].id

/**
 * Light or dark: the element's attribute, else the color scheme of its page.
 * @param {Element} element @returns {Mode}
 */
export function modeOf(element) {
  const theme = element.getAttribute('theme') ?? readFromLink(element, 'theme') ?? 'auto'
  if (theme === 'light' || theme === 'dark') return theme
  const schemes = getComputedStyle(element.parentElement ?? element).colorScheme.split(' ')
  if (!schemes.includes('dark')) return 'light'
  return schemes.includes('light') ? resolveMode('auto') : 'dark'
}

/** The enlargement that makes 16 px the font size of the surrounding text. @param {Element} element */
const zoomOf = element => Math.min(MAX_ZOOM, Math.max(MIN_ZOOM,
  parseFloat(getComputedStyle(element).fontSize) / FONT_SIZE || 1))

/** @typedef {{ element: HTMLElement, t: Translate, language: Language, refresh(): void }} Root */

/**
 * The root of an element's shadow tree, with styles and texts.
 * @param {GlassElement} host @returns {Promise<Root>}
 */
async function prepareRoot(host) {
  const language = readLanguage(host)
  const { page, models } = await loadTexts(language, true)
  const model = modelIdOf(host)
  const t = translator(page, { strict: false, own: () => /** @type {any} */ (models)[model] })
  const shadow = /** @type {ShadowRoot} */ (host.shadowRoot)
  shadow.adoptedStyleSheets = sheetsFor()
  const element = h('div', { className: 'root', role: 'group', lang: LANGUAGES[language].tag })
  const refresh = () => {
    element.setAttribute('data-theme', modeOf(host))
    element.style.setProperty('zoom', String(zoomOf(host)))
  }
  refresh()
  return { element, t, language, refresh }
}

/** An error in words. @param {unknown} error @param {string} model @param {Translate} t */
function describeError(error, model, t) {
  if (error instanceof AttributeError) {
    const { key, values } = error.problem
    const text = t(key, values)
    return Object.assign(new Error(key.startsWith('elements.') ? text : t('elements.problem', { attribute: error.attribute, problem: text })),
      { attribute: error.attribute })
  }
  const [problem] = Object.values(explainError(model, /** @type {Failure} */ (error)))
  return Object.assign(new Error(t(problem.key, problem.values)), { cause: error })
}

/** Figures by their element, since a change of attributes keeps the figure. */
/** @type {WeakMap<GlassElement, { figure: ReturnType<typeof mountElementFigure>, key: string, destroy(): void }>} */
const figures = new WeakMap()

/** @param {GlassElement} host @param {string} type @param {object} detail */
const emit = (host, type, detail) => (
  host.dispatchEvent(new CustomEvent(`glass-${type}`, { detail, bubbles: true, composed: true })))

/** @param {NonNullable<GlassElement['source']>} source */
async function createSessionOf({ gf, run }) {
  const { createLocalSession } = await import('./local_session.js')
  return createLocalSession(gf, run)
}

/**
 * Starts a figure, or gives it other attributes.
 * @param {GlassElement} host @param {() => boolean} isCurrent whether nothing has changed meanwhile
 */
export async function startFigure(host, isCurrent) {
  const root = await prepareRoot(host), { t } = root
  if (!isCurrent()) return null
  const model = modelIdOf(host)
  const fail = (/** @type {unknown} */ error) => host.fail(describeError(error, model, t))
  host.shadowRoot?.querySelector('.root') ?? host.shadowRoot?.append(root.element)
  try {
    const { source } = host
    const state = source ? readStateOfRun(host) : readState(host)
    const key = JSON.stringify([root.language, host.hasAttribute('controls'), state.model])
    const known = figures.get(host)
    if (known?.key === key && host.mounted && !source) {
      host.clearError()
      root.refresh()
      known.figure.update(state)
      return host.mounted
    }
    host.shadowRoot?.replaceChildren(root.element)
    const session = source ? await createSessionOf(source) : await openSession()
    if ('problem' in session) throw new AttributeError('engine', session.problem)
    if (!isCurrent()) return null
    const figure = mountElementFigure(root.element, state, {
      session, t, language: root.language, mode: () => modeOf(host), hasControls: host.hasAttribute('controls'), fail,
      check: room => expectHead(host.getAttribute('head'), room),
      emit: (type, detail) => {
        if (type === 'run') host.clearError()
        emit(host, type, detail)
      }
    })
    const mounted = { ...figure, show() {
      root.refresh()
      figure.show()
    }, destroy() {
      figures.delete(host)
      figure.destroy()
      session.drop().catch(() => {})
    } }
    figures.set(host, { figure, key, destroy: mounted.destroy })
    return mounted
  } catch (error) {
    fail(error)
    return host.mounted
  }
}
