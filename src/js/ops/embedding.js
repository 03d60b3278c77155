import { expect, optionsOf, wholeNumber } from '../errors.js'
import { isRecording, record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { indexOf, offsetOf } from '../shape.js'
import { expectRank, floatTensor, idTensor, savedIds } from './checks.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** @type {import('../autograd.js').Operation} */
const op = {
  name: 'embedding',
  inputAxes: { weight: [{ name: 'word' }, { name: 'channel' }] },
  axes({ inputs: { weight }, saved: { ids } }, of) {
    const [word, channel] = of(weight), token = { ...word, name: 'token' }
    return [...ids.shape.map((/** @type {number} */ _, /** @type {number} */ i) => (
      i === ids.shape.length - 1 ? token : { name: 'batch' })), channel]
  },
  backward({ inputs: { weight }, outputs: { out }, saved: { ids, paddingIdx } }, gradient) {
    const [, C] = weight.shape
    out.engine.c.gf_embedding_backward(gradient(weight), gradient(out), ids.address, paddingIdx, ids.size, C)
  },
  parameters: ({ saved: { ids, paddingIdx } }) => ({ ids: Array.from(ids.values), shape: [...ids.shape], paddingIdx }),
  explain({ inputs: { weight }, saved: { ids } }, _, index) {
    const id = ids.values[offsetOf(ids.shape, index.slice(0, -1))]
    return sumOf('out = weight[id]', [product(cell(weight, [id, index[index.length - 1]], 'weight'))])
  },
  explainGradient({ outputs: { out }, saved: { ids, paddingIdx } }, _, [row, column], d) {
    const places = row === paddingIdx ? [] : [...ids.values.keys()].filter(i => ids.values[i] === row)
    return {
      formula: 'dweight[id] = Σ dout',
      note: { name: 'used' },
      terms: places.map(i => product(d(out, [...indexOf(ids.shape, i), column], 'dout')))
    }
  }
}

/**
 * Rows of a table: torch.nn.functional.embedding.
 * @param {Tensor | number[] | number[][] | Int32Array} ids any shape, values 0 .. V-1
 * @param {Tensor} weight [V, C]
 * @param {{ paddingIdx?: number }} [options] paddingIdx: the row that gets no gradient; negative counts from the end
 * @returns {Tensor} [...ids.shape, C]
 * @throws {import('../errors.js').GlassformerError} 'index' when an id is outside the table
 */
export function embedding(ids, weight, options) {
  const { paddingIdx } = optionsOf('embedding', options, ['paddingIdx'])
  const { engine } = floatTensor('embedding', 'weight', weight)
  expectRank('embedding', 'weight', weight, 2, '[V, C]')
  const index = idTensor(engine, 'embedding', 'ids', ids)
  const [V, C] = weight.shape
  if (paddingIdx !== undefined) wholeNumber('embedding', 'paddingIdx', paddingIdx, -V, V - 1)
  const bad = engine.c.gf_embedding_check(index.address, index.size, V)
  expect(bad < 0, 'index', () =>
    `embedding: ids must be from 0 to ${V - 1} (weight has ${V} rows), got ${index.values[bad]} at place ${bad}`)
  const out = engine.empty([...index.shape, C])
  const { address, columns } = /** @type {import('../tensor.js').Storage} */ (weight.storage), n = index.size
  if (columns === C && weight.offset === 0) engine.c.gf_embedding_panels(out.address, index.address, address, n, C)
  else engine.c.gf_embedding_forward(out.address, index.address, weight.address, index.size, C)
  const skipped = paddingIdx === undefined ? -1 : paddingIdx < 0 ? paddingIdx + V : paddingIdx
  const kept = isRecording(engine, weight) ? savedIds(index, ids) : index
  return record(engine, op, { weight }, { out }, { ids: kept, paddingIdx: skipped, origin: { ids: index } })
}
