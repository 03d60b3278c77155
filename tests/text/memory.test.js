// The kernels of text must not read memory that they have not written.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stories } from '../../web/models/stories/data.js'
import { gf, nastyText, stream } from './text.js'

const BYTES = 2 ** 22
const next = stream(93)
const text = [...stories(7, 60, { names: 'plain' }), ...Array.from({ length: 60 }, () => nastyText(next))]
const words = text.join(' ').split(' ')

/** Fills free memory with one byte; the next blocks are allocated from it. */
function leave(byte) {
  const { c, memory } = gf.engine, at = c.gf_alloc(BYTES)
  memory.bytes(at, BYTES).fill(byte)
  c.gf_free(at)
}

/** Trains and uses tokenizers, and counts words. */
function used() {
  const some = [gf.text.trainBPE(text, { vocabSize: 400 }), gf.text.trainWordPiece(text, { vocabSize: 400 }),
    gf.text.trainUnigram(text, { vocabSize: 300 })]
  const whole = { ...JSON.parse(JSON.stringify(some[0])) }
  whole.model.ignore_merges = true
  const tokenizers = [...some, gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(whole) })]
  return [tokenizers.map(one => [JSON.stringify(one), text.map(part => one.encode(part)), one.encode(text.join('\n'))]),
    some[2].explain(text[0]), new gf.text.Vocab([words, words]).itos, gf.text.words(text.join(' ')),
    gf.text.whitespace(text.join(' '))]
}

for (const byte of [0x00, 0x01, 0x7f, 0xfe]) test(`results do not depend on memory filled with 0x${byte.toString(16)}`, () => {
  const expected = used()
  leave(byte)
  assert.deepEqual(used(), expected)
})
