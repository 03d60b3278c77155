/**
 * Trains the date translator, the model of the page: `npm run train`.
 *
 * Every batch is sampled from the seed and the number of its step, so a second training gives the same bits, and a
 * stopped one (Ctrl-C) can be resumed. The same model without positional encoding is trained too, to show that it
 * fails. Options: --steps N, --seed N, --out FILE, --fresh (do not resume), --until N (stop after that step),
 * --checkpoints DIR, --only positions|none.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { load } from '../../../src/js/index.js'
import { isHeldOut } from '../../../src/training/models/dates/data.js'
import { sampleExamples, exactFraction } from '../../../src/training/models/dates/measure.js'
import { CONFIG, createTranslator } from '../../../src/training/models/dates/model.js'

const { values: options } = parseArgs({
  options: {
    steps: { type: 'string', default: '6000' },
    seed: { type: 'string', default: '42' },
    out: { type: 'string', default: fileURLToPath(new URL('date_translator.safetensors', import.meta.url)) },
    fresh: { type: 'boolean', default: false },
    until: { type: 'string' },
    checkpoints: { type: 'string', default: fileURLToPath(new URL('../../../build/train/', import.meta.url)) },
    only: { type: 'string' }
  }
})

const BATCH = 64, PEAK = 4e-3, WARM_UP = 200, SMOOTHING = 0.05, TEST = 2000
const steps = Number(options.steps), seed = Number(options.seed), until = Number(options.until ?? Infinity)
const gf = await load()

let isStopping = false
process.on('SIGINT', () => {
  if (isStopping) process.exit(130)
  isStopping = true
})

/** Linear warm-up, then cosine decay. @param {number} step from 1 */
const rate = step => step < WARM_UP
  ? (PEAK * step) / WARM_UP
  : (PEAK / 2) * (1 + Math.cos((Math.PI * (step - WARM_UP)) / (steps - WARM_UP)))

/** @param {any} model @param {any} optimizer @param {number} step */
function trainStep(model, optimizer, step) {
  gf.manualSeed(seed * 1_000_003 + step)
  const batch = sampleExamples(gf, BATCH, day => !isHeldOut(day))
  return gf.tidy(() => {
    const logits = model.forward(batch.map(e => e.source), batch.map(e => e.input)), V = logits.shape[2]
    const loss = gf.functional.crossEntropy(logits.reshape(-1, V), batch.flatMap(e => e.target),
      { ignoreIndex: 0, labelSmoothing: SMOOTHING })
    optimizer.zeroGrad()
    loss.backward()
    gf.optim.clipGradNorm(optimizer.params, 1)
    optimizer.lr = rate(step)
    optimizer.step()
    return loss.item()
  })
}

/** @param {any} model @param {number} n */
function accuracy(model, n) {
  gf.manualSeed(seed)
  const fraction = exactFraction(model.eval(), sampleExamples(gf, n, isHeldOut))
  model.train()
  return fraction
}

/** The tensors of a checkpoint: weights and the optimizer's moments. @param {any} model @param {any} optimizer */
const checkpointTensors = (model, optimizer) => Object.fromEntries(
  model.namedParameters().flatMap((/** @type {[string, any]} */ [name, p]) => {
    const held = optimizer.state.get(p)
    return [[name, p], [`m.${name}`, held.expAvg], [`v.${name}`, held.expAvgSq]]
  }))

/** @param {string} file @param {any} model @param {any} optimizer @param {number} step */
function saveCheckpoint(file, model, optimizer, step) {
  mkdirSync(options.checkpoints, { recursive: true })
  const metadata = { step: String(step), seed: String(seed), steps: String(steps) }
  writeFileSync(`${file}.part`, gf.saveSafetensors(checkpointTensors(model, optimizer), metadata))
  renameSync(`${file}.part`, file)
}

/** @param {string} file @param {any} model @param {any} optimizer @returns {number} steps done before */
function resume(file, model, optimizer) {
  if (options.fresh || !existsSync(file)) return 0
  const { tensors, metadata } = gf.loadSafetensors(readFileSync(file))
  if (metadata.seed !== String(seed) || metadata.steps !== String(steps)) return 0
  const step = Number(metadata.step)
  for (const [name, p] of model.namedParameters()) {
    p.data.set(tensors[name].values)
    const zeros = () => gf.zeros(p.shape), fresh = () => ({ step, expAvg: zeros(), expAvgSq: zeros() })
    const held = optimizer.stateOf(p, fresh)
    held.expAvg.data.set(tensors[`m.${name}`].values)
    held.expAvgSq.data.set(tensors[`v.${name}`].values)
  }
  Object.values(tensors).forEach(t => t.dispose())
  console.log(`resuming after step ${step}`)
  return step
}

/** @param {number} step @param {number} loss @param {number} fraction @param {number} started @param {number} first */
function report(step, loss, fraction, started, first) {
  const left = ((Date.now() - started) / (step - first)) * (steps - step) / 1000
  const at = String(step).padStart(5), exact = (100 * fraction).toFixed(1).padStart(5)
  console.log(`step ${at} of ${steps}   loss ${loss.toFixed(4)}   exact ${exact} %   ${Math.ceil(left)} s left`)
}

/** @param {boolean} positions @returns {{ model: any, share: number }} */
function train(positions) {
  console.log(positions ? 'with positional encoding' : 'without positional encoding')
  gf.manualSeed(seed)
  const model = createTranslator(gf, positions ? CONFIG : { ...CONFIG, positions: null }).train()
  const optimizer = new gf.optim.Adam(model.parameters(), { betas: [0.9, 0.98], eps: 1e-9 })
  const file = join(options.checkpoints, `${positions ? 'positions' : 'none'}.safetensors`)
  const first = resume(file, model, optimizer), started = Date.now()
  for (let step = first + 1; step <= steps; step++) {
    const loss = trainStep(model, optimizer, step)
    if (step % 200 === 0 || step === steps) report(step, loss, accuracy(model, 200), started, first)
    if (isStopping || step === until) {
      saveCheckpoint(file, model, optimizer, step)
      console.log(`stopped after step ${step}; npm run train resumes here`)
      process.exit(130)
    }
  }
  rmSync(file, { force: true })
  return { model, share: accuracy(model, TEST) }
}

const result = options.only === 'none' ? null : train(true), blind = options.only === 'positions' ? null : train(false)
if (result) {
  console.log(`\nwith positional encoding:    ${(100 * result.share).toFixed(2)} % of ${TEST} held-out dates exact`)
  const metadata = { steps: String(steps), seed: String(seed), exact: String(result.share) }
  writeFileSync(options.out, gf.saveSafetensors(result.model.stateDict(), metadata))
}
if (blind) console.log(`without positional encoding: ${(100 * blind.share).toFixed(2)} %`)
if (result && result.share < 0.995) process.exitCode = 1
