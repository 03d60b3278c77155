/**
 * Trains the five small models of the extrapolation experiment: `npm run train`. Options: --steps N, --seed N, --out
 * FILE, --tests N.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/js/index.js'
import { rateAt } from '../../../src/training/schedule.js'
import { trainingOptions } from '../training.js'
import { TEST_LENGTH, SCHEMES, TRAINING_LENGTH, WORDS, extrapolationModels, loadWeights } from './extrapolation.js'

const BATCH = 64, NONE = -100
const OUT = fileURLToPath(new URL('extrapolation.safetensors', import.meta.url))
const { steps, seed, out, tests } = trainingOptions({ steps: 800, out: OUT, tests: 200 })
const gf = await load(), F = gf.functional, { Before, Extrapolation } = extrapolationModels(gf)

/** @param {number} count @param {number} length @returns {number[][]} words drawn one by one */
const drawn = (count, length) => gf.randint(0, WORDS, [count, length]).toArray()

/** @param {any} model */
function lossOf(model) {
  const ids = drawn(BATCH, TRAINING_LENGTH), target = ids.flatMap(row => [NONE, ...row.slice(0, -1)])
  return F.crossEntropy(model.forward(ids).reshape(-1, WORDS), target, { ignoreIndex: NONE })
}

/** @param {string} scheme */
function trained(scheme) {
  gf.manualSeed(seed)
  const model = new Before(scheme).train()
  const optimizer = new gf.optim.Adam(model.parameters(), { betas: [0.9, 0.98], eps: 1e-9 })
  for (let step = 1; step <= steps; step++) gf.tidy(() => {
    const loss = lossOf(model)
    optimizer.zeroGrad()
    loss.backward()
    gf.optim.clipGradNorm(optimizer.params, 1)
    optimizer.lr = rateAt(gf, { rate: 5e-3, warmUp: 50, steps, schedule: 'linear' }, step)
    optimizer.step()
    if (step === steps) console.log(`${scheme}: loss ${loss.item().toFixed(4)}`)
  })
  return model.eval()
}

const all = new Extrapolation(), PLACES = [1, 8, 15, 16, 17, 24, 32, 48, 63]
for (const scheme of SCHEMES) {
  const model = trained(scheme)
  all.schemes.get(scheme).loadStateDict(model.stateDict())
  model.dispose()
}
const file = gf.saveSafetensors(all.stateDict(), { steps: String(steps), seed: String(seed) }, { dtypes: 'F16' })
writeFileSync(out, file)
console.log(`${out}: ${file.length} bytes`)

/* Measured with the numbers as the file has them. */
loadWeights(gf, all, file)
const sums = PLACES.map(() => SCHEMES.map(() => 0))
gf.manualSeed(seed + 1)
for (const ids of drawn(tests, TEST_LENGTH)) gf.tidy(() => gf.noGrad(() => {
  /** @type {number[][]} */ const shares = all.forward(ids).shares.toArray()
  PLACES.forEach((place, i) => shares.forEach((row, scheme) => { sums[i][scheme] += row[place] / tests }))
}))
console.log(`share of the word before at places ${PLACES.join(', ')}; trained on ${TRAINING_LENGTH} places`)
SCHEMES.forEach((scheme, i) => console.log(`  ${scheme.padEnd(10)} ${sums.map(row => row[i].toFixed(2)).join('  ')}`))
