// The map of a model and a training as elements of another page.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TASKS } from '../../src/training/settings.js'
import { READY } from '../../web/models/index.js'
import { ALL, DRAWN, element, html, readTables, showAll, toNumber, useBlog } from './element_pages.js'
import { findViolations, runInNode } from './host.js'

const PAGES = {
  'model.html': html(element('model', { model: 'dates', lang: 'en' })), 'empty.html': html(''),
  'two_models.html': html(['3/4/1999', 'may 1 2001'].map(input => element('model', { input, lang: 'ko' })).join('')),
  'training.html': html(element('training', { task: 'dates', settings: 'steps=12', input: '3/4/1999', lang: 'en' }))
}
const { open } = useBlog(PAGES)
const eventsOf = (page, type) => page.evaluate(name => globalThis.events.filter(event => event.type === `glass-${name}`).map(({ detail }) => detail), type)
/** Adds an element to the page and returns what it says is wrong. */
const complain = (page, name, attributes) => page.evaluate(([tag, given]) => {
  const own = document.createElement(tag)
  for (const [key, value] of Object.entries({ lang: 'en', ...given })) own.setAttribute(key, value)
  document.querySelector('main').replaceChildren(own)
  return new Promise(resolve => { own.addEventListener('error', ({ message }) => resolve(message)) })
}, [`glass-${name}`, attributes])

test('a stage that is pressed on the map opens below it, with the numbers of Node', async () => {
  const { page, complaints, close } = await open('model.html')
  await page.waitForSelector('.map .stamp canvas')
  assert.ok(await page.isHidden('.glass-body'))
  await page.focus('.map [data-room="encoder.0.self_attn.weights"] a')
  await page.keyboard.press('Enter')
  await page.waitForSelector('.glass-body .figure-foot')
  assert.equal(await page.evaluate(() => scrollY), 0, 'nothing scrolls the page')
  await showAll(page)
  const [{ room, tables }] = await readTables(page), run = runInNode({})
  assert.equal(room, 'encoder.0.self_attn.weights')
  const { name, values } = tables.at(-1), expected = run.tensors.get(name).data
  assert.ok(values.length > 40 && values.every((text, i) => Object.is(toNumber(text), expected[i])), name)
  run.dispose()
  assert.deepEqual((await eventsOf(page, 'select')).map(({ room: id, stage }) => [id, stage]), [[room, 'weights']])
  assert.equal(await page.getAttribute('.map [aria-current]', 'aria-current'), 'step')
  assert.deepEqual(await findViolations(page, 'html'), [])
  assert.deepEqual(complaints, [])
  await close()
})

test('two maps on one page each have all their pictures, and every model has a map', async () => {
  const { page, complaints, close } = await open('two_models.html')
  const countPictures = () => page.$$eval('glass-model', list => list.map(({ shadowRoot }) => (
    [shadowRoot.querySelectorAll('.map li').length, shadowRoot.querySelectorAll('.map .stamp > canvas').length])))
  await page.waitForFunction(() => [...document.querySelectorAll('glass-model')].every(({ shadowRoot }) => shadowRoot.querySelector('.map li')))
  for (const [rooms, pictures] of await countPictures()) assert.ok(rooms > 30 && pictures === rooms, `${rooms}, ${pictures}`)
  for (const { id } of READY) {
    await page.evaluate(model => { document.querySelector('main').innerHTML = `<glass-model model="${model}" lang="en"></glass-model>` }, id)
    await page.waitForSelector('.map .stamp canvas')
    assert.doesNotMatch(await page.textContent('.map'), /\b(stages|map)\.\w/, id)
    assert.equal(await page.$('[data-room^="notebook"]'), null, 'the code of a notebook runs on the whole page only')
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('a training plays, steps and pauses, and programs hear of it', async () => {
  const { page, complaints, close } = await open('training.html')
  await showAll(page)
  assert.equal(await page.inputValue('.theatre-said input'), '3/4/1999')
  await page.evaluate(() => document.querySelector('glass-training').step())
  await page.waitForFunction(() => globalThis.events.at(-1)?.detail.step === 1)
  await page.click('[data-action="play"]')
  await page.waitForFunction(() => globalThis.events.some(({ detail }) => detail.step === 12 && !detail.isPlaying))
  const steps = await eventsOf(page, 'step'), losses = steps.flatMap(({ loss }) => loss ?? [])
  assert.ok(losses.length > 2 && losses.at(-1) < losses[0], losses.join())
  assert.deepEqual({ ...steps.at(-1), loss: 0 }, { task: 'dates', step: 12, total: 12, loss: 0, isPlaying: false })
  await page.waitForFunction(() => /step 12 of 12/.test(document.querySelector('glass-training').shadowRoot.querySelector('.theatre-place').textContent))
  assert.equal((await eventsOf(page, 'answer')).at(-1).answer, await page.textContent('.theatre-answer'))
  assert.ok(await page.$('.theatre-heat [role="grid"]'))
  assert.equal(page.workers().length, 1)
  assert.deepEqual(await findViolations(page, 'html'), [])
  await page.evaluate(all => document.querySelector(all).remove(), ALL)
  await page.waitForTimeout(200)
  assert.equal(page.workers().length, 0, 'its worker ends with it')
  assert.deepEqual(complaints, [])
  await close()
})

test('a training whose first step lacks the network says so, and starts once it is there', async () => {
  const { page, close } = await open('training.html')
  await showAll(page)
  const answer = await page.textContent('.theatre-answer'), kernels = '**/glassformer.training.wasm'
  await page.route(kernels, route => route.abort())
  await page.click('[data-action="play"]')
  await page.waitForSelector('.glass-error')
  assert.equal(await page.textContent('.theatre-answer'), answer)
  await page.unroute(kernels)
  await page.click('[data-action="play"]')
  await page.waitForFunction(() => globalThis.events.some(({ detail }) => detail?.step === 12 && !detail.isPlaying))
  assert.equal(await page.$('.glass-error'), null)
  await close()
})

test('every task begins, and what is wrong with an attribute is said', async () => {
  const { page, complaints, close } = await open('empty.html')
  for (const [i, { task, settings = '' }] of [...TASKS.map(id => ({ task: id })), { task: 'text', settings: 'unit=pairs' }].entries()) {
    await page.evaluate(attributes => {
      const own = document.createElement('glass-training')
      Object.assign(own, attributes)
      document.querySelector('main').replaceChildren(own)
    }, { task, settings, lang: ['ko', 'en', 'zh'][i % 3] })
    await showAll(page)
    await page.evaluate(() => document.querySelector('glass-training').step())
    await page.waitForFunction(() => globalThis.events.at(-1)?.detail.step === 1)
    assert.deepEqual(await page.$$eval(ALL, ([{ shadowRoot }]) => shadowRoot.querySelector('.glass-error')?.textContent ?? ''), '', task)
    assert.doesNotMatch(await page.textContent('.theatre'), /\btheatre\.[a-z]/, task)
  }
  assert.deepEqual(complaints, [])
  assert.match(await complain(page, 'training', { task: 'chess' }), /^task: “chess” is not one of these: dates, /)
  assert.match(await complain(page, 'training', { settings: 'speed=2' }), /^settings: “speed” is not one of these: optimizer, /)
  assert.match(await complain(page, 'training', { settings: 'rate=5000' }), /has to be a number from 0 to 1000/)
  assert.match(await complain(page, 'training', { settings: 'rate=much' }), /^settings: “rate=much” is not one of these: 0 … 1000/)
  assert.match(await complain(page, 'training', { settings: 'heads=5' }), /^settings: /)
  assert.match(await complain(page, 'model', { model: 'gpt' }), /^model: “gpt” is not one of these: dates, /)
  await close()
})

/** The lowest height of a new element until some frames after it is drawn, and whether it said that it was loading. */
const watchHeight = (page, tag, attributes, drawn) => page.evaluate(async ([name, { fontSize = '', ...given }, selector]) => {
  const own = document.createElement(name), nextFrame = () => new Promise(requestAnimationFrame)
  Object.entries({ lang: 'en', ...given }).forEach(([key, value]) => own.setAttribute(key, value))
  own.style.fontSize = fontSize
  document.querySelector('main').replaceChildren(own)
  const words = new Set()
  let lowest = Infinity
  for (let left = 30; left > 0;) {
    await nextFrame()
    lowest = Math.min(lowest, own.getBoundingClientRect().height)
    const root = own.shadowRoot.querySelector('.root')
    if (root) words.add(getComputedStyle(root, '::before').content)
    if (own.shadowRoot.querySelector(selector)) left -= 1
  }
  return { lowest, words: [...words], last: own.getBoundingClientRect().height }
}, [tag, attributes, drawn])

test('an element keeps its reserved height until it is drawn', async () => {
  const kinds = {
    figure: [{ model: 'dates', room: 'decoding' }, { lang: 'ko', room: 'weights' }, { room: 'weights', fontSize: '12px' }], lesson: [{ lesson: 'mask' }],
    model: [{ model: 'dates' }], training: [{ task: 'dates' }]
  }
  for (const [kind, list] of Object.entries(kinds)) for (const attributes of list) {
    const { page, complaints, close } = await open('empty.html')
    const { lowest, words, last } = await watchHeight(page, `glass-${kind}`, attributes, DRAWN)
    assert.ok(lowest >= 239 && last > 240, `${kind}: ${lowest}, then ${last}`)
    assert.deepEqual(words, [attributes.lang === 'ko' ? '"불러오는 중"' : '"Loading"', 'none'], kind)
    assert.deepEqual(complaints, [])
    await close()
  }
})
