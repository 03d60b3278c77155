// Byte-pair encoding of mixed text, beside gpt-tokenizer, with the vocabulary of GPT-2 that it ships, and with one
// learned
// from such text. A MB is a million bytes of UTF-8.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { encode as theirs } from 'gpt-tokenizer/encoding/r50k_base'
import { encodeByteLevel } from '../../../src/js/text/byte_level.js'
import { join } from '../../../src/reference/bpe.js'
import { faster, megabytesASecond } from '../lib/claims.js'
import { mixedText } from '../lib/mixed_text.js'
import { gf } from '../lib/ours.js'

const PEER = 'gpt-tokenizer'
const RATE_BYTES = 3e6
const LEARNED_FROM = 600_000
const OWN_SIZE = 30_000

/**
 * GPT-2's vocabulary and merges: the file has pieces in order, and a piece was made of the two it falls into without
 * it.
 */
function gpt2() {
  const url = new URL(import.meta.resolve('gpt-tokenizer/data/r50k_base.tiktoken'))
  const pieces = readFileSync(fileURLToPath(url), 'utf8').trim().split('\n').map(line => {
    const [base64, rank] = line.split(' ')
    return [encodeByteLevel(Buffer.from(base64, 'base64')), Number(rank)]
  })
  const ranks = new Map(), merges = []
  for (const [piece, rank] of pieces.sort((a, b) => a[1] - b[1])) {
    if (piece.length > 1) {
      const pair = joinByPieces(piece, ranks)
      merges.push(pair.join(' '))
    }
    ranks.set(piece, rank)
  }
  return gf.text.tokenizer({ 'vocab.json': JSON.stringify(Object.fromEntries(pieces)),
    'merges.txt': merges.join('\n') })
}

/** Joins what is a piece when it is joined, the lowest rank first. */
function joinByPieces(word, ranks) {
  const pairs = { get: pair => ranks.get(pair.replace(' ', '')) }
  return join(word, pairs)
}

function checkIds(actual, expected) {
  const at = expected.findIndex((id, i) => id !== actual[i])
  if (at >= 0 || actual.length !== expected.length) throw new Error(
    `ours is wrong: token ${at} is ${actual[at]} instead of ${expected[at]}`)
}

const bytesOf = text => new TextEncoder().encode(text).length

function prepareGpt2() {
  const text = mixedText(RATE_BYTES / 1.5), tokenizer = gpt2()
  checkIds(tokenizer.encode(text).ids, theirs(text))
  return { sides: { ours: { run: () => tokenizer.encode(text) }, [PEER]: { run: () => theirs(text) } },
    work: bytesOf(text) }
}

function prepareOwn() {
  const text = mixedText(RATE_BYTES / 1.5)
  const tokenizer = gf.text.trainBPE(text.slice(0, LEARNED_FROM), { vocabSize: OWN_SIZE })
  if (tokenizer.decode(tokenizer.encode(text).ids) !== text) throw new Error(
    'ours is wrong: the text is not there again')
  return { sides: { ours: { run: () => tokenizer.encode(text) } }, work: bytesOf(text) }
}

export default [
  {
    name: "byte-pair encoding, GPT-2's vocabulary, mixed Korean and English",
    claims: [megabytesASecond(20), faster(PEER, 4)],
    prepare: prepareGpt2
  },
  {
    name: 'byte-pair encoding, 30,000 tokens of its own, mixed Korean and English',
    claims: [megabytesASecond(20)],
    prepare: prepareOwn
  }
]
