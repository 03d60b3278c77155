// The commands for models in files: inspect, tokenize, generate, convert and train.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { marianFiles, translatorFiles } from './lib/imported_models.js'
import { gf } from './lib/engine.js'
import { cases, filesOf } from './models/golden_models.js'
import { hashText } from '../src/training/custom_text.js'
import { createSession } from '../src/training/session.js'
import { read } from '../src/training/settings.js'

const CLI = fileURLToPath(new URL('../src/cli/index.js', import.meta.url))
const run = (args, input = '') => spawnSync(process.execPath, [CLI, ...args], { input, encoding: 'utf8' })
const [llama] = cases('llama'), files = filesOf(llama)
const tokenizer = gf.text.trainBPE('a tale of two tails, a tale of two tails', { vocabSize: 270 })
let folder

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'glassformer-'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
})
after(() => rm(folder, { recursive: true }))

test('inspect describes a folder or its file of weights', async () => {
  const { type, parameters, bytes } = gf.models.inspect(files)
  const { stdout, status } = run(['inspect', folder])
  assert.equal(status, 0)
  assert.match(stdout, new RegExp(`^${type}: ${parameters.toLocaleString('en')} parameters, [\\d.]+ KB of memory\n$`))
  const one = JSON.parse(run(['inspect', join(folder, 'model.safetensors'), '--json']).stdout)
  assert.deepEqual([one.type, one.parameters, one.bytes], [type, parameters, bytes])
})

test('inspect names what is missing and exits with code 1', async () => {
  const broken = await mkdtemp(join(tmpdir(), 'glassformer-')), key = llama.tensors[1][0]
  const without = all => Object.fromEntries(Object.entries(all).filter(([name]) => name !== key))
  const rest = filesOf(llama, { change: without })
  for (const [name, content] of Object.entries(rest)) await writeFile(join(broken, name), content)
  const { stdout, status } = run(['inspect', broken])
  assert.equal(status, 1)
  assert.match(stdout, new RegExp(`missing\n  ${key.replace(/^model\./, '').replaceAll('.', '\\.')}\n`))
  await rm(broken, { recursive: true })
})

test('generate continues as the library does, from ids without a tokenizer', async () => {
  const { model } = await gf.models.load(files)
  const { stdout, status, stderr } = run(['generate', folder, '1 2 3', '--max-new-tokens', '4', '--json'])
  assert.equal(status, 0, stderr)
  const [{ ids, text }] = JSON.parse(stdout)
  assert.deepEqual([text, ids], ['1 2 3', model.generate([1, 2, 3], { maxNewTokens: 4 })])
  const drawn = seed => run(['generate', folder, '1 2', '--temperature', '2', '--seed', seed, '--json']).stdout
  assert.equal(drawn('5'), drawn('5'))
  assert.notEqual(drawn('5'), drawn('6'))
})

test('explain prints the next token, the parts that sum to its logit, and the tokens', async () => {
  const { stdout, status, stderr } = run(['explain', folder, '1 2 3', '--json'])
  assert.equal(status, 0, stderr)
  const [{ ids, next, parts, total, attribution }] = JSON.parse(stdout), { model } = await gf.models.load(files)
  assert.deepEqual([ids, [next.id]], [[1, 2, 3], model.generate([1, 2, 3], { maxNewTokens: 1 })])
  const logit = gf.tidy(() => gf.noGrad(() => model.forward([[1, 2, 3]]).logits.at(0, 2, next.id)))
  const sum = values => values.reduce((all, value) => all + value, 0)
  assert.ok(Math.abs(total - logit) < 1e-5 && Math.abs(sum(parts.map(({ value }) => value)) - logit) < 1e-5)
  assert.ok(Math.abs(attribution.baseline + sum(attribution.values) + attribution.gap - total) < 1e-5)
  assert.deepEqual([attribution.values.length, Math.abs(attribution.gap) < 1e-3], [3, true])
  const lines = run(['explain', folder, '1 2 3', '--top', '2', '--method', 'occlusion']).stdout.split('\n')
  assert.equal(lines[0], '1 | 2 | 3')
  assert.match(lines[1], new RegExp(`^next: ${next.id}  [\\d.]+ %, logit ${total.toFixed(3)}$`))
  const largest = parts.reduce((best, part) => (Math.abs(part.value) > Math.abs(best.value) ? part : best))
  assert.ok(lines[4].includes(largest.name) && lines[4].includes(Math.abs(largest.value).toFixed(3)), lines[4])
  assert.match(lines[6], new RegExp(`^  ${parts.length - 2} others  +[+−][\\d.]+$`))
  assert.match(lines[8], /^tokens, by occlusion: /)
  const other = (next.id + 1) % 5
  assert.match(run(['explain', folder, '1 2 3', '--against', String(other)]).stdout, new RegExp(`logit − that of ${other}: `))
  assertRefused(['explain', folder, '1 2', '--against', '1000000'], 'against must be an integer from 0 to 10, got 1000000')
})

test('explain needs a decoder', async () => {
  const other = await mkdtemp(join(tmpdir(), 'glassformer-'))
  for (const [name, content] of Object.entries(translatorFiles())) await writeFile(join(other, name), content)
  assertRefused(['explain', other, 'a'], 'the model must be a decoder that continues texts, got ')
  await rm(other, { recursive: true })
})

test("finds the tokenizer of a folder like opus-mt's", async () => {
  const opus = await mkdtemp(join(tmpdir(), 'glassformer-')), own = marianFiles()
  for (const [name, content] of Object.entries(own)) await writeFile(join(opus, name), content)
  const { stdout, status, stderr } = run(['generate', opus, 'The weights', '--max-new-tokens', '3', '--json'])
  assert.equal(status, 0, stderr)
  const { model, tokenizer } = await gf.models.load(own)
  const { ids } = tokenizer.encode('The weights', { special: true })
  assert.deepEqual(JSON.parse(stdout)[0].ids, model.generate(ids, { maxNewTokens: 3 }))
  await rm(opus, { recursive: true })
})

test('generate decodes the answer of a translator by the vocabulary of its targets', async () => {
  const opus = await mkdtemp(join(tmpdir(), 'glassformer-')), own = translatorFiles()
  for (const [name, content] of Object.entries(own)) await writeFile(join(opus, name), content)
  const { stdout, status, stderr } = run(['generate', opus, 'The weights', '--max-new-tokens', '3'])
  assert.equal(status, 0, stderr)
  const { model, tokenizer } = await gf.models.load(own)
  const { ids } = tokenizer.encode('The weights', { special: true })
  assert.equal(stdout, `The weights ${tokenizer.target.decode(model.generate(ids, { maxNewTokens: 3 }))}\n`)
  await rm(opus, { recursive: true })
})

test('generate decodes the continuation together with the text', async () => {
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  const { model } = await gf.models.load({ ...files, 'tokenizer.json': JSON.stringify(tokenizer) })
  const { ids } = tokenizer.encode('!', { special: true }), added = model.generate(ids, { maxNewTokens: 3 })
  const { stdout } = run(['generate', folder, '!', '--max-new-tokens', '3'])
  assert.equal(stdout, `${tokenizer.decode([...ids, ...added])}\n`)
  await rm(join(folder, 'tokenizer.json'))
})

test('convert saves a folder with Hugging Face\'s keys and the tokenizer, and overwrites nothing', async () => {
  const out = join(folder, 'elsewhere'), given = { ...files, 'tokenizer.json': JSON.stringify(tokenizer) }
  await writeFile(join(folder, 'tokenizer.json'), given['tokenizer.json'])
  const { stdout, status, stderr } = run(['convert', folder, '--out', out, '--json'])
  assert.equal(status, 0, stderr)
  const expected = gf.models.save((await gf.models.load(given)).model, { tokenizer })
  assert.deepEqual(JSON.parse(stdout).map(({ name }) => name), Object.keys(expected).map(name => join(out, name)))
  for (const [name, content] of Object.entries(expected)) {
    assert.ok((await readFile(join(out, name))).equals(Buffer.from(content)), name)
  }
  const again = run(['convert', folder, '--out', out])
  assert.deepEqual([again.status, /config\.json' exists already; name another folder by --out/.test(again.stderr)], [2, true])
  assert.match(run(['convert', folder]).stderr, /--out must name the folder/)
  assert.match(run(['convert', folder, out]).stderr, /convert takes one path/)
  await rm(join(folder, 'tokenizer.json'))
  await rm(out, { recursive: true })
})

test('tokenize prints tokens, ids and offsets', async () => {
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer))
  const { stdout } = run(['tokenize', folder, '--json'], 'two tales\n각\n')
  const expected = ['two tales', '각'].map(text => tokenizer.encode(text, { special: true }))
  const found = JSON.parse(stdout).map(({ pieces, ...one }) => {
    assert.equal(pieces.length, one.ids.length)
    return one
  })
  assert.deepEqual(found, JSON.parse(JSON.stringify(expected)))
  assert.match(run(['tokenize', folder, 'two']).stdout, / \| |^\S+\n[\d ]+\n$/)
  await rm(join(folder, 'tokenizer.json'))
})

test('inspect reads a file outside of a model by itself', async () => {
  const other = join(folder, 'package.json')
  await writeFile(other, '{}')
  const { status, stdout } = run(['inspect', other])
  assert.deepEqual([status, stdout], [1, 'problems\n  models: config.json is missing among package.json\n'])
  await rm(other)
})

test('generate without a tokenizer needs ids; conflicting options are usage errors', () => {
  const cases = [
    [['generate', folder, 'Once upon'], /no tokenizer in '.*'.*give ids, such as "1 2 3", got 'Once upon'/],
    [['generate', folder, '1 2', '--beams', '2', '--top-k', '3'], /--beams cannot be combined with sampling; leave --temperature, --top-k/]
  ]
  for (const [args, reason] of cases) {
    const { status, stderr, stdout } = run(args)
    assert.deepEqual([status, stdout], [2, ''], stderr)
    assert.match(stderr, reason)
    assert.match(stderr, /try 'glassformer --help'/)
  }
})

test('tokenize prints decoded tokens instead of byte-level characters', async () => {
  const learned = gf.text.trainBPE('나는 나는 너는 너는', { vocabSize: 270 })
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(learned))
  const { stdout } = run(['tokenize', folder, '나는 너는 각'])
  const [shown] = stdout.split('\n')
  assert.match(shown, /␣/)
  assert.doesNotMatch(shown, /[ĠÃìëíê]/)
  assert.match(shown, /⟨[0-9A-F ]+⟩/, 'a piece of a character is its bytes')
  await rm(join(folder, 'tokenizer.json'))
})

test('inspect prints a table of tensors for a file of weights', async () => {
  const path = join(folder, '..', `alone-${process.pid}.safetensors`)
  await writeFile(path, gf.saveSafetensors({ first: gf.ones([2, 3]), second: gf.zeros([5]) }, { made: 'here' }))
  const { stdout, status } = run(['inspect', path])
  assert.equal(status, 0)
  assert.match(stdout, /^2 tensors, 11 numbers, 44 B\nmetadata\n {2}made: here\n/)
  assert.match(stdout, /first +F32 +\[2, 3\] +24 B/)
  const { tensors } = JSON.parse(run(['inspect', path, '--json']).stdout)
  assert.deepEqual(tensors.map(({ name, shape }) => [name, shape]), [['first', [2, 3]], ['second', [5]]])
  await rm(path)
})

test('train learns a text file, generate continues with its weights, and a resumed training gives the same bits', async () => {
  const text = join(folder, 'tale.txt'), out = join(folder, 'tale.safetensors'), half = join(folder, 'half.safetensors')
  const rest = join(folder, 'rest.safetensors')
  await writeFile(text, 'the cat sat on the mat. '.repeat(60))
  const small = ['--layers', '1', '--d-model', '16', '--heads', '2', '--dim-feedforward', '16', '--batch', '8', '--length', '16']
  const all = run(['train', text, '--steps', '40', ...small, '--out', out])
  assert.equal(all.status, 0, all.stderr)
  assert.match(all.stdout, /parameters, 40 steps[^]*step 25 {3}loss \d\.\d{4} .* s, [\d.]+ s left[^]*40 steps; .*tale\.safetensors/)
  run(['train', text, '--steps', '40', ...small, '--until', '15', '--out', half])
  run(['train', text, '--steps', '40', ...small, '--from', half, '--out', rest])
  assert.deepEqual(await readFile(rest), await readFile(out))
  const session = createSession(gf, { ...read('text_steps-40_layers-1_dModel-16_heads-2_dimFeedforward-16_batch-8_length-16'),
    mark: hashText('the cat sat on the mat. '.repeat(60)) }, 'the cat sat on the mat. '.repeat(60))
  while (session.done < 40) session.step()
  assert.deepEqual(await readFile(out), Buffer.from(session.file(true)), 'the page learns the same')
  const [{ ids, answer }] = JSON.parse(run(['generate', out, 'the cat', '--max-new-tokens', '9', '--json']).stdout)
  assert.deepEqual([ids.length, answer.length], [9, 9])
  assert.match(run(['generate', out, 'xyz']).stderr, /the text that it learned had no 'x'/)
  session.dispose()
})

test('train does not overwrite existing files', async () => {
  const { status, stderr } = spawnSync(process.execPath, [CLI, 'train', 'tale.txt'], { cwd: folder, encoding: 'utf8' })
  assert.equal(status, 2)
  assert.match(stderr, /'tale\.safetensors' exists already; name another file by --out/)
})

/** Asserts that a call fails with an exit code and one line that says why, without a stack. */
function assertRefused(args, reason, code = 2, options = {}) {
  const { status, stderr, signal } = spawnSync(process.execPath, [CLI, ...args],
    { encoding: 'utf8', input: '', cwd: folder, timeout: 60000, ...options })
  assert.deepEqual([signal, status], [null, code], `${args}: ${stderr}`)
  assert.ok(stderr.startsWith('glassformer: ') && stderr.includes(reason), `${args}: ${stderr}`)
  assert.doesNotMatch(stderr, /\n +at |node:internal|file:\/\//)
  assert.equal(stderr.replace(/\ntry 'glassformer --help'/, '').trim().split('\n').length, 1, stderr)
}

test('train checks --out before the first step', async () => {
  const small = ['train', 'tale.txt', '--steps', '100000']
  await mkdir(join(folder, 'sub'), { recursive: true })
  await writeFile(join(folder, 'own.safetensors'), 'mine')
  assertRefused([...small, '--out', 'missing/x.safetensors'], "--out: there is no folder 'missing'")
  assertRefused([...small, '--out', 'sub'], "--out must name a file, and 'sub' is a folder")
  assertRefused([...small, '--out', 'own.safetensors'], "'own.safetensors' exists already")
  assertRefused([...small, '--out', 'tale.txt/x'], "--out: there is no folder 'tale.txt'")
  assert.equal(await readFile(join(folder, 'own.safetensors'), 'utf8'), 'mine')
  assertRefused(['train', 'sub'], "nothing is known of 'sub'")
  assertRefused(['train', 'dates', '--from', 'sub'], "--from: there is no file 'sub'")
})

test('train may overwrite the file that it resumes from', async () => {
  const args = ['train', 'tale.txt', '--layers', '1', '--d-model', '16', '--heads', '2', '--dim-feedforward', '16', '--batch', '8',
    '--length', '16', '--steps', '4']
  const call = more => spawnSync(process.execPath, [CLI, ...args, ...more], { cwd: folder, encoding: 'utf8' })
  assert.equal(call(['--until', '2', '--out', 'go.safetensors']).status, 0)
  const { status, stdout, stderr } = call(['--from', 'go.safetensors', '--out', './go.safetensors'])
  assert.equal(status, 0, stderr)
  assert.match(stdout, /2 steps; \.\/go\.safetensors/)
})

test('rejects paths that are neither files nor folders', async () => {
  const pipe = join(folder, 'pipe'), odd = join(folder, 'odd'), empty = join(folder, 'empty')
  spawnSync('mkfifo', [pipe])
  for (const path of ['/dev/zero', pipe]) {
    for (const command of ['inspect', 'tokenize', 'generate']) {
      assertRefused([command, path, ...command === 'inspect' ? [] : ['a']], `'${path}' is neither a file nor a folder`)
    }
  }
  await mkdir(join(odd, 'model.safetensors'), { recursive: true })
  await mkdir(empty)
  await writeFile(join(odd, 'config.json'), files['config.json'])
  assert.match(run(['inspect', odd]).stdout, /\*?\.safetensors/)
  assertRefused(['generate', odd, 'a'], '.safetensors', 1)
  assertRefused(['inspect', join(odd, 'model.safetensors')], 'has no files of a model, such as config.json')
  for (const command of ['inspect', 'tokenize', 'generate', 'explain', 'convert']) {
    const more = command === 'convert' ? ['--out', join(folder, 'new')] : command === 'inspect' ? [] : ['a']
    assertRefused([command, empty, ...more], 'has no files of a model, such as config.json')
  }
  assertRefused(['convert', folder, '--out', '/dev/null'], "--out must name a folder, and '/dev/null' is none")
  assertRefused(['convert', folder, '--out', join(folder, 'tale.txt', 'x')], 'is none')
  await rm(pipe)
})

test('tokenize reports a missing tokenizer', async () => {
  assertRefused(['tokenize', join(folder, 'odd'), 'a'], "there is no tokenizer in '")
  await writeFile(join(folder, 'odd', 'tokenizer.json'), '{"model":{"type":"Odd","vocab":{}},"pre_tokenizer":null}')
  assertRefused(['tokenize', join(folder, 'odd'), 'a'], "glassformer: model.type must be 'BPE', 'WordPiece', 'WordLevel' or 'Unigram', got \"Odd\"", 1)
  await writeFile(join(folder, 'odd', 'tokenizer.json'), '{"tokenizer": 5}')
  assertRefused(['tokenize', join(folder, 'odd'), 'a'], 'glassformer: tokenizer.json must be an object with a model', 1)
})

test('prints an unexpected error in one line', async () => {
  const locked = join(folder, 'loop.safetensors')
  await writeFile(locked, Buffer.from([255, 255, 255, 255, 255, 255, 255, 127, 1]))
  const { status, stderr } = run(['inspect', locked])
  assert.equal(status, 1)
  assert.doesNotMatch(stderr, /\n +at |node:internal/)
  assert.equal(stderr.trim().split('\n').length, 1)
  // A library that breaks: the kernels are not there.
  const source = (await readFile(CLI, 'utf8')).replace(/'(\.\.?\/.*?)'/g, (_, path) => `'${new URL(path, new URL('../src/cli/', import.meta.url)).href}'`)
    .replace('await load()', 'await Promise.reject(new TypeError("first\\nsecond"))')
  const broken = join(folder, 'cli.mjs')
  await writeFile(broken, source)
  const answer = spawnSync(process.execPath, [broken, 'a b'], { encoding: 'utf8' })
  assert.deepEqual([answer.status, answer.stderr], [1, 'glassformer: TypeError: first\n'])
})
