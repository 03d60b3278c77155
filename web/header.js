/** The top line: name, settings, language, theme, link. */

import { CONTROLS, control } from './controls.js'
import { h, setText, svg } from './lib/dom.js'

const LANGUAGES = { ko: '한국어', en: 'English' }
const THEMES = ['auto', 'light', 'dark']
const SHOWN_FOR = 1600

const pane = () => svg('svg', { class: 'pane', viewBox: '0 0 24 24', 'aria-hidden': 'true' },
  svg('path', { d: 'M4 6.5 12 2.5v15l-8 4z' }), svg('path', { d: 'M12 2.5l8 4v15l-8-4z' }))

function languages({ set }) {
  const links = Object.entries(LANGUAGES).map(([language, name]) => h('button', {
    type: 'button', className: 'quiet', lang: language, 'data-language': language, onclick: () => set({ language })
  }, name))
  return { links, element: (label) => h('div', { className: 'languages', role: 'group', 'aria-label': label }, links) }
}

function settings({ t, set, get }) {
  const controls = CONTROLS.map((name) => control(name, { t, set, get }))
  const dialog = h('dialog', { className: 'settings', 'aria-label': t('app.settings') },
    h('header', {}, h('h2', {}, t('app.settings')),
      h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() }, t('app.close'))),
    h('div', { className: 'settings-grid' }, controls.map(({ element }) => element)))
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  return { dialog, update: (state, problems) => controls.forEach((one) => one.update(state, problems)) }
}

/**
 * Mounts the header.
 * @param {Element} container
 * @param {{ t: Function, set(patch: object): void, get(): object, link(): string }} context
 */
export function header(container, context) {
  const { t, set, get, link } = context
  const choice = languages(context)
  const panel = settings(context)
  const themeName = h('span')
  const theme = h('button', { type: 'button', className: 'quiet', 'data-action': 'theme', onclick: () => {
    set({ theme: THEMES[(THEMES.indexOf(get().theme) + 1) % THEMES.length] })
  } }, '◐ ', themeName)
  const share = h('button', { type: 'button', className: 'quiet', 'data-action': 'share', onclick: async () => {
    await navigator.clipboard.writeText(link())
    setText(share, t('app.shared'))
    setTimeout(() => setText(share, t('app.share')), SHOWN_FOR)
  } }, t('app.share'))
  container.replaceChildren(
    h('div', { className: 'brand' }, pane(), h('b', {}, 'glassformer'), h('span', {}, t('app.tagline'))),
    h('div', { className: 'top-actions' },
      h('button', {
        type: 'button', className: 'quiet', 'data-action': 'settings', onclick: () => panel.dialog.showModal()
      }, t('app.settings')),
      theme, share, choice.element(t('app.language'))), panel.dialog)
  return {
    update(state, problems, language) {
      choice.links.forEach((link) => link.setAttribute('aria-pressed', link.lang === language ? 'true' : 'false'))
      setText(themeName, t(`app.themes.${state.theme}`))
      theme.setAttribute('aria-label', `${t('app.theme')}: ${t(`app.themes.${state.theme}`)}`)
      panel.update(state, problems)
    },
    focus: (language) => choice.links.find((link) => link.lang === language)?.focus()
  }
}
