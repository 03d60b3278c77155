// From the click on a room's link to the painted room, for every room of the default model.
import { open, runInNode, completeState } from '../../browser/host.js'
import { roomsOf } from '../../../web/rooms/index.js'
import { toHash } from '../../../web/models/state.js'

const ROUNDS = 3

/** Runs in the page: enters every room and returns the milliseconds. */
async function enterRooms(ids) {
  const house = document.getElementById('house'), times = []
  const painted = () => new Promise(resolve => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel()
      port1.onmessage = resolve
      port2.postMessage(null)
    })
  })
  for (const id of ids) {
    const start = performance.now()
    document.querySelector(`.map li[data-room="${id}"] a`).click()
    do await painted(); while (house.dataset.room !== id)
    times.push(performance.now() - start)
    while (document.querySelector('[aria-busy="true"]')) await painted()
  }
  return times
}

/** @param {string} url @param {import('playwright-core').Browser} browser */
export async function* roomChanges(url, browser) {
  const run = runInNode({}), ids = roomsOf(run).map(({ id }) => id), rounds = []
  run.dispose()
  // The last room is open at the start of each round, so that every room is entered from another one.
  const { page, close } = await open(browser, `${url}#${toHash(completeState({ room: ids.at(-1) }))}`)
  for (let i = 0; i < ROUNDS; i++) rounds.push(await page.evaluate(enterRooms, ids))
  await close()
  const minTimes = ids.map((_, i) => Math.min(...rounds.map(times => times[i])))
  yield { name: `room change, ${ids.length} rooms, each the least of ${ROUNDS}`, times: minTimes }
  yield { name: 'room change, the slowest of them', times: [Math.max(...minTimes)] }
}
