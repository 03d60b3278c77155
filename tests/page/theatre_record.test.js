// The training page besides its curves: embeddings, a cell over time, and ablated parts.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { defaultsOf as pageDefaults } from '../../web/models/index.js'
import { RUNS } from '../../web/models/runs.js'
import { createPlayer } from '../../src/training/player.js'
import { createSession } from '../../src/training/session.js'
import { TASKS, defaultsOf, read, write } from '../../src/training/settings.js'
import { TASK_INFO, pageWeightsFile } from '../../src/training/tasks/task_info.js'
import { TASKS as TASKS_OF } from '../../src/training/tasks/index.js'
import { HOURS } from '../../src/training/tasks/sums.js'
import { smallSettings } from '../lib/theatre.js'

const gf = await load()

/** Eigenvalues and eigenvectors of a symmetric matrix in float64, by Jacobi's rotations; the largest first. */
function jacobi(matrix) {
  const n = matrix.length, a = matrix.map(row => [...row]), v = a.map((_, i) => a.map((__, j) => Number(i === j)))
  for (let sweep = 0; sweep < 40; sweep++) for (let p = 0; p < n; p++) for (let q = p + 1; q < n; q++) {
    const angle = Math.atan2(2 * a[p][q], a[q][q] - a[p][p]) / 2
    const [c, s] = [Math.cos(angle), Math.sin(angle)]
    const rotatePair = (a, b) => [c * a - s * b, s * a + c * b]
    for (const row of [...a, ...v]) [row[p], row[q]] = rotatePair(row[p], row[q])
    for (let k = 0; k < n; k++) [a[p][k], a[q][k]] = rotatePair(a[p][k], a[q][k])
  }
  const eigenpairs = a.map((row, i) => ({ value: row[i], vector: v.map(item => item[i]) }))
  return eigenpairs.sort((a, b) => b.value - a.value)
}

test('the embedding plot uses the principal components of the latest step', () => {
  for (const task of TASKS) {
    const player = createPlayer(gf, smallSettings(task, { rate: 0.02 })), { session } = player
    const rowsOf = name => {
      const { shape: [N, C], values } = session.named.find(([one]) => one === name)[1]
      const rows = Array.from({ length: N }, (_, i) => Array.from(values.subarray(i * C, (i + 1) * C)))
      const mean = rows[0].map((_, j) => rows.reduce((sum, row) => sum + row[j], 0) / N)
      return rows.map(row => row.map((value, j) => value - mean[j]))
    }
    const { x: x0, y: y0 } = player.projectEmbeddings()
    while (player.step());
    const { name, x, y, words, variances, from } = player.projectEmbeddings()
    assert.equal(words.length, x.length, task)
    const rows = rowsOf(name)
    const covariance = rows[0].map((_, i) => (
      rows[0].map((__, j) => rows.reduce((sum, row) => sum + row[i] * row[j], 0))))
    const eigenpairs = jacobi(covariance), totalVariance = covariance.reduce((sum, row, i) => sum + row[i], 0)
    variances.forEach((share, k) => assert.ok(Math.abs(share - eigenpairs[k].value / totalVariance) < 1e-4, `${task}: ${share}`))
    const along = (row, k) => row.reduce((sum, value, j) => sum + value * eigenpairs[k].vector[j], 0)
    for (const [k, coordinates] of [x, y].entries()) {
      const sign = Math.sign(along(rows[0], k) * coordinates[0])
      rows.forEach((row, i) => assert.ok(Math.abs(sign * along(row, k) - coordinates[i]) < 5e-3, `${task}, row ${i}`))
      const first = [x0, y0][k]
      assert.ok(first.reduce((sum, value, i) => sum + value * coordinates[i], 0) > 0, `${task}: the side on which they began`)
    }
    player.seek(12)
    const back = player.projectEmbeddings(name), earlier = rowsOf(name), sign = Math.sign(along(rows[0], 0) * x[0])
    assert.deepEqual([back.from, from], [30, 30], 'seen along the same axes')
    earlier.forEach((row, i) => assert.ok(Math.abs(sign * along(row, 0) - back.x[i]) < 5e-3, `${task}, row ${i} before`))
    session.dispose()
  }
})

test('a pinned cell is read at all snapshots, and reading changes nothing', () => {
  const settings = smallSettings('dates', { rate: 0.02 })
  const player = createPlayer(gf, settings)
  while (player.step());
  const before = player.session.snapshot()
  const inputs = player.session.inputsOf(TASK_INFO.dates.sample)
  const { weights, computed } = player.follower.places(inputs)
  const cells = [{ name: weights.at(-1).name, index: weights.at(-1).shape.map(side => side - 1) },
    { name: computed.at(-1).name, index: computed.at(-1).shape.map(() => 0) },
    { name: 'transformer.decoder.layers.0.self_attn.weights', index: [0, 1, 2, 1] }]
  for (const cell of cells) {
    player.follower.pin(cell, inputs)
    while (player.follower.facts.missing) player.follower.readFor(0)
    const { steps, values, currentValue } = player.follower.facts
    assert.deepEqual(steps, [0, 10, 20, 30])
    assert.deepEqual(player.session.snapshot(), before)
    const plain = createSession(gf, settings)
    for (const [i, step] of steps.entries()) {
      while (plain.done < step) plain.step()
      const parameter = plain.named.find(([name]) => name === cell.name)
      plain.model.eval()
      const { trace, output } = gf.trace(() => gf.noGrad(() => plain.model.forward(...inputs)))
      plain.model.train()
      assert.equal(values[i], (parameter ? parameter[1] : trace.get(cell.name)).at(...cell.index), `${cell.name}, step ${step}`)
      trace.dispose()
      output.dispose()
    }
    assert.equal(currentValue, values.at(-1))
    plain.dispose()
  }
  player.seek(17)
  const there = player.session.snapshot()
  player.follower.pin(cells[2], inputs)
  player.follower.readFor(0)
  assert.deepEqual(player.session.snapshot(), there, 'read at another step than where it stands')
  for (const index of [[0], [0, 0, 0, 99], [0.5, 0, 0, 0]]) {
    player.follower.pin({ name: cells[2].name, index }, inputs)
    assert.equal(player.follower.facts, null)
  }
  player.session.dispose()
})

test('unscaled scores are the plain products, in training and on the page', () => {
  for (const task of ['dates', 'particles', 'stories', 'induction']) {
    const [plain, divided] = [false, true].map(scale => createSession(gf, smallSettings(task, { scale, dropout: 0 })))
    assert.equal(write(plain.settings).split('_').at(-1), 'scale-off')
    const scores = [plain, divided].map(({ model, inputsOf }) => {
      const { trace } = gf.trace(() => model.forward(...inputsOf(TASK_INFO[task].sample)))
      return trace.get(trace.names.find(name => name.endsWith('self_attn.scores'))).values.slice()
    })
    const size = plain.settings.dModel / plain.settings.heads
    const at = scores[1].findIndex(value => Number.isFinite(value) && Math.abs(value) > 1e-3)
    assert.ok(Math.abs(scores[0][at] / scores[1][at] - Math.sqrt(size)) < 1e-4, task)
    for (const session of [plain, divided]) session.dispose()
  }
})

test('a training starts from displayed weights: the page\'s own, or those of a step', async () => {
  for (const task of ['dates', 'particles', 'stories', 'induction']) {
    const settings = { ...defaultsOf(task), start: 'page', steps: 2, batch: 4 }
    const bytes = new Uint8Array(await readFile(new URL(`../../web/models/${task}/${pageWeightsFile(settings)}`, import.meta.url)))
    const session = createSession(gf, settings, undefined, bytes)
    const { tensors } = gf.loadSafetensors(bytes)
    for (const [name, parameter] of session.named) assert.deepEqual(parameter.values, tensors[name].values, `${task}: ${name}`)
    assert.ok(session.history.evaluations[0].right > 0.5, `${task}: ${session.history.evaluations[0].right} right`)
    session.dispose()
    const [other, message] = task === 'induction' ? [{ dModel: 32 }, /embedding/] : [{ dimFeedforward: 8 }, /linear1/]
    assert.throws(() => createSession(gf, { ...settings, ...other }, undefined, bytes), { code: 'start', message })
  }
  const first = createPlayer(gf, smallSettings('dates'))
  first.seek(0)
  for (let n = 0; n < 7; n++) first.step()
  const settings = smallSettings('dates', { start: 'given', origin: 'abc', rate: 0.001, seed: 7 })
  assert.deepEqual(read(write(settings)), { ...settings })
  const second = createPlayer(gf, settings, { start: first.session.file() })
  for (const [i, [name, parameter]] of second.session.named.entries()) {
    assert.deepEqual(parameter.values, first.session.named[i][1].values, name)
  }
  for (let n = 0; n < 9; n++) second.step()
  const file = second.session.file(true)
  const resumed = createPlayer(gf, settings, { file, start: file })
  assert.deepEqual(resumed.session.snapshot(), second.session.snapshot())
  for (const step of [11, 3]) {
    while (second.session.done < step) second.step()
    while (resumed.session.done < step && resumed.step());
    for (const player of [second, resumed]) player.seek(step)
    assert.deepEqual(resumed.session.snapshot(), second.session.snapshot(), `step ${step}`)
  }
  for (const { session } of [first, second, resumed]) session.dispose()
})

test('clock sums: half are held out, all are correct, and the page answers like the training page', () => {
  const settings = { ...defaultsOf('sums'), steps: 40 }
  const session = createSession(gf, settings)
  const { learned, tests } = session.data
  assert.equal(new Set([...learned, ...tests].map(String)).size, HOURS ** 2)
  assert.ok(Math.abs(learned.length - tests.length) <= 1)
  const { inputs: [rows], target } = session.batchAt(7), knownBatches = new Set(learned.map(String))
  rows.forEach(([a, b], i) => {
    assert.ok(knownBatches.has(String([a, b])))
    assert.equal(target[3 * i + 2], (a + b) % HOURS)
  })
  for (let n = 0; n < 40; n++) session.step()
  const { text } = session.answer('17 + 25'), file = session.file()
  const options = { ...pageDefaults('text'), beginning: '17 25 =', weights: 'theatre', trainedFileId: 'sums' }
  const { run, decoding } = RUNS.text(gf, options, [], [file])
  assert.equal(`17 + 25 = ${decoding.steps.map(({ token }) => token).join(' ')}`, text)
  run.dispose()
  assert.equal(TASKS_OF.sums.problem('3 + 30'), null)
  for (const wrong of ['', '3', '3 + 31', '1 2 3']) assert.ok(TASKS_OF.sums.problem(wrong), wrong)
  session.dispose()
})
