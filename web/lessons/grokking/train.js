/**
 * Trains the model of the lesson on grokking, as the training page does: `npm run train`. The file has its weights and
 * the embedding tables of earlier steps. A second training gives the same bits. Options: --steps N, --seed N, --out
 * FILE.
 */
import { fileURLToPath } from 'node:url'
import { load } from '../../../src/js/index.js'
import { createSession } from '../../../src/training/session.js'
import { defaultsOf } from '../../../src/training/settings.js'
import { sums } from '../../../src/training/tasks/sums.js'
import { save, trainingOptions } from '../../models/training.js'

/** The step at which the shown sums are memorized and most others are not solved yet. */
const MEMORIZED = 500
const TABLE = 'embedding.weight'

const own = defaultsOf('sums')
const { steps, seed, out } = trainingOptions(
  { steps: own.steps, out: fileURLToPath(new URL('clock_sums.safetensors', import.meta.url)), tests: 0 })
const gf = await load(), settings = { ...own, steps, seed }
const session = createSession(gf, settings), { model } = session, data = sums.prepare(gf, settings)
/** The fraction of a list of sums that the model solves. @param {number[][]} tests */
const accuracy = tests => sums.measureAccuracy(gf, model, data, sums.heldOut(gf, settings, { tests }))

/** @type {Record<string, any>} */ const tables = {}
/** @type {{ step: number, seen: number, unseen: number }[]} */ const stages = []
/** @param {number} step */
function record(step) {
  const [seen, unseen] = [data.learned, data.tests].map(accuracy), table = model.stateDict()[TABLE]
  stages.push({ step, seen, unseen })
  if (step < steps) tables[`step${step}.${TABLE}`] = table.detach().clone()
  console.log(`step ${step}: ${(100 * seen).toFixed(1)} % of the shown sums, ${(100 * unseen).toFixed(1)} % of the others`)
}

record(0)
for (let step = 1; step <= steps; step++) {
  const { broken } = session.step()
  if (broken) throw new Error(`step ${step}: loss or gradients are not finite`)
  if (step === MEMORIZED || step === steps) record(step)
}
model.eval()
const file = { stateDict: () => ({ ...model.stateDict(), ...tables }) }
save(gf, file, out, { steps: String(steps), seed: String(seed), stages: JSON.stringify(stages) })
if ((stages.at(-1)?.unseen ?? 0) < 1) process.exitCode = 1
