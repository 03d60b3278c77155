// Texts that are one very long word, and views whose buffer was transferred.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRejects } from '../lib/engine.js'
import { gf } from './text.js'

test('explains a word of 200,000 letters', () => {
  const unigram = gf.text.trainUnigram('hello world low lower', { vocabSize: 30 }), letters = 200000
  const [{ ids, path, best }] = unigram.explain('l'.repeat(letters))
  assert.deepEqual([ids.length, path.length], [letters + 1, letters + 1])
  assert.equal(best.at(-1).arc, path.at(-1))
  const short = unigram.explain('low hello')[0]
  assert.deepEqual(short.path.map(arc => short.arcs[arc].id), short.ids)
})

test('rejects a view whose buffer was transferred', () => {
  const detachedView = Type => {
    const view = new Type([97, 98])
    structuredClone(view.buffer, { transfer: [view.buffer] })
    return view
  }
  const tokenizer = gf.text.trainBPE('ab ab', { vocabSize: 258 })
  for (const Type of [Int32Array, Uint8Array, Float64Array]) {
    const problem = `ids is a ${Type.name} whose memory was transferred`
    assertRejects(() => tokenizer.decode(detachedView(Type)), 'type', `tokenizer.decode: ${problem}`)
    assertRejects(() => new gf.text.Vocab([['a']]).decode(detachedView(Type)), 'type', `Vocab.decode: ${problem}`)
  }
  const text = 'text is a Uint8Array whose memory was transferred'
  assertRejects(() => tokenizer.encode(detachedView(Uint8Array)), 'type', `tokenizer.encode: ${text}`)
  assertRejects(() => tokenizer.explain(detachedView(Uint8Array)), 'type', `tokenizer.explain: ${text}`)
  assertRejects(() => gf.text.words(detachedView(Uint8Array)), 'type', `words: ${text}`)
  assertRejects(() => gf.text.whitespace(detachedView(Uint8Array)), 'type', `whitespace: ${text}`)
  assert.equal(tokenizer.decode(new Uint8Array(0)), '')
})
