/** The level of detail: a dial of four levels, and the formulas and code that the two deepest add below the figure. */

import { makeScrollable, formulaList, translateWords } from '../inspector/explanation.js'
import { fetchJson } from './fetch_on_demand.js'
import { dotted, find, h, targetOf, uniqueId } from '../lib/dom.js'
import { formula } from '../lib/formula.js'
import { codeBlock } from '../lib/highlight.js'
import { dimensions } from '../lib/number.js'
import { convertFormula } from '../lib/engine_formula.js'
import { describedOf } from '../lib/run.js'
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
const LANGUAGES = { c: 'C', js: 'JavaScript', torch: 'PyTorch' }
/** @type {Depth[]} */ const FORMULAS = ['formula', 'code']

/** @param {Pick<Context, 't' | 'set'>} context */
function dial({ t, set }) {
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
const grids = stage => [...stage.querySelectorAll('.heat[data-tensor]')].filter(one => one instanceof HTMLElement)

/** The tensors that a stage draws, in drawing order. @param {HTMLElement} stage */
const tensorsShown = stage => [...new Set(grids(stage).map(grid => grid.dataset.tensor ?? ''))]

/** @param {HTMLElement} stage @param {string | null} name */
function light(stage, name) {
  for (const grid of grids(stage)) grid.classList.toggle('is-lit', grid.dataset.tensor === name)
}

/**
 * A symbol with its meaning; hovering over it highlights its matrix, if the room has it.
 * @param {Run} run @param {HTMLElement} stage @param {Recipe['symbols'][number]} symbol @param {Translate} t
 */
function meaning(run, stage, { symbol, tensor }, t) {
  const on = () => light(stage, tensor)
  const off = () => light(stage, null)
  const words = [formula(convertFormula(symbol, translateWords(t)), 'inline'), h('code', {}, dotted(tensor)),
    h('span', { className: 'shape' }, dimensions(describedOf(run, tensor)?.shape ?? []))]
  return h('li', {}, tensorsShown(stage).includes(tensor) ? h('button', {
    type: 'button', className: 'symbol', onpointerenter: on, onpointerleave: off, onfocus: on, onblur: off
  }, words) : h('span', { className: 'symbol' }, words))
}

/** @param {Run} run @param {HTMLElement} stage @param {Recipe[]} recipes @param {Translate} t */
function formulas(run, stage, recipes, t) {
  return recipes.map(({ name, symbols, ...rule }) => h('section', { className: 'recipe' },
    h('h2', {}, h('code', {}, dotted(name)), ' ',
      h('span', { className: 'shape' }, dimensions(describedOf(run, name).shape))),
    formulaList(rule, t), h('ul', { className: 'symbols' }, symbols.map(one => meaning(run, stage, one, t)))))
}

/** Every operation once, with the tensors that it made here. @param {Recipe[]} recipes */
function byOperation(recipes) {
  /** @type {Map<string, string[]>} */ const tensorsByOperation = new Map()
  for (const { op, name } of recipes) tensorsByOperation.set(op, [...(tensorsByOperation.get(op) ?? []), name])
  return [...tensorsByOperation]
}

/** @param {Code} code @param {Recipe[]} recipes @param {CodeLanguage} language @param {Translate} t */
function listing(code, recipes, language, t) {
  /** Operations share kernels; each kernel is listed once. @type {Set<string>} */ const above = new Set()
  return byOperation(recipes).map(([op, names]) => {
    /** @type {Listing[]} */
    const pieces = language === 'torch' ? [{ file: 'PyTorch', code: code[op].torch }] : code[op][language]
    return h('section', { className: 'recipe' }, h('h2', {}, h('code', {}, op), ' ',
      h('span', { className: 'shape' }, dotted(names.join(', ')))),
    pieces.length === 0 ? h('p', { className: 'note' }, t('depth.none')) : '',
    pieces.map(({ file, line, code: text }) => {
      const place = line ? `${file}:${line}` : file, isAbove = line && above.has(place)
      above.add(place)
      if (isAbove) return h('p', { className: 'note' }, t('depth.above', { place }))
      return h('figure', { className: 'listing' }, line ? h('figcaption', {}, place) : '',
        codeBlock(text, `${op}, ${place}`))
    }))
  })
}

/**
 * Mounts the dial beside the title of a stage, and the container for formulas and code below its figure.
 * @param {HTMLElement} stage
 * @param {Pick<Context, 't' | 'set' | 'ask'>} context
 */
export function depths(stage, context) {
  const { t, ask } = context
  const { element, show } = dial(context)
  const eyebrow = find(stage, '.eyebrow')
  const line = h('div', { className: 'stage-line' })
  eyebrow.replaceWith(line)
  line.append(eyebrow, element)
  const panel = h('section', { className: 'depth-panel', hidden: true })
  find(stage, '.stage-figure').after(panel)
  /** @type {CodeLanguage} */ let language = 'c'
  /** @type {{ run?: Run | null, depth?: Depth, names?: string }} */ let shown = {}
  let isAsked = false
  // The dial keeps its position on screen when used with the keyboard, so that the reader need not search for it.
  element.addEventListener('change', event => { isAsked = !targetOf(event).matches(':focus-visible') })

  /** @param {() => void} redraw */
  function languages(redraw) {
    return h('div', { 'className': 'directions', 'role': 'group', 'aria-label': t('depth.language') },
      /** @type {CodeLanguage[]} */ (Object.keys(LANGUAGES)).map(value => h('button', {
        'type': 'button', 'aria-pressed': String(value === language), 'onclick': () => {
          language = value
          redraw()
          find(panel, '[aria-pressed="true"]').focus()
        }
      }, LANGUAGES[value])))
  }
  /**
   * The tensors that the room makes, or, where it makes none, those that it displays.
   * @param {Run} run @param {Room} room
   */
  async function recipesOf(run, room) {
    const known = (await ask('recipes', { names: tensorsShown(stage) })).filter(({ op }) => op !== 'given')
    const own = known.filter(({ name }) => room.tensors.includes(name))
    return own.length ? own : known
  }
  /** @param {Run} run @param {View} view */
  async function draw(run, { depth, room }) {
    const recipes = await recipesOf(run, room)
    const code = depth === 'code' && recipes.length ? await fetchJson('code') : null
    if (shown.run !== run || shown.depth !== depth) return
    panel.hidden = recipes.length === 0
    panel.setAttribute('aria-label', t(`depth.${depth}`))
    panel.setAttribute('aria-busy', 'false')
    const redraw = () => {
      panel.replaceChildren(...(code
        ? [languages(redraw), ...listing(code, recipes, language, t)] : formulas(run, stage, recipes, t)))
      makeScrollable(panel)
    }
    redraw()
    if (isAsked) scrollIntoView(panel, 0.5)
    isAsked = false
  }
  return {
    /** @param {Run | null} run @param {View} view */
    update(run, view) {
      const { depth } = view
      show(depth)
      if (!FORMULAS.includes(depth)) {
        panel.hidden = true
        panel.setAttribute('aria-busy', 'false')
      }
      const same = shown.run === run && shown.depth === depth && shown.names === tensorsShown(stage).join()
      shown = { run, depth, names: tensorsShown(stage).join() }
      if (!run || !FORMULAS.includes(depth) || same) return
      panel.setAttribute('aria-busy', 'true')
      draw(run, view)
    }
  }
}
