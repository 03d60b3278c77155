// Figures in another page: twelve elements of six kinds, under a strict policy and hostile styles.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { ALL, element, figure, html, measureHeap, measureRuns, readTables, showAll, toNumber, useBlog } from './element_pages.js'
import { runInNode, serve } from './host.js'
import { stageData } from '../lib/page.js'
import { startOf } from '../../web/models/state.js'
import { roomsOf } from '../../web/rooms/index.js'

const AXE = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)
const HOSTILE = `* { color: red !important; display: block; font-size: 40px !important; letter-spacing: 9px !important }
  table, canvas, span, div, p { display: inline !important; width: 10px !important; background: yellow !important }`
/** Six kinds of rooms; each is displayed twice, with other input. */
const KINDS = [
  ['dates', 'encoder.0.self_attn.weights', ['november 20 2026', '3/4/1999']],
  ['dates', 'source.embedding', ['november 20 2026', 'may 1 2001']],
  ['dates', 'decoder.0.multihead_attn.weights', ['november 20 2026', '3/4/1999']],
  ['dates', 'decoding', ['november 20 2026', '7/8/2010']],
  ['particles', 'scores', ['', '']],
  ['particles', 'qkv', ['', '']]
]

const TWELVE = KINDS.flatMap(([model, room, inputs]) => inputs.map(input => (
  { model, room, lang: 'en', ...(input && { input }) })))
const HOSTILE_LINK = '<link rel="stylesheet" href="hostile.css">'
const PAGES = {
  'hostile.css': HOSTILE,
  'twelve.html': html(TWELVE.map(figure).join('\n'), { style: HOSTILE_LINK }),
  'one.html': html(figure(TWELVE[0])),
  'empty.html': html(''),
  'large.css': 'main { font-size: 24px }',
  'large.html': html(element('training', { settings: 'steps=12', lang: 'en' }), { style: '<link rel="stylesheet" href="large.css">' }),
  'kinds.html': html([['figure', { room: 'weights' }], ['lesson', { lesson: 'mask' }], ['model', {}], ['training', { settings: 'steps=12' }]]
    .map(([name, attributes]) => element(name, { lang: 'en', ...attributes })).join('\n'))
}

const { open: openPage, url } = useBlog(PAGES, {}, { 'access-control-allow-origin': '*' })

/** Compares every number of every table with the same run in Node. */
function checkNumbers(found, attributes) {
  const { model, input } = attributes, field = model === 'dates' ? 'source' : 'gapped'
  const run = runInNode({ ...startOf(model, 'en'), ...(input && { [field]: input }) })
  const room = roomsOf(run).find(({ id }) => id === found.room)
  const parts = Object.values(stageData(run, room.id)).flat().filter(part => part?.axis && part.values)
  let count = 0
  for (const { name, values } of found.tables) {
    const expected = parts.filter(part => part.name === name && part.values.length === values.length)
    const isSame = part => values.every((text, i) => Object.is(toNumber(text), Math.fround(part.values[i])))
    assert.ok(expected.some(isSame), `${room.id}: ${name}`)
    count += values.length
  }
  run.dispose()
  return count
}

test('twelve figures of six kinds of rooms: one worker, the numbers of Node, nothing of the hostile styles', async t => {
  const { page, complaints, close } = await openPage('twelve.html')
  const startTime = performance.now()
  await showAll(page)
  t.diagnostic(`twelve elements: ${Math.round(performance.now() - startTime)} ms`)
  const all = await readTables(page)
  assert.deepEqual(all.map(({ room }) => room).filter((room, i, list) => list.indexOf(room) === i).length, 6)
  const counts = all.map((found, i) => checkNumbers(found, TWELVE[i]))
  assert.ok(counts.every(count => count > 0), counts.join())
  assert.equal(page.workers().length, 1)
  const looks = await page.evaluate(() => [...document.querySelectorAll('glass-figure')].map(({ shadowRoot }) => {
    const title = getComputedStyle(shadowRoot.querySelector('.glass-title')), root = getComputedStyle(shadowRoot.querySelector('.root'))
    return [title.color, title.fontSize, title.letterSpacing, root.zoom, getComputedStyle(shadowRoot.querySelector('canvas')).display]
  }))
  for (const look of looks) assert.deepEqual(look, ['rgb(20, 24, 27)', '18px', 'normal', '2', 'block'])
  assert.deepEqual(complaints, [])
  await close()
})

test('after eleven of twelve are removed, the worker retains one run and the page is as small as before', async t => {
  const one = await openPage('one.html')
  await showAll(one.page)
  const runOfOne = await measureRuns(one.page), heapOfOne = await measureHeap(one.page)
  await one.close()
  const { page, close } = await openPage('twelve.html')
  await showAll(page)
  const runsOfTwelve = await measureRuns(page), heapOfTwelve = await measureHeap(page)
  await page.evaluate(() => [...document.querySelectorAll('glass-figure')].slice(1).forEach(element => element.remove()))
  await page.waitForTimeout(500)
  const runsLeft = await measureRuns(page), heapLeft = await measureHeap(page)
  t.diagnostic(JSON.stringify({ runOfOne, runsOfTwelve, runsLeft, heapOfOne, heapOfTwelve, heapLeft }))
  assert.ok(runsOfTwelve > 2 * runOfOne)
  // The engine caches the model that ran last.
  assert.ok(runsLeft < runOfOne + 600_000, `${runsLeft} bytes after ${runOfOne}`)
  assert.ok(heapLeft - heapOfOne < 3_500_000, 'the page')
  // Adding and removing again and again leaves nothing.
  for (let i = 0; i < 3; i++) {
    const added = await page.evaluate(async attributes => {
      const element = document.createElement('glass-figure')
      for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
      document.querySelector('main').prepend(element)
      element.scrollIntoView()
      await new Promise(resolve => { element.addEventListener('glass-run', resolve) })
      element.remove()
      return true
    }, TWELVE[2])
    assert.ok(added)
  }
  await page.waitForTimeout(300)
  assert.ok(await measureRuns(page) < runOfOne + 600_000)
  await close()
})

test('axe finds nothing, in both themes', async () => {
  for (const colorScheme of ['light', 'dark']) {
    const { page, close } = await openPage('twelve.html', { colorScheme })
    await page.evaluate(() => {
      document.querySelector('link[rel="stylesheet"]').remove()
      Object.assign(document.documentElement.style, { colorScheme: 'light dark', background: 'Canvas' })
    })
    await showAll(page)
    assert.equal(await page.evaluate(() => document.querySelector('glass-figure').shadowRoot.querySelector('.root').dataset.theme), colorScheme)
    await page.evaluate(await readFile(AXE, 'utf8'))
    const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }))
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes[0].html]), [])
    await close()
  }
})

test('a page that switches its color scheme switches every element', async () => {
  const { page, complaints, close } = await openPage('kinds.html', { viewport: { width: 1000, height: 3000 } })
  await showAll(page)
  /** What every element draws, and its theme. */
  const readPictures = () => page.evaluate(all => [...document.querySelectorAll(all)].map(({ shadowRoot }) => ({
    theme: shadowRoot.querySelector('.root').dataset.theme,
    pictures: [...shadowRoot.querySelectorAll('canvas')].map(canvas => canvas.toDataURL())
  })), ALL)
  const light = await readPictures()
  assert.ok(light.every(({ theme, pictures }) => theme === 'light' && pictures.length > 0))
  await page.evaluate(() => { document.body.style.colorScheme = 'dark' })
  await page.waitForTimeout(600)
  const switched = await readPictures()
  await page.evaluate(() => {
    const main = document.querySelector('main')
    main.replaceChildren(...[...main.children].map(child => child.cloneNode(true)))
  })
  await showAll(page)
  await page.waitForTimeout(600)
  assert.deepEqual(switched, await readPictures(), 'as if it had been dark from the beginning')
  assert.ok(switched.every(({ theme, pictures }, i) => theme === 'dark' && pictures.some((picture, k) => picture !== light[i].pictures[k])))
  const readBackground = theme => page.evaluate(async theme => {
    const figure = document.querySelector('glass-figure')
    figure.setAttribute('theme', theme)
    await new Promise(resolve => { setTimeout(resolve, 600) })
    return getComputedStyle(figure.shadowRoot.querySelector('.root')).backgroundColor
  }, theme)
  assert.equal(await readBackground('auto'), 'rgba(0, 0, 0, 0)')
  assert.match(await readBackground('light'), /^rgb\(2\d\d, /, 'legible on a dark page')
  assert.deepEqual(complaints, [])
  await close()
})

test('on a page with large letters every chart and matrix of a training stays inside it', async () => {
  const { page, complaints, close } = await openPage('large.html')
  await showAll(page)
  await page.waitForFunction(() => document.querySelector('glass-training').shadowRoot.querySelector('.chart canvas[aria-busy="false"]'))
  // Chart.js measures its container when the window changes.
  await page.setViewportSize({ width: 1000, height: 900 })
  await page.waitForTimeout(500)
  const { edge, canvases } = await page.evaluate(() => {
    const training = document.querySelector('glass-training')
    return { edge: training.getBoundingClientRect().right, canvases: [...training.shadowRoot.querySelectorAll('canvas')].map(canvas => {
      const { right, width } = canvas.getBoundingClientRect()
      return { right, width, isChart: Boolean(canvas.closest('.chart')), slot: canvas.parentElement.getBoundingClientRect().width }
    }) }
  })
  assert.ok(canvases.some(({ isChart }) => isChart))
  for (const { right, width, isChart, slot } of canvases) {
    assert.ok(right <= edge + 1, `${right} of ${edge}`)
    if (isChart) assert.ok(Math.abs(width - slot) <= 1, `${width} of ${slot}`)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('the keyboard selects and pins cells, and programs hear of it', async () => {
  const { page, complaints, close } = await openPage('one.html')
  await showAll(page)
  for (let i = 0; i < 10; i++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.getAttribute('role')) === 'grid') break
  }
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  await page.waitForFunction(() => document.querySelector('glass-figure').shadowRoot.querySelector('.glass-cell:not([hidden])'))
  const selected = await page.evaluate(() => globalThis.events.filter(({ type }) => type === 'glass-select').at(-1).detail)
  assert.deepEqual(selected.index.slice(-2), [1, 1])
  const run = runInNode({}), tensor = run.tensors.get(selected.name)
  const at = selected.index.reduce((sum, i, axis) => sum * tensor.shape[axis] + i, 0)
  assert.equal(selected.value, tensor.data[at])
  const line = await page.evaluate(() => document.querySelector('glass-figure').shadowRoot.querySelector('.glass-cell').textContent)
  assert.match(line, /\[0, 0, 1, 1\] = −?[\d.]+ \(2, 2\)$/)
  await page.keyboard.press('Enter')
  await page.waitForSelector('.inspector .steps, .inspector .terms')
  assert.equal(toNumber(await page.textContent('.inspector dd[data-exact]')), selected.value)
  assert.equal(await page.isVisible('.glass-cell'), false, 'the inspector has it')
  await page.click('.inspector [data-keep="change"]')
  await page.fill('.inspector .edit-field', '0')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => document.querySelector('glass-figure').link.includes('edits='))
  await page.waitForFunction(() => document.querySelector('glass-figure').shadowRoot.querySelector('.inspector dd[data-exact]')?.textContent === '0')
  assert.match(await page.evaluate(() => document.querySelector('glass-figure').link), /cell=/)
  await page.click('.inspector [data-keep="release"]')
  await page.waitForSelector('.inspector', { state: 'hidden' })
  const [first] = await page.evaluate(() => globalThis.events.filter(({ type }) => type === 'glass-answer'))
  assert.equal(first.detail.answer, '2026y 11m 20d')
  run.dispose()
  assert.deepEqual(complaints, [])
  await close()
})

test('attributes and properties reflect each other, and a change runs the model again', async () => {
  const { page, close } = await openPage('empty.html')
  const answers = await page.evaluate(async () => {
    const early = document.createElement('div')
    early.innerHTML = '<glass-figure id="a" room="weights" input="3/4/1999"></glass-figure>'
    document.querySelector('main').append(early)
    const element = document.querySelector('#a')
    const next = () => new Promise(resolve => { element.addEventListener('glass-answer', ({ detail }) => resolve(detail.answer), { once: true }) })
    const list = [await next()]
    const second = next()
    element.input = 'may 1 2001'
    list.push(await second, element.getAttribute('input'), element.controls)
    element.controls = true
    element.head = 2
    await new Promise(resolve => { setTimeout(resolve, 1500) })
    list.push(element.hasAttribute('controls'), element.head, element.link.includes('head=2'),
      Boolean(element.shadowRoot.querySelector('[data-picker="head"]')))
    return list
  })
  assert.deepEqual(answers, ['1999y 4m 3d', '2001y 5m 1d', 'may 1 2001', false, true, '2', true, true])
  await close()
})

test('what is wrong with an attribute is said in the element and is an error event', async () => {
  const { page, close } = await openPage('empty.html')
  const wrong = {
    model: { model: 'gpt' }, room: { room: 'attic' }, head: { room: 'weights', head: '9' }, depth: { depth: 'deep' },
    settings: { settings: 'temp=2' }, input: { input: 'hello' }, theme: { theme: 'pink' }, state: { state: 'model=none' }
  }
  for (const [name, attributes] of Object.entries(wrong)) {
    const message = await page.evaluate(async given => {
      const element = document.createElement('glass-figure')
      element.setAttribute('lang', 'en')
      for (const [key, value] of Object.entries(given)) element.setAttribute(key, value)
      document.querySelector('main').replaceChildren(element)
      const said = await new Promise(resolve => { element.addEventListener('error', event => resolve(event.message)) })
      const shown = element.shadowRoot.querySelector('[role="alert"]').textContent
      return shown === said ? said : `${said} / ${shown}`
    }, attributes)
    assert.ok(message.startsWith(`${name}: `), message)
    if (name !== 'input') assert.match(message, /“.*” is not one of these: \S/, name)
  }
  await close()
})

test('what is ignored of an attribute is a warning in the console', async () => {
  const { page, complaints, close } = await openPage('empty.html')
  const show = (attributes, drawn = '.root[data-room]') => page.evaluate(async ([attributes, selector]) => {
    const element = document.createElement('glass-figure')
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
    document.querySelector('main').replaceChildren(element)
    while (!element.shadowRoot.querySelector(selector)) await new Promise(resolve => { setTimeout(resolve, 20) })
  }, [attributes, drawn])
  await show({ lang: 'fr' })
  assert.deepEqual(complaints.splice(0), ['lang: “fr” is not one of these: ko, en, zh'])
  await show({ lang: 'en', state: 'garbage' })
  assert.equal(complaints.length, 1)
  assert.match(complaints.pop(), /^state: “garbage” is not one of these: .*model, .*room, /)
  await show({ lang: 'en', settings: 'heads=2&temperature=3' })
  assert.equal(complaints.length, 1)
  assert.match(complaints.pop(), /^settings: “heads” is not one of these: .*weights, .*temperature/)
  await show({ lang: 'en', settings: 'weights=untrained&heads=2' })
  assert.deepEqual(complaints, [])
  // A page may change the room only.
  await show({ lang: 'en-GB', state: '#v=1&model=dates&source=may+1+2001', room: 'embedding', head: '3' })
  assert.equal(await page.$('.glass-error'), null)
  assert.deepEqual(complaints, [])
  await close()
})

test('an element in another document does not start, and starts where it comes back', async () => {
  const { page, complaints, close } = await openPage('one.html')
  await showAll(page)
  const children = await page.evaluate(() => {
    globalThis.moved = document.querySelector('glass-figure')
    document.implementation.createHTMLDocument().body.append(globalThis.moved)
    return globalThis.moved.shadowRoot.childElementCount
  })
  assert.equal(children, 0)
  await page.evaluate(() => document.querySelector('main').append(globalThis.moved))
  await showAll(page)
  assert.deepEqual(complaints, [])
  await close()
})

test('an element below the fold starts when it comes near', async () => {
  const again = await openPage('empty.html')
  await again.page.evaluate(() => {
    const space = document.createElement('div'), far = document.createElement('glass-figure')
    far.room = 'weights'
    space.style.height = '5000px'
    document.querySelector('main').append(space, far)
  })
  await again.page.waitForTimeout(500)
  assert.equal(await again.page.evaluate(() => document.querySelector('glass-figure').shadowRoot.childElementCount), 0)
  assert.equal(again.page.workers().length, 0)
  await showAll(again.page)
  assert.equal(again.page.workers().length, 1)
  await again.close()
})

test('an eager element starts wherever it is', async () => {
  const again = await openPage('empty.html')
  await again.page.evaluate(() => {
    document.querySelector('main').innerHTML =
      '<div style="height: 5000px"></div><glass-figure room="weights" loading="eager"></glass-figure>'
  })
  await again.page.waitForFunction(() => document.querySelector('glass-figure').shadowRoot.querySelector('table, canvas'))
  assert.equal(await again.page.evaluate(() => scrollY), 0)
  await again.close()
})

test('a page of another origin needs only the address of the script', async () => {
  const other = await serve({ 'blog.html': html(figure(TWELVE[0]), {
    script: `${url()}elements.js`,
    policy: `default-src 'none'; script-src ${new URL(url()).origin} 'wasm-unsafe-eval'; connect-src ${new URL(url()).origin}; worker-src blob: ${new URL(url()).origin}; img-src data:`
  }) })
  after(() => other.close())
  const { page, complaints, close } = await openPage(`${other.url}blog.html`)
  await showAll(page)
  const [found] = await readTables(page)
  assert.ok(checkNumbers(found, TWELVE[0]) > 0)
  assert.deepEqual(complaints, [])
  await close()
})
