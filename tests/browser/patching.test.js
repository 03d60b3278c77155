// The room that compares two texts: every number equals a run with edits in Node; taking a place changes the answer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatFixed } from '../../web/lib/number.js'
import { fromHash } from '../../web/models/state.js'
import { roomsOf } from '../../web/rooms/index.js'
import { changeAndWait, completeState, findViolations, measureOverflow, readAddress, useBrowser } from './host.js'
import { makeTexts, patchedIndex } from './patched_texts.js'

const { open } = useBrowser()
const DATES = { model: 'dates', source: 'may 6 2026', other: 'june 5 2026', room: 'patching', language: 'en' }
const NAMES = { model: 'induction', beginning: 'Kara tea Ben milk Kara', other: 'Kara tea Ben milk Ben', room: 'patching', language: 'ko' }

const waitForMap = page => page.waitForSelector('.grid td span:not(:empty)').then(() => (
  page.waitForFunction(() => !document.querySelector('.stage [aria-busy="true"]'))))

/** The visible maps: names of tensors by row, and the texts of their cells. */
const readMaps = page => page.$$eval('.grid', tables => tables.filter(table => table.offsetParent).flatMap(table => (
  [...table.tBodies[0].rows].map(({ dataset, cells }) => ({
    name: dataset.key, texts: [...cells].slice(1).map(({ textContent }) => textContent)
  })))))

for (const [state, theme] of [[DATES, 'light'], [NAMES, 'dark']]) {
  test(`${state.model}: every number of the map is that of a run with the other text's values`, async t => {
    const { page, complaints, close } = await open(completeState({ ...state, theme }))
    const texts = makeTexts(completeState(state)), { run } = texts
    const { parts: { rows, attentions } } = roomsOf(run).find(({ id }) => id === 'patching')
    let count = 0, largest = 0
    await waitForMap(page)
    for (const kind of ['residual', 'attention', 'feedForward', 'heads']) {
      const choice = page.locator(`.segments label:has(input[value="${kind}"])`)
      if (kind !== 'heads' && rows[kind].length === 0) {
        assert.equal(await choice.count(), 0, kind)
        continue
      }
      await choice.click()
      await waitForMap(page)
      const maps = await readMaps(page)
      assert.deepEqual(maps.map(({ name }) => name).sort(),
        (kind === 'heads' ? attentions.map(({ out }) => out) : rows[kind].map(({ name }) => name)).sort())
      for (const { name, texts: cells } of maps) {
        const { shape } = run.tensors.get(name), heads = attentions.find(({ out }) => out === name)?.heads
        assert.equal(cells.length, kind === 'heads' ? heads : shape[1], name)
        cells.forEach((text, at) => {
          const share = texts.patched(name, patchedIndex({ shape }, at, kind === 'heads' && heads))
          assert.equal(text, formatFixed(share), `${name} ${at}`)
          largest = Math.max(largest, Number(text.replace('−', '-')))
          count++
        })
      }
      assert.deepEqual(await findViolations(page), [], kind)
    }
    t.diagnostic(`${count} numbers, the largest ${largest}`)
    assert.ok(count > 20 && largest > 0.9)
    assert.deepEqual(complaints, [])
    texts.dispose()
    await close()
  })
}

test('what is taken from the other text changes the answer, stays in the link and can be given back', async () => {
  const { page, complaints, close } = await open(completeState(DATES))
  const texts = makeTexts(completeState(DATES)), [here, there] = texts.answers.map(list => list.slice(0, -1).join(''))
  await waitForMap(page)
  const cell = page.locator('.grid td').first()
  await cell.focus()
  for (const key of ['ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowDown', 'Enter']) await page.keyboard.press(key)
  const status = await page.textContent('.source-details:not(:empty)')
  assert.match(status, /^after the last layer \(resid_post\) · “may” at position 0: 1\.00 of the way/)
  await changeAndWait(page, () => page.click('[data-action="take"]'))
  const answerText = await page.textContent('.stage-figure > .note')
  // The month comes from the other text, the day from this one.
  const month = there.slice(0, there.indexOf('월')), day = here.slice(here.indexOf('월'))
  assert.ok(answerText.replaceAll(' ', '').includes(`“${month}${day}”`), answerText)
  const { edits } = await readAddress(page)
  assert.deepEqual(edits, [{ name: 'transformer.encoder.layers.1.output', index: [0, 0, null], fromText: DATES.other }])
  const reopened = await open(fromHash(await page.evaluate(() => location.hash)))
  await waitForMap(reopened.page)
  assert.equal(await reopened.page.textContent('.stage-figure > .note'), answerText)
  await reopened.close()
  await changeAndWait(page, () => page.click('[data-action="take"]'))
  assert.deepEqual((await readAddress(page)).edits, [])
  await page.click('.patch-actions a')
  await page.waitForSelector('.twin-answers:not([hidden])')
  assert.equal((await readAddress(page)).twin, `text:${DATES.other}`)
  await page.waitForFunction(text => document.querySelector('.twin-answers')?.textContent.replaceAll(' ', '').includes(text), there)
  assert.deepEqual(complaints, [])
  texts.dispose()
  await close()
})

test('a head that was taken is one change, which can be given back as a whole', async () => {
  const { page, complaints, close } = await open(completeState({ ...DATES, patched: 'heads' }))
  await waitForMap(page)
  await changeAndWait(page, () => page.click('[data-action="take"]'))
  assert.ok((await readAddress(page)).edits.length > 4)
  assert.match(await page.textContent('.changed'), /1/)
  await page.click('.map li[data-room="decoding"] a')
  await page.waitForSelector('.stage .picks')
  assert.equal(await page.locator('.edits li').count(), 1)
  assert.match(await page.textContent('.edits li .cell-link'), /\[0, 0…\d+, 24…31\]$/)
  await changeAndWait(page, () => page.click('.edits li > .quiet'))
  assert.deepEqual((await readAddress(page)).edits, [])
  assert.deepEqual(complaints, [])
  await close()
})

test('a text applies while it is typed; one of another length disables the choices and says why', async () => {
  const { page, complaints, close } = await open(completeState({ ...DATES, padding: false, other: '' }))
  await waitForMap(page)
  const isDisabled = () => page.$$eval('.stage-figure fieldset', list => list.map(({ disabled }) => disabled))
  assert.deepEqual(await isDisabled(), [false, false])
  await page.fill('.other-text', 'june 15 2026')
  await page.waitForFunction(() => /has 6, the other one 7/.test(document.querySelector('.stage-figure .problem')?.textContent))
  assert.deepEqual(await isDisabled(), [true, true])
  await page.fill('.other-text', DATES.other)
  await page.waitForSelector('.stage-figure .problem', { state: 'hidden' })
  await waitForMap(page)
  assert.deepEqual(await isDisabled(), [false, false])
  assert.equal(await page.evaluate(() => document.activeElement.className), 'other-text', 'the field keeps the focus')
  assert.equal((await readAddress(page)).other, DATES.other)
  await page.fill('.other-text', '')
  await page.waitForTimeout(800)
  assert.equal(await page.inputValue('.other-text'), '', 'an empty field stays empty')
  assert.deepEqual(complaints, [])
  await close()
})

test('a text that cannot be compared is answered in words', async () => {
  for (const [other, pattern] of [['june 15 2026', /has 6, the other one 7/], ['hello', /hello|h/], ['may 6 2026', /same answer/]]) {
    const { page, complaints, close } = await open(completeState({ ...DATES, padding: false, other }))
    await page.waitForSelector('.stage .problem:not([hidden])')
    await page.waitForFunction(source => new RegExp(source).test(document.querySelector('.stage .problem:not([hidden])')?.textContent), pattern.source)
    assert.equal(await page.$$eval('.grid', tables => tables.filter(table => table.offsetParent).length), 0)
    assert.deepEqual(complaints, [])
    await close()
  }
  const { page, close } = await open(completeState({ ...DATES, model: 'stories', other: '' }), { width: 390, height: 844 })
  await page.waitForSelector('.stage .problem:not([hidden])')
  assert.equal(await measureOverflow(page), 0)
  await close()
})
