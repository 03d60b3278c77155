// Splitting text into words, and building the vocabulary of a long text. A MB is a million bytes of UTF-8.
import { whitespace } from '../../../src/reference/whitespace.js'
import { words } from '../../../src/reference/words.js'
import { megabytesPerSecond, milliseconds } from '../lib/claims.js'
import { mixedText } from '../lib/mixed_text.js'
import { gf } from '../lib/ours.js'

const RATE_BYTES = 4e6
const VOCABULARY_BYTES = 10e6
/** Number of characters that are compared with the reference, which is slow. */
const CHECKED_LENGTH = 50_000

function textOfBytes(bytes) {
  const encoded = new TextEncoder().encode(mixedText(bytes))
  return new TextDecoder().decode(encoded.subarray(0, bytes))
}

function checkTokens(split, reference, text) {
  const start = text.slice(0, CHECKED_LENGTH)
  const actual = split(start), expected = reference(start)
  const at = expected.findIndex((token, i) => token !== actual[i])
  if (at >= 0 || actual.length !== expected.length) {
    throw new Error(`ours is wrong: token ${at} is ${actual[at]} instead of ${expected[at]}`)
  }
}

function prepareRate(split, reference) {
  const text = textOfBytes(RATE_BYTES)
  checkTokens(split, reference, text)
  return { sides: { ours: { run: () => split(text) } }, work: RATE_BYTES }
}

/** Checks that the vocabulary has every word, sorted by count. */
function checkVocabulary(vocab, tokens) {
  const counts = new Map()
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1)
  const isSorted = vocab.itos.every((token, i) => i === 0 || counts.get(token) <= counts.get(vocab.itos[i - 1]))
  const isRight = vocab.size === counts.size && isSorted
  if (!isRight) throw new Error('ours is wrong: the vocabulary must have all words, the most frequent first')
}

function prepareVocabulary() {
  const text = textOfBytes(VOCABULARY_BYTES)
  const tokens = gf.text.words(text)
  checkTokens(gf.text.words, words, text)
  checkVocabulary(new gf.text.Vocab([tokens]), tokens)
  const fromText = () => new gf.text.Vocab([gf.text.words(text)])
  return { sides: { ours: { run: fromText } }, work: VOCABULARY_BYTES }
}

export default [
  {
    name: 'text.words, mixed Korean and English',
    claims: [megabytesPerSecond(50)],
    prepare: () => prepareRate(gf.text.words, words)
  },
  {
    name: 'text.whitespace, mixed Korean and English',
    claims: [megabytesPerSecond(50)],
    prepare: () => prepareRate(gf.text.whitespace, whitespace)
  },
  {
    name: 'vocabulary of 10 MB, from text to table',
    claims: [milliseconds(1000)],
    prepare: prepareVocabulary
  }
]
