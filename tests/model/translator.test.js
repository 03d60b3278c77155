import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from '../../src/js/index.js'
import {
  dateOf, DAYS, encode, example, FORMATS, idsOf, isHeldOut, joinTarget, korean, LONGEST, nameText, readings,
  SOURCE_TOKENS, splitSource, splitTarget, TARGET_TOKENS
} from '../../src/training/models/dates/data.js'
import { exactFraction } from '../../src/training/models/dates/measure.js'
import { createTranslator } from '../../src/training/models/dates/model.js'
import { everyNth } from '../lib/long.js'

const gf = await load()
const WEIGHTS = fileURLToPath(new URL('../../web/models/dates/date_translator.safetensors', import.meta.url))

function trained() {
  const model = createTranslator(gf)
  model.loadStateDict(gf.loadSafetensors(readFileSync(WEIGHTS)).tensors)
  return model.eval()
}

const sourceIds = text => encode(splitSource(text), idsOf(SOURCE_TOKENS), LONGEST.source)
const translate = (model, texts) => model.translate(texts.map(sourceIds)).map(joinTarget)

test('every day of three centuries can be encoded in every format', () => {
  assert.deepEqual(dateOf(0), [1900, 1, 1])
  assert.deepEqual(dateOf(DAYS - 1), [2199, 12, 31])
  for (let day = 0; day < DAYS; day += 13) for (let format = 0; format < FORMATS.length; format++) {
    const { source, input, target } = example(day, format)
    assert.ok(source.length === LONGEST.source && input.length === LONGEST.target && target.length === LONGEST.target)
  }
  const held = Array.from({ length: DAYS }, (_, d) => d).filter(isHeldOut).length / DAYS
  assert.ok(Math.abs(held - 0.1) < 0.01, `${held}`)
  assert.deepEqual(FORMATS.map(f => f(2026, 11, 5)), [
    'november 5 2026', '5 nov 2026', 'the 5th of november, 2026', '2026-11-05', '11/5/2026', '5/11/2026', '11/05/2026',
    '05/11/2026', '11-05-2026', '05-11-2026', 'november 5, 2026', 'november 5th, 2026', 'nov 5, 2026', 'nov 5 2026',
    '5 november 2026', '5th november 2026', '5th of november 2026', 'the 5th of november 2026', '2026/11/05', '2026.11.05',
    '2026-11-5', '2026/11/5', '2026.11.5', '5.11.2026', '05.11.2026'
  ])
  assert.throws(() => encode(['soup'], idsOf(SOURCE_TOKENS), 3), /soup/)
})

test('a grapheme is one token, even of several code points', () => {
  const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}'
  assert.deepEqual(splitSource('\u{1f389}May 20'), ['\u{1f389}', 'may', '2', '0'])
  assert.deepEqual(splitSource(`may${family}3 a\u0301b c d`), ['may', family, '3', 'a\u0301', 'b', 'c', 'd'])
  assert.deepEqual(splitSource('the 20th of november,\u00a02026'), [
    'the', '2', '0', 'th', 'of', 'november', ',', '2', '0', '2', '6'])
  assert.deepEqual(splitTarget(`2026년\n1월 ${family}`), [...'2026년1월', family])
  for (const text of ['', ' \n', '\u3000']) assert.deepEqual([splitSource(text), splitTarget(text)], [[], []])
})

FORMATS.forEach((_, format) => test(`the committed weights translate every held-out date in the format ${FORMATS[format](2026, 11, 5)}`, () => {
  const heldOut = Array.from({ length: DAYS }, (_, day) => day).filter(isHeldOut), model = trained()
  const examples = everyNth(heldOut, 49).map(day => ({ day, format, ...example(day, format) }))
  assert.ok(examples.length > 140)
  assert.equal(gf.tidy(() => exactFraction(model, examples)), 1)
}))

test('both readings of an ambiguous date are held out together, and the model finds both probable', () => {
  assert.deepEqual(readings(4, [2026, 5, 6]), ['2026년 5월 6일', '2026년 6월 5일'])
  for (const [format, date] of [[4, [2026, 5, 13]], [5, [2026, 6, 6]], [0, [2026, 5, 6]]]) {
    assert.deepEqual(readings(format, date), [korean(...date)])
  }
  const dayOf = (y, m, d) => (Date.UTC(y, m - 1, d) - Date.UTC(1900, 0, 1)) / 86_400_000
  for (let m = 1; m <= 12; m++) for (let d = 1; d <= 12; d++) {
    assert.equal(isHeldOut(dayOf(1987, m, d)), isHeldOut(dayOf(1987, d, m)))
  }
  const model = trained(), read = encode(['<s>', ...'2026년'], idsOf(TARGET_TOKENS), 0)
  const shareOf = (text, month) => (
    gf.functional.softmax(model.forward([sourceIds(text)], [read])).at(0, 5, idsOf(TARGET_TOKENS).get(month)))
  for (const text of ['5/6/2026', '6/5/2026', '05/06/2026', '05-06-2026']) for (const month of ['5', '6']) {
    const share = shareOf(text, month)
    assert.ok(share > 0.3 && share < 0.7, `${text}: ${month} with ${share}`)
  }
  for (const text of ['5/13/2026', '13/5/2026']) assert.ok(shareOf(text, '5') > 0.9, text)
})

test('the committed weights are small and fit the vocabularies', () => {
  const bytes = readFileSync(WEIGHTS)
  assert.ok(bytes.length <= 500_000)
  const { tensors, metadata } = gf.loadSafetensors(bytes)
  assert.equal(tensors['source_embedding.weight'].shape[0], SOURCE_TOKENS.length)
  assert.equal(tensors['output.weight'].shape[0], TARGET_TOKENS.length)
  assert.ok(Number(metadata.exact) >= 0.995)
})

test('different formats of a date have the same translation, and a trace has the cross-attention', () => {
  const model = trained()
  const source = [sourceIds('november 20 2026')]
  const { trace } = gf.trace(() => model.forward(source, [example(0, 0).input]))
  assert.ok(trace.names.includes('transformer.decoder.layers.1.multihead_attn.weights'))
  const translated = translate(model, ['november 20 2026', '2026-11-20', '11/20/2026'])
  assert.deepEqual(translated, Array(3).fill('2026년 11월 20일'))
})

test('year, month and day have names in three languages; all are read, and other texts remain as they are', () => {
  const dates = { ko: '2026년 11월 3일', zh: '2026年11月3日', en: '2026y 11m 3d' }
  for (const [from, text] of Object.entries(dates)) {
    assert.deepEqual(splitTarget(text), splitTarget(dates.ko), from)
    for (const [to, expected] of Object.entries(dates)) assert.equal(nameText(text, to), expected, `${from} to ${to}`)
  }
  assert.equal(nameText('1999년', 'fr'), '1999y', 'a language without names')
  const named = { '월': 'm', '<pad>': '<pad>', 'may': 'may', '2026 년 x': '2026 년 x', '': '', '<s>년<pad>': '<s>y <pad>', '12 ': '12 ' }
  for (const [text, expected] of Object.entries(named)) assert.equal(nameText(text, 'en'), expected)
  assert.deepEqual(TARGET_TOKENS.slice(13), ['년', '월', '일'], 'the names of the seeds')
})
