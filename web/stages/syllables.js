/** A Hangul syllable: its letters, its code computed from them, its bytes, and the tokens that contain them. */

import { mountChipChooser } from '../lib/chips.js'
import { probabilityDomain } from '../lib/color.js'
import { h, syncChildren, setText } from '../lib/dom.js'
import { setFormula } from '../lib/formula.js'
import { COUNTS, FINALS, FIRST_SYLLABLE, INITIALS, VOWELS, letterIndices } from '../../src/training/models/hangul.js'

/** @import { BuiltElement, Mount, Run, Stage, Syllable, View } from '../types.d.ts' */

export const id = 'syllables'
/** @type {string[]} */ export const controls = []
/** @type {string[]} */ export const pickers = []

const utf8 = new TextEncoder()
/** The number of leading bits in each of three UTF-8 bytes that mark its place in the character. */
const MARKS = [4, 2, 2]
const LETTERS = /** @type {const} */ (['initial', 'vowel', 'final'])
const JAMO = { initial: INITIALS, vowel: VOWELS, final: ['∅', ...FINALS] }

/** @param {Syllable} one */
const describeSyllable = ({ syllable, pieces }) => {
  const code = syllable.charCodeAt(0)
  return {
    syllable, code, offset: code - FIRST_SYLLABLE, letters: letterIndices(syllable), pieces,
    bytes: Array.from(utf8.encode(syllable), (byte, i) => {
      const bits = byte.toString(2)
      return { hex: byte.toString(16).toUpperCase(), mark: bits.slice(0, MARKS[i]), bits: bits.slice(MARKS[i]) }
    })
  }
}

/** The syllables of the text, or of an example. @param {Run} run @param {View<'syllables'>} view */
export function data(run, { room }) {
  const { isExample = true, syllables = [] } = run.streams[room.parts.stream].hangul ?? {}
  return { isExample, syllables: syllables.map(describeSyllable) }
}

/** The thumbnail: one cell per syllable, by its number of tokens. @type {Stage<'syllables'>['picture']} */
export function picture(run, view) {
  const counts = data(run, view).syllables.map(({ pieces }) => pieces.length)
  if (counts.length === 0) return null
  return { part: { rows: 1, cols: counts.length, values: Float32Array.from(counts, count => Math.min(1, count / 3)) },
    domain: probabilityDomain() }
}

const createBox = () => h('span', { className: 'hangul-box' }, h('b'), h('small'))

/** @type {Mount<typeof data>} */
export function mount(container, context) {
  const { t } = context
  /** @type {ReturnType<typeof data>} */ let latest
  const note = h('p', { className: 'note' })
  container.append(note)
  const list = mountChipChooser(container, () => draw())
  const [letters, bytes, pieces] = [1, 2, 3].map(() => h('div', { className: 'hangul-boxes' }))
  const sums = [1, 2].map(() => h('div', { 'className': 'equation', 'data-part': 'code' }))
  const text = h('p', { className: 'note' })
  /** @param {string} title @param {...Element} inside */
  const row = (title, ...inside) => h('li', {}, h('h2', {}, title), ...inside)
  container.append(h('section', { 'className': 'search', 'aria-live': 'polite' }, h('ol', { className: 'hangul' },
    row(t('stages.syllables.letters'), letters), row(t('stages.syllables.code'), h('div', {}, ...sums)),
    row(t('stages.syllables.bytes'), bytes), row(t('stages.syllables.tokens'), pieces)), text))

  /**
   * @param {BuiltElement<HTMLElement>} box @param {string} part @param {string} text @param {string} note
   * @param {readonly [number, number]} columns
   */
  function fill(box, part, text, note, [from, to]) {
    box.dataset.part = part
    setText(box.children[0], text)
    setText(box.children[1], note)
    box.style.setProperty('grid-column', `${from + 1} / ${to + 1}`)
  }
  /**
   * @template T @param {Element} parent @param {readonly T[]} items
   * @param {(box: BuiltElement<HTMLElement>, item: T, i: number) => void} update
   */
  const boxes = (parent, items, update) => syncChildren(parent, items, createBox, (box, item, i) => (
    update(/** @type {BuiltElement<HTMLElement>} */ (box), item, i)))

  /** The note on the tokens of a syllable. @param {Syllable['pieces']} all */
  function tokenNote(all) {
    if (all.length === 1) return t('stages.syllables.whole')
    return t(all[0].range ? 'stages.syllables.shared' : 'stages.syllables.apart', { count: all.length })
  }
  function draw() {
    const { syllables, isExample } = latest
    const longest = syllables.reduce((found, { pieces: all }, i) => (
      all.length > syllables[found].pieces.length ? i : found), 0)
    const at = list.chosenIndex(longest, syllables.length)
    list.update([{ name: '', chips: syllables.map(({ syllable, pieces: all }, i) => (
      { text: syllable, note: String(all.length), isHighlighted: i === at })) }])
    setText(note, isExample ? t('stages.syllables.example') : '')
    const chosen = syllables[at]
    text.parentElement?.toggleAttribute('hidden', !chosen)
    if (!chosen) return
    const { initial, vowel, final } = chosen.letters
    boxes(letters, LETTERS, (box, part, i) => {
      const number = chosen.letters[part]
      fill(box, part, JAMO[part][number], t(`stages.syllables.${part}`, { number }), [i, i + 1])
    })
    setFormula(sums[0], `(${initial} × ${COUNTS.vowels} + ${vowel}) × ${COUNTS.finals} + ${final} = ${chosen.offset}`)
    setFormula(sums[1], `${chosen.offset} + ${FIRST_SYLLABLE} = ${chosen.code} = "U+${chosen.code.toString(16).toUpperCase()}"`)
    boxes(bytes, chosen.bytes, (box, { hex, mark, bits }, i) => {
      fill(box, `byte ${i}`, hex, '', [i, i + 1])
      box.lastChild.replaceChildren(h('i', {}, mark), bits)
    })
    boxes(pieces, chosen.pieces, (box, { token, id, range }, i) => (
      fill(box, `piece ${i}`, token, String(id), range ?? [i, i + 1])))
    setText(text, tokenNote(chosen.pieces))
  }
  return {
    update(next) {
      latest = next
      draw()
    },
    mark() {},
    destroy() {}
  }
}
