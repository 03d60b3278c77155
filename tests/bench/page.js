// npm run bench:page measures waiting times of the page in real Chromium: a first visit and its first answer, from a
// key press to repainted figures, a change of room, a step of training, and the longest tasks of the main thread. It
// prints the minimum of several runs beside the last committed run. It never fails, since a busy machine is slow.
//
//   --only <regex>    only the parts whose names match: visits, typing, rooms, training, tasks
//   --no-csv          writes no record to tests/bench/results
import { parseArgs } from 'node:util'
import { launch } from '../browser/host.js'
import { pageLine, pageRecord } from './lib/page_record.js'
import { roomChanges } from './page/rooms.js'
import { longestTasks } from './page/tasks.js'
import { trainingSteps } from './page/training.js'
import { keyPresses } from './page/typing.js'
import { serveSite, visits } from './page/visits.js'

/** Generators of names of actions with the milliseconds of every repetition. */
const PARTS = { visits, typing: keyPresses, rooms: roomChanges, training: trainingSteps, tasks: longestTasks }

const { values: options } = parseArgs({
  options: { 'only': { type: 'string', default: '' }, 'no-csv': { type: 'boolean', default: false } }
})
const site = await serveSite(), browser = await launch()
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
