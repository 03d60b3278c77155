import { expect, expectOptions, expectInteger } from '../errors.js'
import { needsSaving, record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { indexOf, offsetOf } from '../tensor/shape.js'
import { blockAddress } from '../tensor/block_weights.js'
import { DTYPES, isBlockType } from '../tensor/dtype.js'
import { getPanels } from '../tensor/panels.js'
import { expectRank, toIdTensor, copyIdsForBackward, expectWeightTensor } from './checks.js'
import { convertInto } from './convert.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** @type {import('../autograd/autograd.js').Operation} */
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
    out.engine.c.gf_embedding_backward(gradient(weight), gradient(out), ids.dataPtr(), paddingIdx, ids.numel(), C)
  },
  parameters: ({ saved: { ids, paddingIdx } }) => ({ ids: Array.from(ids.values), shape: [...ids.shape], paddingIdx }),
  explain({ inputs: { weight }, saved: { ids } }, _, index) {
    const id = ids.values[offsetOf(ids.shape, index.slice(0, -1))]
    return sumOf('out = weight[id]', [productTerm(cell(weight, [id, index[index.length - 1]], 'weight'))])
  },
  explainGradient({ outputs: { out }, saved: { ids, paddingIdx } }, _, [row, column], d) {
    const uses = row === paddingIdx ? [] : [...ids.values.keys()].filter(i => ids.values[i] === row)
    return {
      formula: 'dweight[id] = Σ dout',
      note: { name: 'used' },
      terms: uses.map(i => productTerm(d(out, [...indexOf(ids.shape, i), column], 'dout')))
    }
  }
}

/**
 * The form in which rows of a weight are read: its address in panels, if it lies in them, or a tensor of rows.
 * @param {Tensor} weight [V, C]
 * @returns {{ panels: number, rows?: Tensor }}
 */
function getReadableRows(weight) {
  const { engine, dtype, offset, shape: [V, C] } = weight
  const storage = /** @type {import('../tensor/storage.js').Storage} */ (weight.storage)
  const { address, packedColumns } = storage
  engine.recording?.use(storage)
  if (isBlockType(dtype)) return { panels: blockAddress(weight) }
  const panels = dtype !== 'float32' ? getPanels(weight, 0, V) : packedColumns === C && offset === 0 ? address : 0
  if (panels || dtype === 'float32') return { panels, rows: weight }
  const rows = engine.empty(weight.shape)
  convertInto(rows, weight)
  return { panels, rows }
}

/**
 * Looks up the rows of a table by ids: torch.nn.functional.embedding.
 * @param {Tensor | number[] | number[][] | Int32Array} ids any shape, values 0 .. V-1
 * @param {Tensor} weight [V, C]
 * @param {{ paddingIdx?: number }} [options] paddingIdx: a row without gradient; negative numbers count from the end
 * @returns {Tensor} [...ids.shape, C]
 * @throws {import('../errors.js').GlassformerError} 'index' when an id is outside the table
 * @example
 * F.embedding([1, 0], gf.tensor([[1, 2], [3, 4]]))   // [[3, 4], [1, 2]]
 */
export function embedding(ids, weight, options) {
  const paddingIdx = expectOptions('embedding', options, ['paddingIdx']).paddingIdx ?? undefined
  const { engine } = expectWeightTensor('embedding', 'weight', weight)
  expectRank('embedding', 'weight', weight, 2, '[V, C]')
  const index = toIdTensor(engine, 'embedding', 'ids', ids)
  const [V, C] = weight.shape
  if (paddingIdx !== undefined) expectInteger('embedding', 'paddingIdx', paddingIdx, -V, V - 1)
  const bad = engine.c.gf_embedding_check(index.dataPtr(), index.numel(), V)
  expect(bad < 0, 'index', () =>
    `embedding: ids must be from 0 to ${V - 1} (weight has ${V} rows), got ${index.values[bad]} at index ${bad}`)
  const out = engine.empty([...index.shape, C])
  const { panels, rows } = getReadableRows(weight), n = index.numel(), { block, code } = DTYPES[weight.dtype]
  if (block) {
    const workspace = engine.scratch(engine.c.gf_blocks_workspace(0, C))
    engine.c.gf_blocks_embedding(out.dataPtr(), workspace, index.dataPtr(), panels, n, C, code)
  } else if (panels) engine.c.gf_embedding_panels(out.dataPtr(), index.dataPtr(), panels, n, C, code)
  else engine.c.gf_embedding_forward(out.dataPtr(), index.dataPtr(), rows?.dataPtr(), n, C)
  const skipped = paddingIdx === undefined ? -1 : paddingIdx < 0 ? paddingIdx + V : paddingIdx
  const saved = needsSaving(engine, weight) ? copyIdsForBackward(index, ids) : index
  return record(engine, op, { weight }, { out }, { ids: saved, paddingIdx: skipped, origin: { ids: index } })
}
