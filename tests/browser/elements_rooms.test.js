// Elements of every kind of room, of a program's own run, in the guide's examples, and what they fetch.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { READY } from '../../web/models/index.js'
import { stylesOf } from '../../web/elements/styles_of_rooms.js'
import { roomsOf } from '../../web/rooms/index.js'
import { firstRooms, pageRun } from '../lib/page.js'
import { POLICY, bundleLibrary, figure, html, readTables, showAll, toNumber, useBlog } from './element_pages.js'
import { serve } from './host.js'

const PAGES = {
  'typed.html': html(figure({ state: 'model=dates&room=encoder.0.self_attn.weights&source=3/4/1999&target=1999년 4월 3일', lang: 'ko' })),
  'one.html': html(figure({ model: 'dates', room: 'encoder.0.self_attn.weights', lang: 'en' })),
  'empty.html': html(''),
  'frame.html': html('<iframe width="800" height="100" src="index.html#v=1&model=dates&room=encoder.0.self_attn.weights&head=2&embed=1"></iframe>', {
    script: 'frame.js', policy: "default-src 'self'; img-src data:"
  }),
  'frame.js': `globalThis.heights = []
    addEventListener('message', ({ data }) => data?.glassformer === 'height' && globalThis.heights.push(data.height))`,
  'own_run.html': html('<div id="place"></div>', { script: 'own_run.js', policy: POLICY.replace("'self';", "'self' 'wasm-unsafe-eval';") }),
  'own_run.js': `import { load } from './glassformer.js'
    import { figure } from './elements.js'
    const gf = await load({ wasm: new URL('glassformer.wasm', import.meta.url) })
    gf.manualSeed(1)
    const layer = new gf.nn.TransformerEncoderLayer(8, 2, { dimFeedforward: 16, dropout: 0 }).eval(), x = gf.randn([1, 5, 8])
    const run = gf.observe(() => layer.forward(x), { modules: { layer } })
    globalThis.expected = Object.fromEntries(run.names.map(name => [name, [...run.tensor(name).values]]))
    globalThis.own = figure(document.querySelector('#place'), run, { gf, room: 'weights', lang: 'en' })
    globalThis.refuse = options => { try { figure(document.body, run, options) } catch (error) { return error.message } }`
}

const { open: openPage } = useBlog(async () => ({ ...PAGES, 'glassformer.js': await bundleLibrary() }))

test('a run of one\'s own modules becomes a figure without a worker', async () => {
  const { page, complaints, close } = await openPage('own_run.html')
  await page.waitForFunction(() => globalThis.own)
  await showAll(page)
  const [{ tables }] = await readTables(page)
  assert.ok(tables.length >= 2)
  const expected = await page.evaluate(() => globalThis.expected)
  for (const { name, values } of tables) {
    const tensor = expected[name], numbers = values.map(toNumber)
    assert.ok(numbers.length >= 25 && numbers.every((value, i) => Object.is(value, tensor[i])), name)
  }
  assert.equal(page.workers().length, 0)
  await page.evaluate(() => { globalThis.own.room = 'activation' })
  await page.waitForFunction(() => globalThis.own.shadowRoot.querySelector('.root').dataset.room === 'layer.activation')
  assert.match(await page.evaluate(() => globalThis.refuse({ room: 'weights' })), /options\.gf must be what load\(\) returned/)
  assert.deepEqual(complaints, [])
  await close()
})

const readSnippets = async (name, language) => (
  Array.from((await readFile(new URL(`../../${name}`, import.meta.url), 'utf8')).matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g')), ([, code]) => code))

test('the three lines of README make a figure', async () => {
  for (const name of ['README.md', 'README.ko.md']) {
    const [[first], lines] = await Promise.all([readSnippets(name, 'js'), readSnippets(name, 'javascript')])
    assert.equal(lines.length, 1)
    assert.equal(lines[0].trim().split('\n').length, 3)
    const code = (first + lines[0]).replace("'glassformer'", "'./glassformer.js'").replace("'glassformer/elements'", "'./elements.js'")
      .replace('load()', "load({ wasm: new URL('glassformer.wasm', import.meta.url) })")
    const own = await serve({
      'glassformer.js': await bundleLibrary(), 'own.js': `${code}\nglobalThis.names = trace.names; globalThis.values = [...run.tensor('layer.self_attn.weights').values]`,
      'own.html': html('<div id="place"></div>', { script: 'own.js', policy: POLICY.replace("'self';", "'self' 'wasm-unsafe-eval';") })
    })
    after(() => own.close())
    const { page, complaints, close } = await openPage(`${own.url}own.html`)
    await page.waitForSelector('glass-figure')
    await showAll(page)
    const [{ tables }] = await readTables(page), expected = await page.evaluate(() => globalThis.values)
    const { values } = tables.find(table => table.name === 'layer.self_attn.weights')
    assert.ok(values.length === 25 && values.every((text, i) => toNumber(text) === expected[i]))
    assert.deepEqual(complaints, [])
    await close()
  }
})

test('an embedded page tells its frame how high it is', async () => {
  const { page, close } = await openPage('frame.html')
  const frame = await (await page.waitForSelector('iframe')).contentFrame()
  const head = await frame.waitForSelector('.stage [data-picker="head"] input:checked', { state: 'attached' })
  assert.equal(await head.evaluate(({ value }) => value), '2')
  await frame.waitForFunction(() => document.querySelector('.stage .figure-foot'))
  await page.waitForTimeout(500)
  const given = await page.evaluate(() => globalThis.heights.at(-1))
  const measured = await frame.evaluate(() => document.body.offsetHeight)
  assert.ok(measured > 300)
  assert.equal(given, measured)
  await close()
})

test('every kind of room of every model is displayed, in words', async t => {
  const { page, close } = await openPage('empty.html')
  const problems = []
  let count = 0
  // The code of a notebook runs on the whole page only.
  for (const { id } of READY) for (const room of firstRooms(id).filter(name => !name.startsWith('notebook'))) {
    count += 1
    const found = await page.evaluate(async ([model, name, lang]) => {
      const element = document.createElement('glass-figure')
      Object.entries({ model, room: name, lang, controls: '' }).forEach(entry => element.setAttribute(...entry))
      let failure = null
      element.addEventListener('error', ({ message }) => { failure = message })
      document.querySelector('main').replaceChildren(element)
      const { shadowRoot } = element, wait = ms => new Promise(resolve => { setTimeout(resolve, ms) })
      for (let i = 0; i < 1000 && !failure && !shadowRoot.querySelector('.root[data-room]'); i++) await wait(20)
      await wait(200)
      const keys = /\b(stages|frame|controls|app|inspector|map|lab|errors|figure|scrub|elements)\.[a-z]\w+/i.exec(shadowRoot.textContent)
      return { failure, key: keys?.[0] ?? null, isThere: Boolean(shadowRoot.querySelector('.root[data-room]')) }
    }, [id, room, count % 2 ? 'ko' : 'en'])
    if (found.failure || found.key || !found.isThere) problems.push([id, room, found])
  }
  t.diagnostic(`${count} rooms`)
  assert.deepEqual(problems, [])
  await close()
})

const GUIDE = new URL('../../web/docs/elements.md', import.meta.url)
const readExamples = async () => Array.from((await readFile(GUIDE, 'utf8')).matchAll(/```html\n([^]*?)```/g), ([, code]) => code)

test('the examples of the guide work as they stand', async () => {
  const examples = await readExamples()
  assert.equal(examples.length, 6)
  const text = await bundleLibrary()
  const ICON = '<link rel="icon" href="data:,">'
  const own = await serve({
    'glassformer.js': text, ...Object.fromEntries(examples.map((code, i) => [`example${i}.html`, ICON + code]))
  }, { elements: '' })
  after(() => own.close())
  for (const i of examples.keys()) {
    const { page, complaints, close } = await openPage(`${own.url}example${i}.html`)
    await page.waitForSelector('glass-figure, glass-lesson, glass-training')
    await showAll(page)
    if (await page.$('glass-lesson')) {
      await page.click('[data-option="zero"]')
      await page.waitForFunction(() => document.querySelector('#answered').textContent === '1')
    }
    assert.deepEqual(complaints, [])
    if (await page.$('#date')) {
      assert.equal(await page.textContent('#answer'), '1999y 4m 3d')
      await page.fill('#date', 'may 1 2001')
      await page.dispatchEvent('#date', 'change')
      await page.waitForFunction(() => document.querySelector('#answer').textContent === '2001y 5m 1d')
      await page.fill('#date', 'hello')
      await page.dispatchEvent('#date', 'change')
      await page.waitForFunction(() => document.querySelector('#answer').textContent.startsWith('input: '))
    }
    await close()
  }
})

const ROOM_STYLES = ['house', 'switches', 'model_tables', 'tokens', 'translator', 'lab', 'inspector', 'page', 'fields']

test('a room that is shown without the styles of others has nothing that they would change', async () => {
  const urls = ROOM_STYLES.map(name => new URL(`../../web/style/${name}.css`, import.meta.url))
  const texts = await Promise.all(urls.map(url => readFile(url, 'utf8')))
  const { page, close } = await openPage('empty.html')
  let count = 0
  for (const { id } of READY) {
    const rooms = roomsOf(pageRun({ model: id })).filter(({ stage }, i, all) => (
      stylesOf(stage) && all.findIndex(room => room.stage === stage) === i))
    for (const room of rooms) {
      const own = stylesOf(room.stage)
      await page.evaluate(([model, name]) => {
        const element = document.createElement('glass-figure')
        Object.entries({ model, room: name, controls: '' }).forEach(entry => element.setAttribute(...entry))
        document.querySelector('main').replaceChildren(element)
      }, [id, room.id])
      await page.waitForSelector('.root[data-room]')
      await page.waitForTimeout(100)
      const [sheets, found] = await page.evaluate(styles => {
        const { shadowRoot } = document.querySelector('glass-figure'), body = shadowRoot.querySelector('.glass-body')
        const rulesOf = list => [...list].flatMap(
          rule => (rule.selectorText ? [rule.selectorText] : rulesOf(rule.cssRules ?? [])))
        const selectors = styles.flatMap(text => {
          const sheet = new CSSStyleSheet()
          sheet.replaceSync(text)
          return rulesOf(sheet.cssRules)
        }).map(selector => selector.replace(/::[\w-]+|:(hover|focus-visible|focus|active|focus-within)\b/g, ''))
        return [shadowRoot.adoptedStyleSheets.length, selectors.filter(selector => body.querySelector(selector))]
      }, texts.filter((_, i) => !own.includes(ROOM_STYLES[i])))
      // Three that every figure has, and two of the fields above it.
      assert.deepEqual([room.id, sheets, found], [room.id, 5 + own.length, []])
      count += 1
    }
  }
  assert.ok(count > 70, `${count}`)
  await close()
})

test('a first figure of a typed answer needs no more of the library', async () => {
  const { page, requested, complaints, close } = await openPage('typed.html')
  await showAll(page)
  assert.deepEqual(complaints, [])
  assert.ok(!requested.some(url => /glassformer\.(text\.)?wasm$/.test(url)), requested.join())
  await close()
})

/** What a page with one figure may fetch, gzipped. */
const MAX_FIRST = 200_000, MAX_FURTHER = 20_000

/** Counts what a page has fetched since the last count, gzipped, but for the weights and Chart.js. */
function createCounter(requested) {
  const sizes = new Map()
  return { sizes, async countNew() {
    const names = [...new Set(requested.map(url => new URL(url).pathname.replace(/^.*\/where\//, '')))]
      .filter(name => /\.(js|wasm|css|json)$/.test(name) && !name.includes('chartjs') && !sizes.has(name))
    for (const name of names) {
      const { length } = await readFile(new URL(`../../dist/site/${name}.gz`, import.meta.url))
      sizes.set(name, length)
    }
    return names.reduce((sum, name) => sum + sizes.get(name), 0)
  } }
}

test('the first figure and further kinds of rooms fetch no more than their limits', async t => {
  const { page, requested, close } = await openPage('one.html'), { sizes, countNew } = createCounter(requested)
  await showAll(page)
  await page.waitForTimeout(500)
  const first = await countNew(), further = {}
  assert.ok(sizes.has('elements-worker.js') && sizes.has('glassformer.first.wasm') && sizes.size > 5, [...sizes.keys()].join())
  for (const room of ['embedding', 'scores', 'norm', 'decoding', 'qkv', 'house']) {
    await page.evaluate(name => {
      const element = document.querySelector('glass-figure')
      element.room = name
      return new Promise(resolve => { setTimeout(resolve, 1200) })
    }, room)
    further[room] = await countNew()
  }
  await page.evaluate(() => { document.querySelector('glass-figure').room = 'scores' })
  await page.waitForSelector('[data-room$="scores"] .heat')
  await page.locator('.heat').last().click({ position: { x: 8, y: 8 } })
  await page.waitForSelector('.inspector .terms')
  further.sum = await countNew()
  t.diagnostic(JSON.stringify({ first, further }))
  assert.ok(first < MAX_FIRST, `${first}`)
  assert.ok(Object.values(further).every(size => size < MAX_FURTHER) && further.decoding > 0, JSON.stringify(further))
  await close()
})

/**
 * What a further kind of element may fetch beside a first figure, and a training in all as soon as it has been played.
 * Some are beyond the 20,000 of the others. A training displays its untrained model, which takes 10.2 KB for what is
 * displayed, 5.5 KB for the session, and the task: with the sentences of particles 9.7 KB, with GELU and the grammar of
 * the stories 9.1 KB. Stories train a tokenizer: 18.3 KB of the library's text functions and 8.8 KB of their kernels.
 * Steps need 9.5 KB of kernels and optimizer. A lesson needs 14.2 KB for its player and questions, and a small figure
 * or the styles and texts of its room.
 */
const MAX_ELEMENTS = {
  'glass-model': [MAX_FURTHER], 'glass-model model=particles': [MAX_FURTHER], 'glass-model model=induction': [MAX_FURTHER],
  'glass-training': [17_000, 26_450], 'glass-training task=sums': [19_500, 29_000], 'glass-training task=induction': [18_000, 27_500],
  'glass-training task=particles': [26_500, 36_000], 'glass-training task=text': [25_300, 34_900],
  'glass-training task=stories': [51_600, 61_100], 'glass-lesson lesson=mask': [MAX_FURTHER], 'glass-lesson lesson=learning': [25_300]
}

test('further kinds of elements fetch no more than their limits, and work', async t => {
  const found = {}
  for (const kind of Object.keys(MAX_ELEMENTS)) {
    const { page, requested, complaints, close } = await openPage('one.html'), { countNew } = createCounter(requested)
    await showAll(page)
    await page.waitForTimeout(500)
    await countNew()
    await page.evaluate(text => {
      const [name, ...attributes] = text.split(' '), element = document.createElement(name)
      element.setAttribute('lang', 'en')
      for (const attribute of attributes) element.setAttribute(...attribute.split('='))
      document.querySelector('main').append(element)
    }, kind)
    await showAll(page)
    await page.waitForTimeout(1200)
    found[kind] = [await countNew()]
    if (kind.startsWith('glass-training')) {
      await page.evaluate(() => document.querySelector('glass-training').play())
      await page.waitForFunction(() => globalThis.events.some(({ type, detail }) => type === 'glass-step' && detail.step > 25))
      found[kind].push(found[kind][0] + await countNew())
    }
    assert.deepEqual(complaints, [])
    const text = await page.$eval(kind.split(' ')[0], ({ shadowRoot }) => shadowRoot.textContent)
    assert.doesNotMatch(text, /\b(theatre|player|elements)\.[a-z]/, kind)
    await close()
  }
  t.diagnostic(JSON.stringify(found))
  for (const [kind, limits] of Object.entries(MAX_ELEMENTS)) {
    assert.ok(limits.every((limit, i) => found[kind][i] > 0 && found[kind][i] < limit), `${kind}: ${found[kind]}`)
  }
})
