/** Pairs of texts to compare: as many tokens, different answers. */

import { DATE_PAIR } from '../../src/training/models/dates/data.js'
import { examplesFor } from '../words/examples.js'
import { modelOf, problemsOf, textField } from './index.js'

/** @import { Patch, Problem, State } from '../types.d.ts' */

/** By model and language. @type {Record<string, { lang: string, texts: string[] }[]>} */
export const PAIRS = {
  dates: [{ lang: 'en', texts: DATE_PAIR }],
  stories: [{ lang: 'ko', texts: ['서연은 하얀 고양이를 키워요.', '서연은 하얀 강아지를 키워요.'] },
    { lang: 'en', texts: ['Beno has a blue bird.', 'Beno has a blue dog.'] }],
  particles: [{ lang: 'ko', texts: ['나는 최근 파리 여행[?] 다녀왔다', '나는 최근 파리 영화[?] 다녀왔다'] },
    { lang: 'en', texts: ['the keys to the cabinet [?] here', 'the key to the cabinets [?] here'] }]
}

/**
 * The text with another last token: the one after that token's first occurrence, so that another continuation is right.
 * @param {string} text
 */
function withNextToken(text) {
  const words = text.trim().split(/\s+/), last = words[words.length - 1]
  return [...words.slice(0, -1), words[words.indexOf(last) + 1] ?? last].join(' ')
}

/** Another text for any text of a model. @type {Record<string, (text: string) => string>} */
export const OTHERS = {
  dates: text => text.replace(/\d(?=\D*$)/, digit => String((Number(digit) + 9) % 10)),
  induction: withNextToken
}

/** Texts of a model that are read to find what fires a neuron. */
const MAX_TEXTS = 12

/**
 * The text of a run and the one that it is compared with, the reader's or the model's own ('' for none), and what is
 * wrong with that; pair: a change of the state to two texts that can be compared; texts: this one and the model's
 * examples.
 * @param {State} state @param {string} [language]
 * @returns {{ own: string, text: string, problem?: Problem | null, pair: Patch | null, texts: string[] }}
 */
export function otherTextOf(state, language) {
  const { id, ...model } = modelOf(state.model), field = textField(model), pairs = PAIRS[id] ?? []
  const own = String(state[field]), known = pairs.find(({ texts }) => texts.includes(own))?.texts
  const text = state.other || known?.find(one => one !== own) || OTHERS[id]?.(own) || ''
  const examples = model.examples.map(({ patch }) => String(patch[field] ?? own))
  const pair = examplesFor(pairs, language)[0] ?? pairs[0]
  return {
    own, text, texts: [...new Set([own, ...examples])].slice(0, MAX_TEXTS),
    problem: text ? problemsOf({ ...state, [field]: text, target: '' })[field] : null,
    pair: pair ? { [field]: pair.texts[0], other: pair.texts[1], target: '' } : null
  }
}
