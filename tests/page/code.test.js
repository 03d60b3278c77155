import assert from 'node:assert/strict'
import { readFile, readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { collectCode } from '../../web/code/collect.js'
import { extract } from '../../web/code/extract.js'
import { SOURCES } from '../../web/code/sources.js'
import { highlight } from '../../web/lib/highlight.js'
import { READY } from '../../web/models/index.js'
import { run as runOwn } from '../../web/models/imported/run.js'
import { openModel } from '../lib/imported_models.js'
import { gf } from '../lib/engine.js'
import { makeRun } from '../lib/page.js'
import { cases, filesOf } from '../models/golden_models.js'

const src = path => new URL(`../../src/${path}`, import.meta.url)

/** Operations that no model of the page uses. Those of the tables have their names in front of their line. */
const NOT_SHOWN = ['to', 'cumsum', 'nonzero', 'nll_loss', 'prod', 'rounded', 'order', 'where']

test('every operation has code, and every named function exists', async () => {
  const files = await readdir(src('js/ops'))
  const texts = await Promise.all(files.map(file => readFile(src(`js/ops/${file}`), 'utf8')))
  const ops = texts.flatMap(text => [...text.matchAll(/^ {2}name: '(\w+)'/gm)].map(match => match[1]))
  assert.deepEqual(ops.filter(op => !SOURCES[op]), NOT_SHOWN)
  const code = await collectCode()
  for (const [op, { c, js, torch }] of Object.entries(code)) {
    assert.ok(js.length > 0 && torch, op)
    assert.ok(c.length > 0 || ['reshape', 'narrow', 'clone'].includes(op), op)
    for (const piece of [...c, ...js]) {
      const text = await readFile(src(piece.file.slice(4)), 'utf8'), sourceLines = text.split('\n').slice(piece.line - 1)
      const margin = ' '.repeat(sourceLines[0].search(/\S/))
      const flush = sourceLines.map(line => (line.startsWith(margin) ? line.slice(margin.length) : line)).join('\n')
      assert.equal(flush.indexOf(piece.code), 0, piece.file)
      assert.match(piece.code, /^\S/, `${piece.file}:${piece.line} begins at the left edge`)
      assert.match(piece.code, /[})]\n?;?$/, `${piece.file}:${piece.line} ends with its closing brace`)
      const [open, close] = ['{', '}'].map(sign => piece.code.split(sign).length)
      assert.equal(open, close, `${piece.file}:${piece.line}`)
    }
  }
})

test('the code of attention includes its mask, in every language', async () => {
  const { attention: { c, js, torch } } = await collectCode(), listingsOf = pieces => pieces.map(({ code }) => code).join('\n')
  assert.match(listingsOf(c), /apply_mask\(.*\{[^}]*-GF_INFINITY/s)
  assert.match(listingsOf(js), /function additiveMask/)
  assert.match(torch, /masked_scores = scores\.masked_fill/)
})

/** Operations of a run that have no code. */
function withoutCode({ run }) {
  const ops = new Set(run.names.map(name => run.describe(name).op))
  run.dispose()
  assert.ok(ops.size > 5)
  return [...ops].filter(op => op !== null && !SOURCES[op])
}

for (const { id } of READY) test(`${id}: every operation has its code`, () => {
  assert.deepEqual(withoutCode(makeRun({ model: id })), [])
})

test('every operation of imported models has code', async () => {
  for (const item of ['gpt2', 'bert', 'marian', 't5', 'llama'].flatMap(cases)) {
    const model = await openModel(filesOf(item))
    assert.deepEqual(withoutCode(runOwn(gf, { beginning: '3 1 4' }, [], [model])), [], item.name)
  }
})

test('a function is extracted with its comment; calls and declarations do not match', () => {
  const text = [
    '/* file */', '', 'void scale(float *x, int n);', '',
    '/* doubles', ' * x */', 'void scale(float *x,', '           int n) {',
    '  for (int i = 0; i < n; i++) x[i] *= 2;', '}', '', 'static int one(void) { return 1; }', 'const two = () => ({',
    '  a: 2', '})', 'int use(void) {', '  scale(x, 1);', '}'
  ].join('\n')
  assert.deepEqual(extract(text, 'scale'), { code: text.split('\n').slice(4, 10).join('\n'), line: 5 })
  assert.equal(extract(text, 'one').code, 'static int one(void) { return 1; }')
  assert.equal(extract(text, 'two').code, 'const two = () => ({\n  a: 2\n})')
  assert.equal(extract(text, 'none'), null)
})

test('highlighting does not change the text', async () => {
  const code = await collectCode()
  for (const { c, js } of Object.values(code)) {
    for (const piece of [...c, ...js]) assert.equal(highlight(piece.code).map(({ text }) => text).join(''), piece.code)
  }
  assert.deepEqual(highlight('int a = 2; // b').map(({ kind }) => kind), ['word', null, 'number', null, 'comment'])
  assert.deepEqual(highlight('a // 2 # b', 'python').map(({ kind }) => kind), [null, 'number', null, 'comment'])
})
