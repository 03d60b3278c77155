// The date that a reader has written, on its way from the opening through the lessons.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadLesson } from '../../web/lessons/load.js'
import { english } from '../lib/texts.js'
import { readAddress, useBrowser } from './host.js'
import { openLessonWith, giveAnswer, rightAt, waitForStep } from './play_lesson.js'

const { open: openPage } = useBrowser(), open = openLessonWith(openPage)

test('the date that a reader types at the opening stays through the lessons, past other models and a reload', async () => {
  const mine = 'may 6 1999', { page, complaints, close } = await openPage({ room: 'opening', language: 'en' })
  await page.fill('.opening-try input', mine)
  await page.click('.opening .is-start')
  await waitForStep(page, 'rule')
  const readDate = () => page.evaluate(() => document.querySelector('[data-field="source"]')?.value ?? '')
  const openLesson = async name => {
    await page.click('.lesson-menu .menu-opener')
    await page.click(`.lesson-menu li button:text-is("${name}")`)
  }
  const { names } = english.page.player
  await openLesson(names.translation)
  await waitForStep(page, 'memory')
  assert.equal(await readDate(), mine)
  await page.click('.lesson-menu .menu-opener')
  await page.click('.lesson-menu ol:first-of-type li:nth-child(5) button')
  await waitForStep(page, 'twofold')
  assert.equal(await readDate(), '5/6/2026', 'a step with a date of its own')
  await page.click('.lesson-next')
  await waitForStep(page, 'yours')
  assert.equal(await readDate(), mine)
  await page.click('.lesson-next')
  await waitForStep(page, 'both')
  await page.click('.lesson-next')
  await waitForStep(page, 'encoder')
  assert.equal((await readAddress(page)).source, mine, 'the address has it where another model is shown')
  await page.reload()
  await waitForStep(page, 'encoder')
  await page.click('.lesson-back')
  await waitForStep(page, 'both')
  assert.equal(await readDate(), mine)
  await openLesson(names.modern)
  await waitForStep(page, 'rms')
  await openLesson(names.inside)
  await waitForStep(page, 'one')
  assert.equal(await readDate(), mine)
  await page.fill('[data-field="source"]', 'november 20 2026')
  await openLesson(names.heads)
  await waitForStep(page, 'different')
  assert.equal(await readDate(), 'november 20 2026', 'and can be taken back')
  assert.deepEqual(complaints, [])
  await close()
})

test('a date goes along although the reader goes on before the model has read it', async () => {
  const { page, complaints, close } = await open({ lesson: 'attention', source: 'may 6 1999', at: 8 }, 'ko')
  await page.waitForSelector('.lesson-next')
  await page.evaluate(() => {
    const field = document.querySelector('[data-field="source"]')
    field.value = 'november 20 2026'
    field.dispatchEvent(new Event('input'))
    document.querySelector('.lesson-next').click()
  })
  await waitForStep(page, (await loadLesson('heads')).steps[0].id)
  assert.equal(await page.inputValue('[data-field="source"]'), 'november 20 2026')
  assert.deepEqual(complaints, [])
  await close()
})

test('who has written a date of their own gets the answers of steps that reveal them with another date', async () => {
  const mine = 'may 6 1999'
  for (const [id, at] of [['tokens', 0], ['attention', 7]]) {
    const lesson = { id, ...await loadLesson(id) }, step = lesson.steps[at]
    const { page, complaints, close } = await open({ lesson: id, source: mine, at }, 'en')
    await waitForStep(page, step.id)
    const { right, options } = await rightAt(page, lesson, step, 'en')
    await giveAnswer(page, right, { right, options })
    await page.waitForSelector('.lesson-said:not(.is-hint):not(:empty)')
    assert.notEqual((await readAddress(page)).source, mine, `${id}: another date is displayed`)
    await page.click('.lesson-next')
    await waitForStep(page, lesson.steps[at + 1].id)
    assert.equal((await readAddress(page)).source, mine, `${id}: and their own again`)
    await page.click('.lesson-back')
    await waitForStep(page, step.id)
    assert.match(await page.textContent('.lesson-said:not(.is-hint)'), /\p{L}/u, `${id}: the answer stays`)
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('half a date, or one that cannot be read, does not go along to the next lesson; the date before does', async () => {
  for (const text of ['sept 9', '31 dezember 1999']) {
    const { page, complaints, close } = await open({ lesson: 'attention', source: 'may 6 1999', at: 8 }, 'ko')
    await page.waitForSelector('.lesson-next')
    await page.fill('[data-field="source"]', '')
    await page.locator('[data-field="source"]').pressSequentially(text, { delay: 250 })
    await page.waitForFunction(words => location.hash.includes(words), text.split(' ')[1])
    await page.click('.lesson-next')
    await waitForStep(page, (await loadLesson('heads')).steps[0].id)
    assert.equal(await page.inputValue('[data-field="source"]'), 'may 6 1999', text)
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('a text of the opening that cannot be read does not go into the first lesson', async () => {
  const { page, complaints, close } = await openPage({ room: 'opening', language: 'ko' })
  await page.fill('.opening-try input', '내일 3시')
  await page.waitForFunction(() => location.hash.includes('source='))
  await page.click('.opening .is-start')
  await waitForStep(page, 'rule')
  assert.match(await page.textContent('.lesson-ask'), /\p{L}/u)
  assert.equal((await readAddress(page)).source, 'november 20 2026')
  assert.deepEqual(complaints, [])
  await close()
})

test('the date of the opening goes into the map, and back to the opening', async () => {
  const mine = 'may 6 1999', { page, complaints, close } = await openPage({ room: 'opening', language: 'en' })
  await page.fill('.opening-try input', mine)
  await page.waitForFunction(date => new URLSearchParams(location.hash.slice(1)).get('source') === date, mine)
  await page.click('.door[href*="room=house"]')
  await page.waitForSelector('.pane-floor')
  assert.equal(await page.inputValue('[data-field="source"]'), mine)
  await page.click('.brand')
  await page.waitForSelector('.opening-try')
  assert.equal(await page.inputValue('.opening-try input'), mine)
  assert.deepEqual(complaints, [])
  await close()
})
