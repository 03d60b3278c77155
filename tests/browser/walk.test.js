// Visits every room at every depth and in both languages, and compares each number on the page with the run in Node. In
// `npm test` the visits of a model share a third of its kinds of rooms.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { collectCode } from '../../web/code/collect.js'
import { numberFormat } from '../../web/lib/heatmap_paint.js'
import { READY } from '../../web/models/index.js'
import { roomsOf } from '../../web/rooms/index.js'
import { DEPTHS } from '../../web/shell/depth.js'
import { toHash } from '../../web/models/state.js'
import { explainCell } from '../../web/worker/queries.js'
import { importFiles, runInNode, completeState, useBrowser } from './host.js'
import { cellIndex, findTensor, valueAt } from './cells.js'
import { openModel } from '../lib/imported_models.js'
import { setImportedModel } from '../lib/page.js'
import { cases, filesOf } from '../models/golden_models.js'
import { isLong, firstOfEachKind, everyNth, partUnlessLong } from '../lib/long.js'
import { ATTRIBUTES, KINDS, findWrongTexts } from './number_kinds.js'
import { createTextView } from './text_view.js'
import { createReader, watchCanvases } from './rendered_numbers.js'
import { INSPECTOR_KINDS, INSPECTOR_ATTRIBUTES, termsGiveValue, matrixCell } from './explanations.js'
import { isExactly, isRoundedTo } from './writes_number.js'

const OTHER = {
  weights: 'untrained', source: '3 may 1999', target: '1999년 5월', layers: 1, dModel: 8, heads: 2, dimFeedforward: 12,
  normFirst: true, activation: 'gelu', scale: false, padding: true, tgtIsCausal: false, positions: 'concatenated',
  base: 300, dropout: 0.25, training: true, seed: 7, head: 1, part: 'v', row: 2, temperature: 1.5, topK: 5, topP: 0.8
}
const WALKS = [
  ['the trained model', 'ko', { other: 'december 31 2027', patched: 'heads' }],
  ['the trained model, other heads, beam search', 'en', { other: 'december 31 2027', head: 2, part: 'k', row: 3, decoding: 'beam', step: 3 }],
  ['an untrained model with every switch turned', 'ko', OTHER],
  ['an untrained model that draws and sees what comes later', 'en', {
    weights: 'untrained', layers: 1, decoding: 'sample', temperature: 2, seed: 5, step: 3, tgtIsCausal: false,
    positions: 'learned'
  }],
  ['the missing word', 'ko', { model: 'particles' }],
  ['the missing word, drawn in training', 'en', {
    model: 'particles', gapped: 'the keys to the cabinet [?] here', training: true, dropout: 0.25, decoding: 'sample',
    temperature: 2, seed: 5, head: 1, part: 'v'
  }],
  ['a story', 'ko', { model: 'stories', beginning: '비가', target: '와요.' }],
  ['what comes again', 'ko', { model: 'induction', beginning: '가 나 다 가', other: '가 다 나 가', head: 1 }],
  ['what comes again, in training', 'en', {
    model: 'induction', beginning: 'A B A', target: 'B', training: true, dropout: 0.25, head: 2, part: 'v'
  }],
  ['a text of one\'s own', 'ko', { model: 'text', beginning: '하준', target: '은' }],
  ['a text of one\'s own', 'en', { model: 'text', beginning: 'Ju', target: 'li', training: true, dropout: 0.25 }],
  ['a story, in training', 'en', {
    model: 'stories', beginning: 'Julia', target: 'went', training: true, dropout: 0.25, head: 2, part: 'k'
  }],
  ['the sentences', 'ko', { model: 'sentences' }],
  ['the sentences, otherwise', 'en', {
    model: 'sentences', tokenizer: 'whitespace', positions: 'learned', training: true, causal: true, sentence: 1,
    head: 3, part: 'v'
  }]
]

const { open } = useBrowser()
const selectors = kinds => Object.entries(kinds).map(([kind, [selector, context]]) => [kind, selector, context])
const PLACES = {
  page: { kinds: selectors(KINDS), attributeKinds: selectors(ATTRIBUTES), without: '.inspector' },
  inspector: { kinds: selectors(INSPECTOR_KINDS), attributeKinds: selectors(INSPECTOR_ATTRIBUTES), within: '.inspector', without: 'script' }
}
/** Where to look at a depth: with the first at the page's frame too, with the numbers into the tables. */
const LOOKS = DEPTHS.map(depth => (
  { depth, within: depth === 'story' ? 'body' : '.stage', tables: depth === 'numbers' }))

const code = await collectCode().then(entries => {
  const pieces = Object.values(entries).flatMap(({ c, js, torch }) => [...c, ...js, { code: torch }])
  return {
    texts: new Set(pieces.map(piece => piece.code)),
    places: new Set(pieces.map(({ file, line }) => `${file}:${line}`))
  }
})

/** What is wrong with the cells of a matrix, of which only some may be written. */
function judgeCells(view, matrix, cells, isRight) {
  return cells.flatMap(([text, row, col]) => {
    const value = valueAt(view, matrix.tensor, cellIndex(matrix, row, col))
    return isRight(text, value) ? [] : [`${matrix.tensor}[${cellIndex(matrix, row, col)}]: ${text} is not ${value}`]
  })
}

/** What is wrong with a matrix on its canvas: as many decimals as its cells have room for, and no fewer. */
function judgeHeat(view, heat) {
  const { rows, cols, cell, cells, tensor } = heat
  const all = Array.from({ length: rows * cols }, (_, i) => (
    valueAt(view, tensor, cellIndex(heat, Math.floor(i / cols), i % cols))))
  const { decimals } = (cells.length && numberFormat({ cell, values: all })) || { decimals: 2 }
  return judgeCells(view, heat, cells, (text, value) => isRoundedTo(text, value, decimals))
}

/** A chart's tick labels are evenly spaced values; what stands below bars are their shares. */
function judgeChart(view, { about: matrix, texts }) {
  const lowest = Math.max(...texts.map(([, , y]) => y))
  const ticks = (list, axis) => list.map(item => [Number(item[0].replace('−', '-')), item[axis]])
  const isEven = list => {
    const [[first, from], [last, to]] = [list[0], list.at(-1)]
    return list.every(([value, at]) => Math.abs(first + ((last - first) * (at - from)) / (to - from) - value) < 0.051)
  }
  if (!matrix) {
    const numbers = texts.filter(([text]) => /^−?[\d.]+$/.test(text))
    const left = numbers.filter(([, , y]) => numbers.filter(number => number[2] === y).length === 1)
    const below = numbers.filter(number => !left.includes(number))
    const isRight = left.length > 2 && below.length > 2 && isEven(ticks(left, 2)) && isEven(ticks(below, 1))
    return isRight ? [] : ['ticks of the curves']
  }
  const shares = texts.filter(([, , y]) => y === lowest)
  const length = findTensor(view, matrix.tensor).shape[matrix.axes[1]]
  const step = Math.ceil(length / shares.length)
  const wrong = judgeCells(view, matrix, shares.map(([text], i) => [text, 0, i * step]), isRoundedTo)
  const names = texts.filter(([, x, y]) => y !== lowest && shares.some(share => share[1] === x))
  const left = texts.filter(text => !shares.includes(text) && !names.includes(text))
  const isNamed = names.length === shares.length
  return [...wrong, ...(isNamed && isEven(ticks(left, 2)) ? [] : ['ticks of the bars'])]
}

/** The problems of everything that was read from the page, and how many numbers it has. */
function checkPage(view, pageContent) {
  const here = { ...view, heats: pageContent.heats }
  const problems = [
    ...findWrongTexts(here, pageContent.texts, KINDS), ...findWrongTexts(here, pageContent.attributes, ATTRIBUTES),
    ...pageContent.heats.flatMap(heat => judgeHeat(here, heat)),
    ...pageContent.charts.flatMap(chart => judgeChart(here, chart)),
    ...pageContent.listings.filter(text => !code.texts.has(text)).map(text => `code: ${text.slice(0, 80)}`),
    ...pageContent.tables.flatMap(table => (
      judgeCells(here, table, table.cells.flatMap((line, row) => line.map((text, col) => [text, row, col])),
        isExactly)))
  ]
  const canvasTexts = [...pageContent.heats.map(({ cells }) => cells), ...pageContent.charts.map(({ texts }) => texts)]
  const lists = [pageContent.texts, pageContent.attributes, ...canvasTexts]
  const cells = pageContent.tables.flatMap(table => table.cells.map(line => line.length))
  return { problems, count: lists.reduce((sum, list) => sum + list.length, 0) + cells.reduce((a, b) => a + b, 0) }
}

/** Compares everything that was read from the page. */
function comparePage(view, when, pageContent) {
  const result = checkPage(view, pageContent)
  assert.deepEqual(result.problems.slice(0, 12), [], `${view.room.id}, ${when}: ${result.problems.length} wrong`)
  return result.count
}

/** Compares the inspector's explanation of the first cell of a room. */
function compareOpening(view, inspector) {
  if (!inspector.name) return 0
  const [, name, index] = /^(.+)\[(.+)\]$/.exec(inspector.name)
  return compareInspector(view, { name, index: index.split(', ').map(Number) }, inspector)
}

/** Compares the inspector's explanation of a pinned cell and of its gradient, and the page meanwhile. */
function comparePinned(view, { pinned, inspectorTexts: inspector, pages: pageContent, gradient }) {
  const cell = matrixCell(pinned, ...pinned.at.map(number => number - 1))
  const count = compareInspector(view, cell, inspector) + comparePage({ ...view, cell }, 'with a cell pinned', pageContent)
  return count + (gradient ? compareInspector(view, { ...cell, isGradient: true }, gradient) : 0)
}

/** Compares everything in the inspector with the explanation of the cell made in Node. */
function compareInspector(view, cell, inspector) {
  const explanation = explainCell(view.run.workerRun, cell)
  const key = `${cell.isGradient ? '∂' : ''}${cell.name}[${cell.index.join(', ')}]`
  assert.equal(inspector.name, key)
  const value = cell.isGradient ? explanation?.value : valueAt(view, cell.name, cell.index)
  const here = { ...view, cell, key, value, explanation }
  const problems = [...findWrongTexts(here, inspector.texts, INSPECTOR_KINDS),
    ...findWrongTexts(here, inspector.attributes, INSPECTOR_ATTRIBUTES)]
  assert.deepEqual(problems.slice(0, 12), [], `${view.room.id}, ${key}: ${problems.length} wrong`)
  assert.equal(inspector.exact, value === undefined ? 0 : 1, key)
  if (!explanation) return inspector.texts.length
  assert.ok(termsGiveValue({ ...explanation, value }), `${key}: the terms do not make ${value}`)
  assert.equal(inspector.terms, Math.min(explanation.terms.length, 24), key)
  return inspector.texts.length
}

const STEPS = ['ArrowDown', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'ArrowRight']

/** Visits the rooms of a state. */
async function walkModel(t, state, place) {
  const { page, complaints, close } = await open(state, { before: watchCanvases })
  await walkThrough(t, { page, state, run: runInNode(state) }, place)
  assert.deepEqual(complaints, [])
  await close()
}

/** Visits the rooms of an imported model, with a text of numbers. */
async function walkImported(t, [item, language], place) {
  const folder = await mkdtemp(join(tmpdir(), 'walk-')), files = filesOf(item)
  const paths = Object.keys(files).map(name => join(folder, name))
  for (const [i, content] of Object.values(files).entries()) await writeFile(paths[i], content)
  const state = completeState({ model: 'own', language, beginning: '3 1 4 1 5', head: 1, part: 'k' })
  setImportedModel(await openModel(files))
  const { page, complaints, close } = await open({ language }, { before: watchCanvases })
  await importFiles(page, paths)
  await page.evaluate(link => { location.hash = link }, toHash(state))
  await page.waitForFunction(() => document.querySelector('.house-now')?.textContent.includes('3 1 4 1 5'))
  await walkThrough(t, { page, state, run: runInNode(state) }, place)
  assert.deepEqual(complaints, [])
  await close()
  await rm(folder, { recursive: true })
}

async function walkThrough(t, { page, state, run }, { i, walks }) {
  const { readRoom, pinCell } = await createReader(page, PLACES)
  const rooms = roomsOf(run)
  const house = createTextView(run, state, rooms, code)
  // The plot of a rotated pair is not compared here; import.test.js compares its matrices.
  const part = partUnlessLong(firstOfEachKind(rooms), 3 * i, 3 * walks)
  // The map of patches is there with another text only.
  const selectedRooms = rooms.filter(room => (
    room.stage === 'patching' ? state.other : part.includes(room) && room.stage !== 'rotary'))
  let [count, inspectorCount] = [0, 0]
  for (const [at, room] of selectedRooms.entries()) {
    const view = { ...house, room }
    const here = await readRoom(room.id, LOOKS)
    here.pages.forEach((pageContent, depth) => { count += comparePage(view, DEPTHS[depth], pageContent) })
    inspectorCount += compareOpening(view, here.inspectorTexts)
    const pinned = await pinCell(STEPS.slice(0, at % (STEPS.length + 1)))
    if (pinned) inspectorCount += comparePinned(view, pinned)
  }
  t.diagnostic(`${selectedRooms.length} of ${rooms.length} rooms, ${count} numbers on the page, ${inspectorCount} in the inspector`)
  run.dispose()
}

test('every model is tested in both languages', () => {
  const tested = WALKS.map(([, language, { model = 'dates' }]) => `${model} ${language}`)
  // laboratory.test.js tests the rooms without a model.
  const derived = READY.filter(({ rooms }) => !rooms)
  for (const { id } of derived) for (const language of ['ko', 'en']) assert.ok(tested.includes(`${id} ${language}`), id)
})

/** Two tests at a time: while one waits for a frame, the other computes. */
describe('every number of the page', { concurrency: 2 }, () => {
  for (const [title, language, changes] of WALKS) {
    const same = WALKS.filter(([, , { model }]) => model === changes.model)
    const place = { i: same.findIndex(([, , walkChanges]) => walkChanges === changes), walks: same.length }
    test(`${title}, ${language}`, t => walkModel(t, completeState({ ...changes, language }), place))
  }
})

/** One test at a time: Node computes with the model that was imported last. */
describe('every number of imported models', () => {
  const items = everyNth(['gpt2', 'bert', 'marian', 't5', 'llama'], 4).flatMap(type => (isLong ? cases(type) : cases(type).slice(0, 1)))
  for (const [at, item] of items.entries()) for (const [i, language] of partUnlessLong([...['ko', 'en'].entries()], at % 2, 2)) {
    test(`${item.name}, ${language}`, t => walkImported(t, [item, language], { i, walks: 2 }))
  }
})
