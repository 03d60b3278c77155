// What npm would publish: installed into an empty project it loads, computes, prints and is typed.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const project = mkdtempSync(join(tmpdir(), 'glassformer-'))
const run = (command, args, options = {}) =>
  execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: 'pipe', maxBuffer: 2 ** 26, ...options })
let packed

before(() => {
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project]
  const [{ filename, files }] = JSON.parse(run('npm', pack, { cwd: ROOT }))
  packed = { file: join(project, filename), files: files.map(f => f.path) }
  mkdirSync(join(project, 'node_modules/glassformer'), { recursive: true })
  run('tar', ['-xzf', packed.file, '-C', 'node_modules/glassformer', '--strip-components=1'])
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
})
after(() => rmSync(project, { recursive: true }))

test('classes keep their names, which errors and printed modules display', () => {
  const texts = packed.files.filter(file => /^dist\/js\/.*\.js$/.test(file))
    .map(file => readFileSync(join(project, 'node_modules/glassformer', file), 'utf8'))
  // Of two values with one name in two files, the bundler renames the second one: GPT2 becomes GPT22.
  const names = texts.flatMap(text => Array.from(text.matchAll(/\b([A-Z]\w*)=class\b/g), ([, name]) => name))
  assert.ok(names.includes('GPT2') && names.length > 100, `${names.length}`)
  assert.deepEqual(names.filter(name => /\d$/.test(name)).sort(), ['GPT2', 'T5'])
})

test('the package is small and holds kernels, library, types and sources', () => {
  // Without the elements, which have weights, lessons in three languages and a worker for trainings, less than 1 MB.
  assert.ok(statSync(packed.file).size < 2_700_000, `${statSync(packed.file).size} bytes`)
  const wanted = [
    'dist/js/glassformer.js', 'dist/js/glassformer.wasm', 'dist/js/glassformer.threads.wasm',
    'dist/js/glassformer.blocks.wasm', 'dist/js/glassformer.blocks.threads.wasm',
    'dist/js/glassformer.relaxed.wasm', 'dist/js/glassformer.relaxed.threads.wasm',
    'dist/elements/elements.js', 'dist/elements/elements-worker.js', 'dist/elements/elements.d.ts', 'dist/elements/server.js',
    'dist/elements/date_translator.safetensors', 'dist/js/text.js', 'dist/js/cli.js', 'dist/types/index.d.ts',
    'web/examples/nanogpt.js', 'web/docs/pytorch.md', 'CHANGELOG.md', 'LICENSE', 'README.md'
  ]
  for (const file of wanted) {
    assert.ok(packed.files.includes(file), `${file} is missing`)
  }
  assert.ok(!packed.files.some(file => /^(tests|src|web\/(?!examples|docs))/.test(file)), 'and nothing twice')
})

test('import, load, compute', () => {
  const script = "import { load, GlassformerError, Tensor } from 'glassformer'; " +
    'const gf = await load(); gf.manualSeed(0); ' +
    'console.log(gf.rand([2]).toArray().join(), gf.variant, ' +
    'new gf.nn.Linear(2, 3).forward(gf.rand([1, 2])).shape.join())'
  writeFileSync(join(project, 'main.js'), script)
  const drawn = [0.4962566, 0.7682218].map(Math.fround)
  assert.equal(run(process.execPath, ['main.js']).trim(), `${drawn} simd128 1,3`)
})

test('two threads compute from the package', () => {
  writeFileSync(join(project, 'two.js'), "import { load } from 'glassformer'\n" +
  'const gf = await load({ threads: { count: 2, minWork: 0 } }), one = gf.ones([9, 9])\n' +
  'console.log(one.matmul(one).sum().item(), gf.threads.count, gf.threads.reason)')
  const cores = availableParallelism() > 1 ? '2 null' : '1 there is 1 core here'
  assert.equal(run(process.execPath, ['two.js']), `729 ${cores}\n`)
})

test('the elements can be imported where there is no document', () => {
  writeFileSync(join(project, 'server.js'), "import * as elements from 'glassformer/elements'\n" +
  'console.log(Object.keys(elements).sort().join())\n' +
  "for (const call of [() => elements.configure({ folder: '/' }), () => elements.figure(), () => new elements.GlassModel()]) {\n" +
  '  try { call(); console.log("fine") } catch ({ message }) { console.log(message) }\n}')
  const elements = readFileSync(join(project, 'node_modules/glassformer/dist/elements/elements.js'), 'utf8')
  const [, exported] = elements.match(/export\{([^}]*)\}(?![^]*export\{)/)
  const [names, ...results] = run(process.execPath, ['server.js']).trim().split('\n')
  assert.equal(names, exported.split(',').map(name => name.split(' as ').at(-1)).sort().join())
  assert.deepEqual(results.map(line => line.replace(/^.*: | needs a document.*/g, '')), ['fine', 'figure', 'GlassModel'])
})

test("the README's guides are in the package", () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const guides = Array.from(readme.matchAll(/\]\((web\/docs\/[\w-]+\.md)/g), ([, path]) => path)
  assert.ok(guides.length > 10, `${guides.length}`)
  assert.deepEqual(guides.filter(path => !packed.files.includes(path)), [])
})

test("the README's example runs as it stands", () => {
  const [, code] = readFileSync(join(ROOT, 'README.md'), 'utf8').match(/```js\n([^]*?)```/)
  writeFileSync(join(project, 'readme.js'), code)
  run(process.execPath, ['readme.js'])
})

test('a bundler for browsers takes it as it is', () => {
  writeFileSync(join(project, 'page.js'), "import { load } from 'glassformer'\nconsole.log(load)")
  const esbuild = join(ROOT, 'node_modules/.bin/esbuild')
  const bundled = run(esbuild, ['page.js', '--bundle', '--format=esm', '--platform=browser', '--log-level=warning'])
  assert.match(bundled, /glassformer\.wasm/)
  // With splitting, what few need is a part loaded later: chat templates, tiktoken's files, scripts, other kernels, and
  // the reading of files.
  run(esbuild, ['page.js', '--bundle', '--format=esm', '--splitting', '--outdir=parts', '--metafile=parts.json', '--log-level=error'])
  const outputs = Object.values(JSON.parse(readFileSync(join(project, 'parts.json'), 'utf8')).outputs)
  const later = new Set(outputs.flatMap(({ imports }) => imports).filter(({ kind }) => kind === 'dynamic-import').map(({ path }) => path))
  assert.deepEqual(Array.from(later, path => /raise_exception|im_start|Aw-AwEq|relaxed\.threads|byob/.exec(readFileSync(join(project, path), 'utf8'))?.[0]).sort(),
    ['Aw-AwEq', 'byob', 'im_start', 'raise_exception', 'relaxed.threads'])
})

const GIVE = /give load\(\{ wasm \}\) the URL, a Response or the bytes of glassformer\.wasm/

test('as CommonJS the kernels are looked for beside the bundle, and a folder may be renamed', () => {
  writeFileSync(join(project, 'sum.js'), "import { load } from 'glassformer'\n" +
  'load().then(gf => console.log(gf.ones([3]).sum().item()), error => console.log(error.code, error.message))')
  const esbuild = join(ROOT, 'node_modules/.bin/esbuild')
  run(esbuild, ['sum.js', '--bundle', '--format=cjs', '--platform=node', '--outfile=made/sum.cjs', '--log-level=error'])
  const without = run(process.execPath, ['made/sum.cjs'])
  assert.match(without, /^format load: ENOENT/)
  assert.match(without, GIVE)
  cpSync(join(project, 'node_modules/glassformer/dist/js/glassformer.wasm'), join(project, 'made/glassformer.wasm'))
  renameSync(join(project, 'made'), join(project, 'named anew'))
  assert.equal(run(process.execPath, ['named anew/sum.cjs']), '3\n')
})

test('minified, where classes have other names, modules take what they take and say who they are', () => {
  writeFileSync(join(project, 'short.js'), `import { load } from 'glassformer'
const { nn, ones, text } = await load()
const encoder = new nn.TransformerEncoder(new nn.TransformerEncoderLayer(4, 2, 8, 0.1, { normFirst: true }), 1)
const own = new nn.Sequential(new nn.LayerNorm(4, { eps: 1e-6 }), new nn.Identity(1, 2, 3), new nn.Flatten(1, -1))
new nn.PositionalEncoding(4, 0, 8, { base: 100 })
new nn.Transformer(4, 2, 1, 1, 8, 0)
new nn.MultiheadAttention(4, 2).forward(ones([1, 2, 4]), ones([1, 2, 4]), ones([1, 2, 4]), { needWeights: false })
new nn.Embedding(3, 2, { paddingIdx: 0 })
new nn.Dropout(0.5)
new text.Vocab([['a']], {})
console.log(own.forward(encoder.forward(ones([1, 2, 4]), { isCausal: true })).shape.join())
for (const wrong of [() => nn.Linear(1, 2), () => new nn.Linear(1, 2, {}, 3), () => new nn.Linear(1, 2).forward(1, 2)]) {
  try { wrong() } catch ({ message }) { console.log(message.split(':')[0]) }
}`)
  const esbuild = join(ROOT, 'node_modules/.bin/esbuild')
  run(esbuild, ['short.js', '--bundle', '--minify', '--format=esm', '--platform=node', '--outfile=short.mjs', '--log-level=error'])
  cpSync(join(project, 'node_modules/glassformer/dist/js/glassformer.wasm'), join(project, 'glassformer.wasm'))
  const said = run(process.execPath, ['short.mjs'])
  assert.equal(said, '1,8\nLinear is a class; write new gf.nn.Linear(…)\nLinear\nLinear.forward\n')
})

test('text alone brings tokenizers and no gradients', async () => {
  writeFileSync(join(project, 'words.js'), "import { load } from 'glassformer/text'\n" +
  "const text = await load()\nconsole.log(text.words('a b').join())")
  assert.equal(run(process.execPath, ['words.js']), 'a,b\n')
  // What is imported on demand, for chat templates, files of tiktoken and UnicodeScripts, stays outside.
  /** @type {import('esbuild').Plugin} */
  const onDemand = { name: 'on demand', setup: ({ onResolve }) => onResolve({ filter: /./ }, ({ kind, path }) => (
    kind === 'dynamic-import' ? { path, external: true } : undefined)) }
  const { outputFiles: [{ text: bundled }] } = await build({ entryPoints: [join(project, 'words.js')], bundle: true, format: 'esm',
    platform: 'browser', minify: true, write: false, plugins: [onDemand], logLevel: 'error' })
  assert.ok(bundled.includes('trainBPE') && !/backward|requiresGrad|scaledDotProduct/.test(bundled))
  assert.ok(!/raise_exception|im_start|Aw-AwEq|relaxed\.threads|byob/.test(bundled), 'nothing is loaded that is used on demand')
  assert.ok(bundled.length < 80_000, `${bundled.length} bytes`)
})

test('chat templates are in the package, in a file that is loaded when one is applied', () => {
  writeFileSync(join(project, 'chat.js'), "import { load } from 'glassformer/text'\n" +
  "const tokenizer = (await load()).trainBPE('a b', { vocabSize: 256 })\n" +
  "const chatTemplate = '{% for m in messages %}{{ m.role }}: {{ m.content }}{% endfor %}'\n" +
  "console.log(await tokenizer.applyChatTemplate([{ role: 'user', content: 'a' }], { chatTemplate, tokenize: false }))")
  assert.equal(run(process.execPath, ['chat.js']), 'user: a\n')
  assert.equal(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).dependencies, undefined)
})

test('the command runs', () => {
  const printed = run(process.execPath, ['node_modules/glassformer/dist/js/cli.js', '--stage', 'tokens', 'a b'])
  assert.equal(printed, 'tokens [1]\n  0  a | b\n')
})

test('the types can be read by TypeScript before 5.7, where typed arrays have no parameter', () => {
  const files = packed.files.filter(file => file.endsWith('.d.ts')), folder = join(project, 'node_modules/glassformer')
  assert.ok(files.length > 50, `${files.length}`)
  assert.deepEqual(files.filter(file => /Array<ArrayBuffer/.test(readFileSync(join(folder, file), 'utf8'))), [])
})

test('the types fit what users write, and catch what they should not', () => {
  const good = `import { functional as F, load, nn, optim, type Tensor } from 'glassformer'
class Early extends nn.Module {
  linear = new nn.Linear(2, 3, { bias: false })
  scale = new nn.Parameter([1, 2])
  forward(x: Tensor, factor = 1) { return F.relu(this.linear(x)).mul(factor) }
}
const gf = await load()
const x = gf.tensor([[1, 2], [3, 4]], { requiresGrad: true })
const layer = new gf.nn.TransformerEncoderLayer(2, 1, { dimFeedforward: 4, activation: 'gelu' })
const once: Tensor = layer(x.reshape(1, 2, 2)), whole = new nn.Transformer({ dModel: 2, nhead: 1, numEncoderLayers: 1, numDecoderLayers: 1 })
console.log(once.shape, whole(once, once).shape, layer(once, undefined, undefined, true).shape)
class Mine extends gf.nn.Module {
  linear = new gf.nn.Linear(2, 3)
  forward(x: Tensor) { return this.linear(x).shape.length }
}
const mine: number = new Mine()(x)
const count: number = new Mine().parameters().length
const list = new gf.nn.ModuleList([new gf.nn.Linear(2, 2)]), named = new gf.nn.ModuleDict({ answer: list[0] })
console.log(list[0](x), named.answer(x), String(named))
const fast = gf.compile(layer), again: Tensor = gf.noGrad(() => fast(x.reshape(1, 2, 2), { isCausal: true }))
console.log(again, fast.reason.length, fast.recordings + 1)
const early = new Early(), cells: number = early(x, 2).shape[0], isModule: boolean = early instanceof gf.nn.Module
const layers: InstanceType<typeof gf.nn.Linear>[] = [new nn.Linear(1, 1)], rate: number = new optim.SGD(early.parameters()).paramGroups[0].lr
console.log(cells, isModule, layers, rate)
const freed: number = gf.tidy(() => x.sum().item()) + gf.noGrad(() => x.sum().item())
const { left, shape } = gf.tidy(() => { const left = x.add(1); return { left, shape: left.shape } })
console.log(freed, left.shape, shape)
const { output, trace } = gf.trace(() => layer.forward(x.reshape(1, 2, 2)))
const value: number = trace.explain('self_attn.scores', [0, 0, 0, 0]).value
gf.functional.softmax(output).backward(gf.rand([1, 2, 2]))
const { model } = await gf.models.load({})
const added: number[] = gf.decoding.generate(model, [1, 2], { maxNewTokens: 3 })
const several: number[][] = gf.decoding.generate(rows => gf.zeros([rows.length, 1, 4]), [[1], [2]])
const later: Promise<number[]> = gf.decoding.generate(model, [1], { signal: new AbortController().signal })
const name: string = model.constructor.name, hidden = model.forward([[1]]).hidden.shape
const logits: Tensor | undefined = model([[1]]).logits
console.log(added, several, later, name, hidden, logits)
console.log(count, mine, value, x.grad?.shape[0])
`
  writeFileSync(join(project, 'good.ts'), good)
  const mistakes = [
    ['gf.rand([1, 2, 2])', "'one'"], ["'gelu'", "'tanh'"], ['Linear(2, 3)', "Linear('2', 3)"],
    ['trace.explain(', 'trace.explan('], ['new Mine()(x)', 'new Mine()(3)'], ['mine: number', 'mine: string'],
    ['const added: number[]', 'const added: string'], ['(model, [1, 2]', '(42, [1, 2]'], ['.hidden.shape', '.hiden.shape'],
    ['fast(x.', 'fast(3, x.'], ['whole(once, once)', 'whole(once)'], ['layer(once, undefined', "layer('x', undefined"], ['fast.recordings + 1', 'fast.recorded + 1'],
    ['new nn.Linear(2, 3, {', "new nn.Linear(2, '3', {"], ['early(x, 2)', "early(x, '2')"], ['F.relu(', 'F.reluu('],
    ['gf.tidy(() => x.sum().item())', 'gf.tidy(async () => x.sum().item())'], ['gf.tidy(() => {', 'gf.tidy(async () => {']
  ]
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc')
  const flags = ['--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext', '--target', 'es2022']
  const files = mistakes.map(([from, to], i) => {
    writeFileSync(join(project, `bad${i}.ts`), good.replace(from, to))
    return `bad${i}.ts`
  })
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...flags, 'good.ts', ...files], { cwd: project, encoding: 'utf8' })
  assert.notEqual(status, 0)
  assert.ok(!/good\.ts|\.d\.ts/.test(stdout), stdout)
  writeFileSync(join(project, 'bare.ts'), "import { load } from 'glassformer'\nexport const gf = await load({ threads: 2 })\n")
  const bare = spawnSync(process.execPath, [tsc, ...flags, '--lib', 'es2022', 'bare.ts'], { cwd: project, encoding: 'utf8' })
  assert.equal(bare.stdout, '', 'without the types of a browser and of Node')
  for (const [i, [, to]] of mistakes.entries()) assert.ok(stdout.includes(`bad${i}.ts(`), `${to} was accepted`)
})
