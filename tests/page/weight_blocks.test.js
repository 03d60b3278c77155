// The room of a weight in GGUF's blocks: codes, scales and minimums of the file, and their numbers in double precision.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blockFormats, restoreBlocks } from '../../src/reference/blocks.js'
import { parseFormatted } from '../../web/lib/number.js'
import { getDescription } from '../../web/lib/run.js'
import { cellIndexOf, findSquare } from '../../web/lib/slice.js'
import { RUNS } from '../../web/models/runs.js'
import { roomsOf } from '../../web/rooms/index.js'
import { blockOf } from '../../web/stages/weight_blocks.js'
import { fileOf } from '../models/gguf_file.js'
import { gf } from '../lib/engine.js'
import { openModel } from '../lib/imported_models.js'
import { loadStageData, toPageRun } from '../lib/page.js'

const [OTHER_ROW, ROWS] = [200, [0, 1, 2, 3, 4, 5, 6, 7]]
/** Numbers in a text, with a sign that may be apart. */
const numbersIn = text => (text.match(/(?:[−+] ?)?\d[\d.e]*(?:−\d+)?/g) ?? []).map(number => (
  parseFormatted(number.replace(/[+ ]/g, ''))))

for (const type of Object.keys(blockFormats)) test(`${type}: every cell has its code, scale and minimum`, async () => {
  const opened = await openModel({ 'model.gguf': fileOf(() => type) })
  const made = RUNS.own(gf, { beginning: '3 1 4 1 5 2' }, [], [opened]), run = toPageRun(gf, made)
  const { weight } = roomsOf(run).find(({ stage }) => stage === 'weight_blocks').parts
  const { name, shape: [, cols] } = getDescription(run, weight)
  const exact = restoreBlocks(type, made.run.tensor(name).bytes)
  const data = loadStageData(run, made.run, 'weight_blocks', { cell: { name, index: [OTHER_ROW, 3] } })
  assert.deepEqual([data.dtype, data.rows.rowOrder], [type.toLowerCase(), [...ROWS, OTHER_ROW]])
  for (const row of data.rows.rowOrder) for (let col = 0; col < cols; col++) {
    const { size: length, center, codes, values, computation } = blockOf(data, [row, col])
    const cell = { name, index: [row, col] }, square = findSquare(values, cell)
    const at = square.row * values.cols + square.col
    assert.deepEqual([length, values.values.length], [blockFormats[type].values, length])
    assert.deepEqual([cellIndexOf(values, square.row, square.col), findSquare(codes, cell)], [cell.index, square])

    const [value, scale, code, ...rest] = numbersIn(computation), min = center ? 0 : rest[0] ?? 0
    assert.deepEqual([Math.fround(value), code], [values.values[at], codes.values[at]], computation)
    if (center) assert.deepEqual(rest, [-center])
    const expected = exact[row * cols + col], size = Math.abs(scale) * 256 + Math.abs(min)
    for (const number of [value, scale * (code - center) + min]) {
      assert.ok(Math.abs(number - expected) <= 2 ** -22 * size, `${computation}, exactly ${expected}`)
    }
    const lines = type === 'Q6_K' ? 1 : 2, line = square.row - square.row % lines
    const labels = numbersIn(codes.rowLabels.slice(line, line + lines).join(' '))
    for (const [i, number] of (min ? [scale, min] : [scale]).entries()) {
      assert.ok(Math.abs(labels[i] - number) <= 0.006 * Math.abs(number), `${labels}: ${number}`)
    }
  }
  made.run.dispose()
  opened.model.dispose()
})
