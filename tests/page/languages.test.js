// Languages: every text is there in each, with the same placeholders; what is missing is English; examples by language.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { otherTextOf } from '../../web/models/pairs.js'
import { MODELS } from '../../web/models/index.js'
import { startOf } from '../../web/models/state.js'
import { sampleFor } from '../../web/theatre/page_settings.js'
import { examplesFor, linkByLanguage } from '../../web/words/examples.js'
import { fillMissing } from '../../web/words/fill_missing.js'
import { FALLBACK, LANGUAGES, readTexts } from '../../web/words/index.js'

const WORDS = new URL('../../web/words/', import.meta.url)

/** Every text with its path. */
const textsIn = (node, path = '') => Object.entries(node).flatMap(([key, value]) => (
  typeof value === 'string' ? [[`${path}${key}`, value]] : textsIn(value, `${path}${key}.`)))
const placeholders = text => [...new Set([...text.matchAll(/\{(\w+)/g)].map(match => match[1]))].sort().join()
const filesOf = async language => (await readdir(new URL(`${language}/`, WORDS), { recursive: true }))
  .filter(name => name.endsWith('.json')).sort()
const textsOf = async path => new Map(textsIn(JSON.parse(await readFile(new URL(path, WORDS), 'utf8'))))

/** What one file lacks, has too much, or says with other placeholders. @param {Map<string, string>} english */
function compareTexts(texts, english) {
  const missing = [...english.keys()].filter(key => !texts.get(key)?.trim()).map(key => `${key} is missing`)
  const superfluous = [...texts.keys()].filter(key => !english.has(key)).map(key => `${key} is superfluous`)
  const isOther = ([key, text]) => english.has(key) && placeholders(text) !== placeholders(english.get(key))
  const other = [...texts].filter(isOther)
    .map(([key]) => `${key} has other placeholders: ${placeholders(english.get(key))} in English`)
  return [...missing, ...superfluous, ...other]
}

for (const language of Object.keys(LANGUAGES)) test(`${language} lacks no text and has none too many`, async () => {
  const [own, english] = await Promise.all([language, FALLBACK].map(filesOf))
  const both = await Promise.all(english.filter(name => own.includes(name)).map(async name => {
    const [texts, expected] = await Promise.all([language, FALLBACK].map(folder => textsOf(`${folder}/${name}`)))
    return compareTexts(texts, expected).map(problem => `${name}: ${problem}`)
  }))
  assert.deepEqual([
    ...english.filter(name => !own.includes(name)).map(name => `${name} is missing`),
    ...own.filter(name => !english.includes(name)).map(name => `${name} is superfluous`), ...both.flat()
  ], [])
})

test('Korean has one term for one thing', async () => {
  for (const file of await filesOf('ko')) for (const [key, text] of await textsOf(`ko/${file}`)) {
    assert.doesNotMatch(text, /라벨|가리개|어텐션 비율|비율만큼 섞|의 비율이 \{(weight|share)/, `${file}, ${key}: 레이블, 마스크, 어텐션 가중치`)
  }
})

test('the list of what a language lacks names every missing, superfluous and empty text, and other placeholders', () => {
  const english = new Map(Object.entries({ a: 'one', b: '{n} of {m}', c: 'three', d: '{n}' }))
  assert.deepEqual(compareTexts(new Map(Object.entries({ b: '{n}', c: ' ', d: '{n} {n}', e: 'five' })), english), [
    'a is missing', 'c is missing', 'e is superfluous', 'b has other placeholders: m,n in English'
  ])
})

test('a missing text is English, in objects and lists; nothing superfluous is kept', () => {
  const english = { a: 'a', list: ['x', 'y'], deep: { b: 'b', c: 'c' } }
  assert.deepEqual(fillMissing({ a: '甲', list: ['一'], deep: { c: '丙', d: '丁' } }, english),
    { a: '甲', list: ['一', 'y'], deep: { b: 'b', c: '丙' } })
  assert.deepEqual(fillMissing({ a: { b: '甲' }, deep: '丙' }, english), english, 'of another kind')
})

test('a missing file is the English one; a file that did not arrive is an error', async () => {
  const absent = async () => { throw new Error('Module not found in bundle: ./zh/page.json') }
  const load = folder => (folder === FALLBACK ? Promise.resolve({ default: 'English' }) : absent())
  assert.equal(await readTexts('zh', load), 'English')
  assert.equal(await readTexts('zh', async folder => ({ default: folder })), 'zh')
  const lost = new TypeError('Failed to fetch dynamically imported module: page.js')
  await assert.rejects(readTexts('zh', async () => { throw lost }), lost)
  await assert.rejects(readTexts(FALLBACK, absent), /not found/)
})

test('examples are in the reader\'s language, else in English', () => {
  const examples = [{ lang: 'ko', text: '가' }, { lang: 'en', text: 'a' }, { lang: 'en', text: 'b' }]
  assert.deepEqual(examplesFor(examples, 'ko'), examples.slice(0, 1))
  assert.deepEqual(examplesFor(examples, 'zh'), examples.slice(1))
  assert.deepEqual(linkByLanguage([['ko', '가'], ['en', 'a']], text => `x=${text}`), { ko: 'x=가', en: 'x=a', zh: 'x=a' })
})

test('a reader of any language starts every model with an example that is not Korean, unless Korean is read', () => {
  const isKorean = text => /\p{Script=Hangul}/u.test(String(text))
  // English readers start the block without training with sentences in both languages, as the notebooks do.
  const withExamples = language => MODELS.filter(({ examples }) => examplesFor(examples, language).length)
  for (const language of Object.keys(LANGUAGES)) for (const { id, fields } of withExamples(language)) {
    const state = startOf(id, language), { pair } = otherTextOf(state, language), hasOwn = language === 'ko' && id !== 'dates'
    assert.equal(Object.keys(fields).some(name => isKorean(state[name])), hasOwn, `${id}, ${language}`)
    if (pair) assert.equal(Object.values(pair).some(isKorean), hasOwn, `pair of ${id}, ${language}`)
  }
})

test('a training starts with a sentence for its reader', () => {
  const samples = language => ['dates', 'particles', 'stories', 'induction', 'sums'].map(task => sampleFor(task, language))
  assert.deepEqual(samples('zh'), ['november 20 2026', 'the keys to the cabinet [?] here', 'Julia went to the', 'Kara tea Ben milk Kara', '17 + 25'])
  assert.deepEqual(samples('en'), samples('zh'))
  assert.deepEqual(samples('ko').map(text => /\p{Script=Hangul}/u.test(text)), [false, true, true, true, false])
})
