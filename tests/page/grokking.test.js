// The lesson on grokking: its figure's arithmetic, and what its texts state, against the trained model.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { defaultsOf } from '../../src/training/settings.js'
import { sums } from '../../src/training/tasks/sums.js'
import { readStages } from '../../web/figures/clock_sums.js'
import { placeOnWave, similarityByDistance, waveShares } from '../../src/training/clock_waves.js'
import { LARGEST, LARGE_COUNT } from '../../web/lessons/grokking/index.js'
import { loadLessonTexts } from '../../web/words/parts.js'
import { gf } from '../lib/engine.js'

const bytes = readFileSync(new URL('../../web/lessons/grokking/clock_sums.safetensors', import.meta.url))
const stages = readStages(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
const { tensors } = gf.loadSafetensors(bytes), settings = defaultsOf('sums'), data = sums.prepare(gf, settings)
const model = sums.create(gf, settings, data)
const N = 31, waves = Array.from({ length: (N - 1) / 2 }, (_, i) => i + 1)
const isClose = (x, y, tolerance = 1e-9) => assert.ok(Math.abs(x - y) <= tolerance, `${x}, not ${y}`)
const sum = list => list.reduce((total, value) => total + value, 0)

/** The fraction of sums that the model solves with another table of the numbers. */
function accuracyWith(table, tests) {
  const embedding = gf.tensor([...table, [...tensors['embedding.weight'].values].slice(N * table[0].length)])
  const own = Object.fromEntries(Object.entries(tensors).filter(([name]) => !name.startsWith('step')))
  model.loadStateDict({ ...own, 'embedding.weight': embedding })
  return sums.measureAccuracy(gf, model.eval(), data, sums.heldOut(gf, settings, { tests }))
}

/** The table with some of its waves only, and its mean. */
const keepWaves = (table, list) => table.map((_, n) => table[0].map((__, c) => sum(table.map((row, m) => (
  row[c] / N * (1 + sum(list.map(k => 2 * Math.cos(2 * Math.PI * k * (n - m) / N)))))))))

test('shares are those of the autocorrelation\'s transform, and sum to 1', () => {
  for (const { table } of stages) {
    const mean = table[0].map((_, c) => sum(table.map(row => row[c])) / N)
    const product = (a, b) => sum(a.map((value, c) => (value - mean[c]) * (b[c] - mean[c])))
    const correlation = table.map((_, d) => sum(table.map((row, n) => product(row, table[(n + d) % N]))))
    const shares = waveShares(table)
    isClose(sum(shares), 1)
    shares.forEach((share, i) => {
      const transformed = sum(correlation.map((value, d) => value * Math.cos(2 * Math.PI * (i + 1) * d / N)))
      isClose(share, 2 / N * transformed / correlation[0])
    })
  }
})

test('a table of one wave is a circle in its plane, in its order', () => {
  const angles = Array.from({ length: N }, (_, n) => 2 * Math.PI * 4 * n / N)
  const table = angles.map(angle => [5, 2 * Math.cos(angle), 2 * Math.sin(angle)])
  placeOnWave(table, 4).forEach(([x, y], n) => {
    isClose(x, table[n][1])
    isClose(y, table[n][2])
  })
  isClose(waveShares(table)[3], 1)
  similarityByDistance(table).forEach((value, i) => isClose(value, Math.cos(2 * Math.PI * 4 * (i + 1) / N)))
})

test('the tables are those of the file, and so are the accuracies of the shown sums and the others', () => {
  assert.deepEqual(stages.map(({ step }) => step), [0, 500, settings.steps])
  assert.deepEqual(stages.map(({ seen }) => seen), [0, 1, 1])
  assert.deepEqual(stages.map(({ unseen }) => Math.round(3 * unseen)), [0, 1, 3])
  const names = ['step0.', 'step500.', ''].map(prefix => tensors[`${prefix}embedding.weight`])
  stages.forEach(({ table }, i) => assert.deepEqual(table.flat(), [...names[i].values].slice(0, table.flat().length)))
  const [, , { table }] = stages
  for (const tests of [data.learned, data.tests]) assert.equal(accuracyWith(table, tests), 1)
  gf.manualSeed(settings.seed)
  const first = sums.create(gf, settings, data).stateDict()['embedding.weight']
  assert.deepEqual([...first.values], [...names[0].values], 'step 0 is what the seed gives')
})

test('what the texts say about waves and neighbors', async () => {
  const [before, , { table }] = stages, shares = waveShares(table)
  const large = waves.filter(k => shares[k - 1] > 1 / waves.length)
  assert.equal(large.length, LARGE_COUNT)
  assert.equal(shares.indexOf(Math.max(...shares)), LARGEST - 1)
  for (const k of waves) {
    const [low, high] = large.includes(k) ? [0.07, 0.16] : [0, 0.01]
    assert.ok(shares[k - 1] > low && shares[k - 1] < high, `wave ${k}`)
  }
  assert.ok(waveShares(before.table).every(share => Math.abs(share - 1 / 15) < 0.015))
  const [neighbors, ...others] = similarityByDistance(table)
  assert.ok(others.filter(value => Math.abs(value) > Math.abs(neighbors)).length <= 1, 'one of the longest')
  assert.ok(similarityByDistance(before.table).every(value => Math.abs(value) < 0.1))
  for (const language of ['en', 'ko']) {
    const { steps } = await loadLessonTexts(language, 'grokking')
    for (const key of ['right', 'wrong']) {
      assert.match(steps.neighbors[key], new RegExp(`−${Math.abs(neighbors).toFixed(2)}`))
      assert.match(steps.waves[key], new RegExp(`\\b${Math.round(100 * sum(large.map(k => shares[k - 1])))} ?%`))
    }
    assert.deepEqual(steps.waves.paper.match(/\d+(?=,| and| have|는 저)|15/g).map(Number).filter(k => k > 2), large)
  }
  // On the largest wave one hour is almost half a turn, and 11 and 20 hours are the nearest to 0.
  const turn = n => Math.abs(((LARGEST * n / N) % 1 + 1.5) % 1 - 0.5)
  assert.ok(turn(1) > 0.45)
  const nearest = Array.from({ length: N - 1 }, (_, i) => i + 1).sort((a, b) => turn(a) - turn(b)).slice(0, 2)
  assert.deepEqual(nearest.sort((a, b) => a - b), [11, 20])
})

test('on the largest wave numbers lie near their angles, and before training they do not', () => {
  const errors = stages.map(({ table }) => placeOnWave(table, LARGEST).map(([x, y], n) => {
    const angle = Math.atan2(y, x) - 2 * Math.PI * LARGEST * n / N
    return Math.abs(Math.atan2(Math.sin(angle), Math.cos(angle)))
  })).map(list => Math.max(...list) * 180 / Math.PI)
  assert.ok(errors[2] < 15 && errors[1] > 40 && errors[0] > 60, errors)
})

test('without one large wave all sums are solved, without all of them hardly any', () => {
  const [, , { table }] = stages, all = [...data.learned, ...data.tests], shares = waveShares(table)
  const large = waves.filter(k => shares[k - 1] > 1 / waves.length)
  for (const k of large) assert.equal(accuracyWith(keepWaves(table, waves.filter(one => one !== k)), all), 1, `without ${k}`)
  assert.equal(accuracyWith(keepWaves(table, large), all), 1, 'the large ones alone')
  assert.equal(Math.round(100 * accuracyWith(keepWaves(table, waves.filter(k => !large.includes(k))), all)), 4)
})
