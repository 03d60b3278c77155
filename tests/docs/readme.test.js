// Every snippet of the README runs as it stands, one after the other, in a folder with a small GPT-2 and a text.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
const blocks = language => [...readme.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, 'g'))].map(([, code]) => code)
const folder = mkdtempSync(join(tmpdir(), 'glassformer-'))

before(() => {
  const made = readFileSync(join(ROOT, 'web/examples/load_gpt2.js'), 'utf8')
  const [, madeUp] = /(function madeUp\(\) \{[^]*?\n\})/.exec(made)
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

test('the snippets in JavaScript', () => {
  const [first, ...rest] = blocks('js')
  assert.ok(rest.length >= 2)
  const lines = first.replace("'glassformer'", `'${ROOT}src/js/index.js'`)
  const files = `import { openAsBlob, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
const text = readFileSync('gpt2/config.json', 'utf8'), more = readFileSync('gpt2/tokenizer.json', 'utf8')
const blob = await openAsBlob('gpt2/model.safetensors')
`
  writeFileSync(join(folder, 'all.mjs'), files + [lines, ...rest].join('\n'))
  execFileSync(process.execPath, ['all.mjs'], { cwd: folder })
  for (const name of ['model.safetensors', 'model.py', 'model.onnx']) assert.ok(readFileSync(join(folder, name)).length)
})

test('the lines for a terminal', () => {
  const lines = blocks('sh').join('').split('\n').filter(line => line.includes('npx glassformer'))
  assert.ok(lines.length >= 7)
  for (const line of lines) {
    const command = line.replace('npx glassformer', `"${process.execPath}" "${ROOT}src/js/cli.js"`).replace('--steps 500', '--steps 20')
    const said = execFileSync('sh', ['-c', command], { cwd: folder, encoding: 'utf8' })
    assert.ok(said.length > 20, line)
  }
})
