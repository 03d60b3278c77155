// Compares with Hugging Face's tokenizers library (Rust) on the same files and texts, see golden/tokenizers.mjs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { gf } from '../lib/engine.js'

const { patternTexts, patterns, partTexts, parts } = loadGolden('tokenizers')
const open = json => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })
const WORDS = { type: 'WordPiece', vocab: { '[UNK]': 0 } }

for (const { pattern, ends } of patterns) test(`splits as Hugging Face's tokenizers: ${JSON.stringify(pattern)}`, () => {
  const splitter = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false }
  const tokenizer = open({ model: WORDS, pre_tokenizer: splitter })
  patternTexts.forEach((text, i) => (
    assert.deepEqual(tokenizer.encode(text).offsets.map(([, end]) => end), ends[i], JSON.stringify(text))))
})

for (const { json, ids } of parts) {
  const { model, ...rest } = json
  test(`encodes as Hugging Face's tokenizers: ${JSON.stringify({ ...rest, ignore_merges: model.ignore_merges })}`, () => {
    const tokenizer = open(json)
    partTexts.forEach((text, i) => assert.deepEqual(tokenizer.encode(text).ids, ids[i], JSON.stringify(text)))
  })
}
