import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roomsOf } from '../../web/rooms/index.js'
import { runHere, useHouse } from './host.js'
import { visits } from './tasks.js'

/** A task longer than this is a long one by the W3C's Long Tasks API. */
const LONG = 50
/** Other programs lengthen a task by the clock, but not the same one every time. */
const MOST_VISITS = 10
const isLong = ({ wall }) => wall > LONG

const { inBrowser } = useHouse()

test('loading, entering a room, typing, another depth or language: no task of the page takes over 50 ms', async () => {
  const areShort = (tasks) => !tasks.some(isLong)
  const tasks = await inBrowser((browser, url) => visits(browser, url, MOST_VISITS, areShort))
  assert.ok(tasks.length > roomsOf(runHere({})).length)
  assert.ok(tasks.every(({ wall }) => wall > 0))
  assert.deepEqual(tasks.filter(isLong), [])
})
