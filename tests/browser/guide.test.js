// The theatre's guides in the real page: guessed, trained, answered by the training, and its reason shown.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { formatBrief } from '../../web/lib/number.js'
import { EXPERIMENTS } from '../../web/theatre/experiments.js'
import { createSession } from '../../src/training/session.js'
import { read } from '../../src/training/settings.js'
import { measureOverflow, useBrowser, findViolations } from './host.js'
import { longTest } from '../lib/long.js'

const gf = await load()
const browser = useBrowser()
const { exploding } = EXPERIMENTS
const waitForResult = page => page.waitForFunction(() => document.querySelector('.theatre-guide .lesson-said')?.textContent)
const placeIn = page => page.textContent('.theatre-guide .lesson-place')

/** What the training has come to, made here. */
function lossesHere() {
  const session = createSession(gf, read(exploding.link))
  while (session.done < exploding.until) session.step()
  const { loss } = session.history
  session.dispose()
  return [loss[0], loss[1], loss.at(-1)].map(formatBrief)
}

test('a wrong guess on a phone: trains to the decisive step, has Node\'s numbers, shows the reason', async () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  const { page, complaints, close } = await browser.open({ theatre: exploding.link, language: 'en' }, phone)
  await page.tap('.theatre-guide [data-option="falls"]')
  await waitForResult(page)
  assert.equal(await page.getAttribute('.theatre', 'data-step'), String(exploding.until))
  assert.equal(await page.getAttribute('.theatre-guide .is-right', 'data-option'), 'grows')
  assert.equal(await page.getAttribute('.theatre-guide .is-wrong', 'data-option'), 'falls')
  const [first, second, last] = lossesHere()
  assert.equal(await page.textContent('.theatre-guide .lesson-said'), `Step 1: ${first}, step 2: ${second}, step 25: ${last}.`)
  assert.equal(await measureOverflow(page), 0)
  assert.deepEqual(await findViolations(page), [])
  await page.tap('.theatre-guide .lesson-next')
  await page.tap('[data-action="why"]')
  await page.waitForFunction(() => {
    const { top, height } = document.querySelector('.theatre-followed.is-pointed')?.getBoundingClientRect() ?? {}
    return height > 100 && top >= 0 && top < innerHeight
  })
  assert.equal(await measureOverflow(page), 0)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('by keyboard: changing the language keeps the step and the guess; back, and on to the next guide', async () => {
  const { page, complaints, close } = await browser.open({ theatre: exploding.link, language: 'ko' })
  await page.focus('.theatre-guide [data-option="grows"]')
  await page.keyboard.press('Enter')
  await waitForResult(page)
  assert.equal(await page.$('.theatre-guide .is-wrong'), null)
  await page.click('[data-language="en"]')
  await page.waitForFunction(() => /^Step 1/.test(document.querySelector('.theatre-guide .lesson-said')?.textContent ?? ''))
  assert.equal(await placeIn(page), '2 / 3')
  assert.equal(await page.getAttribute('.theatre-guide .is-expected', 'data-option'), 'grows')
  assert.deepEqual(await findViolations(page), [])
  await page.focus('.theatre-guide .lesson-back')
  await page.keyboard.press('Enter')
  assert.equal(await placeIn(page), '1 / 3')
  for (const place of ['2 / 3', '3 / 3']) {
    await page.focus('.theatre-guide .lesson-next')
    await page.keyboard.press('Enter')
    assert.equal(await placeIn(page), place)
  }
  await page.keyboard.press('Enter')
  await page.waitForFunction(link => document.querySelector('.theatre').dataset.open === link,
    EXPERIMENTS[exploding.next].link)
  assert.equal(await placeIn(page), '1 / 3')
  assert.equal(await page.textContent('.theatre-guide .lesson-said'), '')
  await page.evaluate(() => scrollTo({ top: 800 }))
  await page.click('[data-experiment="byHeart"]')
  await page.waitForFunction(name => document.querySelector('.theatre-guide .lesson-name').textContent === name,
    'Memorize one batch')
  assert.deepEqual(await page.evaluate(() => [scrollY, document.activeElement.className]), [0, 'theatre-guide'])
  assert.deepEqual(complaints, [])
  await close()
})
