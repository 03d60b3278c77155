/**
 * Trains the model of missing words with the steps of the training page: `npm run train`. A second training gives the
 * same bits. Options: --steps N, --seed N, --out FILE, --tests N.
 */
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/js/index.js'
import { examples } from '../../../src/training/models/particles/data.js'
import { HIDDEN_PARTS, accuracy, stemAttention } from '../../../src/training/models/particles/measure.js'
import { defaultsOf } from '../../../src/training/settings.js'
import { save, trainModel, trainingOptions } from '../training.js'

const LANGUAGES = { ko: 'Korean', en: 'English' }
const OUT = fileURLToPath(new URL('particles.safetensors', import.meta.url))
const { steps, seed, out, tests: count } = trainingOptions({ steps: 8000, out: OUT, tests: 2000 })
const gf = await load()
const percent = (/** @type {number} */ fraction) => `${(100 * fraction).toFixed(2)} %`

const model = trainModel(gf, { ...defaultsOf('particles'), steps, seed }, 500)
/** @type {Record<string, string>} */ const metadata = { steps: String(steps), seed: String(seed) }
for (const [language, name] of Object.entries(LANGUAGES)) {
  const tests = examples(seed, count, { isHeldOut: true, languages: [language] })
  console.log(`\n${name}, nouns never trained on`)
  for (const hiding of Object.keys(HIDDEN_PARTS)) {
    const { right, form, places } = accuracy(gf, model, tests, hiding)
    const both = `right ${percent(right)}, the right one of two forms ${percent(form)} of ${places}`
    console.log(`  hidden: ${hiding.padEnd(18)} ${both}`)
    if (hiding === 'nothing') metadata[`right.${language}`] = String(right)
  }
  const heads = stemAttention(gf, model, tests.slice(0, 300))
  heads.forEach((shares, layer) => console.log(`  attention from [?] to the last letter, layer ${layer}: ` +
    shares.map((fraction, head) => `head ${head} ${percent(fraction)}`).join(', ')))
}
save(gf, model, out, metadata)
if (Number(metadata['right.ko']) < 0.99) process.exitCode = 1
