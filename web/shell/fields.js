/** Input fields with examples: short fields in the top line, long ones above the figure. */

import { h, setText, uniqueId } from '../lib/dom.js'
import { modelOf } from '../models/index.js'
import { nameText } from '../models/names.js'
import { examplesFor } from '../words/examples.js'
import { LANGUAGES } from '../words/index.js'

/** @import { Context, Field, PageModel, Run, State } from '../types.d.ts' */

/** A model's examples, as buttons. @param {PageModel} model @param {Pick<Context, 't' | 'set' | 'language'>} context */
function createExamples({ examples }, { t, set, language }) {
  const first = examplesFor(examples, language())
  const list = [...first, ...examples.filter(example => !first.includes(example))]
  return h('div', { 'className': 'examples', 'role': 'group', 'aria-label': t('controls.presets.label') },
    list.map(({ text, word, lang, note, patch }) => h('button', {
      type: 'button', className: 'quiet', ...(text && lang && { lang }), onclick: () => set(patch)
    }, text ?? t(`controls.${word}`), note ? h('small', { lang: LANGUAGES[language()].tag }, ` ${t(`controls.${note}`)}`) : '')))
}

/** Lines that a one-line field grows to while it has the focus. */
const MAX_LINES = 8

/** A one-line field that grows over what is below it while it has the focus. @param {HTMLTextAreaElement} area */
function wrapGrowingArea(area) {
  function fitLines() {
    area.rows = 1
    area.classList.remove('is-tall')
    const lines = () => Math.floor(area.scrollHeight / Number.parseFloat(getComputedStyle(area).lineHeight))
    // The field is wider now, so it may need fewer lines.
    area.classList.toggle('is-tall', lines() > 1)
    area.rows = Math.min(MAX_LINES, lines())
  }
  area.addEventListener('focus', fitLines)
  area.addEventListener('input', fitLines)
  area.addEventListener('blur', () => {
    area.rows = 1
    area.classList.remove('is-tall')
    area.scrollTop = 0
  })
  return h('span', { className: 'line' }, area)
}

/**
 * One field with its problem and notes on what it accepts.
 * @param {string} name @param {Field} how
 * @param {Pick<Context, 't' | 'set'> & { named: (text: string) => string }} context named: an answer as it is displayed
 */
function createField(name, { isLong, hasBreaks, isAnswer, notes = [] }, { t, set, named }) {
  const id = uniqueId(name)
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  /** @type {HTMLInputElement | HTMLTextAreaElement} */
  const input = h(isLong || hasBreaks ? 'textarea' : 'input', {
    id, ...(isLong || hasBreaks ? { rows: isLong ? '4' : '1' } : { type: 'text' }),
    'spellcheck': 'false', 'autocomplete': 'off',
    'aria-describedby': problem.id, 'data-field': name, 'oninput': () => set({ [name]: input.value }),
    'onblur': () => { if (isAnswer) input.value = named(input.value) }
  })
  const hint = h('small', {}, isLong ? t(`controls.${name}.hint`) : '')
  const notesElement = h('div', { className: 'help' }, problem,
    notes.map(note => h('p', { className: 'known-words' }, t(`controls.${name}.${note}`))))
  const clear = isAnswer ? h('button', { type: 'button', className: 'quiet clear', onclick: () => {
    set({ [name]: '' })
    input.focus()
  } }, t(`controls.${name}.clear`)) : ''
  const element = h('div', { className: isLong ? 'long-field' : `field is-${name}` },
    h('label', { for: id }, t(`controls.${name}.label`), hint),
    hasBreaks ? wrapGrowingArea(/** @type {HTMLTextAreaElement} */ (input)) : input, notesElement, clear)
  return {
    element, help: notesElement,
    /**
     * @param {State} state @param {Record<string, string>} problems @param {string | null} answer
     * @param {string | null} doubt @param {boolean} isFixed whether no other answer can be scored
     */
    update(state, problems, answer, doubt, isFixed) {
      const text = String(state[name])
      // What is being typed remains as it is.
      const displayed = isAnswer && !(input.value === text && input.matches(':focus')) ? named(text) : text
      if (input.value !== displayed) input.value = displayed
      setText(problem, problems[name] ?? '')
      element.classList.toggle('is-wrong', Boolean(problems[name]))
      input.setAttribute('aria-invalid', problems[name] ? 'true' : 'false')
      if (isLong) /** @type {HTMLTextAreaElement} */ (input).rows = Math.min(8, Math.max(3, text.split('\n').length))
      if (!isAnswer) return
      const isGiven = text.trim() !== ''
      if (clear) clear.hidden = !isGiven
      setText(hint, t(`controls.${name}.${isGiven ? 'given' : doubt ?? 'produced'}`))
      element.classList.toggle('is-doubted', !isGiven && doubt !== null)
      if (answer !== null) input.placeholder = answer
      input.readOnly = isFixed
      // The answer to an earlier input does not belong to the current text.
      element.classList.toggle('is-old', Object.keys(problems).length > 0)
    }
  }
}

/**
 * The model's own answer as text; null while there is none.
 * @param {PageModel} model @param {Run | null} run
 */
function answerText(model, run) {
  if (!run) return ''
  if (run.classification) return run.classification.text
  if (!run.decoding || run.decoding.kind === 'given') return null
  return model.written(run.decoding.steps.map(({ token }) => token))
}

/**
 * Mounts the fields of one kind for the selected model, and rebuilds them when the model changes.
 * @param {{ isLong: boolean }} kind
 * @param {Pick<Context, 't' | 'set' | 'language'>} context
 */
export function mountFields({ isLong }, context) {
  const element = h('div', { className: isLong ? 'long-fields' : 'entry' })
  /** @type {{ model: PageModel | null, list: ReturnType<typeof createField>[] }} */
  let current = { model: null, list: [] }
  /** @param {PageModel} model */
  function build(model) {
    const fieldEntries = Object.entries(model.fields).filter(([, definition]) => Boolean(definition.isLong) === isLong)
    const named = (/** @type {string} */ text) => nameText(text, model.id, context.language())
    const list = fieldEntries.map(([name, definition]) => createField(name, definition, { ...context, named }))
    const [first] = list
    first?.help.append(createExamples(model, context))
    const arrow = h('span', { 'className': 'entry-arrow', 'aria-hidden': 'true' }, '→')
    element.replaceChildren(...list.flatMap((part, i) => (i ? [arrow, part.element] : [part.element])))
    element.hidden = list.length === 0
    current = { model, list }
  }
  return {
    element,
    /** @param {State} state @param {Record<string, string>} problems texts by control @param {Run | null} run */
    update(state, problems, run) {
      const model = modelOf(state.model)
      if (current.model !== model) build(model)
      const answer = answerText(model, run)
      const doubt = Object.keys(problems).length > 0 ? null : model.warning?.(state) ?? null
      current.list.forEach(part => part.update(state, problems, answer, doubt, Boolean(run?.classification)))
    }
  }
}

/**
 * Mounts what stands above the figure: long fields, or, where the fields are in the top line, only the examples.
 * @param {Element} container
 * @param {Pick<Context, 't' | 'set' | 'language'>} context
 */
export function mountInputs(container, context) {
  const { t } = context
  const longFields = mountFields({ isLong: true }, context)
  const exampleArea = h('div', {})
  container.append(longFields.element, exampleArea)
  /** @type {string | null} */ let model = null
  return {
    /** @param {State} state @param {Record<string, string>} problems texts by control */
    update(state, problems) {
      longFields.update(state, problems, null)
      exampleArea.hidden = !longFields.element.hidden || modelOf(state.model).examples.length === 0
      if (model === state.model) return
      model = state.model
      container.setAttribute('aria-label', t('controls.presets.label'))
      exampleArea.replaceChildren(h('p', { className: 'inputs-title' }, t('controls.presets.title')),
        createExamples(modelOf(model), context))
    }
  }
}
