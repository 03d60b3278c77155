/** The top line: name, settings, language, theme, link. */

import { createImportButton } from '../import/index.js'
import { handleInternalClick, h, setText, svg, uniqueId } from '../lib/dom.js'
import { MODELS, modelOf } from '../models/index.js'
import { HOUSE } from '../rooms/house.js'
import { LANGUAGES } from '../words/index.js'
import { createControl, controlsOf, hasSettingEffect } from './controls.js'
import { mountFields } from './fields.js'
import { rememberLanguage } from './language.js'
import { createRunStatus } from './run_status.js'
import { createShareMenu } from './share.js'
import { OPENING, defaults, startOf } from '../models/state.js'
import { trainingToOpen } from './theatre.js'

/** @import { Context, Language, Patch, Run, State, Translate } from '../types.d.ts' */

/** @type {State['theme'][]} */
const THEMES = ['auto', 'light', 'dark']

const createIcon = () => svg('svg', { 'class': 'pane', 'viewBox': '0 0 24 24', 'aria-hidden': 'true' },
  svg('path', { d: 'M4 6.5 12 2.5v15l-8 4z' }), svg('path', { d: 'M12 2.5l8 4v15l-8-4z' }))

/** @param {Pick<Context, 'set'>} context */
function createLanguageButtons({ set }) {
  const links = /** @type {Language[]} */ (Object.keys(LANGUAGES)).map(language => h('button', {
    'type': 'button', 'className': 'quiet', 'lang': LANGUAGES[language].tag, 'data-language': language,
    'onclick': () => {
      rememberLanguage(language)
      set({ language })
    }
  }, LANGUAGES[language].name))
  return { links, element: (/** @type {string} */ label) => h('div', { 'className': 'languages', 'role': 'group', 'aria-label': label },
    links) }
}

/**
 * The model selection. The reader stays in the room, as far as the other model has it.
 * @param {Context} context @param {ReturnType<typeof createImportButton>} importControl
 */
function createModelMenu({ t, set, get, language: resolved }, importControl) {
  const id = uniqueId('model')
  const choose = () => {
    const { language, theme, depth, model, room } = get()
    if (modelOf(select.value).isImported) {
      select.value = model
      importControl.show()
      return
    }
    set({ ...startOf(select.value, resolved()), room: room === OPENING ? HOUSE.id : room, language, theme, depth }, 'push')
  }
  /** @type {HTMLSelectElement} */
  const select = h('select', { id, onchange: choose },
    MODELS.map(({ id: name }) => h('option', { value: name }, t(`controls.model.${name}`))))
  const label = h('label', { for: id, className: 'visually-hidden' }, t('controls.model.label'))
  return { select, element: h('div', { className: 'models' }, label, select, importControl.element) }
}

/** @param {Pick<Context, 't' | 'set' | 'get' | 'showControls'>} context */
function createSettingsDialog({ t, set, get, showControls }) {
  const grid = h('div', { className: 'settings-grid' })
  /** @type {{ model: string, controls: ({ name: string } & ReturnType<typeof createControl>)[] }} */
  let current = { model: '', controls: [] }
  /** @param {string} model */
  function build(model) {
    current = { model, controls: controlsOf(model).map(name => ({ name, ...createControl(name, { t, set, get }) })) }
    grid.replaceChildren(...current.controls.map(({ element }) => element))
  }
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { 'className': 'settings', 'aria-label': t('app.settings') },
    h('div', { className: 'settings-head' }, h('h2', {}, t('app.settings')),
      h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() }, t('app.close'))),
    grid)
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  // Problems inside the dialog are repeated outside while it is closed.
  dialog.addEventListener('close', showControls)
  function open() {
    dialog.showModal()
    showControls()
  }
  /** @param {State} state @param {Record<string, string>} problems */
  const update = (state, problems) => {
    if (!dialog.open) return
    if (current.model !== state.model) build(state.model)
    for (const control of current.controls) {
      control.element.hidden = !hasSettingEffect(control.name, state)
      control.update(state, problems)
    }
  }
  return { dialog, open, update }
}

/**
 * The name of the page links to its start.
 * @param {Pick<Context, 't' | 'set'> & { startPatch: () => Patch }} context
 */
const createHomeLink = ({ t, startPatch, set }) => (
  h('a', { className: 'brand', title: t('opening.name'), onclick: handleInternalClick(() => set(startPatch(), 'push')) },
    createIcon(), h('b', {}, 'glassformer'), h('span', {}, t('app.tagline'))))

/** The check, loaded with its texts on first use. @param {Context} context */
function createCheckButton(context) {
  /** @type {ReturnType<typeof import('../check/dialog.js').check> | undefined} */ let checkDialog
  async function open() {
    const [{ check }] = await Promise.all([import('../check/dialog.js'), context.ready()])
    if (!checkDialog) {
      checkDialog = check(context)
      button.closest('.top')?.append(checkDialog.dialog)
    }
    checkDialog.open()
  }
  const button = h('button', {
    'type': 'button', 'className': 'quiet', 'data-action': 'check', 'onclick': () => open().catch(context.reportError)
  }, context.t('app.check'))
  return button
}

/** On a phone, one button opens all actions. @param {HTMLElement} actions @param {Translate} t */
function createMoreButton(actions, t) {
  const toggle = () => button.setAttribute('aria-expanded', String(actions.classList.toggle('is-open')))
  /** @type {HTMLElement} */
  const button = h('button', {
    'type': 'button', 'className': 'quiet more', 'aria-label': t('app.more'), 'aria-expanded': 'false',
    'aria-controls': actions.id, 'onclick': toggle
  }, h('span', { 'aria-hidden': 'true' }, '⋯'))
  return button
}

/**
 * Mounts the header.
 * @param {Element} container
 * @param {HTMLElement} notesContainer the container below the header for notes on the fields
 * @param {Context} context
 */
export function mountHeader(container, notesContainer, context) {
  const { t, set, get, link } = context
  const languageButtons = createLanguageButtons(context)
  const settingsDialog = createSettingsDialog(context)
  const shareMenu = createShareMenu(context)
  const importControl = createImportButton(context)
  const model = createModelMenu(context, importControl)
  const fieldsPart = mountFields({ isLong: false }, context)
  const themeName = h('span')
  const theme = h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'theme', 'onclick': () => {
    set({ theme: THEMES[(THEMES.indexOf(get().theme) + 1) % THEMES.length] })
  } }, '◐ ', themeName)
  const startState = () => {
    const { language, theme, depth, model, source } = get(), start = defaults()
    return { ...start, ...(model === start.model && { source }), language, theme, depth }
  }
  const homeLink = createHomeLink({ ...context, startPatch: startState })
  const actions = h('div', { className: 'top-actions', id: uniqueId('actions') },
    h('button', { 'type': 'button', 'className': 'quiet', 'data-action': 'settings', 'onclick': settingsDialog.open }, t('app.settings')),
    h('button', {
      'type': 'button', 'className': 'quiet', 'data-action': 'theatre', 'onclick': () => (
        set({ theatre: get().theatre ? '' : trainingToOpen(get()) }, 'push'))
    }, t('app.theatre')),
    h('button', {
      'type': 'button', 'className': 'quiet', 'data-action': 'glossary', 'onclick': () => set({ glossary: 'all' }, 'push')
    }, t('app.glossary')),
    theme, shareMenu.element, createCheckButton(context), languageButtons.element(t('app.language')))
  const status = createRunStatus(notesContainer, context)
  container.replaceChildren(
    homeLink, fieldsPart.element, model.element, createMoreButton(actions, t), actions, settingsDialog.dialog)
  return {
    /** Renders the progress of a run that takes long. */
    showProgress: status.showProgress,
    /** Opens files that the reader has named before the page was there. */
    openModel: (/** @type {File[]} */ files) => importControl.show(files, { opens: true }),
    /**
     * @param {State} state @param {Record<string, string>} problems @param {Language} language @param {Run | null} run
     */
    update(state, problems, language, run) {
      homeLink.setAttribute('href', link(startState()))
      model.select.value = state.model
      importControl.button.hidden = !modelOf(state.model).isImported
      fieldsPart.update(state, problems, run)
      status.update(run)
      shareMenu.update(run)
      container.toggleAttribute('data-has-fields', !fieldsPart.element.hidden)
      languageButtons.links.forEach(link => (
        link.setAttribute('aria-pressed', String(link.dataset.language === language))))
      setText(themeName, t(`app.themes.${state.theme}`))
      theme.setAttribute('aria-label', `${t('app.theme')}: ${t(`app.themes.${state.theme}`)}`)
      settingsDialog.update(state, problems)
    },
    focus: (/** @type {Language} */ language) => (
      languageButtons.links.find(link => link.dataset.language === language)?.focus())
  }
}
