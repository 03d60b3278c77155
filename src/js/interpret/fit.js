import { expectInteger, expectNumber } from '../errors.js'
import { Adam } from '../optim/adam.js'
import { getRngState, setRngState } from '../tensor/generator.js'
import { manualSeed, randperm } from '../tensor/random.js'

/**
 * Trains small modules on activations.
 *
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../tensor/tensor.js').Tensor} Tensor
 * @typedef {import('./tasks.js').Tasks} Tasks
 */

/** How many steps are made in one task. */
const STEPS_PER_TASK = 16

/**
 * Calls fn with the engine's random stream seeded; afterwards the stream is as it was.
 * @template T @param {Engine} engine @param {number} seed @param {() => T} fn @returns {T}
 */
export function withSeed(engine, seed, fn) {
  const state = getRngState(engine)
  manualSeed(engine, seed)
  try {
    return fn()
  } finally {
    setRngState(engine, state)
  }
}

/** The integers 0 to n − 1 in random order. @param {Engine} engine @param {number} n @returns {number[]} */
export const permutation = (engine, n) => engine.tidy(() => Array.from(randperm(engine, n).values, Number))

/**
 * Splits inputs at random in those to train on and those that are held out.
 * @param {string} where @param {Engine} engine @param {number} count of inputs
 * @param {{ testSize: number, seed: number }} options @returns {Set<number>} the inputs that are held out
 */
export function holdOut(where, engine, count, { testSize, seed }) {
  expectNumber(where, 'testSize', testSize, 'a number from 0 up to 1, the share of the inputs that is held out',
    v => v >= 0 && v < 1)
  const size = Math.min(count - 1, Math.round(testSize * count))
  return new Set(withSeed(engine, seed, () => permutation(engine, count)).slice(0, size))
}

/**
 * Divides the progress into stages of equal length; returns a function that starts one.
 * @param {Tasks} runs @param {number} count
 */
export function createStages(runs, count) {
  const { onProgress } = runs
  return (/** @type {number} */ n) => {
    runs.onProgress = onProgress && (fraction => onProgress((n + fraction) / count))
  }
}

/**
 * Trains parameters by Adam with a learning rate that falls to 0 in a straight line.
 * @param {Pick<Tasks, 'where' | 'engine' | 'forEach'>} runs which reports the progress and can be aborted
 * @param {{ params: any, steps: number, learningRate: number }} options params: tensors or groups of them
 * @param {(step: number) => Tensor} computeLoss
 * @param {{ beforeUpdate?: () => void, afterUpdate?: () => void }} [hooks] beforeUpdate: after the backward pass
 */
export async function fit(runs, { params, steps, learningRate }, computeLoss, { beforeUpdate, afterUpdate } = {}) {
  const { where, engine } = runs
  expectInteger(where, 'steps', steps, 1)
  expectNumber(where, 'learningRate', learningRate, 'a number > 0', v => v > 0 && Number.isFinite(v))
  const optimizer = new Adam(params, { lr: learningRate })
  const update = (/** @type {number} */ step) => engine.tidy(() => {
    optimizer.lr = learningRate * (1 - step / steps)
    optimizer.zeroGrad()
    computeLoss(step).backward()
    engine.noGrad(() => beforeUpdate?.())
    optimizer.step()
    engine.noGrad(() => afterUpdate?.())
  })
  const tasks = Array.from({ length: Math.ceil(steps / STEPS_PER_TASK) }, (_, i) => i * STEPS_PER_TASK)
  try {
    await runs.forEach(tasks, first => {
      for (let step = first; step < Math.min(steps, first + STEPS_PER_TASK); step++) update(step)
    })
  } finally {
    optimizer.zeroGrad()
    for (const state of optimizer.state.values()) for (const name of Adam.stateNames.slice(1)) state[name].dispose()
  }
}
