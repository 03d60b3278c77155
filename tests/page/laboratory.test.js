// The laboratory of positions: what its experiments find, and that its figures show it.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { project } from '../../web/lib/space.js'
import { countDecimals, listTicks } from '../../web/lib/ticks.js'
import { getTensor } from '../../web/lib/run.js'
import { cellIndexOf, valueAt } from '../../web/lib/slice.js'
import { modelOf, problemsOf } from '../../web/models/index.js'
import { roomOfTensor, roomsOf } from '../../web/rooms/index.js'
import { defaults } from '../../web/models/state.js'
import { stageOf } from '../../web/stages/index.js'
import { slicesIn, stageData, pageRun, makeDetachedRun, createView } from '../lib/page.js'
import { english, korean } from '../lib/texts.js'

const words = korean.models

const model = 'positions'
const RUN = makeDetachedRun({ model })
const close = (a, b, tol = 1e-5) => assert.ok(Math.abs(a - b) <= tol, `${a} and ${b}`)

for (const settings of [{}, { dModel: 2 }, { dModel: 64, maxLength: 64 }, { sequence: 'a b' }, { base: 10, seed: 3 }, { dropout: 0 }]) {
  test(`every room displays cells of the run at their indices: ${JSON.stringify(settings)}`, () => {
    const run = makeDetachedRun({ model, ...settings })
    for (const room of roomsOf(run)) {
      const { part, domain } = stageOf(room.stage).picture(run, createView(run, room.id))
      assert.equal(part.values.length, part.rows * part.cols, room.id)
      assert.ok(domain.max > 0, room.id)
      const { panels = [], ...data } = stageData(run, room.id)
      for (const piece of [...slicesIn(data), ...panels]) {
        assert.deepEqual([piece.rowLabels.length, piece.colLabels.length], [piece.rows, piece.cols], piece.name)
        piece.values.forEach((value, i) => {
          const index = cellIndexOf(piece, Math.floor(i / piece.cols), i % piece.cols)
          assert.ok(Object.is(value, valueAt(getTensor(run, piece.name), index)), `${piece.name}[${index}]`)
        })
      }
    }
    const homeless = [...run.tensors.keys()].filter(name => !roomOfTensor(roomsOf(run), name, run))
    assert.deepEqual(homeless, [])
  })
}

test('attention without positions is permutation-equivariant, and with positions it is not', () => {
  for (const seed of [1, 2, 3, 42]) {
    const { most, order } = stageData(makeDetachedRun({ model, seed }), 'shuffle')
    assert.notDeepEqual(order, [...order].sort((a, b) => a - b))
    assert.ok(most.values[0] < 1e-6 && most.values[1] > 1e-2, `${most.values}`)
  }
})

test('of the four encodings only sine and cosine have constant neighbor distances and norms and stay within 1', () => {
  const { measures: { values }, distances } = stageData(RUN, 'requirements')
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
  const transposedIndex = (rows, i) => (i % rows) * rows + Math.floor(i / rows)
  assert.ok(distances.every(({ rows, values: all }) => all.every((x, i) => x === all[transposedIndex(rows, i)])))
})

test('a cell of the table is sine or cosine of the angle of its pair, and its wave goes through it', () => {
  const { table, angle, wave } = stageData(RUN, 'waves')
  table.values.forEach((value, i) => {
    const [k, col] = [Math.floor(i / table.cols), i % table.cols]
    const rotation = angle.values[k * angle.cols + (col >> 1)]
    close(value, col % 2 ? Math.cos(rotation) : Math.sin(rotation), 1e-6)
    close(value, wave.values[k * 8 * wave.cols + col], 1e-6)
  })
})

test('all points of a pair have the same distance from the center', () => {
  for (const value of stageData(RUN, 'circle').radius.values) close(value, 1, 1e-6)
})

const numbersOf = ({ numbers }) => Object.fromEntries(numbers.map(({ word, cell, text }) => (
  [word, cell ? valueAt(getTensor(RUN, cell.name), cell.index) : text])))

test('the index is unbounded; divided by the length, a step depends on the length', () => {
  const { panels, ...rest } = stageData(RUN, 'first_ideas')
  const [words, larger] = panels
  const { rows, cols } = words
  words.values.forEach((x, i) => close(larger.values[i] - x, Math.floor(i / cols)))
  const { hop1, hop2, hop3 } = numbersOf(rest)
  ;[[hop1, rows], [hop2, 2 * rows], [hop3, 3 * rows]].forEach(([hop, length]) => close(hop, 1 / (length - 1), 1e-7))
})

test('both spellings agree up to rounding, and the times are measured on this machine', () => {
  for (const base of [10, 100, 10000]) {
    const run = makeDetachedRun({ model, base, dModel: 32, maxLength: 64 })
    const { panels: [power, log, differencePanel] } = stageData(run, 'two_spellings')
    power.values.forEach((x, i) => close(log.values[i], x, 1e-5))
    assert.ok(Math.max(...differencePanel.values.map(Math.abs)) > 0, 'float32 tells them apart')
    assert.ok(['loop', 'power', 'log'].every(name => run.times[name] >= 0))
  }
})

test('the columns of one layout are those of the other in another order, to the bit', () => {
  const { panels: [interleaved, concatenated, sorted], numbers } = stageData(RUN, 'layouts')
  assert.deepEqual([...sorted.values], [...concatenated.values])
  assert.notDeepEqual([...interleaved.values], [...concatenated.values])
  assert.equal(numbersOf({ numbers }).most, 0)
})

test('sliced by sentences, all words of a sentence get the same position', () => {
  const { panels: [right, ...wrong], numbers } = stageData(RUN, 'broadcasting')
  wrong.forEach(({ values, cols }, sentence) => values.forEach((x, i) => (
    close(x, right.values[sentence * cols + (i % cols)], 1e-6))))
  const { spread_right: ownSpread, spread_wrong: same } = numbersOf({ numbers })
  assert.ok(ownSpread > 0.5 && same < 1e-6)
})

test('the shift matrix maps the table r positions further, and its transpose maps it back',
  () => {
    for (const shift of [1, 3, 8]) {
      const run = makeDetachedRun({ model, shift })
      const { product, there, numbers } = stageData(run, 'rotation')
      product.values.forEach((x, i) => close(x, there.values[i], 1e-6))
      for (const { cell } of numbers.slice(1)) assert.ok(valueAt(getTensor(run, cell.name), cell.index) < 1e-6)
    }
  })

test('under every scheme rows of weights add up to 1, and every scheme differs from none', () => {
  const { panels: [none, ...schemes] } = stageData(RUN, 'schemes')
  for (const { word, rows, cols, values } of [none, ...schemes]) {
    for (let row = 0; row < rows; row++) {
      close(values.slice(row * cols, (row + 1) * cols).reduce((sum, x) => sum + x, 0), 1)
    }
    if (word !== 'none') assert.ok(values.some((x, i) => Math.abs(x - none.values[i]) > 1e-3), word)
  }
})

test('beyond the trained length a learned table fails at once, sinusoids soon, rotary later, ALiBi not at all', () => {
  const runs = [1, 2, 3, 4, 5, 6].map(seed => stageData(makeDetachedRun({ model, seed }), 'extrapolation').accuracies)
  const [none, waves, learned, rotary, alibi] = runs[0].rowLabels.map((_, scheme) => (from, to) => {
    const places = Array.from({ length: to - from }, (_, i) => from + i)
    const all = runs.flatMap(({ values, cols }) => places.map(place => values[scheme * cols + place]))
    return all.reduce((sum, x) => sum + x, 0) / all.length
  })
  for (const trained of [waves, learned, rotary]) assert.ok(trained(1, 16) > 0.98)
  assert.ok(none(4, 16) < 0.3 && learned(16, 64) < 0.1 && waves(20, 64) < 0.15)
  assert.ok(rotary(16, 28) > 0.98 && rotary(48, 64) < 0.15)
  close(alibi(16, 40), alibi(40, 64), 0.1)
  assert.ok(alibi(16, 64) > 0.35)
  const { means, accuracies: shares } = stageData(RUN, 'extrapolation')
  close(means.values[6], shares.values.slice(3 * 64 + 1, 3 * 64 + 16).reduce((sum, x) => sum + x, 0) / 15)
})

test('positions are counted from 0, and the untrained ones start at the trained length', () => {
  const { accuracies: shares, trained } = stageData(RUN, 'extrapolation')
  assert.deepEqual(shares.colLabels, shares.colLabels.map((_, place) => String(place)))
  assert.equal(shares.colLabels[trained], '16')
  assert.deepEqual(roomsOf(RUN).find(({ id }) => id === 'extrapolation').opening.index, [1, trained])
  for (const name of ['by_log', 'by_power', 'apart']) {
    assert.deepEqual(RUN.tensors.get(`two_spellings.${name}`).axes.map(axis => axis.name), ['position', 'pair'])
  }
})

/** Everything that a room shows but how long it took, with what is only rounding left out. */
const shownIn = (run, room) => JSON.stringify(stageData(run, room), (key, value) => (
  ['times', 'numbers', 'domain', 'base', 'dModel'].includes(key) ? undefined
    : ArrayBuffer.isView(value) ? Array.from(value, x => Math.round(x * 1e5) + 0) : value))

test('a room offers comparisons of exactly the settings that its values depend on', () => {
  const changedSettings = { dModel: 16, base: 100, maxLength: 32, seed: 7, shift: 3, dropout: 0.5 }
  const runs = Object.entries(changedSettings).map(([name, value]) => [name, makeDetachedRun({ model, [name]: value })])
  for (const { id, settings } of roomsOf(RUN).slice(1)) {
    const changed = runs.filter(([, run]) => shownIn(run, id) !== shownIn(RUN, id)).map(([name]) => name)
    assert.deepEqual([...settings].sort(), changed.sort(), id)
  }
})

test('the list of rooms is the same at every drop rate, so that the slider stays mounted', () => {
  const [without, some, half] = [0, 0.2, 0.5].map(dropout => makeDetachedRun({ model, dropout }))
  assert.ok(!without.tensors.has('dropout.drop.mask') && some.tensors.has('dropout.drop.mask'))
  for (const run of [without, half]) assert.equal(roomsOf(run), roomsOf(some))
  assert.equal(stageData(without, 'dropout').mask, null)
})

test('dropout keeps a cell times 1/(1−p) or makes it 0', () => {
  const { before, mask, after } = stageData(makeDetachedRun({ model, dropout: 0.5 }), 'dropout')
  assert.ok([...mask.values].every(x => x === 0 || x === 2) && new Set(mask.values).size === 2)
  after.values.forEach((x, i) => close(x, before.values[i] * mask.values[i]))
})

test('every cell of every experiment can be explained', () => {
  const run = pageRun({ model })
  for (const [name, { shape }] of run.tensors) {
    const index = shape.map(side => side - 1)
    const { value } = run.explain(name, index)
    assert.ok(Object.is(value, valueAt(getTensor(run, name), index)), name)
  }
  run.dispose()
})

test('the meaning of a copied value is explained, with a sentence', () => {
  const run = pageRun({ model }), { meanings } = modelOf(model)
  const ownRooms = ['requirements', 'circle', 'extrapolation', 'broadcasting']
  for (const { id } of roomsOf(run)) {
    const { panels = [], numbers = [], ...data } = stageData(run, id) ?? {}
    const cells = [...[...slicesIn(data), ...panels].map(part => ({ name: part.name, index: cellIndexOf(part, 0, 0) })),
      ...numbers.flatMap(({ cell }) => cell ?? [])]
    for (const { name, index } of cells) {
      const isTaken = run.explain(name, index).formulas.every(formula => /^out = x\d*$/.test(formula))
      if (!isTaken && !(ownRooms.includes(id) && name.startsWith(`${id}.`))) continue
      assert.ok(meanings[name]?.formula(index), name)
      const { shape } = run.tensors.get(name)
      meanings[name].places?.forEach((list, axis) => list && assert.equal(list.length, shape[axis], name))
    }
  }
  for (const name of Object.keys(meanings)) {
    assert.ok(run.tensors.has(name), name)
    for (const texts of [words, english.models]) {
      assert.equal(typeof name.split('.').reduce((node, part) => node[part], texts[model].meanings), 'string', name)
    }
  }
  run.dispose()
})

test('an unsuitable sentence is rejected with a reason', () => {
  const problem = patch => Object.values(problemsOf({ ...defaults(model), ...patch }))[0]?.key
  assert.equal(problem({}), undefined)
  assert.equal(problem({ sequence: ' one ' }), 'errors.twoWords')
  assert.equal(problem({ sequence: 'a '.repeat(25) }), 'errors.manyWords')
  assert.equal(problem({ dModel: 7 }), 'errors.odd')
  assert.equal(problem({ dModel: 66 }), 'errors.integer')
})

test('points are projected from the current angle; a full turn changes nothing', () => {
  project([1, 0, 0.5], { around: 0, over: 0 }).forEach((value, i) => close(value, [1, 0.5, 0][i]))
  const [x, y, depth] = project([1, 0, 0.5], { around: 0, over: Math.PI / 2 })
  ;[[x, 1], [y, 0], [depth, 0.5]].forEach(pair => close(...pair))
  const start = project([0.3, -0.4, 0.5], { around: 0.6, over: 0.35 })
  project([0.3, -0.4, 0.5], { around: 0.6 + 2 * Math.PI, over: 0.35 }).forEach((value, i) => close(value, start[i]))
})

test('ticks are round and inside the axis', () => {
  assert.deepEqual(listTicks([0, 15], 5), [0, 5, 10, 15])
  assert.deepEqual(listTicks([-1, 1], 4), [-1, -0.5, 0, 0.5, 1])
  assert.deepEqual(listTicks([0, 0], 4), [0])
})

test('ticks have as many decimals as tell them apart', () => {
  const cases = [[[0, 1, 2], 2], [[-0.1644, -0.1642], 4], [[0.001, 0.002], 3], [[5], 2], [[], 2], [[1, 1], 2]]
  for (const [ticks, decimals] of cases) {
    assert.equal(countDecimals(ticks, 2), decimals)
    assert.equal(new Set(ticks.map(tick => tick.toFixed(decimals))).size, new Set(ticks).size)
  }
})

test('the texts of the laboratory are all used, and none is missing', async () => {
  const folders = ['stages', 'notebooks', 'shell'].map(name => new URL(`../../web/${name}/`, import.meta.url))
  const files = (await Promise.all(folders.map(async folder => {
    const names = (await readdir(folder)).filter(name => name.endsWith('.js'))
    return Promise.all(names.map(name => readFile(new URL(name, folder), 'utf8')))
  }))).flat()
  const literal = files.flatMap(code => [...code.matchAll(/t\([`'](lab\.[\w.${}]+)[`']/g)].map(match => match[1]))
  const panels = roomsOf(RUN).flatMap(({ id, stage }) => {
    const { panels: displayedPanels = [], numbers = [] } = stageData(RUN, id)
    return [...displayedPanels, ...numbers].map(({ word }) => `lab.${stage}.${word}`)
  })
  const used = [...literal, ...panels]
  const keysOf = (node, path) => Object.entries(node).flatMap(([key, value]) => (
    typeof value === 'string' ? [`${path}.${key}`] : keysOf(value, `${path}.${key}`)))
  const textKeys = keysOf(words[model].lab, 'lab')
  const patterns = used.map(key => new RegExp(`^${key.replaceAll('.', '\\.').replace(/\$\{\w+\}/g, '\\w+')}$`))
  for (const key of textKeys) assert.ok(patterns.some(pattern => pattern.test(key)), `${key} is there and not used`)
  for (const key of used.filter(item => !item.includes('$'))) assert.ok(textKeys.includes(key), `${key} is used and not there`)
})
