// The notebooks of the page: every number that the sources printed is made again, and they can be taken away.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { roomSettings } from '../../web/notebooks/room_settings.js'
import { compareOutput } from '../../web/notebooks/compare.js'
import { DOCUMENTS, ITEMS } from '../../web/notebooks/documents/index.js'
import { formatPrinted } from '../../web/notebooks/print.js'
import { toScript } from '../../web/notebooks/script.js'
import { toJupyter, toModule } from '../../web/notebooks/export_notebook.js'
import { defaults } from '../../web/models/state.js'
import { LANGUAGES } from '../../web/words/index.js'
import { loadNotebookTexts } from '../../web/words/parts.js'
import { loadGolden } from '../golden/index.js'
import { gf } from '../lib/engine.js'
import { runDocument } from '../lib/notebook.js'

const { items } = loadGolden('seeds')
const root = new URL('../../', import.meta.url)

test('the page has every number of the golden data, each at one cell', () => {
  const own = [...ITEMS.values()]
  assert.deepEqual(own.map(({ id }) => id), items.map(({ id }) => id))
  for (const item of items) {
    for (const key of ['printed', 'shape', 'style', 'decimals', 'value', 'reproduced']) {
      assert.deepEqual(ITEMS.get(item.id)[key], item[key], `${item.id} ${key}`)
    }
  }
  const placed = DOCUMENTS.flatMap(({ cells }) => cells.flatMap(({ prints }) => prints))
  assert.deepEqual([...placed].sort(), items.map(({ id }) => id).sort())
})

for (const document of DOCUMENTS) {
  test(`notebook ${document.id} prints the numbers of its source`, async () => {
    const outputs = await runDocument(document)
    document.cells.forEach(({ prints }, i) => prints.forEach((id, n) => {
      const wrong = compareOutput(ITEMS.get(id), outputs[i][n]).filter(({ agrees }) => !agrees)
      assert.deepEqual(wrong, [], `${id}: ${outputs[i][n]?.text}`)
    }))
  })

  test(`notebook ${document.id} exports to Jupyter, and to a module that Node runs`, async () => {
    const { nbformat, cells } = JSON.parse(toJupyter(document, await loadNotebookTexts('ko', document.id)))
    assert.equal(nbformat, 4)
    assert.equal(cells.filter(cell => cell.cell_type === 'code').length, document.cells.length)
    assert.equal(cells.filter(({ cell_type: type, source }) => type === 'code' && source.join('') === document.cells[0].py)
      .length, 1)
    const folder = new URL('build/notebooks/', root), file = new URL(`${document.id}.mjs`, folder)
    await mkdir(folder, { recursive: true })
    await writeFile(file, toModule(document, await loadNotebookTexts('en', document.id)))
    const { stdout } = await promisify(execFile)(process.execPath, [fileURLToPath(file)], { maxBuffer: 2 ** 24 })
    await rm(file)
    const outputs = (await runDocument(document)).flat()
    const isTimed = text => / ms$/.test(text)
    for (const { text } of outputs) assert.ok(isTimed(text) || stdout.includes(text), text.slice(0, 200))
  })
}

test('different numbers are not considered equal', () => {
  const item = ITEMS.get('002.div_term')
  const made = numbers => compareOutput(item, { numbers }).map(({ agrees }) => agrees)
  assert.deepEqual(made([1, 0.1, 0.01, 0.001]), [true, true, true, true])
  assert.deepEqual(made([1, 0.1001, 0.01]), [true, false, true, false])
  assert.deepEqual(compareOutput(ITEMS.get('004.input_ids'), { numbers: [], value: [0, 1, 2, 3, 5] })[0].agrees, false)
  assert.ok(compareOutput(ITEMS.get('004.layer_norm_mean'), { numbers: Array(5).fill(1e-3) }).every(({ agrees }) => !agrees))
})

test('numbers in a list are counted one by one, words are not counted', () => {
  const counted = (id, value) => compareOutput(ITEMS.get(id), { numbers: [], value })[0]
  const right = counted('004.input_ids', [0, 1, 2, 3, 4])
  assert.deepEqual([right.count, right.same, right.agrees], [5, 5, true])
  const wrong = counted('004.input_ids', [0, 1, 2, 3, 5])
  assert.deepEqual([wrong.count, wrong.same, wrong.agrees], [5, 4, false])
  assert.equal(counted('004.shapes_embedding', [[1, 5, 16], [1, 5, 16]]).count, 6)
  assert.deepEqual([counted('004.tokens', []).count, counted('004.str2idx', {}).count], [0, 5])
})

test('every language has a title, a source and a text for each cell of every document', async () => {
  for (const language of Object.keys(LANGUAGES)) for (const { id, cells } of DOCUMENTS) {
    const texts = await loadNotebookTexts(language, id)
    assert.ok([texts.title, texts.source, ...texts.cells].every(text => text.length > 5), `${language} ${id}`)
    assert.equal(texts.cells.length, cells.length)
  }
})

const state = defaults('positions')

test('a cell links to its room with the settings in its code, including the reader\'s changes', () => {
  for (const document of DOCUMENTS) {
    const codes = document.cells.map(({ js }) => js)
    document.cells.forEach((cell, i) => {
      assert.deepEqual(roomSettings(document, i, codes, state), cell.state ?? {})
      for (const [key, [from, where]] of Object.entries(cell.carries ?? {})) {
        const [whole, text] = where.exec(codes[from]) ?? []
        assert.ok(text, `${document.id} ${i} ${key}`)
        if (cell.state?.[key] !== undefined) assert.equal(String(cell.state[key]), text, `${document.id} ${i} ${key}`)
        const other = key === 'sequence' ? 'one two' : key === 'dropout' ? 0.5 : key === 'base' ? 777 : 12
        const at = whole.lastIndexOf(text), changed = whole.slice(0, at) + other + whole.slice(at + text.length)
        const edited = codes.with(from, codes[from].replace(whole, changed))
        assert.equal(roomSettings(document, i, edited, state)[key], other, `${document.id} ${i} ${key}`)
      }
    })
  }
})

test('values that a room does not accept are not passed to it', () => {
  const [first] = DOCUMENTS, codes = first.cells.map(({ js }) => js)
  const edited = codes.with(2, codes[2].replace('Encoding(10, 4, { base: 1000', 'Encoding(10, 7, { base: 500'))
  assert.deepEqual(roomSettings(first, 2, edited, state), { dModel: 4, base: 500 })
})

test('tensors are printed as in PyTorch', () => {
  const write = (values, options, more) => formatPrinted(gf.tensor(values, more), options).text
  assert.equal(write([1, 2.5]), 'tensor([1.0000, 2.5000])')
  assert.equal(write([1, -2]), 'tensor([ 1., -2.])')
  assert.equal(write([0, 0]), 'tensor([0., 0.])')
  assert.equal(write([1, 0.0001]), 'tensor([1.0000e+00, 1.0000e-04])')
  assert.equal(write([NaN, -Infinity, 1]), 'tensor([nan, -inf, 1.])')
  assert.equal(write(3.25), 'tensor(3.2500)')
  assert.equal(write([[0], [10]], {}, { dtype: 'int32' }), 'tensor([[ 0],\n        [10]])')
  assert.equal(write([0.5], {}, { dtype: 'float64' }), 'tensor([0.5000], dtype=torch.float64)')
  // A range wide enough for scientific notation keeps its width where that is switched off.
  assert.equal(write([0.28, -0.0001], { precision: 2, sciMode: false }), 'tensor([     0.28,     -0.00])')
  const cut = formatPrinted(gf.zeros([2, 1000])).text
  assert.equal(cut, 'tensor([[0., 0., 0.,  ..., 0., 0., 0.],\n        [0., 0., 0.,  ..., 0., 0., 0.]])')
  assert.equal(formatPrinted({ a: [1, 'b'], 0: true }).text, "{0: True, 'a': [1, 'b']}")
})

test('variables outlive their cell, and imports are refused', () => {
  assert.equal(toScript('const a = 1\n  const b = 2\nclass C {}'), 'var a = 1\n  const b = 2\nvar C = class C {}\n;undefined')
  for (const code of ["import('x')", "import 'x'", 'await import /* */ ("x")', '[import.meta]']) {
    assert.throws(() => toScript(code), /cannot import/, code)
  }
  assert.doesNotThrow(() => toScript('important.import'))
})
