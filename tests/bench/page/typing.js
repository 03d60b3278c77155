// From a key press until all figures are repainted.
import { open, completeState } from '../../browser/host.js'
import { toHash } from '../../../web/models/state.js'

const PRESSES = 60, WARM_UP = 20
const WORDS = Array.from({ length: 32 }, (_, i) => `word${i}`).join(' ')

const PAGES = {
  'dates, cross-attention': {
    state: { room: 'decoder.1.multihead_attn.weights' }, field: '[data-field="source"]',
    change: [/\d$/.source, ['0', '1', '2']]
  },
  '32 tokens, d_model 64, scores': {
    state: { model: 'sentences', text: WORDS, dModel: 64, room: 'self_attn.scores' }, field: '#inputs textarea',
    change: [/word0\w*/.source, ['word0a', 'word0b']]
  }
}

/** Runs in the page: types, and waits each time until the new run is painted. */
async function typeRepeatedly({ field, change: [pattern, texts], presses }) {
  const house = document.getElementById('house'), input = document.querySelector(field), times = []
  for (let i = 0; i < presses; i++) {
    const painted = new Promise(resolve => {
      new MutationObserver((_, observer) => {
        observer.disconnect()
        queueMicrotask(() => resolve(performance.now()))
      }).observe(house, { attributes: true, attributeFilter: ['data-run'] })
    })
    input.value = input.value.replace(new RegExp(pattern), texts[i % texts.length])
    const start = performance.now()
    input.dispatchEvent(new Event('input', { bubbles: true }))
    times.push((await painted) - start)
    await new Promise(requestAnimationFrame)
  }
  return times
}

/** @param {string} url @param {import('playwright-core').Browser} browser */
export async function* keyPresses(url, browser) {
  for (const [name, { state, field, change }] of Object.entries(PAGES)) {
    const { page, close } = await open(browser, `${url}#${toHash(completeState(state))}`)
    const times = await page.evaluate(typeRepeatedly, { field, change, presses: PRESSES })
    await close()
    yield { name: `key to paint, ${name}`, times: times.slice(WARM_UP) }
  }
}
