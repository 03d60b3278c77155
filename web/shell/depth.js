/** The level of detail: a dial of four levels, and the formulas and code that the two deepest add below the figure. */

import { makeScrollable, renderRules, createWordTranslator } from '../inspector/explanation.js'
import { fetchJson } from '../lib/fetch_on_demand.js'
import { splitAtDots, findElement, h, targetOf, uniqueId } from '../lib/dom.js'
import { renderFormula } from '../lib/formula.js'
import { renderCode } from '../lib/highlight.js'
import { formatShape } from '../lib/number.js'
import { convertFormula } from '../lib/engine_formula.js'
import { getDescription } from '../lib/run.js'
import { scrollIntoView } from '../lib/viewport.js'

/** @import { Context, Depth, Recipe, Room, Run, Translate, View } from '../types.d.ts' */

/**
 * The code of every operation, collected when the page is built.
 * @typedef {Record<string, { c: Listing[], js: Listing[], torch: string }>} Code
 * @typedef {{ file: string, line?: number, code: string }} Listing
 * @typedef {'c' | 'js' | 'torch'} CodeLanguage
 */

/** From the shallowest to the deepest. */
/** @type {Depth[]} */
export const DEPTHS = ['story', 'numbers', 'formula', 'code']

/** @type {Record<CodeLanguage, string>} */
const LANGUAGES = { torch: 'PyTorch', c: 'C', js: 'JavaScript' }
/** @type {Depth[]} */ const FORMULAS = ['formula', 'code']

/** @param {Pick<Context, 't' | 'set'>} context */
function createDepthControl({ t, set }) {
  const group = uniqueId('depth')
  const inputs = DEPTHS.map(value => h('input', {
    type: 'radio', name: group, value, onchange: () => set({ depth: value })
  }))
  const element = h('fieldset', { 'className': 'control depths', 'data-picker': 'depth' },
    h('legend', { className: 'visually-hidden' }, t('depth.label')),
    h('div', { className: 'segments' }, inputs.map(input => (
      h('label', {}, input, h('span', {}, t(`depth.${input.value}`)))))))
  return { element, show(/** @type {Depth} */ depth) {
    inputs.forEach(input => { input.checked = input.value === depth })
  } }
}

/** @param {HTMLElement} stage @returns {HTMLElement[]} */
const listGrids = stage => [...stage.querySelectorAll('.heat[data-tensor]')].filter(element => element instanceof HTMLElement)

/** The tensors that a stage draws, in drawing order. @param {HTMLElement} stage */
const listTensors = stage => [...new Set(listGrids(stage).map(grid => grid.dataset.tensor ?? ''))]

/** @param {HTMLElement} stage @param {string | null} name */
function highlightGrids(stage, name) {
  for (const grid of listGrids(stage)) grid.classList.toggle('is-lit', grid.dataset.tensor === name)
}

/**
 * A symbol with its meaning; hovering over it highlights its matrix, if the room has it.
 * @param {Run} run @param {HTMLElement} stage @param {Recipe['symbols'][number]} symbol @param {Translate} t
 */
function renderSymbol(run, stage, { symbol, tensor }, t) {
  const addHighlight = () => highlightGrids(stage, tensor)
  const removeHighlight = () => highlightGrids(stage, null)
  const words = [renderFormula(convertFormula(symbol, createWordTranslator(t)), 'inline'), h('code', {}, splitAtDots(tensor)),
    h('span', { className: 'shape' }, formatShape(getDescription(run, tensor)?.shape ?? []))]
  return h('li', {}, listTensors(stage).includes(tensor) ? h('button', {
    type: 'button', className: 'symbol', onpointerenter: addHighlight, onpointerleave: removeHighlight, onfocus: addHighlight, onblur: removeHighlight
  }, words) : h('span', { className: 'symbol' }, words))
}

/** @param {Run} run @param {HTMLElement} stage @param {Recipe[]} recipes @param {Translate} t */
function renderRecipes(run, stage, recipes, t) {
  return recipes.map(({ name, symbols, ...rule }) => h('section', { className: 'recipe' },
    h('h2', {}, h('code', {}, splitAtDots(name)), ' ',
      h('span', { className: 'shape' }, formatShape(getDescription(run, name).shape))),
    renderRules(rule, t), h('ul', { className: 'symbols' }, symbols.map(symbol => renderSymbol(run, stage, symbol, t)))))
}

/** Every operation once, with the tensors that it made here. @param {Recipe[]} recipes */
function groupByOperation(recipes) {
  /** @type {Map<string, string[]>} */ const tensorsByOperation = new Map()
  for (const { op, name } of recipes) tensorsByOperation.set(op, [...(tensorsByOperation.get(op) ?? []), name])
  return [...tensorsByOperation]
}

/** @param {Code} code @param {Recipe[]} recipes @param {CodeLanguage} language @param {Translate} t */
function renderListings(code, recipes, language, t) {
  /** Operations share kernels; each kernel is listed once. @type {Set<string>} */ const listed = new Set()
  return groupByOperation(recipes).map(([op, names]) => {
    /** @type {Listing[]} */
    const pieces = language === 'torch' ? [{ file: 'PyTorch', code: code[op].torch }] : code[op][language]
    return h('section', { className: 'recipe' }, h('h2', {}, h('code', {}, op), ' ',
      h('span', { className: 'shape' }, splitAtDots(names.join(', ')))),
    pieces.length === 0 ? h('p', { className: 'note' }, t('depth.none')) : '',
    pieces.map(({ file, line, code: text }) => {
      const location = line ? `${file}:${line}` : file, isListed = line && listed.has(location)
      listed.add(location)
      if (isListed) return h('p', { className: 'note' }, t('depth.above', { place: location }))
      return h('figure', { className: 'listing' }, line ? h('figcaption', {}, location) : '',
        renderCode(text, `${op}, ${location}`, language === 'torch' ? 'python' : undefined))
    }))
  })
}

/**
 * Mounts the dial beside the title of a stage, and the container for formulas and code below its figure.
 * @param {HTMLElement} stage
 * @param {Pick<Context, 't' | 'set' | 'runQuery'>} context
 */
export function mountDepth(stage, context) {
  const { element, show } = createDepthControl(context)
  const eyebrow = findElement(stage, '.eyebrow')
  const line = h('div', { className: 'stage-line' })
  eyebrow.replaceWith(line)
  line.append(eyebrow, element)
  const panel = mountDepthPanel(stage, context)
  // The dial keeps its position on screen when used with the keyboard, so that the reader need not search for it.
  element.addEventListener('change', event => panel.scrollOnce(!targetOf(event).matches(':focus-visible')))
  return {
    /** @param {Run | null} run @param {View} view */
    update(run, view) {
      show(view.depth)
      panel.update(run, view)
    }
  }
}

/**
 * Mounts the container for formulas and code below the figure of a stage.
 * @param {HTMLElement} stage
 * @param {Pick<Context, 't' | 'runQuery'>} context
 */
export function mountDepthPanel(stage, { t, runQuery }) {
  const panel = h('section', { className: 'depth-panel', hidden: true })
  findElement(stage, '.stage-figure').after(panel)
  /** @type {CodeLanguage} */ let language = 'torch'
  /** @type {{ run?: Run | null, depth?: Depth, names?: string }} */ let rendered = {}
  let shouldScroll = false

  /** @param {() => void} redraw */
  function renderLanguages(redraw) {
    return h('div', { 'className': 'directions', 'role': 'group', 'aria-label': t('depth.language') },
      /** @type {CodeLanguage[]} */ (Object.keys(LANGUAGES)).map(value => h('button', {
        'type': 'button', 'aria-pressed': String(value === language), 'onclick': () => {
          language = value
          redraw()
          findElement(panel, '[aria-pressed="true"]').focus()
        }
      }, LANGUAGES[value])))
  }
  /**
   * The tensors that the room makes, or, where it makes none, those that it displays.
   * @param {Run} run @param {Room} room
   */
  async function loadRecipes(run, room) {
    const knownRecipes = (await runQuery('recipes', { names: listTensors(stage) })).filter(({ op }) => op !== 'given')
    const roomRecipes = knownRecipes.filter(({ name }) => room.tensors.includes(name))
    return roomRecipes.length ? roomRecipes : knownRecipes
  }
  /** @param {Run} run @param {View} view */
  async function draw(run, { depth, room }) {
    const recipes = await loadRecipes(run, room)
    const code = depth === 'code' && recipes.length ? await fetchJson('code') : null
    if (rendered.run !== run || rendered.depth !== depth) return
    panel.hidden = recipes.length === 0
    panel.setAttribute('aria-label', t(`depth.${depth}`))
    panel.setAttribute('aria-busy', 'false')
    const redraw = () => {
      panel.replaceChildren(...(code
        ? [renderLanguages(redraw), ...renderListings(code, recipes, language, t)]
        : renderRecipes(run, stage, recipes, t)))
      makeScrollable(panel)
    }
    redraw()
    if (shouldScroll) scrollIntoView(panel, 0.5)
    shouldScroll = false
  }
  return {
    /** Whether the panel is scrolled to when it is rendered next. @param {boolean} isWanted */
    scrollOnce(isWanted) {
      shouldScroll = isWanted
    },
    /** @param {Run | null} run @param {View} view */
    update(run, view) {
      const { depth } = view
      if (!FORMULAS.includes(depth)) {
        panel.hidden = true
        panel.setAttribute('aria-busy', 'false')
      }
      const same = rendered.run === run && rendered.depth === depth && rendered.names === listTensors(stage).join()
      rendered = { run, depth, names: listTensors(stage).join() }
      if (!run || !FORMULAS.includes(depth) || same) return
      panel.setAttribute('aria-busy', 'true')
      draw(run, view)
    }
  }
}
