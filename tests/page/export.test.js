import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createScale, signedDomain } from '../../web/lib/color.js'
import { fileName, numberLiteral, toArray, toCsv } from '../../web/lib/export.js'
import { formatFixed } from '../../web/lib/number.js'
import { slice } from '../../web/lib/slice.js'
import { drawFigure } from '../../web/lib/svg.js'
import { elementCode, embedCode, lessonCode, measureHeight, trainingCode } from '../../web/shell/share.js'

const VALUES = [0.1, -0, 1e-42, -Infinity, NaN, 16777216, -1.5e-7, 3.4028234663852886e38]
const data = Float32Array.from([...VALUES, ...VALUES])
const tensor = { name: 'self_attn.scores', shape: [2, 1, 2, 4], axes: [], data }
const part = slice(tensor, { row: 2, col: 3, fixed: [1, 0], rowLabels: ['a,b', '나 "x"'] })
const palette = { paper: '#fff', ink: '#000', muted: '#777', line: '#ccc', accent: '#080' }
const view = { title: 'W_Q^T', cell: { width: 80, height: 28 }, scale: createScale(signedDomain(2), 'light'), palette }

test('CSV and arrays keep every bit, with infinities and NaN in each language\'s spelling', () => {
  const read = {
    'np.nan': NaN, 'torch.nan': NaN, 'nan': NaN, '-np.inf': -Infinity, '-torch.inf': -Infinity, '-inf': -Infinity
  }
  for (const language of ['csv', 'numpy', 'torch', 'js']) {
    part.values.forEach(value => {
      const text = numberLiteral(value, language), back = Math.fround(text in read ? read[text] : Number(text))
      assert.ok(Object.is(back, value), `${language}: ${text}, ${value}`)
    })
  }
  const array = new Function(`${toArray(part, 'js')}; return self_attn_scores`)()
  assert.ok(array.flat().every((value, i) => Object.is(Math.fround(value), part.values[i])))
})

test('CSV has labels, quoted where necessary', () => {
  const [head, first, second] = toCsv(part).split('\n')
  assert.equal(head, ',0,1,2,3')
  assert.match(first, /^"a,b",0\.1,-0,1e-42,-inf$/)
  assert.match(second, /^"나 ""x""",nan,16777216,/)
})

test('no CSV label is a spreadsheet formula; numbers stay numbers', () => {
  const expected = {
    '=1+1': "'=1+1", '+a': "'+a", '-b': "'-b", '@SUM(A1)': "'@SUM(A1)", '\tx': "'\tx", '\r': '"\'\r"', 'a\rb': '"a\rb"',
    '=A1,"x"': '"\'=A1,""x"""', '-1.5': '-1.5', '+2': '+2', '-3e-5': '-3e-5', '-.5': '-.5', '1-2': '1-2', '-': "'-"
  }
  const rowLabels = Object.keys(expected), colLabels = ['=HYPERLINK("http://a")']
  const table = slice({
    name: 'x', shape: [rowLabels.length, 1], axes: [], data: new Float32Array(rowLabels.length).fill(-1.5)
  }, { row: 0, col: 1, rowLabels, colLabels })
  assert.deepEqual(toCsv(table).split('\n'), [
    ',"\'=HYPERLINK(""http://a"")"', ...Object.values(expected).map(text => `${text},-1.5`), ''
  ])
})

test('embed code has a height in pixels, even where no figure is visible', () => {
  const box = (top, height) => ({ top, height, bottom: top + height })
  assert.equal(measureHeight([box(10, 100), box(300, 50), box(0, 0)]), 340)
  for (const none of [[], [box(0, 0)]]) {
    assert.match(embedCode({ url: 'u', title: 't', height: measureHeight(none) }), / height="680" /)
  }
})

const PLACE = { script: 'https://a/elements.js', language: 'en', url: 'https://a/#x&y', title: 'Q < K' }
/** What is visible where the script does not load. */
const LINK = '<a href="https://a/#x&amp;y">Q &lt; K</a>'

test('element code has its state as an attribute, and a link', () => {
  assert.equal(elementCode({ ...PLACE, state: 'v=1&model=dates&source="x"' }),
    '<script type="module" src="https://a/elements.js"></script>\n' +
    `<glass-figure lang="en" state="v=1&amp;model=dates&amp;source=&quot;x&quot;" controls>${LINK}</glass-figure>`)
})

test('exported arrays are valid Python', () => {
  assert.equal(toArray(part, 'numpy').split('\n')[1], 'self_attn_scores = np.array([')
  assert.match(toArray(part, 'numpy'), /-np\.inf.*\n.*np\.nan.*\n\], dtype=np\.float32\)\n$/)
  assert.match(toArray(part, 'torch'), /^import torch\n[\s\S]*-torch\.inf[\s\S]*dtype=torch\.float32\)\n$/)
  const ids = slice({ name: 'ids', shape: [1, 2], axes: [], data: Int32Array.of(1, 2) }, { row: 0, col: 1 })
  assert.match(toArray(ids, 'torch'), /\[1, 2\]\n\], dtype=torch\.int64/)
})

test('file names contain the tensor and the displayed indices', () => {
  assert.equal(fileName(part, 'csv'), 'self_attn.scores-1-0.csv')
  assert.equal(fileName({ ...part, name: 'output:2' }, 'png'), 'output-2-1-0.png')
  assert.equal(fileName(part, 'svg', 'twin'), 'self_attn.scores-1-0-twin.svg')
})

test('a picture has one box and one number for every cell, its title, shape, legend and range', () => {
  const { svg, width, height } = drawFigure({
    title: 'who & <whom>', matrices: [{ part, view }], palette,
    legends: [{ domain: signedDomain(2), scale: view.scale, text: 'scores' }]
  })
  for (const value of part.values) assert.ok(svg.includes(`>${formatFixed(value)}</text>`), formatFixed(value))
  const boxes = svg.match(/<rect [^>]*width="80" height="28"/g)
  assert.equal(boxes.length, part.values.length)
  assert.ok(svg.includes(`fill="${view.scale.at(part.values[0]).css}"`))
  for (const text of ['who &amp; &lt;whom>', '2 × 4', '−2.00', '2.00', 'scores', '나 &quot;x&quot;']) {
    assert.ok(svg.includes(text), text)
  }
  assert.ok(width > 200 && height > 100)
  const names = [...svg.matchAll(/<(\/?)(\w+)/g)].map(([, close, name]) => close + name)
  assert.equal(names.filter(name => name.startsWith('/')).length * 2, names.length)
})

test('a picture marks the cell that the reader has chosen', () => {
  /** The borders around cells. @param {object} [chosen] */
  const findMarks = chosen => drawFigure({ title: 'x', matrices: [{ part, view, chosen }], palette, legends: [] }).svg
    .match(/<rect [^>]*fill="none"[^>]*stroke-width="2"[^>]*>/g)
  assert.equal(findMarks(), null)
  const [mark, ...others] = findMarks({ row: 1, col: 2 })
  assert.deepEqual(others, [])
  assert.match(mark, /x="160" y="28" width="80" height="28"/)
})

test('a negative cell without room for its number has a dash, and the note explains it', () => {
  const small = { ...view, cell: { width: 20, height: 20 } }
  const { svg } = drawFigure({ title: 'x', matrices: [{ part, view: small }], palette, legends: [], note: 'dash < 0' })
  const dashes = svg.match(/<rect [^>]*height="1"[^>]*opacity="0.6"/g)
  assert.equal(dashes.length, [...part.values].filter(value => value < 0 && value > -Infinity).length)
  assert.ok(dashes.length > 0)
  assert.ok(svg.includes('dash &lt; 0'))
})

const many = (rows, cols, height, more) => {
  const values = new Float32Array(rows * cols)
  const all = slice({ name: 'w', shape: [rows, cols], axes: [], data: values }, { row: 0, col: 1 })
  return { part: { ...all, ...more }, view: { ...view, title: 'M', cell: { width: 20, height } } }
}
const drawSvg = (matrices, more) => drawFigure({ title: 'what', matrices, legends: [], palette, ...more }).svg

test('labels of low rows and narrow columns are thinned out, as on the page', () => {
  const names = Array.from({ length: 32 }, (_, i) => `row${i}`)
  const rows = height => drawSvg([many(32, 2, height, { rowLabels: names })]).match(/>row\d+</g).length
  assert.deepEqual([rows(14), rows(5), rows(3)], [32, 11, 7])
  const columns = width => {
    const { part: narrow, view: exportView } = many(2, 32, 20, { colLabels: names })
    return drawSvg([{ part: narrow, view: { ...exportView, cell: { width, height: 20 } } }]).match(/>row\d+</g).length
  }
  assert.deepEqual([columns(20), columns(14), columns(7)], [32, 16, 11])
})

test('the origin of the figure is below its title', () => {
  const subtitle = 'encoder · scores · head 0'
  assert.match(drawSvg([many(2, 2, 20)], { subtitle }), new RegExp(`>${subtitle}</text>`))
})

test('a product is laid out by hand: right factor above, left factor at the left, result where they cross', () => {
  const [left, right, bias, product] = [[3, 4], [4, 5], [1, 5], [3, 5]].map(([rows, cols]) => many(rows, cols, 15))
  const svg = drawSvg([{ left, right, bias, product }])
  const moves = [...svg.matchAll(/translate\((\S+) (\S+)\)/g)].map(([, x, y]) => [Number(x), Number(y)])
  const places = moves.slice(4, -1)
  const [r, l, b, p] = [0, 2, 4, 6].map(i => [0, 1].map(at => places[i][at] + places[i + 1][at]))
  assert.ok(r[0] === p[0] && b[0] === p[0], `columns: ${r}, ${b}, ${p}`)
  assert.ok(l[1] === p[1] && l[0] + 4 * 20 < p[0], `rows: ${l}, ${p}`)
  assert.ok(r[1] + 4 * 15 < b[1] && b[1] + 15 < p[1], `one below the other: ${r}, ${b}, ${p}`)
})

test('the code of a lesson has the step, from 1', () => {
  assert.equal(lessonCode({ ...PLACE, lesson: 'softmax', at: 0 }).split('\n')[1],
    `<glass-lesson lang="en" lesson="softmax" step="1">${LINK}</glass-lesson>`)
})

test('the code of a training has its settings as an element reads them', () => {
  const code = theatre => trainingCode({ ...PLACE, theatre }).split('\n')[1]
  assert.equal(code('dates'), `<glass-training lang="en" task="dates">${LINK}</glass-training>`)
  assert.equal(code('dates_rate-1e-7_steps-300_vs-rate-1'),
    `<glass-training lang="en" task="dates" settings="rate=1e-7&amp;steps=300">${LINK}</glass-training>`)
})
