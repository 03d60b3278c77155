// The command about models in files: what a folder holds, a text as its tokens, and how a model goes on.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gf } from './lib/engine.js'
import { cases, filesOf } from './models/drawn.js'

const CLI = fileURLToPath(new URL('../src/js/cli.js', import.meta.url))
const run = (args, input = '') => spawnSync(process.execPath, [CLI, ...args], { input, encoding: 'utf8' })
const [llama] = cases('llama'), files = filesOf(llama)
const tokenizer = gf.text.trainBPE('a tale of two tails, a tale of two tails', { vocabSize: 270 })
let folder

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glassformer-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
})
after(() => rm(folder, { recursive: true }))

test('inspect says what a folder or its file of weights holds', async () => {
  const { type, parameters, bytes } = gf.models.inspect(files)
  const { stdout, status } = run(['inspect', folder])
  assert.equal(status, 0)
  assert.match(stdout, new RegExp(`^${type}: ${parameters.toLocaleString('en')} parameters, [\\d.]+ KB of memory\n$`))
  const one = JSON.parse(run(['inspect', join(folder, 'model.safetensors'), '--json']).stdout)
  assert.deepEqual([one.type, one.parameters, one.bytes], [type, parameters, bytes])
})

test('what is missing is named, with exit code 1', async () => {
  const broken = await mkdtemp(join(tmpdir(), 'glassformer-')), key = llama.tensors[1][0]
  const without = all => Object.fromEntries(Object.entries(all).filter(([name]) => name !== key))
  const rest = filesOf(llama, { change: without })
  for (const [name, content] of Object.entries(rest)) await writeFile(join(broken, name), content)
  const { stdout, status } = run(['inspect', broken])
  assert.equal(status, 1)
  assert.match(stdout, new RegExp(`missing\n  ${key.replace(/^model\./, '').replaceAll('.', '\\.')}\n`))
  await rm(broken, { recursive: true })
})

test('generate goes on as the library does, from ids without a tokenizer', async () => {
  const { model } = await gf.models.load(files)
  const { stdout, status, stderr } = run(['generate', folder, '1 2 3', '--max-new-tokens', '4', '--json'])
  assert.equal(status, 0, stderr)
  const [{ ids, text }] = JSON.parse(stdout)
  assert.deepEqual([text, ids], ['1 2 3', model.generate([1, 2, 3], { maxNewTokens: 4 })])
  const drawn = seed => run(['generate', folder, '1 2', '--temperature', '2', '--seed', seed, '--json']).stdout
  assert.equal(drawn('5'), drawn('5'))
  assert.notEqual(drawn('5'), drawn('6'))
})

test('what is written stands behind the text as one text', async () => {
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  const { model } = await gf.models.load({ ...files, 'tokenizer.json': JSON.stringify(tokenizer) })
  const { ids } = tokenizer.encode('!', { special: true }), added = model.generate(ids, { maxNewTokens: 3 })
  const { stdout } = run(['generate', folder, '!', '--max-new-tokens', '3'])
  assert.equal(stdout, `${tokenizer.decode([...ids, ...added])}\n`)
  await rm(join(folder, 'tokenizer.json'))
})

test('tokenize gives tokens, ids and offsets', async () => {
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  const { stdout } = run(['tokenize', folder, '--json'], 'two tales\n각\n')
  const expected = ['two tales', '각'].map(text => tokenizer.encode(text, { special: true }))
  assert.deepEqual(JSON.parse(stdout), JSON.parse(JSON.stringify(expected)))
  assert.match(run(['tokenize', folder, 'two']).stdout, / \| |^\S+\n[\d ]+\n$/)
  await rm(join(folder, 'tokenizer.json'))
})

test('a file that belongs to no model is asked about alone', async () => {
  const other = join(folder, 'package.json')
  await writeFile(other, '{}')
  const { status, stdout } = run(['inspect', other])
  assert.deepEqual([status, stdout], [1, 'problems\n  models: config.json is missing among package.json\n'])
  await rm(other)
})

test('misuse: exit code 2, a reason and where help is', () => {
  const cases = [
    [['inspect'], 'folder of a model is missing'], [['inspect', '/no/such/place'], "no file or folder '/no/such/place'"],
    [['generate', folder, 'a', '--top-k', 'many'], '--top-k must be a number'],
    [['inspct', folder], "no command 'inspct'; did you mean inspect?"],
    [['generate', folder, 'a', '--maxNewTokens', '3'], 'did you mean --max-new-tokens?']
  ]
  for (const [args, reason] of cases) {
    const { status, stderr, stdout } = run(args)
    assert.deepEqual([status, stdout], [2, ''], `${args}: ${stderr}`)
    assert.ok(stderr.includes(reason) && stderr.includes("try 'glassformer --help'"), stderr)
  }
})
