// The pre-tokenizer UnicodeScripts: words are those of Hugging Face's library; the table is compared with the engine's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SCRIPT_RUNS } from '../../src/js/text/unicode_scripts.js'
import { loadGolden } from '../golden/index.js'
import { bertFiles } from '../lib/imported_models.js'
import { everyCharacter, gf } from './text.js'

const { scriptTexts, scripts } = loadGolden('tokenizers')
const open = json => gf.text.tokenizer({ 'tokenizer.json': JSON.stringify(json) })

test('the table is loaded when it is asked for, or with a model', async () => {
  const tokenizer = { model: { type: 'WordPiece', vocab: { '[UNK]': 0 } }, pre_tokenizer: { type: 'UnicodeScripts' } }
  assert.throws(() => open(tokenizer), { name: 'GlassformerError', code: 'state',
    message: 'tokenizer: pre_tokenizer UnicodeScripts needs await gf.text.loadScripts()' })
  const files = bertFiles(), { model } = JSON.parse(files['tokenizer.json'])
  const loaded = await gf.models.load({ ...files, 'tokenizer.json': JSON.stringify({ ...tokenizer, model }) })
  assert.deepEqual(loaded.tokenizer.encode('한글漢字').offsets, [[0, 2], [2, 4]])
  assert.equal(await gf.text.loadScripts(), undefined)
  assert.deepEqual(open(tokenizer).encode('Apples are りんご 林檎').offsets, [[0, 11], [11, 17]])
})

for (const { json, offsets } of scripts) test(`splits as Hugging Face's tokenizers: ${JSON.stringify(json.pre_tokenizer)}`, async () => {
  await gf.text.loadScripts()
  const tokenizer = open(json)
  scriptTexts.forEach((text, i) => (
    assert.equal(tokenizer.encode(text).offsets.map(range => range.join('-')).join(' '), offsets[i], JSON.stringify(text))))
})

const NAMES = ['Latin', 'Greek', 'Cyrillic', 'Armenian', 'Hebrew', 'Arabic', 'Devanagari', 'Bengali', 'Tamil', 'Thai', 'Georgian', 'Hangul',
  'Ethiopic', 'Khmer', 'Mongolian', 'Cherokee', 'Common', 'Inherited', 'Tibetan', 'Cuneiform', 'SignWriting']
/** Their script is another one since Unicode 9. */
const CHANGED = ['\u0589', '\u061c', '\u0953', '\u0954']
const characters = everyCharacter().filter(c => !CHANGED.includes(c))

test('all characters of a script are one script in the table', () => {
  const japanese = characters.filter(c => /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|ー/u.test(c))
  const groups = [japanese, ...NAMES.map(name => {
    const pattern = new RegExp(`\\p{Script=${name}}`, 'u')
    return characters.filter(c => c !== 'ー' && pattern.test(c))
  })]
  const runs = groups.map(group => Array.from(group.join('').matchAll(SCRIPT_RUNS), ({ 0: run }) => run))
  assert.deepEqual(runs.map(found => found.length), groups.map(() => 1))
  const starts = groups.map(group => group.find(c => [...c.matchAll(SCRIPT_RUNS)].length))
  assert.equal([...starts.join('').matchAll(SCRIPT_RUNS)].length, groups.length, 'and no two groups are one')
})
