/** Checks the texts of the room about Hangul with Unicode's decomposition and the platform's UTF-8. */

import { isPageText, roomStream, matchMessage } from './text_view.js'

/** The code points of the first initial, the first vowel, and the one before the first final consonant. */
const FIRST_CODES = { initial: 0x1100, vowel: 0x1161, final: 0x11a7 }

/** The syllable that is selected by default: the first of those with the most tokens. */
export function selectedSyllable(view) {
  const { syllables } = roomStream(view).hangul
  return syllables.find(({ pieces }) => syllables.every(syllable => syllable.pieces.length <= pieces.length))
}

/** The indices of a syllable's letters among initials, vowels and finals. */
function letterIndices(syllable) {
  const codes = Array.from(syllable.normalize('NFD'), letter => letter.charCodeAt(0))
  return Object.fromEntries(Object.entries(FIRST_CODES).map(([part, first], i) => [part, (codes[i] ?? first) - first]))
}

function isInFormula(syllable, text) {
  const code = syllable.charCodeAt(0), { initial, vowel, final } = letterIndices(syllable)
  const numbers = [initial, vowel, final, 21, 28, 0xac00, code - 0xac00, code]
  return text === `U+${code.toString(16).toUpperCase()}` || numbers.includes(Number(text))
}

/** Whether the text of a part is right; parts are `initial`, `code`, `byte 0`, `piece 1` and so on. */
export function isHangulPartRight(view, text, part) {
  if (part === undefined) return isPageText(view, text)
  const { syllable, pieces } = selectedSyllable(view)
  const [kind, i] = part.split(' ')
  if (kind === 'code') return isInFormula(syllable, text)
  if (kind === 'byte') {
    const byte = new TextEncoder().encode(syllable)[i], bits = byte.toString(2), mark = Number(i) === 0 ? 4 : 2
    return [byte.toString(16).toUpperCase(), bits.slice(0, mark), bits.slice(mark)].includes(text)
  }
  if (kind === 'piece') {
    const { id, token } = pieces[i]
    return roomStream(view).vocabulary[id] === token && [token, String(id)].includes(text)
  }
  return Number(matchMessage(view, `stages.syllables.${kind}`, text)?.number) === letterIndices(syllable)[kind]
}
