/** Input of the reader's own text: typed, pasted, or a file that is chosen or dropped. */

import { h, setText, uniqueId } from '../../lib/dom.js'
import { sizeProblem, decodeText } from '../../../src/training/custom_text.js'

/** @import { Problem, Translate } from '../../types.d.ts' */

/** The maximum length in the text box: more would be laid out again with every letter. */
const MAX_DISPLAYED = 20_000

/**
 * @param {Element} container
 * @param {{ t: Translate, give(text: string): void }} context
 */
export function mountTextInput(container, { t, give: setOwnText }) {
  const id = uniqueId('text')
  const problem = h('p', { className: 'problem', role: 'alert', id: uniqueId('problem') })
  /** @type {HTMLTextAreaElement} */
  const area = h('textarea', {
    id, 'rows': 3, 'spellcheck': 'false', 'placeholder': t('theatre.paste'), 'data-field': 'text',
    'aria-describedby': problem.id, 'oninput': () => setOwnText(area.value)
  })
  const note = h('p', { className: 'theatre-why' })
  /** @type {HTMLInputElement} */
  const file = h('input', { 'type': 'file', 'accept': '.txt,.md,.csv,text/*', 'className': 'visually-hidden',
    'data-action': 'file', 'onchange': () => file.files?.[0] && readFile(file.files[0]) })
  /** @param {Problem} problem */
  const showProblem = ({ key, values }) => setText(problem, t(key, values))
  /** @param {File} textFile */
  async function readFile(textFile) {
    const size = sizeProblem(textFile.size)
    if (size) return showProblem(size)
    const read = decodeText(await textFile.arrayBuffer())
    if ('problem' in read) return showProblem(read.problem)
    area.value = read.text.slice(0, MAX_DISPLAYED)
    setOwnText(read.text)
  }
  const element = h('div', {
    className: 'theatre-text', ondragover: (/** @type {Event} */ event) => event.preventDefault(), ondrop: (/** @type {DragEvent} */ event) => {
      event.preventDefault()
      const [droppedFile] = /** @type {DataTransfer} */ (event.dataTransfer).files
      if (droppedFile) readFile(droppedFile)
    }
  }, h('label', { for: id }, t('theatre.ownText')), area, problem,
  h('label', { className: 'theatre-file' }, file, h('span', {}, t('theatre.file'))), note)
  container.append(element)
  return {
    /** @param {{ isFor: boolean, problem: string, text: string | undefined }} facts */
    update({ isFor, problem: problemText, text }) {
      element.hidden = !isFor
      setText(problem, problemText)
      area.setAttribute('aria-invalid', problemText ? 'true' : 'false')
      if (text !== undefined && area.value === '') area.value = text.slice(0, MAX_DISPLAYED)
      setText(note, text === undefined ? t('theatre.noText') : t('theatre.textSize', { count: text.length }))
    }
  }
}
