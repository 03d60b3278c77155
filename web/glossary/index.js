/** The glossary: the terms of the page, and where each has its matrix. Loaded when it is opened. */

import { handleInternalClick, h } from '../lib/dom.js'
import { renderProse } from '../lib/prose.js'
import { getDescription } from '../lib/run.js'
import { createPointer } from '../lessons/pointer.js'
import { createScrollKeeper } from '../lessons/scroll_keeper.js'
import { defaults } from '../models/state.js'
import { loadGlossary } from '../words/index.js'
import { LESSON_TERMS, TERMS, stateOfTerm, tensorInRoom, findTerm } from './terms.js'

/** @import { Context, Language } from '../types.d.ts' */
/** @import { Term } from './terms.js' */

/** @typedef {typeof import('../words/en/glossary.json')} Words */

/**
 * @param {Language} language @param {Words} words @param {Words} english whose names of terms are displayed beside
 * @param {Context} context @param {(term: Term) => void} followTerm
 */
function createDialog(language, words, english, { t, set, get, link, rooms }, followTerm) {
  /** @type {Map<string, HTMLAnchorElement>} */ const links = new Map()
  /** @param {{ id: string, torch: string | null }} term @param {string} label @param {() => void} follow */
  function renderEntry({ id: termId, torch }, label, follow) {
    const id = /** @type {keyof Words['terms']} */ (termId), name = words.names[id], englishName = english.names[id]
    const show = h('a', { className: 'term-show', onclick: handleInternalClick(follow) }, label,
      h('span', { className: 'visually-hidden' }, `: ${name}`))
    links.set(termId, show)
    return h('section', { 'className': 'term-entry', 'data-term': termId },
      h('h4', {}, name, englishName === name ? '' : h('span', { lang: 'en' }, englishName), torch ? h('code', {}, torch) : ''),
      h('p', {}, renderProse(words.terms[id]), ' ', show))
  }
  /** @param {typeof LESSON_TERMS[number]} term */
  function stateOfLesson({ lesson, step }) {
    const { language: chosen, theme, depth } = get()
    return { ...defaults(), language: chosen, theme, depth, lesson, at: step }
  }
  /** The terms of a group under its heading. @param {string} group */
  const renderGroup = group => h('section', {}, h('h3', {}, words.groups[/** @type {keyof Words['groups']} */ (group)]),
    LESSON_TERMS.filter(term => term.group === group)
      .map(term => renderEntry(term, words.lesson, () => set(stateOfLesson(term), 'push'))),
    TERMS.filter(term => term.group === group).map(term => renderEntry(term, words.show, () => followTerm(term))))
  /** @type {HTMLDialogElement} */
  const dialog = h('dialog', { 'className': 'settings glossary', 'aria-label': words.title },
    h('div', { className: 'dialog-head' }, h('h2', {}, words.title),
      h('button', { type: 'button', className: 'quiet', onclick: () => dialog.close() }, t('app.close'))),
    h('p', { className: 'note' }, words.what), Object.keys(words.groups).map(renderGroup))
  dialog.addEventListener('click', event => event.target === dialog && dialog.close())
  // The event fires a task later, when the dialog may be open again.
  dialog.addEventListener('close', () => !dialog.open && get().glossary && set({ glossary: '' }))
  return {
    dialog, language,
    /** @param {string} id of the term at which it opens, or null */
    open(id) {
      TERMS.forEach(term => links.get(term.id)?.setAttribute('href', link(stateOfTerm(term, get(), rooms(), language))))
      LESSON_TERMS.forEach(term => links.get(term.id)?.setAttribute('href', link(stateOfLesson(term))))
      for (const section of dialog.querySelectorAll('.term-entry')) {
        section.classList.toggle('is-current', section.getAttribute('data-term') === id)
      }
      if (!dialog.open) dialog.showModal()
      links.get(id)?.focus({ preventScroll: true })
      dialog.querySelector('.is-current')?.scrollIntoView({ block: 'center' })
    }
  }
}

/** @param {HTMLElement} stage @param {Context} context */
export function mountGlossary(stage, context) {
  const { get, set } = context
  const pointer = createPointer(stage, document.documentElement, createScrollKeeper())
  /** @type {ReturnType<typeof createDialog> | null} */ let mounted = null
  let openedId = ''
  let isPointing = false

  /** @param {Term} term */
  function followTerm(term) {
    set(stateOfTerm(term, get(), context.rooms(), context.language()), 'push')
    stage.focus({ preventScroll: true })
  }
  /** @param {Language} language */
  async function build(language) {
    const [words, english] = await Promise.all([loadGlossary(language), loadGlossary('en')])
    if (context.language() !== language || mounted?.language === language) return
    mounted?.dialog.remove()
    mounted = createDialog(language, words, english, context, followTerm)
    document.body.append(mounted.dialog)
    openedId = ''
    showDialog()
  }
  function showDialog() {
    const { glossary: id } = get()
    if (id && mounted?.language !== context.language()) return build(context.language()).catch(context.reportError)
    if (id && id !== openedId) mounted?.open(id)
    if (!id) mounted?.dialog.close()
    openedId = id
  }
  /** The matrix of the selected term, as long as the reader stays in its room. */
  function showTerm() {
    const { lit, room: id } = get()
    const run = context.run()
    const room = context.rooms().find(currentRoom => currentRoom.id === id)
    const term = findTerm(lit)
    if (!term && isPointing) pointer.clear()
    isPointing = Boolean(term)
    if (!term || !run || !context.isCurrent()) return
    const name = room && tensorInRoom(term, room)
    if (!name) return set({ lit: '' })
    pointer.point({ tensor: name, index: (getDescription(run, name)?.shape ?? []).map(() => null) }, `${lit} ${id}`)
  }
  return {
    update() {
      showDialog()
      showTerm()
    }
  }
}
