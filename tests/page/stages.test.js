// What stages and the parts of the page may know of each other.
import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { unitsBy } from '../../web/stages/activation.js'
import { stageOf } from '../../web/stages/index.js'
import { stageData, makeDetachedRun } from '../lib/page.js'

const WEB = new URL('../../web/', import.meta.url)

/** The files of a folder, those in folders inside it too, with their code. */
async function filesIn(folder) {
  const url = new URL(folder, WEB)
  const names = (await readdir(url, { recursive: true })).filter(name => name.endsWith('.js'))
  return Promise.all(names.map(async name => ({ name, code: await readFile(new URL(name, url), 'utf8') })))
}
/** What is imported to run: comments import only types. */
const importsOf = code => [...code.matchAll(/^(?![ /]\*).*from '([^']+)'/gm)].map(match => match[1])

test('positions: many dimensions are thinned out, the selected one stays', () => {
  const { chosenCurves } = stageOf('positions')
  assert.deepEqual(chosenCurves(4, 2), { list: [0, 1, 2, 3], at: 2 })
  const { list, at } = chosenCurves(64, 13)
  assert.ok(list.length <= 17)
  assert.equal(list[at], 13)
})

test('weights: exactly the cells that a mask hides are hatched', () => {
  const { maskedCells } = stageOf('weights')
  const [before, after] = [[1, -Infinity, -40, -Infinity], [1, 0, 0, 0.5]].map(values => ({ values, cols: 2 }))
  const masked = maskedCells({ before, after })
  assert.deepEqual([0, 1, 2, 3].map(i => masked(i >> 1, i % 2)), [false, true, false, false],
    'neither a weight that underflows nor one that the reader wrote')
})

test('no stage imports another stage, and web/lib imports nothing else of the page', async () => {
  for (const [folder, allowed] of [['stages/', /^\.\.\/(lib\/|words\/(index|parts)\.js$|\.\.\/src\/training\/models\/hangul\.js$)/], ['lib/', /^(\.\/|chart\.js$)/]]) {
    for (const { name, code } of await filesIn(folder)) {
      if (name === 'index.js') continue
      for (const path of importsOf(code)) assert.match(path, allowed, `${folder}${name}: ${path}`)
    }
  }
})

test('a stage has the id of its file', async () => {
  for (const { name, code } of await filesIn('stages/')) {
    if (name !== 'index.js') assert.equal(/^export const id = '(\w+)'$/m.exec(code)?.[1], name.slice(0, -3))
  }
})

/** It reads data that is inside a single-file page. */
const READERS = ['resources.js']

test('web/lib does not query the document', async () => {
  const asks = /document\.(querySelector|getElementById|title)/
  const wrong = (await filesIn('lib/')).filter(({ code }) => asks.test(code)).map(({ name }) => name)
  assert.deepEqual(wrong, READERS)
})

/**
 * Models and roles; what is about one model each: lessons, exercises, terms, what is learned; code that is shown; and
 * what the build leaves out of a model's scripts.
 */
const BOUND = /^(models|notebooks|code|lessons|exercises|glossary|theatre\/tasks)\/|^(rooms\/roles|elements\/worker_plugins)\.js$/

test('names of models, tensors and modules occur only in the models and the table of roles', async () => {
  const allowedNames = /self_attn|multihead_attn|in_proj|out_proj|_embedding|'(dates|particles|sentences|stories|trained|untrained)'|positions\.pe/
  const all = (await filesIn('.')).filter(({ name }) => !BOUND.test(name))
  const wrong = all.flatMap(({ name, code }) =>
    code.split('\n').filter(line => allowedNames.test(line)).map(line => `${name}: ${line}`))
  assert.deepEqual(wrong, [])
})

test('units are sorted by activation: on average, or for one token', () => {
  const { after } = stageData(makeDetachedRun({}), 'encoder.0.activation')
  const column = col => Array.from({ length: after.rows }, (_, row) => after.values[row * after.cols + col])
  const mean = list => list.reduce((a, b) => a + b) / list.length
  const strengths = by => unitsBy(after, by, 2).map(col => (by === 'row' ? column(col)[2] : mean(column(col))))
  for (const by of ['mean', 'row']) {
    const list = strengths(by)
    assert.ok(list[0] > list.at(-1) && list.every((value, i) => i === 0 || value <= list[i - 1]), by)
  }
  assert.notDeepEqual(unitsBy(after, 'mean', 2), unitsBy(after, 'row', 2))
  assert.deepEqual(unitsBy(after, 'index', 2), Array.from({ length: after.cols }, (_, i) => i))
})
