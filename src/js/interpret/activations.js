import { describe, expect, expectInteger } from '../errors.js'
import { Module } from '../nn/module.js'
import { sizeOf } from '../tensor/shape.js'
import { Tensor } from '../tensor/tensor.js'
import { readFloats } from './directions.js'
import { Measurements, expectGiven } from './measure.js'
import { positionAxis } from './targets.js'

/**
 * The activations of a model over a list of inputs, as vectors: one for each sequence and position.
 *
 * Where they are read: a tensor by its name in a trace, or what a module returns.
 * @typedef {{ name: string, module?: undefined } | { module: Module, name?: undefined }} Place
 *
 * Which positions of a sequence: the last one, one by number (negative from the end), the mean of all, or all.
 * @typedef {'last' | 'mean' | 'all' | number} PositionChoice
 *
 * Where a vector comes from: the index of the input, the sequence of its batch, and the position, null for a mean.
 * @typedef {{ input: number, row: number, position: number | null }} Source
 *
 * values: [N, C], one vector for each source.
 * @typedef {{ values: Float32Array, channels: number, sources: Source[] }} Activations
 *
 * @typedef {object} ActivationOptions
 * @property {import('./measure.js').Model} model a module, which is called with the input, or a function of the input
 * @property {string} [name] of a tensor of the run, such as 'layers.0.output'; see trace.names
 * @property {Module} [module] instead of a name: the module whose output is read, such as a layer
 * @property {readonly any[]} inputs such as ids, each with one or more sequences
 * @property {PositionChoice} [position] 'last', 'mean', 'all', or one by number, negative from the end
 * @property {Record<string, Module>} [modules] names of the modules that a function calls; see gf.trace
 * @property {readonly string[]} [keepAttention] see gf.trace; default: all for a name, none for a module
 * @property {(fraction: number) => void} [onProgress] @property {import('../platform.d.ts').Signal} [signal]
 */

export const ACTIVATION_OPTIONS = ['model', 'name', 'module', 'inputs', 'position', 'modules', 'keepAttention', 'onProgress',
  'signal']

/** The tensor that a module returns, perhaps with others behind it. @param {any} output @returns {any} */
export const firstOf = output => (Array.isArray(output) ? output[0] : output)

/** @param {string} where @param {unknown} module @returns {asserts module is Module} */
export const expectModule = (where, module) => expect(module instanceof Module, 'type',
  () => `${where}: module must be a module, such as a layer of the model, got ${describe(module)}`)

/** @param {string} where @param {string} name @param {unknown} inputs */
export const expectInputs = (where, name, inputs) => expect(Array.isArray(inputs) && inputs.length > 0, 'type',
  () => `${where}: ${name} must be an array of inputs, got ${describe(inputs)}`)

/**
 * The cells of a tensor in the order [sequences, positions, channels]: the first axis counts sequences where there are
 * more than two, and all others but that of the positions are channels.
 * @param {readonly number[]} shape @param {number} axis of the positions, negative for none
 * @returns {{ sequences: number, positions: number, channels: number, cells: Int32Array }}
 */
export function vectorCells(shape, axis) {
  const outer = shape.length > 2 && axis !== 0 ? [0] : [], middle = axis < 0 ? [] : [axis]
  const inner = shape.map((_, i) => i).filter(i => !outer.includes(i) && !middle.includes(i))
  let cells = Int32Array.of(0)
  for (const i of [...outer, ...middle, ...inner]) {
    const side = shape[i], stride = sizeOf(shape.slice(i + 1)), next = new Int32Array(cells.length * side)
    cells.forEach((cell, n) => { for (let k = 0; k < side; k++) next[n * side + k] = cell + k * stride })
    cells = next
  }
  const [sequences, positions, channels] = [outer, middle, inner].map(axes => sizeOf(axes.map(i => shape[i])))
  return { sequences, positions, channels, cells }
}

/**
 * Reads what the options of an analysis have in common.
 * @param {string} where @param {import('../engine/engine.js').Engine} engine @param {any} options checked
 * @param {PositionChoice} [fallback]
 */
export function readActivationOptions(where, engine, options, fallback = 'last') {
  const { name, module, inputs, position = fallback, modules, onProgress, signal } = options
  const model = expectGiven(where, options, 'model')
  expect((name === undefined) !== (module === undefined), 'type', () => `${where}: either name (of a tensor) or module must ` +
    `be given, got ${name === undefined ? 'neither' : 'both'}`)
  if (name === undefined) expectModule(where, module)
  else expect(typeof name === 'string', 'type', () => `${where}: name must be that of a tensor, got ${describe(name)}`)
  expectInputs(where, 'inputs', inputs)
  expect(['last', 'mean', 'all'].includes(position) || Number.isInteger(position), 'type',
    () => `${where}: position must be 'last', 'mean', 'all' or an integer, got ${describe(position)}`)
  const keepAttention = options.keepAttention ?? (module ? [] : undefined)
  const runs = new Measurements(where, engine, { model, modules, keepAttention, onProgress, signal })
  return { runs, place: /** @type {Place} */ ({ name, module }), inputs, position }
}

/**
 * The chosen vectors of one input. The model runs in eval mode without gradients.
 * @param {Measurements} runs @param {Place} place @param {any} input @param {PositionChoice} position
 * @returns {{ row: number, position: number | null, vector: Float32Array }[]} by sequence and position
 */
export function readVectors(runs, { name, module }, input, position) {
  const { where } = runs
  /** @type {any} */ let output
  const handle = module?.registerForwardHook((_, __, result) => { output = firstOf(result) })
  try {
    return runs.inspect(input, trace => {
      const tensor = name === undefined ? output : trace.get(name)
      expect(tensor instanceof Tensor && tensor.shape.length >= 2, 'state', () => `${where}: ${name ?? 'module'} must be ` +
        `${name === undefined ? 'called by the model and return' : ''} a tensor [B, T, C], got ${describe(tensor)}`)
      return choosePositions(where, tensor, positionAxis(trace, tensor), position)
    })
  } finally {
    handle?.remove()
  }
}

/** @param {string} where @param {Tensor} tensor @param {number} axis @param {PositionChoice} choice */
function choosePositions(where, tensor, axis, choice) {
  const { sequences, positions: T, channels: C, cells } = vectorCells(tensor.shape, axis), values = readFloats(tensor)
  const at = typeof choice === 'number' ? (expectInteger(where, 'position', choice, -T, T - 1) + T) % T : T - 1
  const chosen = choice === 'all' || choice === 'mean' ? Array.from({ length: T }, (_, t) => t) : [at]
  return Array.from({ length: sequences }, (_, row) => {
    const vectors = chosen.map(position => ({
      row, position, vector: Float32Array.from({ length: C }, (__, c) => values[cells[(row * T + position) * C + c]])
    }))
    if (choice !== 'mean') return vectors
    return [{ row, position: null, vector: Float32Array.from(meanOf(vectors.map(({ vector }) => vector))) }]
  }).flat()
}

/**
 * The chosen vectors of all inputs, one run after the other.
 * @param {Measurements} runs @param {Place} place @param {readonly any[]} inputs @param {PositionChoice} position
 * @returns {Promise<Activations>}
 */
export async function collectActivations(runs, place, inputs, position) {
  const found = await runs.forEach(inputs, input => readVectors(runs, place, input, position))
  const channels = found[0][0].vector.length, all = found.flat()
  found.forEach((own, i) => own.forEach(({ vector }) => expect(vector.length === channels, 'shape', () => `${runs.where}: ` +
    `all inputs must have ${channels} channels, as inputs[0], got ${vector.length} of inputs[${i}]`)))
  const values = new Float32Array(all.length * channels)
  all.forEach(({ vector }, n) => values.set(vector, n * channels))
  const bad = values.findIndex(value => !Number.isFinite(value))
  const sources = found.flatMap((own, input) => own.map(({ row, position: at }) => ({ input, row, position: at })))
  expect(bad < 0, 'range', () => `${runs.where}: all activations must be finite, got ${values[bad]} of ` +
    `inputs[${sources[Math.floor(bad / channels)].input}]`)
  return { values, channels, sources }
}

/** Some of the vectors. @param {Activations} activations @param {readonly number[]} chosen @returns {Float32Array} */
export function chooseVectors({ values, channels: C }, chosen) {
  const vectors = new Float32Array(chosen.length * C)
  chosen.forEach((n, i) => vectors.set(values.subarray(n * C, (n + 1) * C), i * C))
  return vectors
}

/** The values of each channel [C][N]. @param {Pick<Activations, 'values' | 'channels'>} activations */
export const columnsOf = ({ values, channels: C }) => Array.from({ length: C }, (_, c) => (
  Float32Array.from({ length: values.length / C }, (__, n) => values[n * C + c])))

/** The mean of vectors. @param {readonly Float32Array[]} vectors of one length */
export const meanOf = vectors => Float64Array.from(vectors[0],
  (_, c) => vectors.reduce((sum, vector) => sum + vector[c], 0) / vectors.length)
