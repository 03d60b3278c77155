// axe over every room at every depth, in each theme and language. In `npm test` other tests look at a part.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { READY } from '../../web/models/index.js'
import { roomsOf } from '../../web/rooms/index.js'
import { DEPTHS } from '../../web/shell/depth.js'
import { LANGUAGES } from '../../web/words/index.js'
import { isLong } from '../lib/long.js'
import { makeDetachedRun } from '../lib/page.js'
import { goToRoom, roomsOnMap, useBrowser, findViolations } from './host.js'

const { open } = isLong ? useBrowser() : {}

function roomsIn(model) {
  const run = makeDetachedRun({ model }), rooms = roomsOf(run).map(({ id }) => id)
  run.dispose?.()
  return rooms
}

const LOOKS = ['light', 'dark'].flatMap(theme => Object.keys(LANGUAGES).map(language => [theme, language]))

for (const { id: model } of READY) for (const [colorScheme, language] of LOOKS) {
  test(`${model}, ${colorScheme}, ${language}`, { skip: !isLong && 'in the long tests' }, async t => {
    const { page, close } = await open({ model, language }, { colorScheme })
    const expectedRooms = roomsIn(model), results = []
    await page.waitForSelector(`.map li[data-room="${expectedRooms.at(-1)}"] a`, { state: 'attached' })
    const displayed = await roomsOnMap(page), rooms = expectedRooms.filter(room => displayed.includes(room))
    for (const room of rooms) {
      await goToRoom(page, room)
      for (const depth of DEPTHS) {
        await page.evaluate(value => document.querySelector(`.depths input[value="${value}"]`)?.click(), depth)
        await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
        // What stands around a room is the same at each of its depths.
        const part = depth === DEPTHS[0] ? 'html' : 'main'
        results.push(...(await findViolations(page, part)).map(violation => [room, depth, ...violation]))
      }
    }
    t.diagnostic(`${rooms.length} rooms, ${DEPTHS.length} depths each`)
    assert.ok(rooms.length > 10)
    assert.deepEqual(results, [])
    await close()
  })
}
