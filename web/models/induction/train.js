/**
 * Trains the induction model with the steps of the training page: `npm run train`. A second training gives the same
 * bits. Options: --steps N, --seed N, --out FILE, --tests N.
 */
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/js/index.js'
import { IGNORE_INDEX, batchOf, heldOutSequences } from '../../../src/training/models/induction/data.js'
import { bestScores, headScores } from '../../../src/training/models/induction/measure.js'
import { LONGEST, TOKENS } from '../../../src/training/models/induction/tokens.js'
import { defaultsOf } from '../../../src/training/settings.js'
import { accuracyOf } from '../../../src/training/tasks/model_options.js'
import { save, trainModel, trainingOptions } from '../training.js'

const own = defaultsOf('induction')
const { steps, seed, out, tests } = trainingOptions(
  { steps: own.steps, out: fileURLToPath(new URL('induction.safetensors', import.meta.url)), tests: 400 })
const gf = await load()
/** A mask that hides the token before, which a previous-token head needs. */
const HIDDEN = Array.from({ length: LONGEST }, (_, i) => Array.from({ length: LONGEST }, (_, j) => j === i - 1))
/** The number of blocks that the heads are scored on, and the scores that some head has to reach. */
const BLOCKS = 64, ENOUGH = 0.9

const model = trainModel(gf, { ...own, steps, seed }, 200)
const { input, target } = batchOf(heldOutSequences(seed, tests))
/** @param {any[]} inputs of the model's forward */
const accuracy = (...inputs) => accuracyOf(gf, model, { inputs, target, ignoreIndex: IGNORE_INDEX, words: TOKENS })
const right = accuracy(input), blind = accuracy(input, HIDDEN)
const scores = headScores(gf, model, seed, BLOCKS), { previous, induction } = bestScores(scores)
console.log(`\nneighbors never trained on: ${(100 * right).toFixed(2)} % right`)
console.log(`  without attention to the token before: ${(100 * blind).toFixed(2)} % right`)
for (const [name, layers] of Object.entries(scores)) layers.forEach((heads, layer) => (
  console.log(`${name}, layer ${layer}: ${heads.map(score => score.toFixed(3)).join(', ')}`)))
save(gf, model, out, { 'steps': String(steps), 'seed': String(seed), 'right.heldOut': String(right),
  'previousTokenScores': JSON.stringify(scores.previous), 'inductionScores': JSON.stringify(scores.induction) })
if (right < 0.99 || previous < ENOUGH || induction < ENOUGH) process.exitCode = 1
