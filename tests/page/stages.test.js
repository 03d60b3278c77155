import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { DEFAULTS } from '../../web/state.js'
import { indexOf, valueAt } from '../../web/lib/slice.js'
import { headSize, tensorOf, tokenLabels } from '../../web/lib/run.js'
import { homeOf, roomsOf } from '../../web/building.js'
import { INPUTS, wiringOf } from '../../web/map/list.js'
import { fakeRun } from './fake-run.js'

const rooms = roomsOf({ model: 'sentences' })
const stages = rooms.map(({ stage }) => stage)
const stageOf = (id) => stages.find((stage) => stage.id === id)
const view = (changes) => ({ ...DEFAULTS, ...changes })
const run = fakeRun({ training: true, causal: true, dropout: 0.3 })

/** Every slice anywhere in a stage's data. */
const slicesIn = (data) => Object.values(data).filter((value) => value?.axis && value.values)

test('every stage answers the same calls', () => {
  for (const stage of stages) {
    for (const name of ['data', 'picture', 'mount']) assert.equal(typeof stage[name], 'function', `${stage.id}.${name}`)
    for (const name of ['tensors', 'controls', 'pickers']) assert.ok(Array.isArray(stage[name]), `${stage.id}.${name}`)
  }
})

test('every value shown is the tensor\'s value at the index it claims', () => {
  for (const [sentence, head, part] of [[0, 0, 'q'], [1, 1, 'k'], [1, 0, 'v']]) {
    for (const stage of stages) {
      for (const piece of slicesIn(stage.data(run, view({ sentence, head, part })))) {
        const tensor = tensorOf(run, piece.name)
        assert.equal(piece.rowLabels.length, piece.rows, `${stage.id} ${piece.name}`)
        assert.equal(piece.colLabels.length, piece.cols, `${stage.id} ${piece.name}`)
        piece.values.forEach((value, i) => {
          const index = indexOf(piece, Math.floor(i / piece.cols), i % piece.cols)
          assert.ok(Object.is(value, valueAt(tensor, index)), `${stage.id} ${piece.name}[${index}]`)
        })
      }
    }
  }
})

test('every tensor of the run has a home, and is shown there', () => {
  for (const name of run.tensors.keys()) {
    const home = homeOf(rooms, name)?.id
    assert.ok(home, name)
    const pieces = ['q', 'k', 'v'].flatMap((part) => slicesIn(stageOf(home).data(run, view({ part }))))
    const shown = pieces.map((piece) => piece.name)
    assert.ok(shown.includes(name), `${name} in ${home}`)
  }
})

test('the factors of a product fit each other and cross in the product', () => {
  for (const id of ['qkv', 'scores', 'heads', 'output']) {
    const { left, right, product } = stageOf(id).data(run, view({ sentence: 1, head: 1 }))
    assert.deepEqual([left.rows, left.cols, right.cols], [product.rows, right.rows, product.cols], id)
    const scaled = id === 'scores' ? Math.sqrt(headSize(run)) : 1
    for (let r = 0; r < product.rows; r++) {
      for (let c = 0; c < product.cols; c++) {
        let sum = 0
        for (let i = 0; i < left.cols; i++) sum += left.values[r * left.cols + i] * right.values[i * right.cols + c]
        const value = product.values[r * product.cols + c]
        if (Number.isFinite(value)) assert.ok(Math.abs(sum / scaled - value) < 1e-4, `${id} ${r},${c}`)
      }
    }
  }
})

test('tokens: every sentence with its tokens', () => {
  const { sentences } = stageOf('tokens').data(run, view({ sentence: 1 }))
  const text = '나는 최근 파리 여행을 다녀왔다'
  assert.deepEqual(sentences[1], { text, tokens: ['나는', '최근', '파리', '여행을', '다녀왔다'], chosen: true })
})

test('ids: the shorter sentence is filled up, and the vocabulary counts its uses', () => {
  const { vocabulary, sentences } = stageOf('ids').data(run, view({}))
  assert.deepEqual(sentences[1].tokens, tokenLabels(run, 1))
  assert.equal(sentences[1].tokens.at(-1), '<pad>')
  assert.equal(vocabulary[0].count, 1)
  assert.equal(vocabulary.reduce((sum, { count }) => sum + count, 0), run.ids.flat().length)
})

test('dropout: before times mask is after, and there is a mask only in training', () => {
  const { before, mask, after, scale } = stageOf('dropout').data(run, view({}))
  after.values.forEach((value, i) => assert.ok(Math.abs(before.values[i] * mask.values[i] - value) < 1e-6))
  assert.equal(scale, 1 / 0.7)
  assert.equal(stageOf('dropout').data(fakeRun(), view({})).mask, null)
})

test('mask: hidden cells are minus infinity, and softmax makes them zero', () => {
  const { after } = stageOf('mask').data(run, view({}))
  const weights = stageOf('weights').data(run, view({})).after
  after.values.forEach((value, i) => {
    const [row, col] = [Math.floor(i / after.cols), i % after.cols]
    assert.equal(value === -Infinity, col > row)
    assert.equal(weights.values[i] === 0, col > row)
  })
})

test('positions: many dimensions are thinned, the chosen one stays', async () => {
  const { chosenCurves } = stageOf('positions')
  assert.deepEqual(chosenCurves(4, 2), { list: [0, 1, 2, 3], at: 2 })
  const { list, at } = chosenCurves(64, 13)
  assert.ok(list.length <= 17)
  assert.equal(list[at], 13)
})

test('wires lead from rooms that are there and come before', () => {
  const order = stages.slice(1).map(({ id }) => id)
  for (const [to, from] of Object.entries(INPUTS)) {
    for (const id of from) assert.ok(order.indexOf(id) >= 0 && order.indexOf(id) < order.indexOf(to), `${id} to ${to}`)
  }
  assert.deepEqual(wiringOf(order).lanes.filter((lane) => lane === 1).length, 1)
})

test('no stage imports another, and the library imports nothing of the page', async () => {
  const imports = async (folder) => {
    const url = new URL(`../../web/${folder}/`, import.meta.url)
    const names = (await readdir(url)).filter((name) => name.endsWith('.js') && name !== 'index.js')
    return Promise.all(names.map(async (name) => {
      const code = await readFile(new URL(name, url), 'utf8')
      return [name, [...code.matchAll(/from '([^']+)'/g)].map((match) => match[1])]
    }))
  }
  for (const [folder, allowed] of [['stages', /^\.\.\/lib\//], ['lib', /^(\.\/|chart\.js$)/]]) {
    for (const [name, from] of await imports(folder)) {
      for (const path of from) assert.match(path, allowed, `${folder}/${name}: ${path}`)
    }
  }
})
