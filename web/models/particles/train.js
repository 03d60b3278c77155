/**
 * Trains the model of missing words: `npm run train`. Every batch is sampled from the seed and the number of its step,
 * so a second training gives the same bits. Options: --steps N, --seed N, --out FILE, --tests N.
 */
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/js/index.js'
import { save, train, trainingOptions } from '../training.js'
import { examples } from '../../../src/training/models/particles/data.js'
import { HIDDEN_PARTS, IGNORE_INDEX, accuracy, batchesFrom, stemAttention } from '../../../src/training/models/particles/measure.js'
import { CONFIG, createParticles } from '../../../src/training/models/particles/model.js'
import { WORDS } from '../../../src/training/models/particles/tokens.js'

const BATCH = 64
const LANGUAGES = { ko: 'Korean', en: 'English' }
const OUT = fileURLToPath(new URL('particles.safetensors', import.meta.url))
const { steps, seed, out, tests: count } = trainingOptions({ steps: 8000, out: OUT, tests: 2000 })
const gf = await load()
const percent = (/** @type {number} */ fraction) => `${(100 * fraction).toFixed(2)} %`

/** The batch of each step. */
const batchAt = batchesFrom(seed, BATCH)

/** @param {any} model @param {number} step */
function loss(model, step) {
  const { input, target } = batchAt(step)
  const logits = model.forward(input).reshape(-1, WORDS.length)
  return gf.functional.crossEntropy(logits, target, { ignoreIndex: IGNORE_INDEX })
}

/** @param {any} model */
function report(model) {
  const right = Object.keys(LANGUAGES).map(language => {
    const tests = examples(seed, 300, { isHeldOut: true, languages: [language] })
    return `${language} ${percent(accuracy(gf, model, tests).right)}`
  })
  return right.join('  ')
}

gf.manualSeed(seed)
const model = createParticles(gf, CONFIG)
train(gf, model, {
  steps, peak: 6e-3, warmUp: 200, every: 500, loss: step => loss(model, step), report: () => report(model)
})

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
