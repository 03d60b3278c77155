// The page and the elements in WebKit, the engine of Safari: what has failed there and in no other browser.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { READY } from '../../web/models/index.js'
import { toHash } from '../../web/models/state.js'
import { ALL, DRAWN, element, html } from './element_pages.js'
import { completeState, serve } from './host.js'
import { hasWebKit, launchWebKit } from './webkit.js'

const options = { skip: !hasWebKit() && 'there is no WebKitWebDriver or no Xvfb' }
const ELEMENTS = [
  ...READY.map(({ id }) => element('model', { model: id })), element('figure', { model: 'stories', room: 'sampling' }),
  element('lesson', { lesson: 'mask' }), element('training', { task: 'sums' })
]

let site, browser

before(async () => {
  if (options.skip) return
  site = await serve({ 'blog.html': html(ELEMENTS.map(text => text.replace(' ', ' loading="eager" ')).join('')) })
  browser = await launchWebKit()
})
after(async () => {
  await browser?.close()
  site?.close()
})

const hash = state => toHash(completeState({ language: 'en', ...state }))
/** Opens an address anew, since another hash alone would not. */
async function visit(address) {
  await browser.goto('about:blank')
  await browser.goto(site.url + address)
}
/** In the page: waits until a function of it, with arguments, returns something. */
const waitFor = (test, ...args) => browser.evaluate(new Function('...args', `return (async () => {
  for (let left = 400; left > 0; left--) {
    const found = (${test})(...args)
    if (found) return found
    await new Promise(done => setTimeout(done, 50))
  }
  throw new Error('not in time')
})()`), ...args)

test('a lesson can be walked to its last step', options, async t => {
  t.diagnostic(`WebKitGTK ${browser.version}`)
  await visit(`#${hash({ lesson: 'learning' })}`)
  for (const id of ['rule', 'error', 'step', 'learn', 'model']) {
    await waitFor(step => document.querySelector(`.lesson-bar[data-step="${step}"]`), id)
    if (id !== 'model') await browser.evaluate(() => document.querySelector('.lesson-next').click())
  }
  await waitFor(() => document.querySelector('.stage .picks .piece'))
})

test('the menu of a figure opens beside its button', options, async () => {
  await visit(`#${hash({ room: 'decoder.0.multihead_attn.weights' })}`)
  const [menu, button] = await waitFor(() => {
    const opener = document.querySelector('.stage .menu-opener'), open = document.querySelector('.menu-body:popover-open')
    opener?.scrollIntoView({ block: 'center' })
    if (!open) opener?.click()
    return open && [open, opener].map(part => part.getBoundingClientRect().toJSON())
  })
  const gap = button.top - menu.bottom
  assert.ok(menu.top >= 0 && gap >= 0 && gap < 20, JSON.stringify({ menu, button }))
})

test('cells run, and agree with the notebook', options, async () => {
  await visit(`#${hash({ model: 'positions', room: 'notebook.003' })}`)
  const said = await waitFor(() => /have run|Stopped/.test(document.querySelector('.nb-said')?.textContent) &&
    document.querySelector('.nb-said').textContent)
  assert.match(said, /^All cells have run\. Matching numbers: 7\. Differing outputs: 0\./)
})

test('elements of every model, and of every kind, display what they should', options, async () => {
  await visit('blog.html')
  await waitFor((all, drawn) => [...document.querySelectorAll(all)].every(({ shadowRoot }) => (
    shadowRoot?.querySelector(drawn))), ALL, DRAWN)
  const errors = await browser.evaluate(all => Array.from(document.querySelectorAll(all), ({ shadowRoot }) => (
    shadowRoot.querySelector('.glass-error')?.textContent ?? '')), ALL)
  assert.deepEqual(errors, ELEMENTS.map(() => ''))
})
