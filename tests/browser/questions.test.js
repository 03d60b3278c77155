// Questions come before answers: nothing above a question reveals its answer, and stated numbers are the run's.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { LESSONS } from '../../web/lessons/index.js'
import { loadLesson } from '../../web/lessons/load.js'
import { readAddress, useBrowser } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

const { open: openPage } = useBrowser()
const open = (lesson, at, language, options) => openPage({ lesson, at, language }, options)
const waitForStep = (page, id) => page.waitForSelector(`.lesson-bar[data-step="${id}"]:not(.is-away)`)
const readText = (page, selector) => page.textContent(selector).then(text => text.replaceAll('\u2060', ''))
/** Reads the cell that the inspector explains, once the explanation is there; in a lesson it is out of sight. */
async function readInspector(page) {
  await page.waitForSelector('#inspector[aria-busy="false"]', { state: 'attached' })
  return { name: await page.textContent('.inspector .cell-name'), value: await page.textContent('.inspector .cell-value') }
}
const giveUp = async (page, answer) => {
  await page.click(`[data-option="${answer}"]`)
  await page.click('.lesson-reveal')
  await page.waitForSelector('.lesson-option.is-right')
}

test('a small figure displays the answer once the question is answered, not before', async () => {
  for (const [id, at, step, answer, shown] of [['grokking', 0, 'memory', 'all', /3000/], ['positions', 2, 'alike', '11', /11.* 10:/]]) {
    const { page, close } = await open(id, at, 'en')
    await waitForStep(page, step)
    await page.waitForSelector('.lesson-figure > *')
    assert.doesNotMatch(await readText(page, '.lesson-figure'), shown)
    await page.click(`[data-option="${answer}"]`)
    await page.waitForSelector('.lesson-option.is-right')
    assert.match(await readText(page, '.lesson-figure'), shown)
    await close()
  }
})

longTest('the top line does not reveal the model\'s answer while a question asks for it', async () => {
  const asking = []
  for (const { id } of LESSONS) {
    const lesson = await loadLesson(id)
    for (const [at, { id: step, question: ask }] of lesson.steps.entries()) {
      if (ask?.isOfAnswer) asking.push([id, at, step])
    }
  }
  assert.deepEqual(asking.map(([id, , step]) => `${id} ${step}`),
    ['attention write', 'sampling logits', 'sampling greedy', 'translation first', 'translation twofold', 'gap gap'])
  for (const [id, at, step] of asking) {
    const { page, complaints, close } = await open(id, at, 'ko')
    await waitForStep(page, step)
    const isTold = () => page.isVisible('.entry .is-target input')
    assert.equal(await isTold(), false, `${id}, ${step}: asked`)
    await page.click('.lesson-option >> nth=0')
    await page.waitForSelector('.lesson-said:not(:empty)')
    if (await page.isVisible('.lesson-reveal')) await page.click('.lesson-reveal')
    await page.waitForSelector('.lesson-option.is-right')
    assert.equal(await isTold(), true, `${id}, ${step}: answered`)
    await page.click('.lesson-leave')
    assert.equal(await isTold(), true, `${id}, ${step}: left`)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('texts from before an answer stay about the run of the question', async () => {
  for (const [language, before, after] of [['ko', '을', '를'], ['en', 'are', 'is']]) {
    const { page, complaints, close } = await open('gap', 10, language)
    await waitForStep(page, 'other')
    const text = await readText(page, '.lesson-text')
    assert.ok(text.includes(before), text)
    await giveUp(page, before)
    assert.equal(await page.getAttribute('.lesson-option.is-right', 'data-option'), after)
    assert.equal(await readText(page, '.lesson-text'), text)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('the inspector explains the number in the text, whichever head or text it belongs to', async () => {
  const { page, complaints, close } = await open('gap', 9, 'en')
  await waitForStep(page, 'heads')
  const isSpokenOf = async announcement => {
    const { name, value } = await readInspector(page)
    const text = await readText(page, '.lesson-text')
    assert.ok(text.includes(value.trim()), `${announcement}: ${name} is ${value}, but: ${text}`)
    return name
  }
  assert.match(await isSpokenOf('head 1'), /weights\[0, 1, 7, 5\]$/)
  await page.click('.stage [data-picker="head"] label:has(input[value="2"])')
  await page.waitForFunction(() => document.querySelector('.inspector .cell-name').textContent.includes('[0, 2, '))
  assert.match(await isSpokenOf('head 2'), /weights\[0, 2, 7, /)
  await page.click('.lesson-next')
  await page.click('.lesson-next')
  await waitForStep(page, 'yours')
  await isSpokenOf('the end')
  await page.fill('[data-field="gapped"]', 'the child and the dogs [?] there')
  await page.waitForFunction(() => document.querySelector('.lesson-text').textContent.includes('dogs'))
  assert.match(await isSpokenOf('another sentence'), /weights\[0, 1, 17, /)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('for an answer in words the inspector explains its probability', async () => {
  const { page, complaints, close } = await open('translation', 4, 'en')
  await waitForStep(page, 'twofold')
  await giveUp(page, '6')
  const { name, value } = await readInspector(page)
  const text = await readText(page, '.lesson-said')
  assert.ok(text.includes(value.trim()), `${name} is ${value}, but: ${text}`)
  assert.deepEqual(complaints, [])
  await close()
})

test('a reload after an answer stays in the step and asks again', async () => {
  for (const [id, at, step, answer] of everyNth([['translation', 4, 'twofold', '6'], ['gap', 1, 'look', '0'],
    ['gap', 7, 'equal', 'one']], 2)) {
    const { page, complaints, close } = await open(id, at, 'en')
    await waitForStep(page, step)
    await giveUp(page, answer)
    await readAddress(page)
    await page.reload()
    await page.waitForSelector('.lesson-bar')
    await waitForStep(page, step)
    assert.ok(await page.isVisible('.lesson-question'), `${id}, ${step}`)
    assert.equal(await page.isVisible('.lesson-home'), false, `${id}, ${step}`)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('the last lesson of the path leads to the training page and ends', async () => {
  const lesson = await loadLesson('large')
  for (const [language, name] of [['ko', '다음: 학습 실험실'], ['en', 'Next: Training']]) {
    const { page, complaints, close } = await open('large', lesson.steps.length - 1, language)
    await waitForStep(page, 'limits')
    assert.equal(await page.textContent('.lesson-next'), name)
    await page.click('.lesson-next')
    await page.waitForSelector('.theatre h1')
    assert.equal(await page.isVisible('.lesson'), false)
    const { theatre, lesson: on } = await readAddress(page)
    assert.deepEqual([theatre, on], ['stories', ''])
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('Escape leaves a field, and never a lesson', async () => {
  const { page, complaints, close } = await open('gap', 11, 'en')
  await waitForStep(page, 'yours')
  await page.focus('[data-field="gapped"]')
  await page.keyboard.press('Escape')
  assert.ok(await page.isVisible('.lesson'))
  assert.equal(await page.evaluate(() => document.activeElement.matches('input')), false)
  await page.keyboard.press('Escape')
  await waitForStep(page, 'yours')
  assert.ok(await page.isVisible('.lesson'))
  assert.deepEqual(complaints, [])
  await close()
})

test('a number that is accepted stays as it was typed; one that was wrong gives way to the answer', async () => {
  const { page, close } = await open('order', 0, 'en')
  await waitForStep(page, 'sum')
  const field = page.locator('.lesson-options input')
  const said = await readText(page, '.lesson-text'), [entry, added] = said.match(/had (.+); attention gives (.+)\.$/).slice(1)
  // It may be off by a rounding.
  const typed = [entry, added].map(text => Number(text.replace('−', '-'))).reduce((sum, term) => sum + term, 0.01).toFixed(2)
  await field.fill(typed)
  await field.press('Enter')
  await page.waitForSelector('.lesson-options input.is-right')
  const exact = (await readText(page, '.lesson-said')).match(/Right, (\S+)\. What/)[1]
  assert.notEqual(exact, typed)
  assert.equal(await field.inputValue(), typed)
  await close()
  const other = await open('order', 0, 'en')
  await waitForStep(other.page, 'sum')
  await other.page.fill('.lesson-options input', '7')
  await other.page.press('.lesson-options input', 'Enter')
  await other.page.waitForSelector('.lesson-reveal')
  await other.page.fill('.lesson-options input', '8')
  await other.page.click('.lesson-reveal')
  await other.page.waitForSelector('.lesson-options input.is-right')
  assert.equal(await other.page.inputValue('.lesson-options input'), exact)
  await other.close()
})

test('a wrong sum is not compared with cells that are displayed only after the answer', async () => {
  const { page, close } = await open('order', 0, 'ko')
  await waitForStep(page, 'sum')
  await page.fill('.lesson-options input', '1.8')
  await page.press('.lesson-options input', 'Enter')
  await page.waitForSelector('.lesson-said:not(:empty)')
  assert.doesNotMatch(await readText(page, '.lesson-said'), /행/)
  await close()
})
