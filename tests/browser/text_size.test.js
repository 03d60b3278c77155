// No text of the interface is under 13 px: every room, both themes, on a desk and on a phone.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { goToRoom, useBrowser } from './host.js'
import { longTest, everyNth } from '../lib/long.js'

const { open } = useBrowser()
const LEAST = 13

/** Visible texts that are set smaller; indices and powers in formulas are as small as formulas have them. */
const small = page => page.evaluate(min => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const problems = new Set()
  while (walker.nextNode()) {
    const { data, parentElement: at } = walker.currentNode
    if (!data.trim() || at.closest('math, script, style, noscript, sub, sup, .visually-hidden, [hidden]')) continue
    const size = parseFloat(getComputedStyle(at).fontSize)
    if (size < min - 0.01 && at.checkVisibility()) {
      problems.add(`${size} ${at.localName}.${at.getAttribute('class')} in ${at.parentElement.getAttribute('class')}`)
    }
  }
  return [...problems]
}, LEAST)

for (const [model, theme, viewport] of everyNth([
  ['particles', 'light', { width: 360, height: 740 }], ['dates', 'light', { width: 1440, height: 900 }],
  ['sentences', 'dark', { width: 360, height: 740 }], ['stories', 'dark', { width: 1280, height: 720 }],
  ['positions', 'light', { width: 1440, height: 900 }]
], 5)) {
  test(`${model}, ${theme}, ${viewport.width} px`, async t => {
    const { page, close } = await open({ model, theme, language: 'en' }, { viewport })
    const rooms = await page.$$eval('.map li[data-room]', list => list.map(({ dataset }) => dataset.room))
    const wrong = {}
    for (const room of rooms) {
      await goToRoom(page, room)
      await page.waitForFunction(id => document.getElementById('house').dataset.room === id, room)
      for (const item of await small(page)) (wrong[item] ??= []).push(room)
    }
    t.diagnostic(`${rooms.length} rooms`)
    assert.deepEqual(Object.entries(wrong).map(([problem, places]) => `${problem}: ${places.slice(0, 3)}`), [])
    await close()
  })
}

test('slanted column labels do not overlap', async () => {
  const state = { model: 'particles', room: 'decoding', gapped: '빵[?] 먹었다' }
  const { page, close } = await open(state, { viewport: { width: 360, height: 740 } })
  const near = await page.$$eval('.stage .labels-top.is-slanted', strips => strips.flatMap(strip => {
    const visible = [...strip.children].filter(child => getComputedStyle(child).visibility === 'visible')
      .map(child => parseFloat(child.style.left))
    return visible.slice(1).map((left, i) => left - visible[i])
  }))
  assert.ok(near.length > 5)
  // Lines at 45° begin √2 times as far apart as they lie, and letters are 11 px high.
  assert.deepEqual(near.filter(distance => distance < 11 * Math.SQRT2), [])
  await close()
})

/** Pairs of visible names along the straight edges of matrices that lie over one another. */
const findOverlaps = page => page.$$eval('.labels:not(.is-slanted)', strips => strips.flatMap(strip => {
  const boxes = [...strip.children].filter(child => child.checkVisibility({ visibilityProperty: true }))
    .map(child => ({ text: child.textContent, ...child.getBoundingClientRect().toJSON() }))
  return boxes.flatMap((box, i) => boxes.slice(i + 1).filter(otherBox => (
    box.left < otherBox.right && otherBox.left < box.right && box.top < otherBox.bottom - 1 &&
    otherBox.top < box.bottom - 1
  )).map(otherBox => `${box.text} and ${otherBox.text}`))
}))

test('words with attention lines stay inside their figure and overlap no other', async () => {
  const state = { model: 'dates', room: 'decoder.1.multihead_attn.weights', row: 6, source: 'the 3rd of october, 1990', language: 'en' }
  const { page, close } = await open(state, { viewport: { width: 360, height: 740 } })
  const reach = await page.$eval('.stage .arcs', root => {
    const { left, right } = root.getBoundingClientRect()
    return [...root.querySelectorAll('text')].map(element => element.getBoundingClientRect())
      .map(box => Math.max(left - box.left, box.right - right))
  })
  assert.ok(reach.length > 10)
  assert.deepEqual(reach.filter(beyond => beyond > 0.5), [])
  const overlaps = await page.$$eval('.stage .arcs :is(.arcs-from, .arcs-to)', rows => rows.flatMap(row => {
    const words = [...row.children].map(word => (
      { text: word.textContent, ...word.children[0].getBoundingClientRect().toJSON() }))
    return words.flatMap((a, i) => words.slice(i + 1).filter(b => (
      a.left < b.right && b.left < a.right && a.top < b.bottom - 4 && b.top < a.bottom - 4)).map(b => `${a.text} and ${b.text}`))
  }))
  assert.deepEqual(overlaps, [])
  await close()
})

longTest('a highlighted label overlaps no other', async () => {
  const places = [
    { room: 'source.sum', cell: { name: 'positions.output', index: [0, 2, 19] } },
    { model: 'positions', room: 'extrapolation', cell: { name: 'extrapolation.shares', index: [1, 16] } }
  ]
  for (const place of places) {
    const { page, complaints, close } = await open(place)
    await page.waitForSelector('.labels .is-active')
    assert.deepEqual(await findOverlaps(page), [], place.room)
    assert.deepEqual(complaints, [])
    await close()
  }
})
