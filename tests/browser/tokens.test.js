// The rooms about tokenization in Chromium: their texts are what the tokenizer computes.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bertFiles, t5Files, unigramFile } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { formatFixed } from '../../web/lib/number.js'
import { bpeStep } from '../../web/worker/bpe_training.js'
import { measureOverflow, changeAndWait, goToRoom, useBrowser, findViolations } from './host.js'
import { longTest } from '../lib/long.js'

const browser = useBrowser()
const TEXT = 'Julia went to the riverbank ж'

/** Brings a model and gives it a text. */
async function bring(page, files, text) {
  await page.evaluate(() => {
    const select = document.querySelector('.models select')
    select.value = 'own'
    select.dispatchEvent(new Event('change', { bubbles: true }))
  })
  await page.setInputFiles('.bring input', Object.entries(files).map(([name, content]) => (
    { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) })))
  await page.waitForSelector('.bring .primary:visible')
  await changeAndWait(page, () => page.click('.bring .primary'))
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', text))
}

/** Goes to a room and waits until its figure is there. */
async function enter(page, room, figure) {
  await goToRoom(page, room)
  await page.waitForSelector(figure)
}

const textsOf = (page, selector) => page.$$eval(selector, all => all.map(item => item.textContent))

test('WordPiece: every piece that is looked up, by mouse and keyboard, on a phone too', async () => {
  const files = bertFiles(), { page, complaints, close } = await browser.open({ language: 'en' })
  await bring(page, files, TEXT)
  await enter(page, 'text.wordpiece', '.tries li')
  const words = gf.text.tokenizer({ 'tokenizer.json': files['tokenizer.json'] }).explain(TEXT)
  assert.deepEqual(await textsOf(page, '.chip span'), words.map(word => word.text))
  const isShown = async ({ text, tries }) => {
    assert.match(await page.textContent('.search h2'), new RegExp(`“${text}”: ${tries.flat().length} `))
    assert.deepEqual(await textsOf(page, '.try-piece'), tries.flat().map(attempt => attempt.piece))
    assert.deepEqual(await textsOf(page, '.tries .is-found .try-piece'), tries.map(some => some.at(-1))
      .filter(item => item.id !== undefined).map(item => item.piece))
  }
  await isShown(words.reduce((max, word) => (word.tries.flat().length > max.tries.flat().length ? word : max)))
  await page.click('.chip:first-child')
  await isShown(words[0])
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await isShown(words[1])
  await page.click('.chip:last-child')
  await isShown(words.at(-1))
  assert.match((await textsOf(page, '.search .note')).at(-1), /“ж” is one letter and still no piece/)
  assert.deepEqual(await findViolations(page), [])
  await page.setViewportSize({ width: 360, height: 740 })
  assert.equal(await measureOverflow(page), 0)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a unigram model: every piece with its score, totals, what a press tells', async () => {
  const text = '나는 파리 여행을 weights 漢', { page, complaints, close } = await browser.open({ language: 'ko', theme: 'dark' })
  await bring(page, t5Files(), text)
  await enter(page, 'text.unigram', '.lattice-box')
  const [{ arcs, best, path }] = gf.text.tokenizer({ 'spiece.model': unigramFile() }).explain(text)
  const results = { boxes: [], totals: [] }
  for (const chip of await page.$$('.chip')) {
    await chip.click()
    results.boxes.push(...await page.$$eval('.lattice-box', all => all.map(item => (
      `${item.children[0].textContent} ${item.children[1].textContent} ${item.classList.contains('is-taken')}`))))
    results.totals.push((await textsOf(page, '.lattice-totals span')).at(-1))
  }
  assert.deepEqual(results.boxes.sort(), arcs.map(({ piece, score }, k) => (
    `${piece.replaceAll('▁', '␣')} ${formatFixed(score)} ${path.includes(k)}`)).sort())
  assert.equal(results.totals.at(-1), formatFixed(best.at(-1).score))
  await page.click('.lattice-box.is-taken:last-child')
  const arc = arcs[path.at(-1)], before = best.find(({ at }) => at === arc.from).score
  assert.equal(await page.textContent('.lattice-sum span:last-child'),
    `${formatFixed(before, 4)} + (${formatFixed(arc.score, 4)}) = ${formatFixed(before + arc.score, 4)}`)
  assert.match(await page.textContent('.search .note'), /가장 드문 조각보다 10만큼 낮게/)
  await page.keyboard.press('ArrowLeft')
  assert.equal(await page.getAttribute('.lattice-box:focus', 'aria-pressed'), 'true')
  assert.deepEqual(await findViolations(page), [])
  await page.setViewportSize({ width: 360, height: 740 })
  assert.equal(await measureOverflow(page), 0)
  assert.deepEqual(complaints, [])
  await close()
})

test('Hangul: a syllable has its letters, code, bytes and tokens; a partial character is bytes', async () => {
  const { page, complaints, close } = await browser.open({ model: 'stories', beginning: '나 뷁', language: 'ko',
    room: 'text.syllables' })
  await page.waitForSelector('.hangul-box')
  const boxes = part => textsOf(page, `.hangul-box[data-part^="${part}"] b`)
  assert.deepEqual(await textsOf(page, '.chip span'), ['나', '뷁'])
  assert.deepEqual([...await boxes('initial'), ...await boxes('vowel'), ...await boxes('final')], ['ㅂ', 'ㅞ', 'ㄺ'])
  assert.deepEqual(await textsOf(page, '.hangul math'), ['(7×21+15)×28+9=4545', '4545+44032=48577=U+BDC1'])
  assert.deepEqual(await boxes('byte'), ['EB', 'B7', '81'])
  assert.equal((await boxes('piece')).join('').replaceAll('⟩⟨', ' '), '⟨20 EB B7 81⟩')
  await page.click('.chip:first-child')
  assert.deepEqual([...await boxes('initial'), ...await boxes('final')], ['ㄴ', '∅'])
  assert.doesNotMatch(await page.textContent('body'), /\ufffd/)
  await changeAndWait(page, () => page.fill('[data-field="beginning"]', 'Julia went'))
  assert.deepEqual(await textsOf(page, '.chip span'), ['한', '글'])
  assert.match(await page.textContent('.stage-figure .note'), /한글이 없어서/)
  assert.deepEqual(await findViolations(page), [])
  await page.setViewportSize({ width: 360, height: 740 })
  assert.equal(await measureOverflow(page), 0)
  assert.deepEqual(complaints, [])
  await close()
})

test('merges are trained on a pasted text, step by step', async () => {
  const { page, complaints, close } = await browser.open({ model: 'stories', language: 'en', room: 'text.bpe_training' })
  await page.waitForSelector('.learning[aria-busy="false"]')
  const text = 'aaaa abab 각각의 각', waitForCount = count => page.waitForFunction(expected => (
    document.querySelector('.learning output').textContent === expected), count)
  await page.fill('.learning textarea', text)
  const isShown = async step => {
    const { words, pairs } = bpeStep(gf, { text, step })
    const expected = JSON.stringify(words)
    await page.waitForFunction(all => JSON.stringify([...document.querySelectorAll('.learning-words > span')]
      .map(word => [...word.children].map(child => child.textContent))) === all, expected)
    assert.deepEqual(await textsOf(page, '.learning-pairs small'), pairs.map(({ count }) => String(count)))
  }
  const { count } = bpeStep(gf, { text, step: 0 })
  await waitForCount(`1 / ${count}`)
  await isShown(0)
  await page.click('.learning .scrub-button:last-child')
  await isShown(1)
  await page.click('.learning .scrubber > button')
  await isShown(-1)
  assert.match(await page.textContent('.learning h2'), new RegExp(`Stopped after ${count} merges`))
  assert.deepEqual(await findViolations(page), [])
  await page.setViewportSize({ width: 360, height: 740 })
  assert.equal(await measureOverflow(page), 0)
  assert.deepEqual(complaints, [])
  await close()
})
