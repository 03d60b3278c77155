// A reader of Chinese finds no sentence in another language: the opening, rooms of all kinds, menus and dialogs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foreignTexts, readVisibleTexts } from './foreign_text.js'
import { findViolations, measureOverflow, runInNode, useBrowser } from './host.js'
import { everyNth } from '../lib/long.js'

const { open } = useBrowser()
const HAN = /\p{Script=Han}/u
const READER = { locale: 'zh-CN', reducedMotion: 'reduce' }
const SIZES = [{ width: 1280, height: 800 }, { width: 390, height: 844 }]

/** The tokens that a model knows, the words of what it reads, and the parts of the names of its tensors. */
function tokensOf(state) {
  const run = runInNode(state)
  const tokens = Object.values(run.streams)
    .flatMap(({ vocabulary = [], tokens: read }) => [...vocabulary, ...read.flat()])
  const words = Object.values(run.settings ?? {}).flatMap(value => (typeof value === 'string' ? value.split(/\s+/) : []))
  const names = [...run.tensors.keys()].flatMap(name => name.split('.'))
  run.dispose()
  return [...tokens, ...words, ...names].map(String)
}

async function findForeign(page, state, place) {
  const found = foreignTexts(await readVisibleTexts(page), HAN, tokensOf(state))
  assert.deepEqual(found, [], place)
  assert.equal(await measureOverflow(page), 0, place)
}

const WEIGHTS = 'encoder.0.self_attn.weights', SCORES = 'transformer.encoder.layers.0.self_attn.scores'
const PLACES = {
  opening: { room: 'opening' }, house: { room: 'house' }, weights: { room: WEIGHTS, cell: { name: SCORES, index: [0, 0, 1, 2] } },
  decoding: { room: 'decoding' }, attribution: { room: 'attribution' }, ablation: { room: 'ablation' },
  story: { model: 'stories', room: 'text.pieces', beginning: 'Julia went to the' },
  lesson: { lesson: 'gap', at: 1 }, training: { theatre: 'dates' }, exercise: { exercise: 'softmax' },
  glossary: { room: 'house', glossary: 'all' }, laboratory: { model: 'positions', room: 'waves', sequence: '我 不 认识 你 但 你 认识 我' }
}

/** What a lesson sets. */
const INPUTS = { lesson: { model: 'particles', gapped: 'the keys [?] here now' } }

for (const [name, state] of Object.entries(PLACES)) {
  test(`${name}: every text is Chinese, a name, a number, code or the model's own`, async () => {
    for (const viewport of everyNth(SIZES, 2)) {
      const { page, complaints, close } = await open(state, { ...READER, viewport })
      assert.equal(await page.getAttribute('html', 'lang'), 'zh-Hans')
      await page.waitForFunction(() => [...document.querySelectorAll('h1')].every(title => !title.checkVisibility() || title.textContent))
      await page.waitForTimeout(300)
      await findForeign(page, INPUTS[name] ?? state, `${name}, ${viewport.width} px`)
      assert.deepEqual(await findViolations(page), [], name)
      assert.deepEqual(complaints, [])
      await close()
    }
  })
}

test('settings, share, the check and the import of a model are Chinese', async () => {
  const { page, complaints, close } = await open({ room: 'house' }, { ...READER, viewport: SIZES[0] })
  await page.click('[data-action="settings"]')
  await findForeign(page, {}, 'settings')
  await page.keyboard.press('Escape')
  await page.click('.share summary, .share button')
  await findForeign(page, {}, 'share')
  await page.keyboard.press('Escape')
  await page.click('[data-action="check"]')
  await page.waitForSelector('dialog[open] table')
  await findForeign(page, {}, 'check')
  await page.keyboard.press('Escape')
  await page.selectOption('.models select', 'own')
  await page.waitForSelector('dialog[open]')
  await findForeign(page, {}, 'import')
  assert.deepEqual(complaints, [])
  await close()
})

test('a menu of three languages: each is named in its own, marked with its tag, and chosen by a click', async () => {
  const { page, complaints, close } = await open({ room: 'house' }, { ...READER, viewport: SIZES[0] })
  const buttons = () => page.$$eval('.languages button', list => list.map(({ lang, textContent, ariaPressed }) => (
    [lang, textContent, ariaPressed])))
  assert.deepEqual(await buttons(), [['ko', '한국어', 'false'], ['en', 'English', 'false'], ['zh-Hans', '中文', 'true']])
  await page.click('[data-language="en"]')
  await page.waitForSelector('html[lang="en"] h1')
  await page.click('[data-language="zh"]')
  await page.waitForSelector('html[lang="zh-Hans"] h1')
  assert.match(await page.$eval('h1', title => getComputedStyle(title).fontFamily), /SC/)
  assert.deepEqual(complaints, [])
  await close()
})

test('the browser\'s Chinese, of any region, is Chinese; and only one language\'s first texts are fetched', async () => {
  const visits = [...['zh', 'zh-CN', 'zh-SG', 'zh-TW'].map(locale => [locale, 'auto', 'zh-Hans']), ['zh-CN', 'en', 'en']]
  for (const [locale, language, tag] of visits) {
    const { page, close } = await open({ room: 'opening', language }, { ...READER, locale })
    assert.equal(await page.getAttribute('html', 'lang'), tag, locale)
    const openings = await page.evaluate(() => performance.getEntriesByType('resource').filter(({ name }) => /chunks\/opening-/.test(name)).length)
    assert.equal(openings, 1, locale)
    await close()
  }
})
