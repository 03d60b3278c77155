/**
 * Trains the date translator with the steps of the training page: `npm run train`. The same model without positional
 * encoding is trained too, to show that it fails. Options: --steps N, --seed N, --out FILE, --tests N.
 */
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/js/index.js'
import { isHeldOut } from '../../../src/training/models/dates/data.js'
import { exactFraction, sampleExamples } from '../../../src/training/models/dates/measure.js'
import { defaultsOf } from '../../../src/training/settings.js'
import { roundToFloat16, save, trainModel, trainingOptions } from '../training.js'

const OUT = fileURLToPath(new URL('date_translator.safetensors', import.meta.url))
const { steps, seed, out, tests } = trainingOptions({ steps: 6000, out: OUT, tests: 2000 })
const gf = await load()

/** @param {string} positions @returns {{ model: any, exact: number }} exact: the fraction of held-out dates */
function train(positions) {
  const model = trainModel(gf, { ...defaultsOf('dates'), positions, steps, seed }, 200)
  roundToFloat16(gf, model) // half the size of the page's first visit, and as many dates are exact
  gf.manualSeed(seed)
  return { model, exact: exactFraction(model, sampleExamples(gf, tests, isHeldOut)) }
}

const { model, exact } = train(defaultsOf('dates').positions), without = train('none')
console.log(`held-out dates exact: ${exact} with positional encoding, ${without.exact} without`)
save(gf, model, out, { steps: String(steps), seed: String(seed), exact: String(exact) }, 'F16')
if (exact < 0.995) process.exitCode = 1
