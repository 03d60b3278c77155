// Every snippet of README and of the documents runs as it stands, those of one document together, in a folder with a
// small GPT-2 and a text.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { FAMILIES } from '../../src/js/models/families/index.js'

const ROOT = fileURLToPath(new URL('../..', import.meta.url)), DOCS = 'web/docs'
const MARKDOWN = [
  'README.md', 'README.ko.md', 'CHANGELOG.md', '.github/CONTRIBUTING.md', '.github/SECURITY.md',
  ...readdirSync(join(ROOT, DOCS)).filter(name => name.endsWith('.md')).map(name => `${DOCS}/${name}`)
]
const read = name => readFileSync(join(ROOT, name), 'utf8')
const blocks = (name, language) =>
  [...read(name).matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code)
const folder = mkdtempSync(join(tmpdir(), 'glassformer-'))

before(() => {
  const [, madeUp] = /(function madeUp\(\) \{[^]*?\n\})/.exec(read('web/examples/load_gpt2.js'))
  mkdirSync(join(folder, 'gpt2'))
  writeFileSync(join(folder, 'poems.txt'), 'The cat sat on the mat.\nThe dog ran to the cat.\n'.repeat(40))
  writeFileSync(join(folder, 'make.mjs'), `import { load } from '${ROOT}src/js/index.js'
import { writeFileSync } from 'node:fs'
const gf = await load()
${madeUp}
for (const [name, content] of Object.entries(madeUp())) writeFileSync('gpt2/' + name, content)`)
  execFileSync(process.execPath, ['make.mjs'], { cwd: folder })
})
after(() => rmSync(folder, { recursive: true }))

for (const name of MARKDOWN.filter(one => blocks(one, 'js').length)) test(`${name}: its JavaScript runs`, () => {
  const code = blocks(name, 'js').join('\n').replace("'glassformer'", `'${ROOT}src/js/index.js'`)
  assert.match(code, /^import \{ load \}/, 'the first snippet begins with the import')
  writeFileSync(join(folder, 'snippet.mjs'), code)
  execFileSync(process.execPath, ['snippet.mjs'], { cwd: folder })
})

test('the kernels compile without the library, as the C example says', () => {
  const name = `${DOCS}/architecture.md`, [code] = blocks(name, 'c'), [command] = /clang [^`]*/.exec(read(name))
  writeFileSync(join(folder, 'weights.c'), code)
  const out = join(folder, 'weights')
  execFileSync('sh', ['-c', `${command.replace('weights.c', `${out}.c`)} -o ${out}`], { cwd: ROOT })
  assert.equal(execFileSync(out, { encoding: 'utf8' }), '0.0900 0.2447 0.6652\n0.3333 0.3333 0.3333\n')
})

test('the export guide writes its files', () => {
  for (const name of ['model.safetensors', 'model.py', 'model.onnx']) assert.ok(readFileSync(join(folder, name)).length)
})

test('the lines for a terminal', () => {
  const lines = MARKDOWN.flatMap(name => blocks(name, 'sh')).join('').split('\n').filter(line => (
    // A server does not end: tests/cli_serve.test.js.
    line.includes('npx glassformer') && !line.includes(' serve ')))
  assert.ok(lines.length >= 8)
  for (const line of lines) {
    const command = line.replace('npx glassformer', `"${process.execPath}" "${ROOT}src/cli/index.js"`).replace('--steps 500', '--steps 20')
    const printed = execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })
    assert.ok(printed.length > 20, line)
  }
})

test('links between documents lead to files that are there', () => {
  for (const name of MARKDOWN) {
    for (const [, target] of read(name).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)) {
      assert.ok(existsSync(resolve(ROOT, dirname(name), target)), `${name}: ${target}`)
    }
  }
})

test('README is short, and says the same in both languages', () => {
  for (const name of ['README.md', 'README.ko.md']) assert.ok(read(name).split('\n').length <= 121, name)
  const parts = name => [...read(name).matchAll(/^(#+|\||```)/gm)].map(([, mark]) => mark)
  assert.deepEqual(parts('README.ko.md'), parts('README.md'))
  const numbers = name => [...read(name).matchAll(/\d+(?:\.\d+)?/g)].map(([number]) => number).sort()
  const own = new Set(numbers('README.md'))
  for (const number of numbers('README.ko.md')) assert.ok(own.has(number), `README.ko.md: ${number}`)
})

test('the documents count the kinds of models that open', () => {
  const counts = {
    'README.md': `${FAMILIES.length} model types`, 'README.ko.md': `${FAMILIES.length}가지 \`model_type\``,
    'CHANGELOG.md': `${FAMILIES.length} kinds of decoders`, 'web/docs/limits.md': `${FAMILIES.length} kinds of models`
  }
  for (const [name, count] of Object.entries(counts)) assert.ok(read(name).includes(count), `${name}: ${count}`)
})
