/** The small figure of a step, which takes the place of the room. */

import { FIGURES } from '../figures/index.js'
import { translator } from '../lib/text.js'
import { loadLessonTexts } from '../words/parts.js'

/** @import { Language } from '../types.d.ts' */
/** @import { Step } from './index.js' */

/**
 * The figure of a step, with the step's own words.
 * @param {NonNullable<Step['figure']>} figure @param {Language} language @param {Record<string, any>} words of the step
 * @param {() => void} [onchange] called when the reader changes a number
 */
export async function createFigure({ id, options }, language, words, onchange = () => {}) {
  const [create, texts] = await Promise.all([FIGURES[id](), loadLessonTexts(language, 'figures')])
  return create({ t: translator(texts, { own: () => ({ [id]: words.figure ?? {} }) }), onchange }, options)
}

/**
 * @param {HTMLElement} container @param {HTMLElement} root which gets an attribute if there is a small figure
 * @param {() => void} onchange called when the reader changes a number, and once when the figure is there
 * @param {(error: unknown) => void} reportError
 */
export function createStepFigure(container, root, onchange, reportError) {
  /**
   * `initial` are its values before the reader has changed any.
   * @type {{ key: string, figure: import('../figures/index.js').Figure | null, initial?: string }}
   */
  let shown = { key: '', figure: null }
  /** @param {boolean} isOn */
  function toggle(isOn) {
    container.hidden = !isOn
    root.toggleAttribute('data-lesson-figure', isOn)
  }
  /**
   * @param {NonNullable<Step['figure']>} of @param {string} key @param {Language} language
   * @param {Record<string, any>} words of the step
   */
  async function build(of, key, language, words) {
    const figure = await createFigure(of, language, words, onchange)
    if (shown.key !== key) return
    Object.assign(shown, { figure, initial: JSON.stringify(figure.values()) })
    container.replaceChildren(figure.element)
    onchange()
  }
  return {
    /** @param {Step} step @param {string} lesson @param {Language} language @param {Record<string, any>} words */
    update(step, lesson, language, words) {
      toggle(Boolean(step.figure))
      const key = step.figure ? `${lesson} ${step.id} ${language}` : ''
      if (key === shown.key) return
      shown = { key, figure: null }
      container.replaceChildren()
      if (step.figure) build(step.figure, key, language, words).catch(reportError)
    },
    /** What the figure shows now; null while it is loading. */
    values: () => shown.figure?.values() ?? null,
    /** Whether the reader has changed it. */
    isChanged: () => JSON.stringify(shown.figure?.values()) !== shown.initial,
    /** @param {Record<string, any>} values */
    set: values => shown.figure?.set(values),
    clear() {
      toggle(false)
      shown = { key: '', figure: null }
      container.replaceChildren()
    }
  }
}
