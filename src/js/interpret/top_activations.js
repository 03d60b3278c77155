import { describe, expect, expectBoolean, expectInteger, expectOptions } from '../errors.js'
import { Tensor } from '../tensor/tensor.js'
import { ACTIVATION_OPTIONS, collectActivations, columnsOf, readActivationOptions } from './activations.js'

/**
 * @typedef {import('./activations.js').Activations} Activations
 *
 * @typedef {object} TopOptions
 * @property {readonly number[]} [channels] all, such as the neurons of a feed-forward layer
 * @property {number} [top] 10: how many for each channel
 * @property {boolean} [oncePerText] true: only the largest activation of each sequence; false: all positions compete
 *
 * A large activation of a channel. input: the index of the input, row: the sequence of its batch, position: null for
 * means; activations: of the channel, at all positions of the sequence that were read; ids: of the sequence, if the
 * input has ids.
 * @typedef {{ value: number, input: number, row: number, position: number | null, activations: number[],
 *   ids?: number[] }} TopActivation
 */

const WHERE = 'topActivations'
const OPTIONS = [...ACTIVATION_OPTIONS, 'channels', 'top', 'oncePerText']

/**
 * The ids of a sequence of an input, undefined for an input without ids.
 * @param {any} input @param {number} row @returns {number[] | undefined}
 */
function idsOf(input, row) {
  const rows = input instanceof Tensor ? input.dtype === 'int32' && input.toArray() : input
  const own = Array.isArray(rows?.[0]) ? rows[row] : rows
  return Array.isArray(own) && own.every(Number.isInteger) ? own : undefined
}

/**
 * The largest activations of a channel.
 * @param {Float32Array} column the channel's values
 * @param {Pick<Activations, 'sources'>} activations @param {readonly any[]} inputs
 * @param {{ top: number, oncePerText: boolean }} options @returns {TopActivation[]} the largest first
 */
export function rankColumn(column, { sources }, inputs, { top, oncePerText }) {
  /** The vectors of each sequence. @type {Map<string, number[]>} */ const texts = new Map()
  sources.forEach(({ input, row }, n) => {
    const own = texts.get(`${input},${row}`)
    if (own) own.push(n)
    else texts.set(`${input},${row}`, [n])
  })
  const largestOf = (/** @type {number[]} */ own) => [own.reduce((best, n) => (column[n] > column[best] ? n : best))]
  const found = [...texts.values()].flatMap(own => (oncePerText ? largestOf(own) : own).map(n => ({ n, own })))
  return found.sort((a, b) => column[b.n] - column[a.n] || a.n - b.n).slice(0, top).map(({ n, own }) => {
    const { input, row, position } = sources[n], ids = idsOf(inputs[input], row)
    return { value: column[n], input, row, position, activations: own.map(i => column[i]), ...(ids && { ids }) }
  })
}

/**
 * The texts that fire neurons most: for each channel of one place the inputs and positions with the largest
 * activations. They show what a neuron responds to in these inputs; what else makes it respond may not be among them.
 * @param {import('../engine/engine.js').Engine} engine
 * @param {import('./activations.js').ActivationOptions & TopOptions} options position: 'all' by default
 * @returns {Promise<TopActivation[][]>} a list for each channel, the largest first
 * @throws {import('../errors.js').GlassformerError} 'index' for an unknown name, 'range' for a channel that there is
 *   not; the signal's reason when it is aborted
 * @example
 * const model = new gf.nn.Embedding(4, 2), inputs = [[[0, 1, 2]], [[3, 3]]]
 * gf.noGrad(() => model.weight.copy_(gf.tensor([[0, 0], [1, 9], [5, 0], [3, 0]])))
 * const [[first]] = await gf.interpret.topActivations({ model, module: model, inputs, channels: [0] })
 * [first.value, first.input, first.position]      // [5, 0, 2]
 * first.ids                                       // [0, 1, 2]
 * first.activations                               // [0, 1, 5]
 */
export async function topActivations(engine, options) {
  const checked = expectOptions(WHERE, options, OPTIONS), { channels, top = 10, oncePerText = true } = checked
  const { runs, place, inputs, position } = readActivationOptions(WHERE, engine, checked, 'all')
  expect(channels === undefined || Array.isArray(channels), 'type',
    () => `${WHERE}: channels must be an array of integers, got ${describe(channels)}`)
  expectInteger(WHERE, 'top', top, 1)
  expectBoolean(WHERE, 'oncePerText', oncePerText)
  const activations = await collectActivations(runs, place, inputs, position), columns = columnsOf(activations)
  channels?.forEach((/** @type {unknown} */ channel, /** @type {number} */ i) => (
    expectInteger(WHERE, `channels[${i}]`, channel, 0, columns.length - 1)))
  const chosen = /** @type {number[]} */ (channels ?? [...columns.keys()])
  return chosen.map(channel => rankColumn(columns[channel], activations, inputs, { top, oncePerText }))
}
