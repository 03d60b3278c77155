// npm run bench:page: from a key press to every figure repainted, and how long the main thread is kept at a time while
// the page loads, rooms are entered for the first time, the depth and the language change. In real Chromium, each the
// least of several runs. Nothing fails here: a busy machine is slow, and says so.
import { launch, open, serve, stateOf } from '../browser/host.js'
import { toHash } from '../../web/shell/state.js'
import { visits } from '../browser/tasks.js'

const PRESSES = 60, WARM_UP = 20, RUNS = 3, WORST = 5
const WORDS = Array.from({ length: 32 }, (_, i) => `word${i}`).join(' ')

const pages = {
  'dates, cross-attention': {
    state: { room: 'decoder.1.multihead_attn.weights' }, field: '[data-field="source"]',
    change: [/\d$/.source, ['0', '1', '2']]
  },
  'sentences, 32 tokens, d_model 64, scores': {
    state: { model: 'sentences', text: WORDS, dModel: 64, room: 'self_attn.scores' }, field: '#inputs textarea',
    change: [/word0\w*/.source, ['word0a', 'word0b']]
  }
}

/** Runs in the page: types, and waits each time until the new run is drawn. */
async function typing({ field, change: [pattern, texts], presses, warmUp }) {
  let longest = 0
  const observer = new PerformanceObserver(list => {
    longest = Math.max(longest, ...list.getEntries().map(({ duration }) => duration))
  })
  const house = document.getElementById('house'), input = document.querySelector(field), times = []
  for (let i = 0; i < presses; i++) {
    if (i === warmUp) observer.observe({ type: 'longtask' })
    const painted = new Promise(resolve => {
      new MutationObserver((_, seen) => {
        seen.disconnect()
        queueMicrotask(() => resolve(performance.now()))
      }).observe(house, { attributes: true, attributeFilter: ['data-run'] })
    })
    input.value = input.value.replace(new RegExp(pattern), texts[i % texts.length])
    const start = performance.now()
    input.dispatchEvent(new Event('input', { bubbles: true }))
    times.push((await painted) - start)
    await new Promise(requestAnimationFrame)
  }
  return { times: times.slice(warmUp).sort((a, b) => a - b), longest }
}

const site = await serve(), browser = await launch()
const tasks = await visits(browser, site.url, RUNS)
console.log(`longest task, by the clock and of the processor, least of ${RUNS} runs:`)
for (const kind of ['load', 'room', 'typing', 'depth', 'language']) {
  for (const { name, wall, cpu } of tasks.filter(task => task.name.startsWith(kind)).slice(0, WORST)) {
    console.log(`  ${name.padEnd(44)} ${wall.toFixed(0).padStart(4)} ms ${cpu.toFixed(0).padStart(4)} ms`)
  }
}
for (const [name, { state, field, change }] of Object.entries(pages)) {
  const { page, close } = await open(browser, `${site.url}#${toHash(stateOf(state))}`)
  const { times, longest } = await page.evaluate(typing, { field, change, presses: PRESSES, warmUp: WARM_UP })
  const median = times[times.length >> 1].toFixed(1), least = times[0].toFixed(1)
  console.log(`${name}: median ${median} ms, least ${least} ms, longest task ${longest.toFixed(0)} ms`)
  await close()
}
await browser.close()
site.close()
