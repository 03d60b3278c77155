/**
 * The code editor. It stands in a shadow root, where CodeMirror adopts its style sheets as objects: as a style element
 * they would be refused by the page's policy.
 */

import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { javascriptLanguage } from '@codemirror/lang-javascript'
import { HighlightStyle, bracketMatching, indentOnInput, syntaxHighlighting, syntaxTree } from '@codemirror/language'
import { EditorState, StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { h } from '../lib/dom.js'

/** The colors of `web/style/figures.css`. */
const COLORS = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--muted)' }, { tag: tags.keyword, color: 'var(--accent)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'color-mix(in srgb, var(--positive) 88%, var(--ink))' },
  { tag: tags.string, color: 'var(--negative)' }
])

/** Colors are variables of the page, so that its themes apply. */
const THEME = EditorView.theme({
  '&': { color: 'var(--ink)', backgroundColor: 'var(--paper)', fontSize: '13.5px', maxHeight: 'var(--editor-height, none)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.6', overflowX: 'auto' },
  '.cm-content': { padding: '12px 0', caretColor: 'var(--ink)', minHeight: '160px' },
  '.cm-line': { padding: '0 12px 0 8px' },
  '.cm-gutters': { backgroundColor: 'var(--paper)', color: 'var(--muted)', border: '0' },
  '.cm-lineNumbers .cm-gutterElement': { minWidth: '32px' },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: 'var(--wash)', outline: '1px solid var(--faint)' },
  '.cm-error-line': { backgroundColor: 'color-mix(in srgb, var(--wrong) 14%, transparent)' }
})

/** @type {import('@codemirror/state').StateEffectType<number | null>} */
const setErrorLine = StateEffect.define()
const ERROR_LINE = Decoration.line({ class: 'cm-error-line' })
/** The line of the last error, until the code changes. */
const errorLines = StateField.define({
  create: () => Decoration.none,
  update(lines, { effects, docChanged, state: { doc } }) {
    const effect = effects.find(item => item.is(setErrorLine))
    if (!effect) return docChanged ? Decoration.none : lines
    const { value: line } = effect
    return line && line <= doc.lines ? Decoration.set([ERROR_LINE.range(doc.line(line).from)]) : Decoration.none
  },
  provide: field => EditorView.decorations.from(field)
})

/**
 * Replaces selected text before the browser does: Chromium would keep its look by an inline style, which the page's
 * policy refuses.
 */
const replaceSelected = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { inputType, data } = event
    if (inputType !== 'insertText' || data === null || view.state.selection.main.empty) return false
    event.preventDefault()
    view.dispatch(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    return true
  }
})

/**
 * @param {object} options
 * @param {string} options.code @param {string} options.label the accessible name
 * @param {() => void} options.onRun Ctrl or Cmd with Enter @param {(code: string) => void} options.onEdit
 */
export function createEditor({ code, label, onRun, onEdit }) {
  const element = h('div', { className: 'exercise-editor' })
  const root = element.attachShadow({ mode: 'open' })
  const run = () => {
    onRun()
    return true
  }
  // Tab is not bound, so that it leaves the editor.
  const view = new EditorView({
    root, parent: root,
    state: EditorState.create({ doc: code, extensions: [
      lineNumbers(), EditorView.lineWrapping, history(), bracketMatching(), indentOnInput(), javascriptLanguage,
      syntaxHighlighting(COLORS), THEME, errorLines, replaceSelected, keymap.of([{ key: 'Mod-Enter', run }, ...defaultKeymap, ...historyKeymap]),
      // With a tabindex, so that a reader can scroll what does not fit.
      EditorView.contentAttributes.of({ 'aria-label': label, 'tabindex': '0', 'spellcheck': 'false', 'autocapitalize': 'off' }),
      EditorView.updateListener.of(({ docChanged, state: { doc } }) => docChanged && onEdit(doc.toString()))
    ] })
  })
  return {
    element,
    get code() { return view.state.doc.toString() },
    /** Replaces the code, which the editor's own undo takes back. @param {string} text */
    replace(text) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
    },
    /** Highlights a line until the code changes. @param {number | null} line */
    markError: line => view.dispatch({ effects: setErrorLine.of(line) }),
    /** The line of the first syntax error, since an engine may not say it. @returns {number | null} */
    findSyntaxError() {
      /** @type {number | null} */ let line = null
      syntaxTree(view.state).iterate({ enter: ({ type, from }) => {
        if (type.isError) line ??= view.state.doc.lineAt(from).number
      } })
      return line
    },
    focus: () => view.focus(),
    destroy: () => view.destroy()
  }
}
