// A step of the training page in the page's worker, including its reports.
import { open, completeState } from '../../browser/host.js'
import { toHash } from '../../../web/models/state.js'
import { defaultsOf } from '../../../src/training/settings.js'

const STEPS = 300, TRAININGS = 3

/** Runs in the page: the mean milliseconds of a step, from the first report to the last. */
const training = settings => new Promise((resolve, reject) => {
  // The page's policy allows workers from blobs only, see startWorker in web/lib/fetch_on_demand.js.
  const code = `import '${new URL('theatre.js', location.href).href}'`
  const worker = new Worker(URL.createObjectURL(new Blob([code], { type: 'text/javascript' })), { type: 'module' })
  let start, count = 0
  worker.onerror = ({ message }) => reject(new Error(message || 'theatre.js did not start'))
  worker.onmessage = ({ data }) => {
    if (data.error) reject(new Error(data.error.message))
    if (data.id === 1) worker.postMessage({ id: 2, type: 'play', pace: 0 })
    if (!data.event) return
    if (start === undefined) start = performance.now()
    else count += data.loss.length
    if (!data.isOver) return
    worker.terminate()
    resolve((performance.now() - start) / count)
  }
  const kernels = { wasm: new URL('glassformer.wasm', location.href).href }
  worker.postMessage({ id: 1, type: 'open', kernels, settings, sentence: '' })
})

/** @param {string} url @param {import('playwright-core').Browser} browser */
export async function* trainingSteps(url, browser) {
  const { page, close } = await open(browser, `${url}#${toHash(completeState({}))}`), times = []
  for (let i = 0; i < TRAININGS; i++) times.push(await page.evaluate(training, { ...defaultsOf('dates'), steps: STEPS }))
  await close()
  yield { name: 'training step, dates', times }
}
