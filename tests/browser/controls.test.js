// Every control of every kind of room is pressed, and every one that comes up by it: each button does something, and
// nothing breaks. In `npm test` other tests press a part.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READY } from '../../web/models/index.js'
import { toHash } from '../../web/models/state.js'
import { isLong } from '../lib/long.js'
import { firstRooms } from '../lib/page.js'
import { pressAll } from './controls.js'
import { completeState, useBrowser } from './host.js'

const browser = isLong ? useBrowser() : null
/** Controls that were pressed; what stands around the rooms is the same in each. @type {Set<string>} */
const known = new Set()

for (const { id: model } of READY) {
  test(`every control: ${model}`, { skip: !isLong && 'in the long tests' }, async t => {
    const { page, complaints, close } = await browser.open({ model, language: 'en' })
    const before = known.size, rooms = firstRooms(model), problems = []
    // The walk takes minutes: one that finds something goes on, so that it finds the rest, too.
    for (const room of rooms) {
      const url = `${browser.url()}#${toHash(completeState({ model, language: 'en', room }))}`
      problems.push(...await pressAll(page, url, room, known), ...complaints.splice(0).map(item => `${room}: ${item}`))
    }
    t.diagnostic(`${known.size - before} controls in ${rooms.length} kinds of room`)
    assert.deepEqual(problems, [])
    assert.ok(known.size > before)
    await close()
  })
}
