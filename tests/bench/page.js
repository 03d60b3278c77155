// npm run bench:page: what a reader waits for on the page, in real Chromium: a first visit and its answer, from a key
// press to every figure repainted, a change of room, a step of training, and how long the main thread is kept at a
// time. Each is the least of several, beside the last run that was committed. Nothing fails here: a busy machine is
// slow, and says so.
//
//   --only <regex>    only the parts whose names match: visits, typing, rooms, training, tasks
//   --no-csv          leave no record in tests/bench/results
import { parseArgs } from 'node:util'
import { launch } from '../browser/host.js'
import { pageLine, pageRecord } from './lib/page_record.js'
import { roomChanges } from './page/rooms.js'
import { longestTasks } from './page/tasks.js'
import { trainingSteps } from './page/training.js'
import { keys } from './page/typing.js'
import { served, visits } from './page/visits.js'

/** Each yields what was done, and the milliseconds it took each time. */
const PARTS = { visits, typing: keys, rooms: roomChanges, training: trainingSteps, tasks: longestTasks }

const { values: options } = parseArgs({
  options: { 'only': { type: 'string', default: '' }, 'no-csv': { type: 'boolean', default: false } }
})
const site = await served(), browser = await launch()
const record = pageRecord(`chromium ${browser.version()}`)
console.log(record.head)
for (const [part, works] of Object.entries(PARTS).filter(([name]) => new RegExp(options.only).test(name))) {
  for await (const { name, times } of works(site.url, browser)) {
    console.log(pageLine(name, times, record.before(name)))
    if (!options['no-csv']) record.save(part, name, times)
  }
}
await browser.close()
site.close()
