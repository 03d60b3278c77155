import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { roomsOf } from '../../web/rooms/index.js'
import { fromHash } from '../../web/models/state.js'
import { writeGpt2 } from '../lib/large.js'
import { readAddress, measureOverflow, importFiles, changeAndWait, chooseOption, goToRoom, runInNode, completeState, useBrowser, findViolations } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

const SCORES = 'encoder.0.self_attn.scores'

const { open: openPage } = useBrowser()
const open = (state, options) => openPage({ language: 'en', ...state }, options)
const roomHere = page => page.getAttribute('#house', 'data-room')

test('the house has the model\'s answer, its floors link to their rooms, the name links to the opening', async () => {
  for (const state of everyNth([{}, { weights: 'untrained' }, { model: 'sentences' }], 3)) {
    const { page, complaints, close } = await open(state)
    const rooms = roomsOf(runInNode(state))
    assert.equal(await roomHere(page), 'house')
    const doors = await page.$$eval('.pane-floor', links => links.map(link => link.dataset.room))
    assert.ok(await page.$eval('.panes', panes => panes.clientWidth) > 500)
    assert.ok(doors.length >= 8 && doors.every(id => rooms.some(room => room.id === id)))
    if (!state.model) {
      const placeholder = await page.getAttribute('[data-field="target"]', 'placeholder')
      assert.ok((await page.textContent('.house-now')).includes(`“${placeholder}”`))
      await changeAndWait(page, () => page.fill('[data-field="source"]', '3 may 1999'))
      assert.match(await page.textContent('.house-now'), /“3 may 1999” as 6 tokens/)
      await page.waitForSelector('.pane-picture.is-changed', { state: 'attached' })
    }
    assert.deepEqual(await findViolations(page), [])
    await page.click(`.pane-floor[data-room="${doors[2]}"]`)
    assert.equal(await roomHere(page), doors[2])
    await page.click('.brand')
    await page.waitForSelector('.opening .doors')
    assert.equal(await page.isVisible('#house'), false)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('the connector from the encoder runs between the towers, through no floor', async () => {
  for (const width of [1440, 820]) {
    const { page, complaints, close } = await open({}, { viewport: { width, height: 900 } })
    await page.waitForSelector('.panes > .memory path[d^="M"]', { state: 'attached' })
    const [wire, from, to] = await page.evaluate(() => {
      const { left } = document.querySelector('.panes').getBoundingClientRect()
      const [, x] = /H([\d.]+)/.exec(document.querySelector('.panes > .memory path').getAttribute('d'))
      const floors = tower => [...document.querySelectorAll(`.pane-towers [data-tower="${tower}"] .pane-floor`)]
      const boxes = ['encoder', 'decoder'].map(tower => floors(tower).map(floor => floor.getBoundingClientRect()))
      return [Number(x) + left, Math.max(...boxes[0].map(({ right }) => right)),
        Math.min(...boxes[1].map(box => box.left))]
    })
    assert.ok(from < wire && wire < to, `${width}: ${from} < ${wire} < ${to}`)
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('a changed picture is highlighted, but not with reduced motion', async () => {
  for (const [reducedMotion, animation] of [['no-preference', 'pulse'], ['reduce', 'none']]) {
    const { page, close } = await open({}, { reducedMotion })
    await changeAndWait(page, () => page.fill('[data-field="source"]', '3 may 1999'))
    await page.waitForSelector('.pane-picture.is-changed', { state: 'attached' })
    assert.equal(await page.$eval('.pane-picture.is-changed', element => getComputedStyle(element).animationName), animation)
    await close()
  }
})

test('left and right lead from room to room, except in elements with arrow keys of their own', async () => {
  const { page, complaints, close } = await open({})
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  assert.equal(await roomHere(page), 'source.embedding')
  await page.keyboard.press('ArrowLeft')
  assert.equal(await roomHere(page), 'source.tokens')
  for (const selector of ['[data-field="source"]', '.chip', '.depths input:checked']) {
    await page.focus(selector)
    await page.keyboard.press('ArrowRight')
    assert.equal(await roomHere(page), 'source.tokens', selector)
  }
  assert.deepEqual(complaints, [])
  await close()
})

test('a room without effect is skipped with a note; the map still links to it', async () => {
  const { page, complaints, close } = await open({ room: 'encoder.0.self_attn.scale', language: 'en' })
  assert.match(await page.textContent('.way-next .way-skips'), /Mask/)
  await page.keyboard.press('ArrowRight')
  assert.equal(await roomHere(page), 'encoder.0.self_attn.weights')
  await page.keyboard.press('ArrowLeft')
  assert.equal(await roomHere(page), 'encoder.0.self_attn.scale')
  await goToRoom(page, 'encoder.0.self_attn.mask')
  assert.equal(await roomHere(page), 'encoder.0.self_attn.mask')
  await changeAndWait(page, () => chooseOption(page, 'padding', 'full'))
  await page.focus('.stage')
  await page.keyboard.press('ArrowLeft')
  assert.equal(await roomHere(page), 'encoder.0.self_attn.scale')
  assert.equal(await page.$('.way-skips'), null)
  await page.keyboard.press('ArrowRight')
  assert.equal(await roomHere(page), 'encoder.0.self_attn.mask')
  assert.deepEqual(complaints, [])
  await close()
})

test('the inspector starts with the largest value of the room and follows the pointer', async () => {
  const { page, complaints, close } = await open({ room: 'output' })
  const exact = () => page.getAttribute('[data-exact]', 'data-exact')
  const openedValue = await exact()
  assert.match(openedValue, /^output\[0, \d+, \d+\]$/)
  await page.waitForSelector('.terms li')
  assert.equal(await page.evaluate(() => location.hash.includes('cell')), false)
  await page.hover('.product-left .heat')
  assert.notEqual(await exact(), openedValue)
  assert.deepEqual(complaints, [])
  await close()
})

test('a figure can be embedded in another page, with its origin', async () => {
  const permissions = ['clipboard-read', 'clipboard-write']
  const { page, complaints, close } = await open({ room: SCORES }, { permissions })
  const readCell = async () => {
    await page.click('.share .menu-opener')
    await page.click('[data-action="embed"]')
    await page.waitForSelector('.share .menu-said:not(:empty)')
    const code = await page.evaluate(() => navigator.clipboard.readText())
    await page.keyboard.press('Escape')
    return fromHash(new URL(/src="([^"]+)"/.exec(code)[1].replaceAll('&amp;', '&')).hash).cell
  }
  assert.equal(await readCell(), null, 'nothing was selected')
  await page.hover('.stage .product-result .heat')
  await page.click('.share .menu-opener')
  await page.click('[data-action="embed"]')
  await page.waitForSelector('.share .menu-said:not(:empty)')
  assert.deepEqual(await findViolations(page), [])
  const guide = await page.$eval('.share .menu-note a', link => link.href)
  assert.match(await (await page.request.get(guide)).text(), /Figures in your own page/)
  const code = await page.evaluate(() => navigator.clipboard.readText())
  const [url, title] = /^<iframe src="([^"]+)" title="([^"]+)" .*><\/iframe>$/.exec(code).slice(1)
    .map(text => text.replaceAll('&amp;', '&'))
  const { cell, ...embedded } = fromHash(new URL(url).hash)
  assert.deepEqual({ ...embedded, cell: null }, completeState({ room: SCORES, embed: true, language: 'en' }))
  assert.ok(cell.name.endsWith('.dots'), 'the cell that was pointed at is carried along')
  assert.match(title, /Scores/)
  await page.click('[data-action="element"]')
  await page.waitForFunction(() => navigator.clipboard.readText().then(text => text.startsWith('<script')))
  const element = await page.evaluate(() => navigator.clipboard.readText())
  const [, state] = /<glass-figure lang="en" state="([^"]+)" controls>/.exec(element)
  assert.deepEqual({ ...fromHash(state.replaceAll('&amp;', '&')), cell: null }, completeState({ room: SCORES, language: 'en' }))
  await page.click('[data-action="share"]')
  await readAddress(page)
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), await page.evaluate(() => location.href))
  await close()

  for (const width of everyNth([320, 900], 2)) {
    const alone = await openPage(url, { viewport: { width, height: 520 } })
    for (const hidden of ['.top', '.side', '.lead', '.tools > :not([data-picker="head"])', '.twin-choice', '.asides', '.ways', '.menu']) {
      assert.equal(await alone.page.isVisible(hidden), false, hidden)
    }
    for (const selector of ['h1', '.product-result .heat', '.legend', '.whole a']) {
      assert.ok(await alone.page.isVisible(selector), selector)
    }
    assert.equal(await measureOverflow(alone.page), 0)
    const paper = await alone.page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    assert.equal(paper, 'rgba(0, 0, 0, 0)')
    assert.deepEqual(fromHash(new URL(await alone.page.$eval('.whole a', link => link.href)).hash).embed, false)
    assert.ok((await alone.page.textContent('.sheet-handle')).startsWith(`${cell.name}[${cell.index.join(', ')}]`))
    await alone.page.click('[data-picker="head"] label:nth-of-type(2)')
    await alone.page.waitForFunction(() => location.hash.includes('head=1'))
    await alone.page.click('.sheet-handle')
    assert.ok(await alone.page.isVisible('[data-exact]'))
    assert.deepEqual(await findViolations(alone.page), [])
    assert.deepEqual(alone.complaints, [])
    await alone.close()
  }
  assert.deepEqual(complaints, [])
})

longTest('on a phone the header takes two rows, the rest is behind one button', async () => {
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  for (const language of ['ko', 'en']) {
    const { page, complaints, close } = await open({ language }, phone)
    const { height } = await (await page.$('.top')).boundingBox()
    assert.ok(height <= 112, `${height} px`)
    assert.equal(await page.isVisible('[data-action="settings"]'), false)
    await page.tap('.more')
    for (const action of ['settings', 'theme']) assert.ok(await page.isVisible(`[data-action="${action}"]`), action)
    assert.equal(await measureOverflow(page), 0)
    assert.deepEqual(await findViolations(page), [])
    await page.evaluate(otherLanguage => { location.hash = `room=decoding&language=${otherLanguage}` }, language)
    await page.waitForSelector('#house[data-room="decoding"] .pick')
    assert.deepEqual(await findViolations(page), [], 'with the strip of the map scrolled')
    assert.deepEqual(complaints, [])
    await close()
  }
})

longTest('a printed dark house is light at once, without waiting for a frame', async () => {
  const { page, complaints, close } = await open({ theme: 'dark' })
  await page.waitForFunction(() => [...document.querySelectorAll('.pane-picture canvas')].every(
    ({ width }) => width > 1))
  const areOther = await page.evaluate(() => {
    const canvases = [...document.querySelectorAll('.pane-picture canvas')]
    const pictures = () => canvases.map(canvas => canvas.toDataURL())
    const before = pictures()
    dispatchEvent(new Event('beforeprint'))
    const printed = pictures()
    dispatchEvent(new Event('afterprint'))
    return printed.map((picture, i) => picture !== before[i])
  })
  assert.ok(areOther.length > 20 && areOther.every(Boolean))
  assert.deepEqual(complaints, [])
  await close()
})

test('changes are listed in every room, and undone at once', async () => {
  const edits = [{ name: 'source_embedding.weight', index: [21, 19], value: 5 }]
  const { page, complaints, close } = await open({ room: SCORES, scale: false, edits })
  assert.equal(await page.textContent('.changed'), '2 changed · reset')
  assert.match(await page.textContent('.untrained'), /Apart from the numbers you have changed/)
  await goToRoom(page, 'output')
  assert.equal(await page.textContent('.changed'), '2 changed · reset')
  await changeAndWait(page, () => page.click('.changed'))
  assert.equal(await page.isVisible('.changed'), false)
  assert.match(await page.textContent('.untrained'), /Every number here is computed/)
  const { scale, edits: left, room } = fromHash(new URL(page.url()).hash)
  assert.deepEqual([scale, left, room], [true, [], 'output'])
  await changeAndWait(page, () => page.goBack())
  assert.equal(await page.textContent('.changed'), '2 changed · reset')
  assert.deepEqual(complaints, [])
  await close()
})

longTest('arrows move a pinned cell; a depth below the window is scrolled into view', async () => {
  const { page, complaints, close } = await open({ room: SCORES }, { viewport: { width: 1280, height: 720 } })
  const pinned = () => page.$eval('[data-exact]', element => element.dataset.exact)
  await page.locator('.product-result .heat').click({ position: { x: 5, y: 5 } })
  await page.waitForSelector('.inspector.is-pinned')
  assert.match(await pinned(), /dots\[0, 0, 0, 0\]$/)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowDown')
  assert.match(await pinned(), /dots\[0, 0, 1, 1\]$/)
  assert.ok(await page.$('.inspector.is-pinned'))
  await page.evaluate(() => scrollTo(0, 0))
  await page.click('.depths label:has(input[value="formula"])')
  await page.waitForFunction(() => document.querySelector('.depth-panel').getBoundingClientRect(
  ).top < innerHeight * 0.6)
  assert.deepEqual(complaints, [])
  await close()
})

longTest('a printed room has no marks and no buttons, but its location', async () => {
  const { page, close } = await open({ room: 'decoding', decoding: 'beam', temperature: 2 })
  await page.emulateMedia({ media: 'print' })
  for (const selector of ['.heat-marks', '.scrubber', '.changed', '.top', '.tools', '.eyebrow']) {
    assert.ok(await page.locator(selector).count() > 0, selector)
    assert.ok(!await page.locator(selector).first().isVisible(), selector)
  }
  assert.match(await page.textContent('.provenance'), /^Token by token · november 20 2026 · Temperature: 2/)
  assert.ok(await page.isVisible('.provenance'))
  const [tree, room] = await page.$eval('.tree', svg => (
    [svg.getBoundingClientRect().width, svg.parentElement.getBoundingClientRect().width]))
  assert.ok(tree <= room + 1)
  await close()
})

longTest('in thumbnails exactly the negative cells are hatched', async () => {
  const run = runInNode({}), { data, shape: [, rows, cols] } = run.tensors.get('transformer.encoder.output')
  for (const theme of ['light', 'dark']) {
    const { page, close } = await openPage({ room: 'encoder.norm', theme })
    const stamp = '.map li[data-room="encoder.norm"] canvas.thumb'
    await page.waitForFunction(selector => document.querySelector(selector)?.width > 1, stamp)
    const [width, height, pixels] = await page.$eval(stamp, canvas => [canvas.width, canvas.height,
      [...new Uint32Array(canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.buffer)]])
    assert.deepEqual([width, height], [cols, 3 * rows])
    const max = Math.max(...data.map(Math.abs))
    data.forEach((value, i) => {
      const [top, middle, bottom] = [0, 1, 2].map(line => pixels[(Math.floor(i / cols) * 3 + line) * cols + i % cols])
      assert.equal(top, bottom)
      if (value > 0) assert.equal(middle, top, `${theme}: ${value}`)
      else if (value < -0.02 * max) assert.notEqual(middle, top, `${theme}: ${value}`)
    })
    await close()
  }
  run.dispose()
})

longTest('the map of a large model draws each picture when its room is entered', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'glassformer-'))
  const { paths } = await writeGpt2(folder, { layers: 2, channels: 256, heads: 4, vocabSize: 9000, positions: 1024 })
  const { page, complaints, close } = await open({})
  assert.equal(await page.isVisible('.map-blank'), false, 'of a small one everything is here')
  await importFiles(page, paths)
  await page.waitForSelector('.map-blank:not([hidden])')
  const blank = id => `.map li[data-room="${id}"] .stamp.is-off`
  for (const id of ['0.self_attn.scores', '1.self_attn.heads']) {
    await page.waitForSelector(blank(id))
    await goToRoom(page, id)
    await page.waitForSelector(blank(id), { state: 'detached' })
  }
  assert.deepEqual(await findViolations(page, '.map'), [])
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
})
