/** Starts elements: their texts, their styles, a session of the shared engine, and what they display. */

import { h } from '../lib/dom.js'
import { translator } from '../lib/text.js'
import { MODELS, explainError } from '../models/index.js'
import { resolveMode } from '../shell/theme.js'
import { LANGUAGES, loadTexts } from '../words/index.js'
import { AttributeError, expectHead, findIgnored, readFromLink, readLanguage, readState, readStateOfRun } from './attributes.js'
import { openSession } from './engine.js'
import { loadModelTexts } from './model_texts.js'
import { mountElementFigure } from './figure.js'
import { createRoomTexts } from './room_texts.js'
import { createStyles } from './styles.js'

/** @import { GlassElement, Mounted } from './base.js' */
/** @import { Surroundings } from './figure.js' */
/** @import { Session } from '../shell/engine.js' */
/** @import { Texts } from '../lib/text.js' */
/** @import { Failure, Language, Mode, State, Translate } from '../types.d.ts' */

/** The font size that the styles were made for, and how much larger or smaller a figure may be. */
const FONT_SIZE = 16, [MIN_ZOOM, MAX_ZOOM] = [0.75, 2]

/** The model that an element names, or the page's first. @param {Element} host */
const modelIdOf = host => host.getAttribute('model') ?? readFromLink(host, 'model') ?? MODELS[0].id

/** Whether a color is nearer to white than to black. @param {string} color as computed: `rgb(232, 232, 232)` */
const isLight = color => {
  const [red, green, blue] = (color.match(/\d+/g) ?? []).map(Number)
  return red + green + blue > 382
}

/**
 * Light or dark: the element's attribute, else the color scheme of its page. A page that names no scheme is dark if its
 * text is light.
 * @param {Element} element @returns {Mode}
 */
export function modeOf(element) {
  const theme = element.getAttribute('theme') ?? readFromLink(element, 'theme') ?? 'auto'
  if (theme === 'light' || theme === 'dark') return theme
  const { colorScheme, color } = getComputedStyle(element.parentElement ?? element), schemes = colorScheme.split(' ')
  if (!schemes.includes('dark')) return isLight(color) ? 'dark' : 'light'
  return schemes.includes('light') ? resolveMode('auto') : 'dark'
}

/** The enlargement that makes 16 px the font size of the surrounding text. @param {Element} element */
const zoomOf = element => Math.min(MAX_ZOOM, Math.max(MIN_ZOOM,
  parseFloat(getComputedStyle(element).fontSize) / FONT_SIZE || 1))

/**
 * The root of a shadow tree. setModel: whose texts are looked up first, once loadModels has loaded them.
 * @typedef {{ element: HTMLElement, t: Translate, language: Language, refresh(isPrinting?: boolean): void,
 *   loadModels(ids: string[]): Promise<void>, setModel(id: string): void,
 *   roomTexts: Surroundings['roomTexts'], styles: ReturnType<typeof createStyles> }} Root
 * @typedef {(host: GlassElement, root: Root, emit: (type: string, detail: object) => void) => Promise<Plan>} Planner
 */

/**
 * The root of an element's shadow tree, with styles and texts.
 * @param {GlassElement} host @returns {Promise<Root>}
 */
async function prepareRoot(host) {
  const language = readLanguage(host)
  let model = host.source ? 'own' : modelIdOf(host)
  /** @type {Record<string, Texts | undefined>} */ const ownTexts = {}
  /** @param {string[]} ids */
  const loadModels = async ids => {
    await Promise.all(ids.map(async id => { ownTexts[id] = await loadModelTexts(language, id) }))
  }
  const [{ page }] = await Promise.all([loadTexts(language, true), loadModels([model])])
  const t = translator(page, { strict: false, own: () => ownTexts[model] })
  for (const error of findIgnored(host)) console.warn(describeError(error, model, t).message)
  const styles = createStyles(/** @type {ShadowRoot} */ (host.shadowRoot))
  const reservedHeight = host.offsetHeight
  if (!mountedParts.has(host)) styles.adopt()
  const element = h('div', { 'className': 'root', 'role': 'group', 'lang': LANGUAGES[language].tag, 'data-loading': t('elements.loading') })
  const refresh = (isPrinting = false) => {
    element.setAttribute('data-theme', isPrinting ? 'light' : modeOf(host))
    element.style.setProperty('--enlarged', String(zoomOf(host)))
  }
  refresh()
  // What is below the element stays where it is until the first drawing.
  element.style.setProperty('--reserved-height', `${reservedHeight / zoomOf(host)}px`)
  return {
    element, t, language, refresh, loadModels, styles, roomTexts: createRoomTexts(language, page),
    setModel(id) {
      model = id
    }
  }
}

/** An error in words. @param {unknown} error @param {string} model @param {Translate} t */
function describeError(error, model, t) {
  if (error instanceof AttributeError) {
    const { key, values } = error.problem
    const text = (error.t ?? t)(key, values)
    return Object.assign(new Error(key.startsWith('elements.') ? text : t('elements.problem', { attribute: error.attribute, problem: text })),
      { attribute: error.attribute })
  }
  const [problem] = Object.values(explainError(model, /** @type {Failure} */ (error)))
  return Object.assign(new Error(t(problem.key, problem.values)), { cause: error })
}

/** @param {GlassElement} host @param {string} type @param {object} detail */
const emit = (host, type, detail) => (
  host.dispatchEvent(new CustomEvent(`glass-${type}`, { detail, bubbles: true, composed: true })))

/** @param {NonNullable<GlassElement['source']>} source */
async function createSessionOf({ gf, run }) {
  const { createLocalSession } = await import('./local_session.js')
  return createLocalSession(gf, run)
}

/**
 * What an element displays, by its attributes.
 * @typedef {object} Plan
 * @property {string} key another one needs another figure
 * @property {State} state
 * @property {(fail: (error: unknown) => void) => Part | Promise<Part>} [mount] instead of a figure in a session
 * @property {string[]} [styles] more style sheets
 * @property {boolean} [hasControls] @property {boolean} [canReturn]
 * @property {Surroundings['check']} [check] @property {Surroundings['pickRoom']} [pickRoom]
 * @property {Surroundings['mountCompanion']} [mountCompanion]
 * @property {(type: string) => boolean} [emits] which events of the figure are the element's
 */

/** @type {Planner} */
async function planFigure(host, { language }) {
  const state = host.source ? readStateOfRun(host) : readState(host), hasControls = host.hasAttribute('controls')
  // The run of a program has no other text.
  const fields = hasControls && !host.source ? await import('./fields.js') : null
  return {
    key: JSON.stringify([language, hasControls, state.model]), state, hasControls, canReturn: true,
    styles: fields?.fieldStyles, mountCompanion: fields?.mountFieldLine,
    check: room => expectHead(host.getAttribute('head'), room)
  }
}

/**
 * @typedef {Mounted & { update(state: State): void }} Part
 *
 * What elements display, since a change of attributes keeps it.
 * @type {WeakMap<GlassElement, { root: Root, part: Part, key: string }>}
 */
const mountedParts = new WeakMap()

/**
 * Mounts the figure of an element, in a session of the engine.
 * @param {GlassElement} host @param {Root} root @param {Plan} plan @param {Session} session
 * @param {(error: unknown) => void} fail
 */
function mountFigure(host, root, plan, session, fail) {
  const { t, language, element, roomTexts, styles } = root, { state, emits = () => true } = plan
  const figure = mountElementFigure(element, state, {
    hasControls: true, isLocal: Boolean(host.source), ...plan, session, t, language, roomTexts, styles, fail,
    mode: () => modeOf(host),
    emit: (type, detail) => {
      if (type === 'run') host.clearError()
      if (emits(type)) emit(host, type, detail)
    }
  })
  return { ...figure, destroy() {
    figure.destroy()
    session.drop().catch(() => {})
  } }
}

/**
 * Retains what an element displays.
 * @param {GlassElement} host @param {Root} root @param {string} key @param {Part} part
 * @returns {Mounted}
 */
function retain(host, root, key, part) {
  mountedParts.set(host, { root, part, key })
  return { ...part, show() {
    root.refresh()
    part.show()
  }, print(isOn) {
    root.refresh(isOn)
    part.print(isOn)
  }, destroy() {
    // What replaces it may be there already.
    if (mountedParts.get(host)?.part === part) mountedParts.delete(host)
    part.destroy()
  } }
}

/**
 * Starts what an element displays, or gives it other attributes.
 * @param {Planner} planOf
 */
const startWith = planOf => async (/** @type {GlassElement} */ host, /** @type {() => boolean} */ isCurrent) => {
  const root = await prepareRoot(host), { t } = root
  if (!isCurrent()) return null
  let model = modelIdOf(host)
  const fail = (/** @type {unknown} */ error) => host.fail(describeError(error, model, t))
  host.shadowRoot?.querySelector('.root') ?? host.shadowRoot?.append(root.element)
  try {
    const { source } = host, plan = await planOf(host, root, (type, detail) => emit(host, type, detail))
    if (!isCurrent()) return null
    const known = mountedParts.get(host)
    model = plan.state.model
    if (known?.key === plan.key && host.mounted && !source) {
      host.clearError()
      known.root.refresh()
      known.part.update(plan.state)
      return host.mounted
    }
    root.styles.adopt(plan.styles)
    host.shadowRoot?.replaceChildren(root.element)
    if (plan.mount) return retain(host, root, plan.key, await plan.mount(error => host.fail(error)))
    const session = source ? await createSessionOf(source) : await openSession()
    if ('problem' in session) throw new AttributeError('engine', session.problem)
    return isCurrent() ? retain(host, root, plan.key, mountFigure(host, root, plan, session, fail)) : null
  } catch (error) {
    fail(error)
    return host.mounted
  }
}

export const startFigure = startWith(planFigure)
export const startLesson = startWith(async (...details) => (await import('./lesson.js')).planLesson(...details))
export const startModel = startWith(async (...details) => (await import('./model.js')).planModel(...details))
export const startTraining = startWith(async (...details) => (await import('./training.js')).planTraining(...details))
