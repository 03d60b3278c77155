// How long the main thread is kept at a time while the page loads, rooms are entered for the first time, depth and
// language change; of the processor, which other programs on the machine lengthen less.
import { visits } from '../../browser/main_thread_tasks.js'

const RUNS = 3
const KINDS = { load: 'loading', room: 'entering a room', typing: 'typing', depth: 'another depth', language: 'another language' }

/** @param {string} url @param {import('playwright-core').Browser} browser */
export async function* longestTasks(url, browser) {
  const tasks = await visits(browser, url, RUNS)
  for (const [kind, words] of Object.entries(KINDS)) {
    yield { name: `longest task, ${words}`, times: [Math.max(...tasks.filter(({ name }) => name.startsWith(kind)).map(({ cpu }) => cpu))] }
  }
}
