import assert from 'node:assert/strict'
import { test } from 'node:test'
import { scale, signed } from '../../web/lib/color.js'
import { fileName, spelled, toArray, toCsv } from '../../web/lib/export.js'
import { fixed } from '../../web/lib/number.js'
import { slice } from '../../web/lib/slice.js'
import { figureSvg } from '../../web/lib/svg.js'

const VALUES = [0.1, -0, 1e-42, -Infinity, NaN, 16777216, -1.5e-7, 3.4028234663852886e38]
const data = Float32Array.from([...VALUES, ...VALUES])
const tensor = { name: 'self_attn.scores', shape: [2, 1, 2, 4], axes: [], data }
const part = slice(tensor, { row: 2, col: 3, fixed: [1, 0], rowLabels: ['a,b', '나 "x"'] })
const palette = { paper: '#fff', ink: '#000', muted: '#777', line: '#ccc', accent: '#080' }
const view = { title: 'W_Q^T', cell: { width: 80, height: 28 }, scale: scale(signed(2), 'light'), palette }

test('every bit survives a table and an array, infinities and NaN as each language spells them', () => {
  const read = {
    'np.nan': NaN, 'torch.nan': NaN, nan: NaN, '-np.inf': -Infinity, '-torch.inf': -Infinity, '-inf': -Infinity
  }
  for (const language of ['csv', 'numpy', 'torch', 'js']) {
    part.values.forEach((value) => {
      const text = spelled(value, language), back = Math.fround(text in read ? read[text] : Number(text))
      assert.ok(Object.is(back, value), `${language}: ${text}, ${value}`)
    })
  }
  const array = new Function(`${toArray(part, 'js')}; return self_attn_scores`)()
  assert.ok(array.flat().every((value, i) => Object.is(Math.fround(value), part.values[i])))
})

test('a table has its labels, quoted where they must be', () => {
  const [head, first, second] = toCsv(part).split('\n')
  assert.equal(head, ',0,1,2,3')
  assert.match(first, /^"a,b",0\.1,-0,1e-42,-inf$/)
  assert.match(second, /^"나 ""x""",nan,16777216,/)
})

test('arrays that Python reads', () => {
  assert.equal(toArray(part, 'numpy').split('\n')[1], 'self_attn_scores = np.array([')
  assert.match(toArray(part, 'numpy'), /-np\.inf.*\n.*np\.nan.*\n\], dtype=np\.float32\)\n$/)
  assert.match(toArray(part, 'torch'), /^import torch\n[\s\S]*-torch\.inf[\s\S]*dtype=torch\.float32\)\n$/)
  const ids = slice({ name: 'ids', shape: [1, 2], axes: [], data: Int32Array.of(1, 2) }, { row: 0, col: 1 })
  assert.match(toArray(ids, 'torch'), /\[1, 2\]\n\], dtype=torch\.int64/)
})

test('file names come from the tensor and what is looked at of it', () => {
  assert.equal(fileName(part, 'csv'), 'self_attn.scores-1-0.csv')
  assert.equal(fileName({ ...part, name: 'output:2' }, 'png'), 'output-2-1-0.png')
})

test('a picture has one box and one number for every cell, its title, shape, legend and range', () => {
  const { svg, width, height } = figureSvg({
    title: 'who & <whom>', matrices: [{ part, view }], palette,
    legends: [{ domain: signed(2), scale: view.scale, text: 'scores' }]
  })
  for (const value of part.values) assert.ok(svg.includes(`>${fixed(value)}</text>`), fixed(value))
  const boxes = svg.match(/<rect [^>]*width="80" height="28"/g)
  assert.equal(boxes.length, part.values.length)
  assert.ok(svg.includes(`fill="${view.scale.at(part.values[0]).css}"`))
  for (const text of ['who &amp; &lt;whom>', '2 × 4', '−2.00', '2.00', 'scores', '나 &quot;x&quot;']) {
    assert.ok(svg.includes(text), text)
  }
  assert.ok(width > 200 && height > 100)
  const names = [...svg.matchAll(/<(\/?)(\w+)/g)].map(([, close, name]) => close + name)
  assert.equal(names.filter((name) => name.startsWith('/')).length * 2, names.length)
})
