/** Presses every control of a page as a reader does, and checks that each changes something. */

/** How many presses may follow each other: on a menu, an entry of it, and a control that the entry opens. */
const MAX_DEPTH = 3
/** Controls of other models and languages, which have tests of their own. */
const EXCLUDED = /> models |> languages /
const SETTLE_TIMEOUT = 30_000
/** Milliseconds that a control may be moving or covered before the press fails. */
const PRESS_TIMEOUT = 15_000

/** Runs in the page, once for each document: finds the controls, and watches what a press does. */
function installControls() {
  const SELECTOR = 'button, select, input, textarea, summary, a[href], [role="slider"]'
  /** Of more similar controls than this in one place, only the first, the last and one between are pressed. */
  const MAX_ALIKE = 6
  const getClass = element => element.getAttribute('class') ?? ''
  const describeKind = element => [element.localName, element.type ?? '', getClass(element)].join('.')
  const getLabel = element => (
    element.getAttribute('aria-label') ?? (element.labels?.[0] ?? element).textContent)

  /** The names of the elements around a control, outermost first. */
  function describePlace(element) {
    const names = []
    for (let ancestor = element.parentElement; ancestor && ancestor.id !== 'house'; ancestor = ancestor.parentElement) {
      const name = ancestor.dataset.control ?? ancestor.dataset.field ?? (ancestor.id || getClass(ancestor))
      if (name && !names.includes(name)) names.unshift(name)
    }
    return names.slice(-3).join(' > ').replace(/\d+/g, '#')
  }

  function nameControl(element, controls) {
    const stage = element.closest('.stage') ? document.getElementById('house').dataset.room.replace(/\d+/g, '#') : ''
    const place = [stage, describePlace(element), describeKind(element)].join(' ')
    const similar = controls.filter(control => describePlace(control) === describePlace(element) &&
      describeKind(control) === describeKind(element))
    const index = similar.indexOf(element)
    if (similar.length > MAX_ALIKE) return `${place} ${index === 0 ? 'first' : index === similar.length - 1 ? 'last' : 'between'}`
    const label = getLabel(element).trim().replace(/−?\d[\d.,]*/g, '#').slice(0, 40)
    return [place, element.type === 'radio' ? element.value : '', ...Object.values(element.dataset), label].join(' ')
  }

  const canBePressed = element => (
    (document.querySelector('dialog:modal') ?? document).contains(element) && element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]') && !element.disabled &&
    !element.matches('[aria-disabled="true"], [type="file"], [type="radio"]:checked, [href^="http"], [aria-pressed="true"]'))

  let changes = 0
  const count = () => { changes += 1 }
  const observer = new MutationObserver(count)
  for (const type of ['hashchange', 'scroll', 'beforeprint', 'fullscreenchange', 'toggle']) addEventListener(type, count, true)
  addEventListener('focusin', ({ target }) => { if (!target.matches(':active')) count() })
  globalThis.print = count
  navigator.clipboard.writeText = async () => count()
  const click = HTMLAnchorElement.prototype.click
  HTMLAnchorElement.prototype.click = function () {
    if (this.download) count()
    else click.call(this)
  }
  /** The names of what can be done with a control: of a menu, one for each option. */
  function listActions(element, name) {
    if (!element.matches('select')) return [[name, element]]
    const options = [...element.options].filter(option => !option.disabled && !option.selected)
    const offered = options.length > MAX_ALIKE ? [options[0], options.at(-1)] : options
    return offered.map(({ value }) => [`${name} = ${value}`, element])
  }
  globalThis.controls = {
    find() {
      const all = [...document.querySelectorAll(SELECTOR)].filter(canBePressed)
      return new Map(all.flatMap(element => listActions(element, nameControl(element, all))))
    },
    watch() {
      observer.takeRecords()
      changes = 0
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    },
    hasChanged: () => changes > 0
  }
}

async function waitUntilIdle(page) {
  const waitForFrames = () => page.evaluate(() => new Promise(resolve => {
    requestAnimationFrame(() => requestAnimationFrame(resolve))
  }))
  await waitForFrames()
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), null, { timeout: SETTLE_TIMEOUT, polling: 30 })
  await waitForFrames()
}

/** Selects an option of a menu, unless the menu was rendered again meanwhile and lacks it. */
async function selectValue(element, value) {
  const isOffered = () => element.evaluate((element, expected) => (
    element.checkVisibility() && [...element.options].some(option => option.value === expected)), value)
  try {
    if (await isOffered()) await element.selectOption(value, { timeout: PRESS_TIMEOUT })
  } catch (error) {
    if (await isOffered()) throw error
  }
}

/** Presses a control with pointer or keyboard, in every way that its kind has. */
async function pressControl(page, element, name) {
  const type = await element.evaluate(element => (element.matches('input') ? element.type : element.localName))
  if (type === 'select') {
    await selectValue(element, name.split(' = ').at(-1))
  } else if (type === 'range') {
    for (const key of ['End', 'Home', 'ArrowRight']) {
      await element.press(key)
      await waitUntilIdle(page)
    }
  } else if (['text', 'number', 'search', 'textarea'].includes(type)) {
    for (const text of ['7', 'zz', '']) {
      if (!await element.evaluate(element => element.isConnected)) break
      await element.fill(text)
      await waitUntilIdle(page)
    }
  } else if (await element.evaluate(element => element.id === 'skip')) {
    await element.press('Enter')
  } else {
    const label = await element.evaluateHandle(element => element.labels?.[0] ?? element)
    await label.click({ timeout: PRESS_TIMEOUT })
  }
  await waitUntilIdle(page)
}

/**
 * Presses every control of a room that was not pressed before, and the controls that these presses bring up.
 * @param {import('playwright-core').Page} page
 * @param {string} url the address of the room
 * @param {string} room its id
 * @param {Set<string>} pressed controls that were pressed already; grows
 * @returns {Promise<string[]>} what is wrong: a control, and what it did not do
 */
export async function pressAll(page, url, room, pressed) {
  const problems = []
  async function enterRoom() {
    const isLoaded = await page.evaluate(() => Boolean(document.getElementById('house')))
    if (!isLoaded) await page.goto(url)
    await page.keyboard.press('Escape')
    await page.evaluate(async hash => {
      for (const details of document.querySelectorAll('details[open]')) details.open = false
      // The change by the previous press may not be in the address yet.
      dispatchEvent(new Event('blur'))
      if (location.hash === hash) return
      const changed = new Promise(resolve => { addEventListener('hashchange', resolve, { once: true }) })
      location.hash = hash
      await changed
    }, new URL(url).hash)
    await page.waitForFunction(id => document.getElementById('house').dataset.room === id, room, { timeout: SETTLE_TIMEOUT })
    await page.evaluate(`globalThis.controls || (${installControls})()`)
    await waitUntilIdle(page)
  }
  const findControl = async name => (
    (await page.evaluateHandle(name => globalThis.controls.find().get(name), name)).asElement())

  /** Presses a control, once more if it was rendered again meanwhile. @returns {Promise<boolean>} whether it exists */
  async function pressNamed(name, isAgain = false) {
    const element = await findControl(name)
    if (!element) return false
    try {
      await pressControl(page, element, name)
    } catch (error) {
      if (isAgain || !/not attached/.test(error.message)) throw error
      return pressNamed(name, true)
    }
    return true
  }

  async function pressPath(path) {
    const name = path.at(-1)
    try {
      await enterRoom()
      for (const before of path.slice(0, -1)) if (!await pressNamed(before)) return
      const mustReact = await (await findControl(name))?.evaluate(element => element.matches('button, a, summary'))
      await page.evaluate(() => globalThis.controls.watch())
      if (!await pressNamed(name)) return
      if (mustReact) await page.waitForFunction(() => globalThis.controls?.hasChanged() ?? true, null,
        { timeout: PRESS_TIMEOUT })
    } catch (error) {
      problems.push(`${room}: ${path.join(' → ')}: ${error.message.slice(0, 1200)}`)
    }
    if (path.length < MAX_DEPTH && !EXCLUDED.test(name)) await pressNewControls(path)
  }

  async function pressNewControls(path) {
    const names = await page.evaluate(() => (globalThis.controls ? [...globalThis.controls.find().keys()] : []))
    const newNames = names.filter(name => !pressed.has(name))
    for (const name of newNames) pressed.add(name)
    for (const name of newNames) await pressPath([...path, name])
  }
  await enterRoom()
  await pressNewControls([])
  return problems
}
