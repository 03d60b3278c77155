// What leaves an element: paper, pictures, a second run beside the first; and the elements in Firefox.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { element, figure, html, readTables, showAll, toNumber, useBlog } from './element_pages.js'
import { findFirefox, launchFirefox } from './firefox.js'
import { runInNode } from './host.js'

const ROOM = 'encoder.0.self_attn.weights'
const LARGE = '<link rel="stylesheet" href="large.css">'
const FOUR = [figure({ room: ROOM, head: '1', controls: '', lang: 'en' }), element('lesson', { lesson: 'mask', lang: 'en' }),
  element('model', { model: 'dates', lang: 'en' }), element('training', { task: 'dates', settings: 'steps=3', lang: 'en' })].join('')
const PAGES = {
  'text.css': 'body { background: #14161a; color: #e8e8e8 } .bright { background: #fff; color: #222 }',
  'text.html': html(figure({ room: ROOM, lang: 'en' }), { style: '<link rel="stylesheet" href="text.css">' }),
  'large.css': 'main { font-size: 24px }', 'dark.css': ':root { color-scheme: dark; background: #000 }',
  'picture.html': html(figure({ room: ROOM, controls: '', lang: 'en' }), { style: LARGE }),
  'twin.html': html(figure({ state: `v=1&model=dates&room=${ROOM}&source=3/4/1999&twin=text:may+1+2001`, lang: 'en' })),
  'four.html': html(FOUR), 'dark.html': html(FOUR, { style: '<link rel="stylesheet" href="dark.css">' })
}
const { open, url } = useBlog(PAGES)

/** Whether a table has the values of a tensor of a run in Node, from the beginning of the head. */
function hasValues({ name, values }, input) {
  const run = runInNode({ source: input }), { data } = run.tensors.get(name)
  const isSame = values.length > 20 && values.every((text, i) => Object.is(toNumber(text), Math.fround(data[i])))
  run.dispose()
  return isSame
}

test('a link with a second text shows both runs, with the numbers of Node', async () => {
  const { page, complaints, close } = await open('twin.html')
  await showAll(page)
  await page.waitForSelector('.twins.is-on')
  await page.waitForSelector('.twins .stage-figure:not([hidden]) + .stage-figure:not([hidden]) .figure-foot, .twins.is-on .stage-figure[data-twin] .figure-foot')
  const [{ tables }] = await readTables(page), weights = tables.filter(({ name }) => name.endsWith('encoder.layers.0.self_attn.weights'))
  assert.ok(weights.length >= 2, tables.map(({ name }) => name).join())
  assert.ok(hasValues(weights[0], '3/4/1999'))
  assert.ok(weights.slice(1).some(table => hasValues(table, 'may 1 2001')))
  assert.ok(await page.isHidden('.twin-choice'))
  assert.deepEqual(complaints, [])
  await close()
})

test('a figure with controls is saved as a picture, the same on a page with larger letters', async () => {
  const { page, complaints, close } = await open('picture.html', { acceptDownloads: true })
  await showAll(page)
  assert.equal(await page.evaluate(() => document.querySelector('glass-figure').shadowRoot.querySelector('.root').currentCSSZoom), 1.5)
  await page.click('.menu-opener')
  const contents = {}
  for (const kind of ['SVG', 'PNG']) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.click(`.menu-body >> text=${kind}`)])
    assert.match(download.suggestedFilename(), new RegExp(`\\.${kind.toLowerCase()}$`))
    contents[kind] = await readFile(await download.path())
  }
  const svg = contents.SVG.toString(), [, width] = /<svg[^>]* width="([\d.]+)"/.exec(svg)
  assert.match(svg, /november/)
  assert.match(svg, /How do scores become weights\?/)
  assert.ok(Number(width) < 1000, `${width}: not enlarged`)
  assert.deepEqual([...contents.PNG.subarray(1, 4)].map(code => String.fromCharCode(code)).join(''), 'PNG')
  assert.ok(contents.PNG.length > 10_000)
  assert.equal(await page.evaluate(() => document.querySelector('glass-figure').shadowRoot.querySelector('.root').currentCSSZoom), 1.5)
  assert.deepEqual(complaints, [])
  await close()
})

test('a page with light text and no color scheme has dark elements, also when it switches', async () => {
  const { page, close } = await open('text.html')
  await showAll(page)
  const readTheme = () => page.evaluate(() => document.querySelector('glass-figure').shadowRoot.querySelector('.root').dataset.theme)
  assert.equal(await readTheme(), 'dark')
  await page.evaluate(() => { document.body.className = 'bright' })
  await page.waitForSelector('.root[data-theme="light"]')
  await page.evaluate(() => { document.body.className = '' })
  await page.waitForSelector('.root[data-theme="dark"]')
  await close()
})

test('on paper elements are light, without controls, and whole', async () => {
  const { page, close } = await open('dark.html')
  await showAll(page)
  const look = () => page.evaluate(() => [...document.querySelectorAll('main > :not(h1)')].map(({ shadowRoot }) => {
    const root = shadowRoot.querySelector('.root'), isVisible = one => one.checkVisibility()
    return {
      ink: getComputedStyle(root).color, theme: root.dataset.theme,
      controls: [...shadowRoot.querySelectorAll('.tools, .menu, .lesson-ways, .theatre-transport, .theatre-line')].filter(isVisible).map(one => one.className),
      cut: [...shadowRoot.querySelectorAll('.frame, .map')].filter(one => isVisible(one) && getComputedStyle(one).overflowX !== 'visible').map(one => one.className)
    }
  }))
  const onScreen = await look()
  assert.ok(onScreen.every(({ theme }) => theme === 'dark') && onScreen.some(({ controls }) => controls.length))
  await page.emulateMedia({ media: 'print' })
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')))
  await page.waitForTimeout(300)
  for (const { ink, ...rest } of await look()) {
    assert.deepEqual(rest, { theme: 'light', controls: [], cut: [] })
    assert.equal(ink, 'rgb(20, 24, 27)')
  }
  await page.emulateMedia({ media: 'screen' })
  await page.evaluate(() => dispatchEvent(new Event('afterprint')))
  await page.waitForTimeout(300)
  assert.ok((await look()).every(({ theme }) => theme === 'dark'))
  await close()
})

test('a pinned figure prints its numbers and the sum of the pinned one, without what only a screen has', async () => {
  const { page, close } = await open('dark.html')
  await showAll(page)
  await page.locator('glass-figure .heat').last().click({ position: { x: 60, y: 40 } })
  await page.waitForSelector('.inspector .terms, .inspector .steps')
  await page.emulateMedia({ media: 'print' })
  const { cleared, marks, controls, numbers } = await page.evaluate(() => {
    const { prototype } = CanvasRenderingContext2D, { clearRect } = prototype, { shadowRoot } = document.querySelector('glass-figure')
    let count = 0
    prototype.clearRect = function clear(...area) {
      if (this.canvas.matches('.heat-marks')) count += 1
      clearRect.apply(this, area)
    }
    dispatchEvent(new Event('beforeprint'))
    prototype.clearRect = clearRect
    const isVisible = one => one.checkVisibility()
    return {
      cleared: count, marks: [...shadowRoot.querySelectorAll('.heat-marks')].filter(isVisible).length,
      controls: [...shadowRoot.querySelectorAll('.inspector button:not(.cell-link)')].filter(isVisible).map(one => one.textContent),
      numbers: [...shadowRoot.querySelectorAll('.inspector :is(.cell-link, dd)')].filter(isVisible).length
    }
  })
  // What clearRect clears is white in Chromium's prints, over the numbers below it.
  assert.equal(cleared, 0)
  assert.ok(marks > 0 && numbers > 2, `${marks}, ${numbers}`)
  assert.deepEqual(controls, [])
  await close()
})

test('charts and pictures are light on paper before anything waits', async () => {
  const { page, close } = await open('dark.html')
  await showAll(page)
  await page.waitForFunction(() => [...document.querySelectorAll('glass-figure, glass-training')].every(({ shadowRoot }) => (
    shadowRoot.querySelector('.chart canvas[aria-busy="false"]'))))
  const [onScreen, onPaper, later] = await page.evaluate(async () => {
    const readPictures = () => [...document.querySelectorAll('main > :not(h1)')].flatMap(({ shadowRoot }) => (
      [...shadowRoot.querySelectorAll('.chart canvas, canvas.thumb')].map(canvas => canvas.toDataURL())))
    const screen = readPictures()
    dispatchEvent(new Event('beforeprint'))
    const paper = readPictures()
    await new Promise(resolve => { setTimeout(resolve, 1000) })
    return [screen, paper, readPictures()]
  })
  assert.ok(onPaper.length > 20, `${onPaper.length}`)
  assert.ok(onPaper.some((picture, i) => picture !== onScreen[i]))
  assert.deepEqual(onPaper, later)
  await close()
})

const firefox = findFirefox()
test('the elements work in Firefox', { skip: !firefox && 'there is no Firefox' }, async () => {
  const fox = await launchFirefox(firefox)
  try {
    await fox.goto(`${url()}four.html`)
    const found = await fox.evaluate(async () => {
      const complaints = [], wait = ms => new Promise(resolve => { setTimeout(resolve, ms) })
      addEventListener('error', ({ message }) => message && complaints.push(message), true)
      const shadowOf = name => document.querySelector(`glass-${name}`).shadowRoot
      async function until(condition) {
        for (let i = 0; i < 600; i++) {
          const value = condition()
          if (value) return value
          await wait(50)
        }
        throw new Error(`never: ${condition}`)
      }
      for (const one of document.querySelectorAll('main > :not(h1)')) {
        one.scrollIntoView()
        await until(() => one.shadowRoot.querySelector('.figure-foot, .map li a, .theatre-answer, .glass-error'))
      }
      const figure = shadowOf('figure'), details = await until(() => figure.querySelector('.numbers'))
      details.open = true
      const table = await until(() => [...figure.querySelectorAll('.tables table')].find(({ tBodies }) => tBodies[0].rows.length))
      const numbers = [...table.tBodies[0].rows].flatMap(row => [...row.cells].slice(1).map(cell => cell.textContent))
      const lesson = shadowOf('lesson')
      await until(() => lesson.querySelector('.lesson-bar[data-step="minus"]'))
      const finished = new Promise(resolve => { addEventListener('glass-answer', ({ detail }) => 'isRight' in detail && resolve(detail.isRight)) })
      lesson.querySelector('[data-option="zero"]').click()
      const isRight = await finished
      lesson.querySelector('.lesson-next').click()
      await until(() => lesson.querySelector('.lesson-bar[data-step="first"]'))
      const model = shadowOf('model')
      model.querySelector('.map [data-room$="self_attn.weights"] a').click()
      await until(() => model.querySelector('.glass-body .figure-foot'))
      document.querySelector('glass-training').play()
      await until(() => parseInt(shadowOf('training').querySelector('.theatre-place').textContent.split(' ')[1], 10) >= 3)
      return { complaints, name: table.dataset.tensor, numbers, isRight, errors: [...document.querySelectorAll('main > :not(h1)')].flatMap(({ shadowRoot }) => shadowRoot.querySelector('.glass-error')?.textContent ?? []) }
    })
    assert.deepEqual([found.complaints, found.errors, found.isRight], [[], [], true])
    const run = runInNode({}), { data, shape } = run.tensors.get(found.name), size = shape.at(-1) * shape.at(-2)
    assert.ok(found.numbers.length === size && found.numbers.every((text, i) => Object.is(toNumber(text), Math.fround(data[size + i]))), 'head 1')
    run.dispose()
  } finally {
    await fox.close()
  }
})
