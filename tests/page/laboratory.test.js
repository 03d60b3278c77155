// The laboratory of positions: what its experiments find, and that its figures show it.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { seenFrom } from '../../web/lib/space.js'
import { ticksOf } from '../../web/lib/plot.js'
import { tensorOf } from '../../web/lib/run.js'
import { indexOf, valueAt } from '../../web/lib/slice.js'
import { problemsOf } from '../../web/models/index.js'
import { homeOf, roomsOf } from '../../web/rooms/index.js'
import { defaults } from '../../web/shell/state.js'
import { stageOf } from '../../web/stages/index.js'
import { models as words } from '../../web/text/ko.js'
import { dataIn, pageRun, shownRun, viewOf } from '../lib/page.js'

const model = 'positions'
const RUN = shownRun({ model })
const close = (a, b, tol = 1e-5) => assert.ok(Math.abs(a - b) <= tol, `${a} and ${b}`)
const slicesIn = data => Object.values(data ?? {}).flat().filter(value => value?.axis && value.values)

for (const settings of [{}, { dModel: 2 }, { dModel: 64, maxLength: 64 }, { sequence: 'a b' }, { base: 10, seed: 3 }]) {
  test(`every room shows cells of the run at the index they claim: ${JSON.stringify(settings)}`, () => {
    const run = shownRun({ model, ...settings })
    for (const room of roomsOf(run)) {
      const { part, domain } = stageOf(room.stage).picture(run, viewOf(run, room.id))
      assert.equal(part.values.length, part.rows * part.cols, room.id)
      assert.ok(domain.max > 0, room.id)
      for (const piece of slicesIn(dataIn(run, room.id))) {
        assert.deepEqual([piece.rowLabels.length, piece.colLabels.length], [piece.rows, piece.cols], piece.name)
        piece.values.forEach((value, i) => {
          const index = indexOf(piece, Math.floor(i / piece.cols), i % piece.cols)
          assert.ok(Object.is(value, valueAt(tensorOf(run, piece.name), index)), `${piece.name}[${index}]`)
        })
      }
    }
    const homeless = [...run.tensors.keys()].filter(name => !homeOf(roomsOf(run), name, run))
    assert.deepEqual(homeless, [])
  })
}

test('shuffled words get the same from attention without positions and something else with them', () => {
  for (const seed of [1, 2, 3, 42]) {
    const { most, order } = dataIn(shownRun({ model, seed }), 'shuffle')
    assert.notDeepEqual(order, [...order].sort((a, b) => a - b))
    assert.ok(most.values[0] < 1e-6 && most.values[1] > 1e-2, `${most.values}`)
  }
})

test('of the four encodings only sine and cosine keep every neighbour and every norm the same and stay within 1', () => {
  const { measures: { values }, distances } = dataIn(RUN, 'asks')
  const [index, share, sinusoidal, random] = [0, 1, 2, 3].map(row => values.slice(row * 6, row * 6 + 6))
  const [most, nearest, shortest, longest, least, greatest] = sinusoidal
  close(most, 1)
  assert.ok(nearest > 0.5)
  close(shortest, longest)
  close(least, 2)
  close(greatest, 2)
  assert.equal(index[0], 11)
  close(share[2], Math.sqrt(8) / 11)
  assert.ok(random[3] - random[2] > 1)
  const turned = (rows, i) => (i % rows) * rows + Math.floor(i / rows)
  assert.ok(distances.every(({ rows, values: all }) => all.every((x, i) => x === all[turned(rows, i)])))
})

test('a cell of the table is sine or cosine of the angle of its pair, and its wave goes through it', () => {
  const { table, angle, wave } = dataIn(RUN, 'waves')
  table.values.forEach((value, i) => {
    const [k, col] = [Math.floor(i / table.cols), i % table.cols]
    const turned = angle.values[k * angle.cols + (col >> 1)]
    close(value, col % 2 ? Math.cos(turned) : Math.sin(turned), 1e-6)
    close(value, wave.values[k * 8 * wave.cols + col], 1e-6)
  })
})

test('every point of a pair is as far from the middle as any other', () => {
  for (const value of dataIn(RUN, 'circle').radius.values) close(value, 1, 1e-6)
})

test('every cell of every experiment can be explained', () => {
  const run = pageRun({ model })
  for (const [name, { shape }] of run.tensors) {
    const index = shape.map(side => side - 1)
    const { value } = run.explain(name, index)
    assert.ok(Object.is(value, valueAt(tensorOf(run, name), index)), name)
  }
  run.dispose()
})

test('a sentence that cannot be experimented with is refused with a reason', () => {
  const problem = patch => Object.values(problemsOf({ ...defaults(model), ...patch }))[0]?.key
  assert.equal(problem({}), undefined)
  assert.equal(problem({ sequence: ' one ' }), 'errors.twoWords')
  assert.equal(problem({ sequence: 'a '.repeat(25) }), 'errors.manyWords')
  assert.equal(problem({ dModel: 7 }), 'errors.odd')
  assert.equal(problem({ dModel: 66 }), 'errors.whole')
})

test('a point is seen from where the reader has turned to; turning all the way around changes nothing', () => {
  seenFrom([1, 0, 0.5], { around: 0, over: 0 }).forEach((value, i) => close(value, [1, 0.5, 0][i]))
  const [x, y, depth] = seenFrom([1, 0, 0.5], { around: 0, over: Math.PI / 2 })
  ;[[x, 1], [y, 0], [depth, 0.5]].forEach(pair => close(...pair))
  const start = seenFrom([0.3, -0.4, 0.5], { around: 0.6, over: 0.35 })
  seenFrom([0.3, -0.4, 0.5], { around: 0.6 + 2 * Math.PI, over: 0.35 }).forEach((value, i) => close(value, start[i]))
})

test('ticks are round and inside the axis', () => {
  assert.deepEqual(ticksOf([0, 15], 5), [0, 5, 10, 15])
  assert.deepEqual(ticksOf([-1, 1], 4), [-1, -0.5, 0, 0.5, 1])
  assert.deepEqual(ticksOf([0, 0], 4), [0])
})

test('the words of the laboratory are all used, and all that are used are there', async () => {
  const folders = ['stages', 'notebooks', 'shell'].map(name => new URL(`../../web/${name}/`, import.meta.url))
  const files = (await Promise.all(folders.map(async folder => {
    const names = (await readdir(folder)).filter(name => name.endsWith('.js'))
    return Promise.all(names.map(name => readFile(new URL(name, folder), 'utf8')))
  }))).flat()
  const used = files.flatMap(code => [...code.matchAll(/t\([`'](lab\.[\w.${}]+)[`']/g)].map(match => match[1]))
  const keysOf = (node, path) => Object.entries(node).flatMap(([key, value]) => (
    typeof value === 'string' ? [`${path}.${key}`] : keysOf(value, `${path}.${key}`)))
  const known = keysOf(words[model].lab, 'lab')
  const patterns = used.map(key => new RegExp(`^${key.replaceAll('.', '\\.').replace(/\$\{\w+\}/g, '\\w+')}$`))
  for (const key of known) assert.ok(patterns.some(pattern => pattern.test(key)), `${key} is there and not used`)
  for (const key of used.filter(one => !one.includes('$'))) assert.ok(known.includes(key), `${key} is used and not there`)
})
