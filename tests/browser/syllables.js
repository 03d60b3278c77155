/** What the room of Hangul writes of a syllable, from Unicode's own decomposition and the platform's UTF-8. */

import { isProse, streamOf, valuesIn } from './number_kinds.js'

/** Where Unicode has initials, vowels and what stands before the endings. */
const FIRSTS = { initial: 0x1100, vowel: 0x1161, final: 0x11a7 }

/** The syllable that is open before anything is pressed: of those with the most tokens the first. */
export function openSyllable(view) {
  const { syllables } = streamOf(view).hangul
  return syllables.find(({ pieces }) => syllables.every(other => other.pieces.length <= pieces.length))
}

/** The numbers of its letters. */
function lettersOf(syllable) {
  const codes = Array.from(syllable.normalize('NFD'), letter => letter.charCodeAt(0))
  return Object.fromEntries(Object.entries(FIRSTS).map(([part, first], i) => [part, (codes[i] ?? first) - first]))
}

function isInSum(syllable, text) {
  const code = syllable.charCodeAt(0), { initial, vowel, final } = lettersOf(syllable)
  const numbers = [initial, vowel, final, 21, 28, 0xac00, code - 0xac00, code]
  return text === `U+${code.toString(16).toUpperCase()}` || numbers.includes(Number(text))
}

/** Whether a number of a part of it is right: `initial`, `code`, `byte 0`, `piece 1`. */
export function hangulPart(view, text, part) {
  if (part === undefined) return isProse(view, text)
  const { syllable, pieces } = openSyllable(view)
  const [kind, i] = part.split(' ')
  if (kind === 'code') return isInSum(syllable, text)
  if (kind === 'byte') {
    const byte = new TextEncoder().encode(syllable)[i], bits = byte.toString(2), mark = Number(i) === 0 ? 4 : 2
    return [byte.toString(16).toUpperCase(), bits.slice(0, mark), bits.slice(mark)].includes(text)
  }
  if (kind === 'piece') {
    const { id, token } = pieces[i]
    return streamOf(view).vocabulary[id] === token && [token, String(id)].includes(text)
  }
  return Number(valuesIn(view, `stages.syllables.${kind}`, text)?.number) === lettersOf(syllable)[kind]
}
