/** Measures how often the model's stories are consistent with their beginning. */

import { FAMILIES } from '../particle_forms.js'
import { continueText } from './answer.js'
import { encode, stories } from './data.js'
import { PATTERNS, SLOT, WEATHER, written } from './grammar.js'

/** The regular expression of a pattern, and the slot of each of its groups. @param {string} pattern */
function expressionOf(pattern) {
  /** @type {{ slot: string, endings: string[] }[]} */
  const slots = []
  const shape = pattern.replace(/[.?]/g, '\\$&').replace(SLOT, (_, kind, second, family) => {
    const isPronoun = /^(he|his)$/i.test(kind), endings = family === 's' ? ['es', 's'] : FAMILIES[family] ?? ['']
    if (isPronoun) return '(?:[Hh]e|[Ss]he|his|her)'
    slots.push({ slot: kind + second, endings })
    return `([^.,!?“”"]+?(?:${endings.join('|')}))`
  })
  return { pattern, slots, expression: new RegExp(`^${shape}$`, 'u') }
}

const EXPRESSIONS = Object.values(PATTERNS).flat().map(expressionOf)

/** The stems that a text may have, one per ending. @param {string} said @param {string[]} endings */
const stemsOf = (said, endings) => (
  endings.filter(ending => said.endsWith(ending)).map(ending => said.slice(0, said.length - ending.length)))

/**
 * Whether a text is a consistent story: its pattern, filled with the words that each slot contains first, has to give
 * the same text. So names, things and colors have to be repeated with the correct particles and pronouns.
 * @param {string} text
 */
export const isConsistent = text => EXPRESSIONS.some(({ pattern, slots, expression }) => {
  const match = expression.exec(text)
  if (!match) return false
  const stems = slots.map(({ slot, endings }, n) => /** @type {const} */ ([slot, stemsOf(match[n + 1], endings)]))
  const firsts = new Map(stems.toReversed())
  return choices(firsts).some(words => words.name !== words.name2 && fitsWeather(words) &&
    written(pattern, slot => words[slot]) === text)
})

/** Every combination of one stem per slot. @param {Map<string, string[]>} firsts @returns {Record<string, string>[]} */
const choices = firsts => [...firsts].reduce((all, [slot, stems]) => (
  all.flatMap(words => stems.map(stem => ({ ...words, [slot]: stem })))), [{}])

/** Whether the item taken along fits the weather. @param {Record<string, string>} words */
const fitsWeather = ({ weather, worn }) => (
  !weather || WEATHER.some(([how, what]) => weather.endsWith(how) && worn === what))

/** The first sentence of a story, as a reader may type it. @param {string} story */
export const beginningOf = story => /^.*?[.!?]”?[^ ]*(?=\s|$)/u.exec(story)?.[0] ?? ''

/**
 * A mask that allows attention to a token and the previous one only: enough to continue a word, not to be consistent.
 * @param {number} size
 */
export const previousTokenMask = size => (
  Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => j < i - 1)))

/**
 * The fraction of the model's stories that are consistent, each started with the first sentence of one from
 * the grammar.
 * @param {any} gf @param {any} model @param {any} tokenizer @param {number} count
 * @param {{ languages?: ('ko' | 'en')[], names?: import('./grammar.js').Names } & Parameters<typeof continueText>[4]}
 *   [options]
 */
export function consistentFraction(gf, model, tokenizer, count, { languages, names = 'held out', seed = 42, ...how } = {}) {
  const prompts = stories(seed, count, { languages, names }).map(beginningOf)
  const texts = prompts.map((text, n) => continueText(gf, model, tokenizer, text, { ...how, seed: seed + n }).text)
  return texts.filter(isConsistent).length / count
}

/**
 * The induction scores [layer][head]: where a story repeats a pair of tokens, the mean attention weight from the first
 * token of the later pair to the second one of the earlier pair, which comes next.
 * @param {any} gf @param {any} model @param {any} tokenizer @param {readonly string[]} texts @returns {number[][]}
 */
export function inductionScores(gf, model, tokenizer, texts) {
  const layers = model.decoder.layers.length, sums = Array.from({ length: layers }, () => /** @type {number[]} */ ([]))
  let places = 0
  for (const text of texts) gf.tidy(() => {
    const ids = encode(tokenizer, text), T = ids.length, repeated = repeats(ids)
    const { trace } = gf.trace(() => gf.noGrad(() => model.forward([ids])))
    places += repeated.length
    for (let layer = 0; layer < layers; layer++) {
      const { values, shape: [, H] } = trace.get(`decoder.layers.${layer}.self_attn.weights`)
      for (let h = 0; h < H; h++) {
        const weight = repeated.reduce((sum, [at, to]) => sum + values[(h * T + at) * T + to], 0)
        sums[layer][h] = (sums[layer][h] ?? 0) + weight
      }
    }
    trace.dispose()
  })
  return sums.map(heads => heads.map(sum => sum / places))
}

/**
 * Positions of repeated pairs, each with the second position of the earlier pair.
 * @param {number[]} ids
 */
function repeats(ids) {
  return ids.flatMap((id, at) => {
    const before = ids.findLastIndex((one, s) => s < at - 1 && one === id && ids[s + 1] === ids[at + 1])
    return before > 0 && at + 1 < ids.length ? [[at, before + 1]] : []
  })
}
