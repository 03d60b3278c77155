// Checks that the text kernels do not read memory that they have not written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stories } from '../../src/training/models/stories/data.js'
import { gf, nastyText, stream } from './text.js'

const BYTES = 2 ** 22
const next = stream(93)
const text = [...stories(7, 60, { names: 'plain' }), ...Array.from({ length: 60 }, () => nastyText(next))]
const words = text.join(' ').split(' ')

/** Fills free memory with one byte; the next blocks are allocated from it. */
function fillFreeMemory(byte) {
  const { c, memory } = gf.engine, at = c.gf_alloc(BYTES)
  memory.bytes(at, BYTES).fill(byte)
  c.gf_free(at)
}

/** The results of training, encoding and counting words. */
function computeResults() {
  const trained = [gf.text.trainBPE(text, { vocabSize: 400 }), gf.text.trainWordPiece(text, { vocabSize: 400 }),
    gf.text.trainUnigram(text, { vocabSize: 300 })]
  const json = { ...JSON.parse(JSON.stringify(trained[0])) }
  json.model.ignore_merges = true
  const tokenizers = [...trained, gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })]
  const encodeAll = tokenizer => [JSON.stringify(tokenizer), text.map(part => tokenizer.encode(part)),
    tokenizer.encode(text.join('\n'))]
  return [tokenizers.map(encodeAll), trained[2].explain(text[0]), new gf.text.Vocab([words, words]).itos, gf.text.words(text.join(' ')),
    gf.text.whitespace(text.join(' '))]
}

for (const byte of [0x00, 0x01, 0x7f, 0xfe]) test(`results do not depend on memory filled with 0x${byte.toString(16)}`, () => {
  const expected = computeResults()
  fillFreeMemory(byte)
  assert.deepEqual(computeResults(), expected)
})
