// Values of stored weights as the page reads them: in parts, without moving them out of their panels; and broken ones.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { copyValues, eachPart, floatRows } from '../../web/models/float_rows.js'
import { findBroken } from '../../web/models/imported/broken.js'
import { extentOf, someRows } from '../../web/worker/rows.js'
import { gf } from '../lib/engine.js'

await gf.loadBlocks()
const DTYPES = ['float32', 'float16', 'bfloat16', 'int8', 'q8_0', 'q4_0', 'q4_k']
const createLayer = (dtype, rows = 19, cols = 256) => {
  const layer = new gf.nn.Linear(cols, rows, { bias: false })
  return dtype === 'float32' ? layer : gf.quantize(layer, { dtype })
}

for (const dtype of DTYPES) test(`${dtype}: all values, some rows and the extent are those of the tensor`, () => {
  const { weight } = createLayer(dtype), address = weight.storage.address, panels = weight.storage.packedColumns
  const run = { tensor: () => weight }, copy = copyValues(weight), some = someRows(run, 'w', [18, 0, 7])
  const row = dtype === 'float32' ? null : floatRows(weight, 3, 2)
  assert.deepEqual([weight.storage.address, weight.storage.packedColumns], [address, panels], 'it stays where it is')
  const expected = weight.toArray()
  assert.deepEqual([...copy], expected.flat())
  assert.deepEqual([...some.rows], [18, 0, 7].flatMap(n => expected[n]))
  assert.deepEqual(some.extent, extentOf(expected.flat(), 256))
  if (row) assert.deepEqual([...row], expected.slice(3, 5).flat())
})

test('a large weight is read in parts of whole rows', () => {
  const { weight } = createLayer('bfloat16', 9000, 128), parts = [...eachPart(weight)]
  assert.ok(parts.length > 1)
  assert.ok(parts.every(({ values, at }) => at % 128 === 0 && values.length % 128 === 0 && values.length <= 2 ** 20))
  assert.deepEqual(parts.flatMap(({ values }) => [...values]), weight.toArray().flat())
})

test('infinite and undefined weights are found in each dtype that can have them', () => {
  for (const dtype of ['float32', 'bfloat16']) for (const value of [NaN, Infinity]) {
    const layer = new gf.nn.Linear(64, 8, { bias: false }), other = new gf.nn.Linear(64, 8)
    layer.weight.data.fill(value, 70, 72)
    const model = new gf.nn.Sequential(dtype === 'float32' ? other : gf.quantize(other, { dtype }),
      dtype === 'float32' ? layer : gf.quantize(layer, { dtype }))
    assert.deepEqual(findBroken(gf, model), { count: 2, first: '1.weight' }, `${dtype} ${value}`)
  }
  assert.equal(findBroken(gf, createLayer('q4_0')), null)
})
