/** Sharing a room: its link, or the HTML that embeds its figure in another page. */

import { createClipboard } from '../lib/clipboard.js'
import { h } from '../lib/dom.js'
import { createMenu } from '../lib/menu.js'
import { modelOf } from '../models/index.js'
import { OPENING } from '../models/state.js'
import { createExportMenu } from './export_model.js'

/** @import { Context, Patch, Run } from '../types.d.ts' */

/** Height of what surrounds an embedded figure: title and origin above, the line of a cell below. */
const SURROUNDING_HEIGHT = 200
const STEP = 20

/** @type {Record<string, string>} */
const ESCAPES = { '&': '&amp;', '"': '&quot;', '<': '&lt;', '>': '&gt;' }
/** @param {string} text */
const escapeHtml = text => text.replace(/[&"<>]/g, sign => ESCAPES[sign])

/**
 * The element that embeds a link.
 * @param {{ url: string, title: string, height: number }} frame
 */
export const embedCode = ({ url, title, height }) => (
  `<iframe src="${escapeHtml(url)}" title="${escapeHtml(title)}" width="100%" ` +
  `height="${Math.ceil((height + SURROUNDING_HEIGHT) / STEP) * STEP}" style="border: 0" loading="lazy"></iframe>`)

/**
 * Where an element is copied from.
 * @typedef {{ script: string, language: string, url: string, title: string }} Place url, title: of the link inside the
 *   element, which is visible where the script does not load
 */

/**
 * A script and an element.
 * @param {Place} place @param {string} name @param {string} attributes
 */
const writeElement = ({ script, language, url, title }, name, attributes) => (
  `<script type="module" src="${escapeHtml(script)}"></script>\n` +
  `<${name} lang="${language}" ${attributes}><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></${name}>`)

/**
 * The script and the element that draw a figure in another page.
 * @param {Place & { state: string }} figure state: the part of its link after `#`
 */
export const elementCode = ({ state, ...place }) => (
  writeElement(place, 'glass-figure', `state="${escapeHtml(state)}" controls`))

/**
 * The script and the element that plays a lesson in another page, from a step on.
 * @param {Place & { lesson: string, at: number }} lesson at: its step, from 0
 */
export const lessonCode = ({ lesson, at, ...place }) => (
  writeElement(place, 'glass-lesson', `lesson="${lesson}" step="${at + 1}"`))

/** Whether a training is of the reader's own text or weights, which only this page has. @param {string} theatre */
const isOfReader = theatre => /_(mark|origin|start-given)/.test(theatre)

/**
 * The script and the element that run a training in another page, without the one it races against.
 * @param {Place & { theatre: string }} training theatre: as in a link, `dates_steps-300`
 */
export function trainingCode({ theatre, ...place }) {
  const [task, ...parts] = theatre.split('_').filter(part => !part.startsWith('vs-'))
  const settings = parts.map(part => part.replace('-', '=')).join('&')
  return writeElement(place, 'glass-training', `task="${task}"${settings && ` settings="${escapeHtml(settings)}"`}`)
}

/**
 * The boxes whose height an embedded page needs: the figures of a room and its twin, of the opening, and of the
 * training page down to its curves.
 */
const FIGURES = '.stage .stage-figure, .living-slot, .theatre-head, .theatre-stage'
/** The height where there is no figure yet. */
const DEFAULT_HEIGHT = 480

/**
 * The height from the top of the first box to the bottom of the last; invisible ones have no height.
 * @param {Pick<DOMRect, 'top' | 'bottom' | 'height'>[]} boxes
 */
export function measureHeight(boxes) {
  const visible = boxes.filter(({ height }) => height)
  if (!visible.length) return DEFAULT_HEIGHT
  return Math.max(...visible.map(({ bottom }) => bottom)) - Math.min(...visible.map(({ top }) => top))
}

/** The height of the row of heads, which stays above an embedded figure. */
const measureHeads = () => document.querySelector('.stage [data-picker="head"]')?.getBoundingClientRect().height ?? 0

const measureFigures = () => measureHeads() +
  measureHeight([...document.querySelectorAll(FIGURES)].map(element => element.getBoundingClientRect()))

/**
 * Mounts the share menu, closed.
 * @param {Pick<Context, 't' | 'get' | 'link' | 'language' | 'runQuery' | 'run' | 'selectedCell'>} context
 */
export function createShareMenu(context) {
  const { t, link, language } = context
  const exportMenu = createExportMenu(context)
  const { copy, elements } = createClipboard({ done: t('app.shared'), byHand: t('figure.byHand') })
  /** @param {string} action @param {() => string} text */
  const button = (action, text) => h('button', {
    'type': 'button', 'className': 'quiet', 'data-action': action, 'onclick': () => copy(text())
  }, t(`app.${action}`))
  /** The figure alone, also of a lesson's step. @param {Patch} [patch] */
  const figureLink = (patch = {}) => link({ lesson: '', at: 0, cell: context.selectedCell?.() ?? null, ...patch })
  const elementButton = button('element', () => {
    const { theatre, lesson, at } = context.get()
    const url = theatre || lesson ? link() : figureLink()
    const place = { script: new URL('elements.js', location.href).href, language: language(), url, title: document.title }
    if (theatre) return trainingCode({ ...place, theatre })
    return lesson ? lessonCode({ ...place, lesson, at }) : elementCode({ ...place, state: new URL(url).hash.slice(1) })
  })
  const guide = h('p', { className: 'menu-note' }, h('a', { href: 'docs/elements.html' }, t('app.guide')))
  const element = createMenu({ className: 'share', label: t('app.sharing') }, button('share', () => link()),
    elementButton, button('embed', () => embedCode({
      url: figureLink({ embed: true, language: language() }), title: document.title, height: measureFigures()
    })),
    h('p', { className: 'menu-note' }, t('app.embedding')), h('p', { className: 'menu-note' }, t('app.elsewhere')), guide, elements,
    exportMenu.element)
  return {
    element,
    /** @param {Run | null} run */
    update(run) {
      exportMenu.update(run)
      const { theatre, room, model } = context.get()
      // An element displays a room, a lesson or a training; a page in one file has no script to load.
      const isAbsent = theatre ? isOfReader(theatre) : room === OPENING || modelOf(model).isImported === true
      guide.hidden = location.protocol === 'file:'
      elementButton.hidden = isAbsent || guide.hidden
    }
  }
}

/** The frames of a page that embeds this one learn its height. */
export function postHeight() {
  if (parent === window) return
  const post = () => parent.postMessage({ glassformer: 'height', height: document.body.offsetHeight }, '*')
  new ResizeObserver(post).observe(document.body)
  post()
}

/**
 * The link from an embedded figure to the whole page.
 * @param {HTMLElement} element
 * @param {Pick<Context, 't' | 'link'>} context
 */
export function mountSignature(element, { t, link }) {
  const anchor = h('a', { 'target': '_blank', 'rel': 'noopener', 'aria-label': t('app.whole') },
    'glassformer', h('span', { 'aria-hidden': 'true' }, ' ↗'))
  element.replaceChildren(anchor)
  return { update: () => anchor.setAttribute('href', link({ embed: false })) }
}
