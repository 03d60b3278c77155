// The longest tasks of the main thread while the page loads, while rooms are entered for the first time, and while
// depth or language change. Processor time is reported, since other programs affect it less than wall time.
import { measureVisits } from '../../browser/main_thread_tasks.js'

const RUNS = 3
const KINDS = { load: 'loading', room: 'entering a room', typing: 'typing', depth: 'another depth', language: 'another language' }

/** @param {string} url @param {import('playwright-core').Browser} browser */
export async function* longestTasks(url, browser) {
  const tasks = await measureVisits(browser, url, RUNS)
  for (const [kind, description] of Object.entries(KINDS)) {
    const cpuTimes = tasks.filter(({ name }) => name.startsWith(kind)).map(({ cpu }) => cpu)
    yield { name: `longest task, ${description}`, times: [Math.max(...cpuTimes)] }
  }
}
