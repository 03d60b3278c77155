// Compares with Hugging Face's tokenizers library (Rust) on the same files and texts, see golden/tokenizers.mjs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadGolden } from '../golden/index.js'
import { gf } from '../lib/engine.js'

const { patternTexts, patterns, partTexts, parts, pairs, decoders } = loadGolden('tokenizers')
const open = json => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })
const WORDS = { type: 'WordPiece', vocab: { '[UNK]': 0 } }

for (const { pattern, ends } of patterns) test(`splits as Hugging Face's tokenizers: ${JSON.stringify(pattern)}`, () => {
  const splitter = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false }
  const tokenizer = open({ model: WORDS, pre_tokenizer: splitter })
  patternTexts.forEach((text, i) => (
    assert.deepEqual(tokenizer.encode(text).offsets.map(([, end]) => end), ends[i], JSON.stringify(text))))
})

for (const { json, ids, offsets } of parts) {
  const { model, ...rest } = json
  test(`encodes as Hugging Face's tokenizers: ${JSON.stringify({ ...rest, model: model.type, ignore_merges: model.ignore_merges })}`, () => {
    const tokenizer = open(json)
    partTexts.forEach((text, i) => {
      const encoding = tokenizer.encode(text)
      assert.deepEqual(encoding.ids, ids[i], JSON.stringify(text))
      if (offsets[i] !== null) assert.equal(encoding.offsets.map(range => range.join('-')).join(' '), offsets[i], JSON.stringify(text))
    })
  })
}

for (const { json, maxLength, special, results } of pairs) {
  test(`pairs as Hugging Face's tokenizers: ${json.post_processor?.type}, ${maxLength} tokens, ${special ? 'with' : 'without'} special ones`, () => {
    const tokenizer = open(json)
    results.forEach(({ ids, typeIds }, i) => {
      const encoding = tokenizer.encode(partTexts[i], {
        pair: partTexts[i + 20], special, ...maxLength && { truncation: maxLength }
      })
      assert.deepEqual([encoding.ids, encoding.typeIds], [ids, typeIds], `${i}`)
    })
  })
}

for (const { json, idLists, texts } of decoders) test(`decodes as Hugging Face's tokenizers: ${JSON.stringify(json.decoder)}`, () => {
  const tokenizer = open(json)
  idLists.forEach((ids, i) => assert.equal(tokenizer.decode(ids, { special: true }), texts[i], `${ids}`))
})
