// The worksheet of a lesson, opened in the page and measured in its printed layout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { createWorksheet } from '../../web/lessons/worksheet.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { changeAndWait, completeState as pageState, runInNode, useBrowser } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

const { open: openPage } = useBrowser()
const PAPERS = ['A4', 'Letter']

/** Keeps the sheet on the page instead of printing it. */
const before = () => {
  window.print = () => { document.documentElement.dataset.printed = 'yes' }
}

async function printed(id, language, more = {}) {
  const opening = await openPage({ lesson: id, language, theme: 'dark' }, { before })
  const { page } = opening
  await page.waitForSelector('.lesson-bar .lesson-text:not(:empty)')
  for (const [field, value] of Object.entries(more)) {
    await changeAndWait(page, () => page.fill(`[data-field="${field}"]`, value))
  }
  assert.equal(await page.$('.worksheet'), null)
  await page.click('.lesson-sheet')
  await page.waitForSelector('html[data-printed]')
  assert.equal(await page.isVisible('.worksheet'), false, 'on the screen nothing has changed')
  await page.emulateMedia({ media: 'print' })
  return opening
}

/** The same worksheet, made here. */
async function openWorksheet(id, language, more = {}) {
  const [lesson, words] = await Promise.all([loadLesson(id), loadLessonTexts(language, id)])
  const state = pageState({ model: lesson.model, lesson: id, at: 0, language, ...more })
  return createWorksheet(lesson, words, {
    state, language, runOf: async item => runInNode(item),
    gradientOf: async (item, tensor) => runInNode(item).gradient(tensor), figureOf: async () => null
  })
}

/** How many pages a printer would be given. */
const pages = async (page, format) => (
  (await page.pdf({ format, margin: { top: '16mm', right: '16mm', bottom: '16mm', left: '16mm' } }))
    .toString('latin1').match(/\/Type\s*\/Page\b(?!s)/g).length)

const JOINER = '\u2060'
/** Texts as they are read, without what only keeps a line together. */
const text = (page, selector) => page.$$eval(selector, (list, joiner) => (
  list.map(item => item.innerText.trim().replaceAll(joiner, ''))), JOINER)
const cells = (page, selector) => page.$$eval(`${selector} td`, list => list.map(item => item.textContent))

for (const [id, language, more] of everyNth([['gap', 'ko', { gapped: '나는 물[?] 마셨다' }], ['round', 'en']], 2)) {
  test(`${id}, ${language}: every step is printed with the reader's numbers, the answers by themselves`, async () => {
    const sheet = await openWorksheet(id, language, more)
    const { page, complaints, close } = await printed(id, language, more)
    assert.equal(await page.isVisible('.house'), false, 'nothing but the sheet')
    assert.deepEqual(await text(page, '.worksheet-questions li > h2'), sheet.items.map(({ title }) => title))
    const questions = sheet.items.filter(({ isQuestion }) => isQuestion)
    assert.deepEqual(await text(page, '.worksheet-hint'), questions.map(({ hint }) => hint).filter(Boolean))
    assert.deepEqual(await text(page, '.worksheet-tokens span'), sheet.tokens)
    assert.deepEqual(await page.$$('.worksheet-key, .worksheet-answer'), [])
    const figures = sheet.items.flatMap(({ figures, answerFigures, hasCellsToFill }) => [...figures,
      ...(hasCellsToFill ? answerFigures.filter(({ isCut }) => !isCut) : [])])
      .flatMap(item => item.cells.flat())
    const blank = figures.filter(({ isBlank }) => isBlank).length
    assert.equal((await cells(page, '.worksheet-questions')).filter(cell => cell === '').length, blank)
    assert.ok(blank > 0)
    assert.doesNotMatch(await page.textContent('.worksheet figcaption'), /_|\[|^$/, 'words, not the name of a tensor')
    const colors = await page.$eval('.worksheet', element => [getComputedStyle(element).color, getComputedStyle(element).backgroundColor])
    assert.deepEqual(colors, ['rgb(0, 0, 0)', 'rgb(255, 255, 255)'], 'light, whatever the screen is')
    for (const format of PAPERS) {
      assert.ok(await pages(page, format) >= 1, format)
      await page.emulateMedia({ media: 'screen' })
      assert.equal(await page.$('.worksheet'), null, 'once it is printed')
      assert.ok(await page.isVisible('.lesson-bar'))
      await page.click('.lesson-sheet')
      await page.waitForSelector('.worksheet', { state: 'attached' })
    }
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
    await page.click('.lesson-key')
    await page.waitForSelector('.worksheet-key', { state: 'attached' })
    await page.emulateMedia({ media: 'print' })
    assert.deepEqual(await text(page, '.worksheet-answer'), questions.map(({ answer }) => answer))
    assert.deepEqual(await text(page, '.worksheet-answer + p'), questions.map(({ why: explanation }) => explanation))
    assert.deepEqual(await text(page, '.worksheet-solution'), sheet.items.flatMap(({ solutions }) => solutions))
    assert.ok((await cells(page, '.worksheet-key')).every(cell => cell !== ''))
    assert.deepEqual(complaints, [])
    await close()
  })
}

longTest('every lesson has a worksheet', async () => {
  const { page, complaints, close } = await openPage({ lesson: 'attention', language: 'en' }, { before })
  for (const { id } of LESSONS) {
    await page.evaluate(lesson => {
      location.hash = `lesson=${lesson}&language=en`
      delete document.documentElement.dataset.printed
    }, id)
    const { title } = await loadLessonTexts('en', id)
    await page.waitForFunction(name => document.querySelector('.lesson-name')?.title === name, title)
    await page.click('.lesson-sheet')
    await page.waitForSelector('html[data-printed]')
    assert.equal(await page.textContent('.worksheet h1'), title)
    await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('a step with a small figure has it on paper, and the key is right about it', async () => {
  const { page, complaints, close } = await printed('learning', 'en')
  assert.ok(await page.$$eval('.worksheet-drawing svg', list => list.length) >= 3)
  assert.equal(await page.isVisible('.worksheet-drawing input'), false, 'nothing to move on paper')
  assert.deepEqual(await page.$$eval('.worksheet-task + .worksheet-line', list => list.map(line => line.textContent)),
    Array(3).fill('Values reached:'), 'room for what is reached on the screen')
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await page.emulateMedia({ media: 'screen' })
  await page.click('.lesson-key')
  await page.waitForSelector('.worksheet-key', { state: 'attached' })
  assert.match(await page.textContent('.worksheet-answer'), /smaller/)
  const solved = await page.$$eval('.worksheet-key .worksheet-drawing', list => list.map(drawing => drawing.textContent))
  assert.equal(solved.length, 3, 'a drawing of each task')
  assert.match(solved[0], /y = 1\.17 × x \+ 4\.10/)
  assert.match(await page.textContent('.worksheet-key'), /november 20 2026/, 'the key says which input it is for')
  assert.deepEqual(complaints, [])
  await close()
})
