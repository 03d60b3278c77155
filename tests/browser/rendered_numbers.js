/**
 * What a reader sees, read off the page: every piece of text with a digit in it, on canvases too, with what the page
 * says about where it comes from. Nothing is judged here; `number_kinds.js` does that.
 */

/** Runs before the page: remembers what is written on each canvas since it was last cleared, in its own pixels. */
export function watchCanvases() {
  const written = new WeakMap()
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.clearRect = function clear(...box) {
    written.set(this.canvas, [])
    return clearRect.apply(this, box)
  }
  CanvasRenderingContext2D.prototype.fillText = function write(text, x, y, ...rest) {
    const at = this.getTransform().transformPoint({ x, y })
    written.get(this.canvas)?.push([text, at.x, at.y])
    return fillText.call(this, text, x, y, ...rest)
  }
  globalThis.writtenOn = canvas => written.get(canvas) ?? []
}

/** Runs in the page: presses what is told and waits until nothing is on its way any more. */
async function press(selector) {
  if (selector) document.querySelector(selector).click()
  const frame = () => new Promise(requestAnimationFrame)
  await frame()
  await new Promise(resolve => { setTimeout(resolve) })
  while (document.querySelector('[aria-busy="true"]')) await frame()
}

/**
 * Runs in the page: everything visible that has a digit.
 * @param {{ kinds: [string, string, string][], said: [string, string, string][], within: string, without: string,
 *   tables?: boolean }} what for texts and for attributes each kind with its selector and what to tell of its place,
 *   the first that fits counts; where to look and where not, and whether to open the tables
 */
async function look({ kinds, said, within, without, tables }) {
  const visible = element => !element.closest(without) && element.checkVisibility({ contentVisibilityAuto: false })
  const origin = element => element && {
    tensor: element.dataset.tensor, first: element.dataset.first.split(',').map(Number),
    axes: element.dataset.axes.split(',').map(Number)
  }
  const size = heat => ['row', 'col'].map(side => Number(heat.getAttribute(`aria-${side}count`)))
  const order = element => [...element.parentElement.children].indexOf(element)

  /** The matrix that a caption or a strip of labels belongs to. */
  const heatOf = element => {
    const alone = element.closest('.heat, .matrix')
    if (alone) return alone.matches('.heat') ? alone : alone.querySelector('.heat')
    const product = element.closest('.product')
    const [, area] = /product-(left|right|bias|caption)/.exec(element.closest('[class^=product-]').className)
    return product.querySelector(`.product-${area === 'caption' ? 'result' : area} .heat`)
  }
  /** What stands around a text that tells which number it should be. */
  const context = {
    cell: element => element.closest('[data-cell]').dataset.cell,
    row: element => [...element.closest('[data-tensor]').parentElement.children].map(origin),
    about: element => origin(element.closest('[data-tensor]')),
    active(element) {
      const heat = element.closest('.heat')
      const at = [element.parentElement.getAttribute('aria-rowindex'), element.getAttribute('aria-colindex')]
      return { ...origin(heat), at: at.map(text => Number(text) - 1) }
    },
    label(element) {
      const strip = element.closest('.labels')
      return { ...origin(heatOf(strip)), side: strip.matches('.labels-left') ? 0 : 1, i: Number(element.dataset.at) }
    },
    caption: element => ({ ...origin(heatOf(element)), size: size(heatOf(element)) }),
    legend: element => [...element.closest('.legend-ends').children].map(({ textContent }) => textContent),
    grid(element) {
      const cell = element.closest('td, th')
      const table = [...document.querySelectorAll('.grid')].indexOf(cell.closest('.grid'))
      return { table, key: cell.parentElement.dataset.key, col: cell.cellIndex - 1, part: element.localName }
    },
    order: element => order(element.closest('text, li, label')),
    pick: element => order(element.closest('.pick')),
    branch: element => [...element.closest('svg').querySelectorAll('g')].indexOf(element.closest('g')),
    chip: element => [order(element.closest('.chips-row')), order(element.closest('button')), element.localName],
    control: element => element.closest('[data-control]').dataset.control,
    floor(element) {
      const below = element.closest('section, li').querySelectorAll('li[data-room]')
      return [...below, element.closest('li[data-room]')].filter(Boolean).map(one => one.dataset.room)
    },
    door: element => element.closest('[data-room]').dataset.room,
    /** Which term, and where in it: the number of the button with the cell it leads to, or text between them. */
    term(element) {
      const button = element.closest('button')
      const buttons = [...element.closest('li').querySelectorAll('button')]
      return { term: order(element.closest('li')), factor: buttons.indexOf(button), source: button?.title }
    },
    step: element => [...element.closest('dl').querySelectorAll(element.closest('dt') ? 'dt' : 'dd')]
      .indexOf(element.closest('dt, dd')),
    /** The numbers of a formula in their order, powers of ten put back: which one is this? */
    written(element) {
      const numbers = []
      for (const number of element.closest('math').querySelectorAll('mn, mtext')) {
        const power = number.closest('msup')
        const isBase = power?.firstChild === number && number.textContent === '10'
        if (isBase) numbers.push(`${numbers.pop()}e${power.lastChild.textContent}`)
        else if (power?.firstChild.textContent !== '10') numbers.push(number.textContent.replace('−', ''))
      }
      return numbers
    },
    part: element => element.closest('[data-part]')?.dataset.part,
    named: element => element.parentElement.querySelector('code')?.textContent,
    recipe: element => element.closest('.recipe')?.querySelector('h2 code').textContent
  }
  /**
   * Which of a list's kinds an element is of: the first that it or anything around it fits. Those around it are the
   * same for all their children, so each element is asked once.
   */
  const sorter = list => {
    const known = new Map()
    const first = element => {
      if (!element) return list.length
      if (known.has(element)) return known.get(element)
      const around = first(element.parentElement)
      const own = list.findIndex(([, selector], i) => i < around && element.matches(selector))
      known.set(element, own < 0 ? around : own)
      return known.get(element)
    }
    return element => list[first(element)] ?? ['unknown']
  }
  const read = (element, text, kindOf) => {
    const [kind, , about] = kindOf(element)
    const names = [element.parentElement, element].map(one => `${one.localName}.${one.getAttribute('class')}`)
    return { kind, text, path: names.join(' > '), about: about ? context[about](element) : undefined }
  }

  const texts = []
  const root = document.querySelector(within)
  const elsewhere = `script, .tables, .code, ${without}`
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, node => {
    if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT
    return node.matches(elsewhere) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP
  })
  const kindOfText = sorter(kinds)
  while (walker.nextNode()) {
    const { data, parentElement, previousSibling, nextSibling } = walker.currentNode
    const isBroken = (previousSibling || nextSibling) && parentElement.querySelector(':scope > wbr')
    const text = isBroken ? parentElement.textContent : data
    const isContinued = isBroken && previousSibling
    if (/\d|∞|NaN/.test(text) && !isContinued && visible(parentElement)) {
      texts.push(read(parentElement, text, kindOfText))
    }
  }
  const kindOfAttribute = sorter(said)
  const attributes = []
  for (const name of ['aria-label', 'title', 'placeholder', 'aria-description']) {
    for (const element of root.querySelectorAll(`[${name}]`)) {
      const text = element.getAttribute(name)
      if (/\d/.test(text) && visible(element)) attributes.push(read(element, text, kindOfAttribute))
    }
  }
  const heats = [...document.querySelectorAll('.heat')].filter(visible).map(heat => {
    const [rows, cols] = size(heat)
    const canvas = heat.querySelector('canvas')
    const cells = globalThis.writtenOn(canvas).map(([text, x, y]) => (
      [text, Math.floor((y / canvas.height) * rows), Math.floor((x / canvas.width) * cols)]))
    const cell = { width: parseFloat(canvas.style.width) / cols, height: parseFloat(canvas.style.height) / rows }
    return { ...origin(heat), rows, cols, cell, cells, label: heat.getAttribute('aria-label') }
  })
  const charts = [...document.querySelectorAll('.chart canvas')].filter(visible).map(canvas => (
    { about: canvas.dataset.tensor && origin(canvas), texts: globalThis.writtenOn(canvas) }))
  const listings = [...document.querySelectorAll('.code')].filter(visible).map(({ textContent }) => textContent)

  const opened = tables ? [...document.querySelectorAll('.numbers')].filter(visible) : []
  opened.forEach(details => { details.open = true })
  while (opened.some(details => !details.querySelector('tbody td'))) await new Promise(requestAnimationFrame)
  const every = opened.flatMap(details => [...details.querySelectorAll('table')].map(table => ({
    ...origin(table), caption: table.caption.textContent,
    columns: [...table.tHead.rows[0].cells].slice(1).map(({ textContent }) => textContent),
    rows: [...table.tBodies[0].rows].map(({ cells: [name] }) => name.textContent),
    cells: [...table.tBodies[0].rows].map(({ cells: [, ...cells] }) => cells.map(({ textContent }) => textContent))
  })))
  opened.forEach(details => { details.open = false })
  return { texts, attributes, heats, charts, listings, tables: every }
}

/* global places */

/** Runs in the page: what the inspector says, and of which cell. Its `places` are those given to `eyes`. */
async function hear() {
  const count = selector => document.querySelectorAll(selector).length
  const name = document.querySelector('.cell-name')?.textContent
  return { name, exact: count('[data-exact]'), terms: count('.terms li'), ...await look(places.inspector) }
}

/** Runs in the page: enters a room, looks at it at every depth, and hears what the inspector tells unasked. */
async function visit(room, depths) {
  await press(`.map li[data-room="${room}"] a`)
  const seen = []
  for (const { depth, ...where } of depths) {
    await press(`.depths input[value="${depth}"]`)
    seen.push(await look({ ...places.page, ...where }))
  }
  return { seen, told: await hear() }
}

/** Runs in the page: pins a cell of the last figure by its keys, looks, hears of it and of its gradient, lets go. */
async function pin(keys) {
  const isSeen = one => one.checkVisibility({ visibilityProperty: true }) && one.clientWidth * one.clientHeight > 0
  const heat = [...document.querySelectorAll('.stage .heat')].findLast(isSeen)
  if (!heat) return null
  const type = (key, ctrlKey = false) => {
    const event = new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  }
  heat.focus()
  type('Home', true)
  keys.forEach(key => type(key))
  type('Enter')
  await press()
  const { tensor, first, axes } = heat.dataset
  const active = heat.querySelector('[role=gridcell]')
  const at = [active.parentElement.getAttribute('aria-rowindex'), active.getAttribute('aria-colindex')]
  const pinned = { tensor, first: first.split(',').map(Number), axes: axes.split(',').map(Number), at: at.map(Number) }
  const told = await hear()
  const seen = await look({ ...places.page, within: '.stage' })
  const backward = document.querySelector('[data-keep="backward"]')
  if (backward) await press('[data-keep="backward"]')
  const gradient = backward ? await hear() : null
  type('Escape')
  return { pinned, told, seen, gradient }
}

/**
 * Gives a page eyes. They are sent once and answer with one text: passing either piece by piece takes longer than
 * looking.
 * What is on the page and on its canvases is read, not photographed, so no frame needs its pixels.
 * @param {import('playwright-core').Page} page
 * @param {{ page: object, inspector: object }} places what to look for in the page and in its inspector
 */
export async function eyes(page, places) {
  const functions = [press, look, hear, visit, pin].map(String)
  await page.evaluate(`{
    const places = ${JSON.stringify(places)}
    ${functions.join('\n')}
    globalThis.eyes = { visit, pin }
    document.documentElement.style.setProperty('opacity', '0')
  }`)
  const see = async (how, ...details) => JSON.parse(await page.evaluate(
    async ([name, given]) => JSON.stringify(await globalThis.eyes[name](...given)), [how, details]))
  return { visit: (room, depths) => see('visit', room, depths), pin: keys => see('pin', keys) }
}
