/**
 * Reads every visible text with a digit, on canvases too, with the attributes that say which number it should be.
 * `number_kinds.js` compares these texts with the run.
 */

/** Runs before the page: records the texts on each canvas since it was last cleared, with their position in pixels. */
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

/** Runs in the page: clicks the element of a selector, if there is one, and waits until nothing is busy. */
async function pressAndSettle(selector) {
  if (selector) document.querySelector(selector).click()
  const frame = () => new Promise(requestAnimationFrame)
  await frame()
  await new Promise(resolve => { setTimeout(resolve) })
  while (document.querySelector('[aria-busy="true"]')) await frame()
}

/**
 * Runs in the page: reads everything visible that has a digit.
 * @param {{ kinds: [string, string, string][], attributeKinds: [string, string, string][], within: string, without:
 *   string,
 *   tables?: boolean }} what for texts and for attributes each kind with its selector and what to tell of its place,
 *   the first that fits counts; where to look and where not, and whether to open the tables
 */
async function readPage({ kinds, attributeKinds, within, without, tables }) {
  const visible = element => !element.closest(without) && element.checkVisibility({ contentVisibilityAuto: false })
  const origin = element => element && {
    tensor: element.dataset.tensor, first: element.dataset.first.split(',').map(Number),
    axes: element.dataset.axes.split(',').map(Number)
  }
  const size = heat => ['row', 'col'].map(side => Number(heat.getAttribute(`aria-${side}count`)))
  const indexOf = element => [...element.parentElement.children].indexOf(element)

  /** The matrix that a caption or a strip of labels belongs to. */
  const heatOf = element => {
    const closest = element.closest('.heat, .matrix')
    if (closest) return closest.matches('.heat') ? closest : closest.querySelector('.heat')
    const product = element.closest('.product')
    const [, area] = /product-(left|right|bias|caption)/.exec(element.closest('[class^=product-]').className)
    return product.querySelector(`.product-${area === 'caption' ? 'result' : area} .heat`)
  }
  /** Functions that read from the elements around a text which number it should be. */
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
    order: element => indexOf(element.closest('text, li, label')),
    pick: element => indexOf(element.closest('.pick')),
    branch: element => [...element.closest('svg').querySelectorAll('g')].indexOf(element.closest('g')),
    chip: element => [indexOf(element.closest('.chips-row')), indexOf(element.closest('button')), element.localName],
    control: element => element.closest('[data-control]').dataset.control,
    floor(element) {
      const below = element.closest('section, li').querySelectorAll('li[data-room]')
      return [...below, element.closest('li[data-room]')].filter(Boolean).map(element => element.dataset.room)
    },
    door: element => element.closest('[data-room]').dataset.room,
    /** Which term, and where in it: the number of the button with the cell it leads to, or text between them. */
    term(element) {
      const button = element.closest('button')
      const buttons = [...element.closest('li').querySelectorAll('button')]
      return { term: indexOf(element.closest('li')), factor: buttons.indexOf(button), source: button?.title }
    },
    step: element => [...element.closest('dl').querySelectorAll(element.closest('dt') ? 'dt' : 'dd')]
      .indexOf(element.closest('dt, dd')),
    /** The numbers of a formula in their order; a power of ten belongs to the number before it. */
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
   * The first kind of a list whose selector matches the element or one of its ancestors. The result of each element is
   * saved, since its children share it.
   */
  const createClassifier = list => {
    const matchByElement = new Map()
    const firstMatch = element => {
      if (!element) return list.length
      if (matchByElement.has(element)) return matchByElement.get(element)
      const outerMatch = firstMatch(element.parentElement)
      const ownMatch = list.findIndex(([, selector], i) => i < outerMatch && element.matches(selector))
      matchByElement.set(element, ownMatch < 0 ? outerMatch : ownMatch)
      return matchByElement.get(element)
    }
    return element => list[firstMatch(element)] ?? ['unknown']
  }
  const read = (element, text, kindOf) => {
    const [kind, , contextName] = kindOf(element)
    const names = [element.parentElement, element].map(element => `${element.localName}.${element.getAttribute('class')}`)
    return { kind, text, path: names.join(' > '), about: contextName ? context[contextName](element) : undefined }
  }

  const texts = []
  const root = document.querySelector(within)
  const excluded = `script, .tables, .code, ${without}`
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, node => {
    if (node.nodeType === Node.TEXT_NODE) return NodeFilter.FILTER_ACCEPT
    return node.matches(excluded) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_SKIP
  })
  const kindOfText = createClassifier(kinds)
  while (walker.nextNode()) {
    const { data, parentElement, previousSibling, nextSibling } = walker.currentNode
    const isBroken = (previousSibling || nextSibling) && parentElement.querySelector(':scope > wbr')
    const text = isBroken ? parentElement.textContent : data
    const isContinued = isBroken && previousSibling
    if (/\d|∞|NaN/.test(text) && !isContinued && visible(parentElement)) {
      texts.push(read(parentElement, text, kindOfText))
    }
  }
  const kindOfAttribute = createClassifier(attributeKinds)
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
  const tableData = opened.flatMap(details => [...details.querySelectorAll('table')].map(table => ({
    ...origin(table), caption: table.caption.textContent,
    columns: [...table.tHead.rows[0].cells].slice(1).map(({ textContent }) => textContent),
    rows: [...table.tBodies[0].rows].map(({ cells: [name] }) => name.textContent),
    cells: [...table.tBodies[0].rows].map(({ cells: [, ...cells] }) => cells.map(({ textContent }) => textContent))
  })))
  opened.forEach(details => { details.open = false })
  return { texts, attributes, heats, charts, listings, tables: tableData }
}

/* global places */

/** Runs in the page: reads the inspector. `places` is the argument of `createReader`. */
async function readInspector() {
  const count = selector => document.querySelectorAll(selector).length
  const name = document.querySelector('.cell-name')?.textContent
  return { name, exact: count('[data-exact]'), terms: count('.terms li'), ...await readPage(places.inspector) }
}

/** Runs in the page: enters a room and reads it at every depth, and the inspector as it opens there. */
async function readRoom(room, depths) {
  await pressAndSettle(`.map li[data-room="${room}"] a`)
  const pages = []
  for (const { depth, ...where } of depths) {
    await pressAndSettle(`.depths input[value="${depth}"]`)
    // The code in C has more numbers than that in PyTorch, with which the panel begins.
    if (depth === 'code') document.querySelector('.depth-panel .directions button:nth-child(2)')?.click()
    pages.push(await readPage({ ...places.page, ...where }))
  }
  return { pages, inspectorTexts: await readInspector() }
}

/** Runs in the page: pins a cell of the last figure by keyboard, reads the inspector and the stage, and unpins it. */
async function pinCell(keys) {
  const isVisible = element => (
    element.checkVisibility({ visibilityProperty: true }) && element.clientWidth * element.clientHeight > 0)
  const heat = [...document.querySelectorAll('.stage .heat')].findLast(isVisible)
  if (!heat) return null
  const type = (key, ctrlKey = false) => {
    const event = new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true })
    document.activeElement.dispatchEvent(event)
  }
  heat.focus()
  type('Home', true)
  keys.forEach(key => type(key))
  type('Enter')
  await pressAndSettle()
  const { tensor, first, axes } = heat.dataset
  const active = heat.querySelector('[role=gridcell]')
  const at = [active.parentElement.getAttribute('aria-rowindex'), active.getAttribute('aria-colindex')]
  const pinned = { tensor, first: first.split(',').map(Number), axes: axes.split(',').map(Number), at: at.map(Number) }
  const inspectorTexts = await readInspector()
  const pages = await readPage({ ...places.page, within: '.stage' })
  const backward = document.querySelector('[data-keep="backward"]')
  if (backward) await pressAndSettle('[data-keep="backward"]')
  const gradient = backward ? await readInspector() : null
  type('Escape')
  return { pinned, inspectorTexts, pages, gradient }
}

/**
 * Installs the functions that read a page. The functions are sent once and return one JSON text, since many small
 * messages take longer than the reading. Texts are recorded, not photographed, so the page is made transparent.
 * @param {import('playwright-core').Page} page
 * @param {{ page: object, inspector: object }} places what to look for in the page and in its inspector
 */
export async function createReader(page, places) {
  const functions = [pressAndSettle, readPage, readInspector, readRoom, pinCell].map(String)
  await page.evaluate(`{
    const places = ${JSON.stringify(places)}
    ${functions.join('\n')}
    globalThis.reader = { readRoom, pinCell }
    document.documentElement.style.setProperty('opacity', '0')
  }`)
  const call = async (method, ...options) => JSON.parse(await page.evaluate(
    async ([name, args]) => JSON.stringify(await globalThis.reader[name](...args)), [method, options]))
  return { readRoom: (room, depths) => call('readRoom', room, depths), pinCell: keys => call('pinCell', keys) }
}
