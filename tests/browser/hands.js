// Mouse, keyboard and finger: the same actions on the page by each input device, as a reader does them.
import assert from 'node:assert/strict'

const [MAX_TABS, MAX_KEYS] = [80, 400]
const [FINGER_STEPS, OVERSHOOT] = [12, 24]
/** The diameter of a slider's thumb in pixels, which its middle does not leave the track by. */
const THUMB = 16

/** The middle of an element once it is in the window and the page no longer scrolls. */
async function middleOf(page, element) {
  await element.scrollIntoViewIfNeeded()
  const { x, y, width, height } = await element.boundingBox()
  return { x: x + width / 2, y: y + height / 2, width, left: x }
}

/** Where a slider's thumb is at a value. */
async function thumbAt(page, slider, value) {
  const { left, width, y } = await middleOf(page, slider)
  const { min, max } = await slider.evaluate(item => ({ min: Number(item.min), max: Number(item.max) }))
  return { x: left + THUMB / 2 + (width - THUMB) * (value - min) / (max - min), y }
}

/** The middle of a handle, and where it is to be for a point of its plane, whose axes are equally long. */
async function handlePath(page, handle, [x, y]) {
  const from = await middleOf(page, handle)
  const plane = await (await handle.evaluateHandle(item => item.ownerSVGElement)).boundingBox()
  const [min, max] = await handle.evaluate(item => [Number(item.ariaValueMin), Number(item.ariaValueMax)])
  assert.equal(min, -max)
  const unit = plane.width / (max - min)
  return [from, { x: plane.x + plane.width / 2 + x * unit, y: plane.y + plane.height / 2 - y * unit }]
}

const valueOf = element => element.evaluate(item => Number(item.value))

/** The actions of a pointer that presses an element and drags from one place to another. */
const pointerActions = ({ press, drag }) => ({
  press,
  async write(page, selector, text) {
    await press(page, selector)
    await page.fill(selector, '')
    await page.keyboard.type(text)
  },
  async moveSlider(page, slider, value) {
    await drag(page, await thumbAt(page, slider, await valueOf(slider)), await thumbAt(page, slider, value))
  },
  async moveHandle(page, handle, point) {
    await drag(page, ...await handlePath(page, handle, point))
  }
})

async function dragByMouse(page, from, to) {
  await page.mouse.move(from.x, from.y)
  await page.mouse.down()
  await page.mouse.move(to.x, to.y, { steps: 4 })
  await page.mouse.up()
}

const clients = new WeakMap()
async function dragByFinger(page, from, to) {
  if (!clients.has(page)) clients.set(page, await page.context().newCDPSession(page))
  const touch = (type, ...touchPoints) => clients.get(page).send('Input.dispatchTouchEvent', { type, touchPoints })
  await touch('touchStart', { x: from.x, y: from.y })
  // The page hears of a finger only once it has moved by 15 pixels, so a short way is gone too far and back.
  const isShort = Math.abs(to.x - from.x) + Math.abs(to.y - from.y) < OVERSHOOT
  const path = [from, ...(isShort ? [{ x: from.x + OVERSHOOT, y: to.y }] : []), to]
  for (const [i, end] of path.slice(1).entries()) for (let j = 1; j <= FINGER_STEPS; j++) {
    const { x, y } = path[i], part = j / FINGER_STEPS
    await touch('touchMove', { x: x + (end.x - x) * part, y: y + (end.y - y) * part })
  }
  await touch('touchEnd')
}

/** Reaches an element by Tab or Shift+Tab, in whichever direction it is. */
async function tabTo(page, element) {
  for (let i = 0; i < MAX_TABS; i++) {
    const side = await element.evaluate(item => {
      const { activeElement } = document
      if (activeElement === item) return 'here'
      return activeElement.compareDocumentPosition(item) & Node.DOCUMENT_POSITION_PRECEDING ? 'before' : 'after'
    })
    if (side === 'here') return
    await page.keyboard.press(side === 'before' ? 'Shift+Tab' : 'Tab')
  }
  assert.fail(`no way by Tab to ${await element.evaluate(item => item.outerHTML.slice(0, 120))}`)
}

/** Presses a key as long as a number is short of its goal in that direction. */
async function pressUntil(page, key, isShort) {
  for (let i = 0; i < MAX_KEYS && await isShort(); i++) await page.keyboard.press(key)
}

/** Moves a number with a pair of keys until it is within half a step of its goal. */
async function moveWith(page, [more, less], read, goal, step) {
  await pressUntil(page, more, async () => goal - await read() > step / 2)
  await pressUntil(page, less, async () => await read() - goal > step / 2)
}

const keyboard = {
  async press(page, selector) {
    await tabTo(page, await page.waitForSelector(selector))
    await page.keyboard.press('Enter')
  },
  async write(page, selector, text) {
    await tabTo(page, await page.waitForSelector(selector))
    await page.keyboard.press('Control+A')
    await page.keyboard.type(text)
  },
  /** Toggles a checkbox, which Enter does not. */
  async toggle(page, selector) {
    await tabTo(page, await page.waitForSelector(selector))
    await page.keyboard.press('Space')
  },
  async moveSlider(page, slider, value) {
    await tabTo(page, slider)
    const { step, span } = await slider.evaluate(({ min, max, step }) => ({ step: Number(step), span: max - min }))
    await moveWith(page, ['PageUp', 'PageDown'], () => valueOf(slider), value, span / 5)
    await moveWith(page, ['ArrowRight', 'ArrowLeft'], () => valueOf(slider), value, step)
  },
  async moveHandle(page, handle, [x, y]) {
    await tabTo(page, handle)
    const read = axis => handle.evaluate((item, i) => Number(item.ariaValueText.replaceAll('−', '-').match(/-?[\d.]+/g)[i]), axis)
    await moveWith(page, ['ArrowRight', 'ArrowLeft'], () => read(0), x, 0.1)
    await moveWith(page, ['ArrowUp', 'ArrowDown'], () => read(1), y, 0.1)
  }
}

const mouse = pointerActions({ press: (page, selector) => page.click(selector), drag: dragByMouse })
const touch = pointerActions({ press: (page, selector) => page.tap(selector), drag: dragByFinger })

/** Each device, and the window in which it is used. */
export const HANDS = {
  mouse: { ...mouse, toggle: mouse.press, options: { viewport: { width: 1440, height: 900 } } },
  keyboard: { ...keyboard, options: { viewport: { width: 1280, height: 720 }, reducedMotion: 'reduce' } },
  touch: {
    ...touch, toggle: touch.press,
    options: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }
  }
}
