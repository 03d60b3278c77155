// Byte-pair encoding of mixed text: with GPT-2's vocabulary, compared with the package gpt-tokenizer, and with a
// vocabulary that is trained on mixed text. A MB is a million bytes of UTF-8.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { encode as theirs } from 'gpt-tokenizer/encoding/r50k_base'
import { encodeByteLevel } from '../../../src/js/text/byte_level.js'
import { join as mergePairs } from '../../../src/reference/bpe.js'
import { faster, megabytesPerSecond } from '../lib/claims.js'
import { mixedText } from '../lib/mixed_text.js'
import { gf } from '../lib/ours.js'

const PEER = 'gpt-tokenizer'
/** Approximate size of the encoded text; mixed text has about 1.5 bytes per character. */
const TEXT_BYTES = 3e6
const BYTES_PER_CHARACTER = 1.5
/** Number of characters of the training text. */
const TRAINING_LENGTH = 600_000
const TRAINED_VOCAB_SIZE = 30_000

/**
 * GPT-2's tokenizer. The package has the tokens in the order of their ranks but not the merges: the two parts that a
 * token is merged of are found by encoding it with the tokens of lower ranks only.
 */
function gpt2() {
  const url = new URL(import.meta.resolve('gpt-tokenizer/data/r50k_base.tiktoken'))
  const tokens = readFileSync(fileURLToPath(url), 'utf8').trim().split('\n').map(line => {
    const [base64, rank] = line.split(' ')
    return [encodeByteLevel(Buffer.from(base64, 'base64')), Number(rank)]
  })
  const ranks = new Map(), merges = []
  for (const [token, rank] of tokens.sort((a, b) => a[1] - b[1])) {
    if (token.length > 1) {
      const pair = encodeByRanks(token, ranks)
      merges.push(pair.join(' '))
    }
    ranks.set(token, rank)
  }
  return gf.text.tokenizer({ 'vocab.json': JSON.stringify(Object.fromEntries(tokens)),
    'merges.txt': merges.join('\n') })
}

/** Merges adjacent parts of a word whose concatenation is a token, the lowest rank first. */
function encodeByRanks(word, ranks) {
  const pairs = { get: pair => ranks.get(pair.replace(' ', '')) }
  return mergePairs(word, pairs)
}

function checkIds(actual, expected) {
  const at = expected.findIndex((id, i) => id !== actual[i])
  if (at >= 0 || actual.length !== expected.length) throw new Error(
    `ours is wrong: token ${at} is ${actual[at]} instead of ${expected[at]}`)
}

const bytesOf = text => new TextEncoder().encode(text).length

function prepareGpt2() {
  const text = mixedText(TEXT_BYTES / BYTES_PER_CHARACTER), tokenizer = gpt2()
  checkIds(tokenizer.encode(text).ids, theirs(text))
  return { sides: { ours: { run: () => tokenizer.encode(text) }, [PEER]: { run: () => theirs(text) } },
    work: bytesOf(text) }
}

function prepareTrained() {
  const text = mixedText(TEXT_BYTES / BYTES_PER_CHARACTER)
  const tokenizer = gf.text.trainBPE(text.slice(0, TRAINING_LENGTH), { vocabSize: TRAINED_VOCAB_SIZE })
  if (tokenizer.decode(tokenizer.encode(text).ids) !== text) throw new Error(
    'ours is wrong: decoding the ids does not give the text')
  return { sides: { ours: { run: () => tokenizer.encode(text) } }, work: bytesOf(text) }
}

export default [
  {
    name: "byte-pair encoding, GPT-2's vocabulary, mixed Korean and English",
    claims: [megabytesPerSecond(20), faster(PEER, 4)],
    prepare: prepareGpt2
  },
  {
    name: 'byte-pair encoding, 30,000 tokens of its own, mixed Korean and English',
    claims: [megabytesPerSecond(20)],
    prepare: prepareTrained
  }
]
