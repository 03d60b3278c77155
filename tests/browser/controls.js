/** Every control of a page as a reader finds it: how one is told from another, how it is pressed, and what that did. */

/** Presses that lead to further controls: a menu, an entry of it, what that opens. */
const DEEPEST = 3
/** Another model and another language have a walk of their own. */
const ELSEWHERE = /> models |> languages /
const PATIENCE = 30_000
/** How long a control may be moved or covered before it counts as out of reach. */
const REACH = 15_000

/** Runs in the page, once for each document: finds the controls, and watches what a press does. */
function define() {
  const WHAT = 'button, select, input, textarea, summary, a[href], [role="slider"]'
  /** Of more of the same in one place only the first, the last and one between are different controls. */
  const MANY = 6
  const classOf = element => element.getAttribute('class') ?? ''
  const kindOf = element => [element.localName, element.type ?? '', classOf(element)].join('.')
  const wordsOf = element => (
    element.getAttribute('aria-label') ?? (element.labels?.[0] ?? element).textContent)

  /** What a control stands in, from the page inwards. */
  function placeOf(element) {
    const names = []
    for (let one = element.parentElement; one && one.id !== 'house'; one = one.parentElement) {
      const name = one.dataset.control ?? one.dataset.field ?? (one.id || classOf(one))
      if (name && !names.includes(name)) names.unshift(name)
    }
    return names.slice(-3).join(' > ').replace(/\d+/g, '#')
  }

  function nameOf(element, among) {
    const stage = element.closest('.stage') ? document.getElementById('house').dataset.room.replace(/\d+/g, '#') : ''
    const own = [stage, placeOf(element), kindOf(element)].join(' ')
    const alike = among.filter(other => placeOf(other) === placeOf(element) && kindOf(other) === kindOf(element))
    const at = alike.indexOf(element)
    if (alike.length > MANY) return `${own} ${at === 0 ? 'first' : at === alike.length - 1 ? 'last' : 'between'}`
    const words = wordsOf(element).trim().replace(/−?\d[\d.,]*/g, '#').slice(0, 40)
    return [own, element.type === 'radio' ? element.value : '', ...Object.values(element.dataset), words].join(' ')
  }

  const canBePressed = element => (
    (document.querySelector('dialog:modal') ?? document).contains(element) && element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]') && !element.disabled &&
    !element.matches('[aria-disabled="true"], [type="file"], [type="radio"]:checked, [href^="http"], [aria-pressed="true"]'))

  let changes = 0
  const count = () => { changes += 1 }
  const observer = new MutationObserver(count)
  for (const type of ['hashchange', 'scroll', 'beforeprint', 'fullscreenchange']) addEventListener(type, count, true)
  addEventListener('focusin', ({ target }) => { if (!target.matches(':active')) count() })
  globalThis.print = count
  navigator.clipboard.writeText = async () => count()
  const click = HTMLAnchorElement.prototype.click
  HTMLAnchorElement.prototype.click = function () {
    if (this.download) count()
    else click.call(this)
  }
  /** A control by its name; one that chooses, by each choice it has. */
  function waysOf(element, name) {
    if (!element.matches('select')) return [[name, element]]
    const options = [...element.options].filter(one => !one.disabled && !one.selected)
    const few = options.length > MANY ? [options[0], options.at(-1)] : options
    return few.map(({ value }) => [`${name} = ${value}`, element])
  }
  globalThis.controls = {
    find() {
      const all = [...document.querySelectorAll(WHAT)].filter(canBePressed)
      return new Map(all.flatMap(element => waysOf(element, nameOf(element, all))))
    },
    watch() {
      observer.takeRecords()
      changes = 0
      observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
    },
    hasChanged: () => changes > 0
  }
}

async function settled(page) {
  const drawn = () => page.evaluate(() => new Promise(resolve => {
    requestAnimationFrame(() => requestAnimationFrame(resolve))
  }))
  await drawn()
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), null, { timeout: PATIENCE, polling: 30 })
  await drawn()
}

/** Chooses a value of a list, unless the list was filled anew meanwhile and has it no more. */
async function choose(element, value) {
  const hasIt = () => element.evaluate((one, wanted) => (
    one.checkVisibility() && [...one.options].some(option => option.value === wanted)), value)
  try {
    if (await hasIt()) await element.selectOption(value, { timeout: REACH })
  } catch (error) {
    if (await hasIt()) throw error
  }
}

/** Presses as a hand or a keyboard would, every way that a control of its kind has. */
async function press(page, element, name) {
  const type = await element.evaluate(one => (one.matches('input') ? one.type : one.localName))
  if (type === 'select') {
    await choose(element, name.split(' = ').at(-1))
  } else if (type === 'range') {
    for (const key of ['End', 'Home', 'ArrowRight']) {
      await element.press(key)
      await settled(page)
    }
  } else if (['text', 'number', 'search', 'textarea'].includes(type)) {
    for (const text of ['7', 'zz', '']) {
      if (!await element.evaluate(one => one.isConnected)) break
      await element.fill(text)
      await settled(page)
    }
  } else if (await element.evaluate(one => one.id === 'skip')) {
    await element.press('Enter')
  } else {
    const label = await element.evaluateHandle(one => one.labels?.[0] ?? one)
    await label.click({ timeout: REACH })
  }
  await settled(page)
}

/**
 * Presses every control of a room that was not pressed before, and those that come up by it.
 * @param {import('playwright-core').Page} page
 * @param {string} url where the room is
 * @param {string} room its id
 * @param {Set<string>} known controls that were pressed already; grows
 * @returns {Promise<string[]>} what is wrong: a control, and what it did not do
 */
export async function pressAll(page, url, room, known) {
  const problems = []
  async function enter() {
    const isHere = await page.evaluate(() => Boolean(document.getElementById('house')))
    if (!isHere) await page.goto(url)
    await page.keyboard.press('Escape')
    await page.evaluate(async hash => {
      for (const one of document.querySelectorAll('details[open]')) one.open = false
      // What the press before has changed may not be in the address yet.
      dispatchEvent(new Event('blur'))
      if (location.hash === hash) return
      const isThere = new Promise(resolve => { addEventListener('hashchange', resolve, { once: true }) })
      location.hash = hash
      await isThere
    }, new URL(url).hash)
    await page.waitForFunction(id => document.getElementById('house').dataset.room === id, room, { timeout: PATIENCE })
    await page.evaluate(`globalThis.controls || (${define})()`)
    await settled(page)
  }
  const find = async name => (
    (await page.evaluateHandle(one => globalThis.controls.find().get(one), name)).asElement())

  /** Presses a control, anew where it was drawn anew meanwhile. @returns {Promise<boolean>} whether it is there */
  async function pressNamed(name, isAgain = false) {
    const element = await find(name)
    if (!element) return false
    try {
      await press(page, element, name)
    } catch (error) {
      if (isAgain || !/not attached/.test(error.message)) throw error
      return pressNamed(name, true)
    }
    return true
  }

  async function tryOne(path) {
    const name = path.at(-1)
    try {
      await enter()
      for (const before of path.slice(0, -1)) if (!await pressNamed(before)) return
      const speaks = await (await find(name))?.evaluate(one => one.matches('button, a, summary'))
      await page.evaluate(() => globalThis.controls.watch())
      if (!await pressNamed(name)) return
      if (speaks) await page.waitForFunction(() => globalThis.controls?.hasChanged() ?? true, null, { timeout: REACH })
    } catch (error) {
      problems.push(`${room}: ${path.join(' → ')}: ${error.message.slice(0, 1200)}`)
    }
    if (path.length < DEEPEST && !ELSEWHERE.test(name)) await tryNew(path)
  }

  async function tryNew(path) {
    const found = await page.evaluate(() => (globalThis.controls ? [...globalThis.controls.find().keys()] : []))
    const fresh = found.filter(name => !known.has(name))
    for (const name of fresh) known.add(name)
    for (const name of fresh) await tryOne([...path, name])
  }
  await enter()
  await tryNew([])
  return problems
}
