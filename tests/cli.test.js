import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { load } from '../src/js/index.js'
import { prepare, runPipeline } from '../src/js/pipeline.js'
import { COMMANDS } from '../src/cli/options.js'
import { asJson } from '../src/cli/print.js'
import { createStages, leadingIndices } from '../src/cli/stages.js'
import { table, width } from '../src/cli/table.js'
import { everyNth } from './lib/long.js'

const CLI = fileURLToPath(new URL('../src/cli/index.js', import.meta.url))
/** The bundled command, because its processes start twice as fast, and there are many. */
const BUNDLED = fileURLToPath(new URL('../dist/js/cli.js', import.meta.url))
/** A process calls it many times. */
const ONE_PROCESS = fileURLToPath(new URL('lib/command.js', import.meta.url))
const run = (args, input = '', env = {}, file = CLI) => spawnSync(process.execPath, [file, ...args],
  { input, encoding: 'utf8', env: { ...process.env, COLUMNS: '', ...env } })
const gf = await load()

test('prints every stage with its shape', () => {
  const { stdout, status, stderr } = run(['I wonder what will come next', 'Hello, what is a basic split?'])
  assert.equal(status, 0, stderr)
  const titles = [
    'tokens [2]', 'ids [2, 6]', 'embedding [2, 6, 16]', 'positions [6, 16]', 'sum [2, 6, 16]', 'q [2, 6, 16]',
    'scores [2, 4, 6, 6]', 'mask [2, 4, 6, 6]', 'weights [2, 4, 6, 6]', 'heads [2, 6, 16]', 'output [2, 6, 16]'
  ]
  for (const title of titles) assert.ok(`\n${stdout}`.includes(`\n${title}\n`), title)
  assert.ok(stdout.includes('I | wonder | what | will | come | next'))
})

test('prints the numbers of the library', () => {
  const text = '나는 최근 파리 여행을 다녀왔다'
  const { stdout } = run(['--json', '--causal', '--seed', '7', '--d-model', '8', '--heads', '2', text])
  const settings = { texts: [text], causal: true, seed: 7, dModel: 8, heads: 2 }
  const { stages } = JSON.parse(stdout), expected = runPipeline(gf, settings).run
  const tensors = { weights: 'self_attn.weights', output: 'self_attn.output', mask: 'self_attn.masked_scores' }
  for (const [stage, tensor] of Object.entries(tensors)) {
    const values = stages.find(s => s.name === stage).values.flat(Infinity).map(Number)
    assert.deepEqual(values, [...expected.read(tensor)], stage)
  }
})

test('aligns tables, also with Korean and emoji', () => {
  const { stdout } = run(['--stage', 'weights', '--heads', '1', '나는 ab 👍'])
  const columns = line => [...line].reduce((n, ch) => n + (ch.codePointAt(0) > 0x1100 ? 2 : 1), 0)
  const rows = stdout.split('\n').slice(2, 6).map(columns)
  assert.equal(new Set(rows).size, 1, stdout)
})

test('reads sentences from standard input, one per line', () => {
  const { stdout, status } = run(['--stage', 'tokens'], 'one two\r\n\nthree four five\n')
  assert.equal(status, 0)
  assert.equal(stdout, 'tokens [2]\n  0  one | two\n  1  three | four | five\n')
})

test('prints help and version', () => {
  assert.match(run(['--help']).stdout, /^usage: glassformer/)
  assert.match(run(['--version']).stdout, /^\d+\.\d+\.\d+\n$/)
})

test('every stage equals that of the page bit for bit, also in pieces', () => {
  const long = Array.from({ length: 600 }, (_, i) => `w${i % 97}`).join(' ')
  const names = {
    embedding: 'embedding.output', sum: 'positions.sum positions.output', dropout: 'dropout.output positions.sum positions.output', q: 'self_attn.q', k: 'self_attn.k',
    v: 'self_attn.v', scores: 'self_attn.scores', mask: 'self_attn.masked_scores', weights: 'self_attn.weights',
    heads: 'self_attn.heads', output: 'self_attn.output'
  }
  for (const settings of [
    { texts: ['a b c d', 'e f'], causal: true }, { texts: ['a b c', 'd e f g h', 'i'], positions: 'learned' },
    { texts: [long, 'two words'], causal: true, maxLength: 600, dModel: 8, heads: 2 }, { texts: [long], maxLength: 600 },
    { texts: ['one two three'], training: true, dropout: 0.5, seed: 3 }
  ]) {
    const { run: whole } = runPipeline(gf, settings), stages = createStages(gf, prepare(gf, settings))
    const known = new Set([...whole.names, ...whole.aliases.keys()])
    for (const { name, shape, pieces } of stages.filter(stage => stage.name in names)) {
      const expected = whole.read(names[name].split(' ').find(one => known.has(one)))
      const found = leadingIndices(shape).flatMap(lead => [...pieces(lead)].flatMap(piece => piece.rows))
      assert.ok(Buffer.concat(found.map(row => new Uint8Array(row.buffer))).equals(Buffer.from(expected.buffer)), name)
    }
    whole.dispose()
  }
})

test('computes only the chosen stages; very large ones need --stage', async () => {
  const words = Array.from({ length: 1200 }, (_, i) => `w${i}`).join(' ')
  const { stdout, stderr, status } = run(['--json', '--heads', '1', '--d-model', '4'], words)
  assert.equal(status, 0, stderr)
  const { stages } = JSON.parse(stdout), scores = stages.find(({ name }) => name === 'scores')
  assert.deepEqual([scores.shape, scores.values], [[1, 1, 1200, 1200], null])
  assert.match(stderr, /scores has 1,440,000 numbers and is left out; --stage scores prints them/)
  assert.equal(stages.find(({ name }) => name === 'output').values[0].length, 1200)
  const own = await load(), prepared = prepare(own, { texts: [words], maxLength: 5000, dModel: 4, heads: 1 })
  for (const piece of asJson(prepared, createStages(own, prepared).filter(({ name }) => name === 'output'))) assert.ok(piece)
  assert.ok(own.memory().peak < 1200 * 1200 * 4 / 2, 'nothing with a number for every two words was made')
})

test('fits tables to the terminal', () => {
  const texts = ['나는 최근 파리 여행을 다녀왔다 and then some more words came along to make it long', 'short one']
  for (const columns of everyNth([40, 80, 132], 2)) {
    const { stdout } = run(texts, '', { COLUMNS: String(columns) })
    const widest = Math.max(...stdout.split('\n').map(width))
    assert.ok(widest <= columns && widest > columns / 2, `${widest} of ${columns}`)
  }
  // Every number is still there, in blocks.
  const plain = run(['--stage', 'q', ...texts]).stdout, narrow = run(['--stage', 'q', ...texts], '', { COLUMNS: '50' }).stdout
  const numbers = text => text.match(/-?\d+\.\d{4}/g).sort()
  assert.deepEqual(numbers(narrow), numbers(plain))
})

test('aligns numbers of more than 4 digits', () => {
  const lines = [...table({ rowNames: ['a', '나'], columnNames: ['x', 'y'], cell: (i, j) => `${10 ** (i * j + 1)}`,
    cellWidth: () => 3 }, 80)]
  assert.equal(new Set(lines.map(width)).size, 1, lines.join('\n'))
})

/** Invalid arguments for every option of every command, and the expected message. */
const MISUSED = [
  [['--nonsense'], "Unknown option '--nonsense'"], [['--max-lenght', '3', 'hi'], 'did you mean --max-length?'],
  [['--stage', 'soup', 'hi'], '--stage must be one of tokens, vocabulary, ids, embedding, positions'],
  [['--stage'], "Option '--stage"], [['--json=yes', 'hi'], "Option '--json' does not take an argument"],
  [['--tokenizer', 'soup', 'hi'], "--tokenizer must be one of words, whitespace, got 'soup'"],
  [['--d-model=-4', 'hi'], "--d-model must be an integer from 1 to 4096, got '-4'"],
  [['--d-model', '1.5', 'hi'], '--d-model must be an integer'], [['--heads', '0', 'hi'], '--heads must be an integer'],
  [['--heads', '3', 'hi'], '--d-model must be divisible by --heads, got 16 and 3'],
  [['--positions', 'rotary', 'hi'], '--positions must be one of interleaved, concatenated, learned'],
  [['--base', '0', 'hi'], '--base must be a number more than 0'], [['--base', 'x', 'hi'], '--base must be a number'],
  [['--max-length', '2', 'a b c'], 'sentence 1 has 3 words, but --max-length is 2'],
  [['--max-length', '0', 'hi'], '--max-length must be an integer from 1 to 100000'],
  [['--causal=1', 'hi'], "Option '--causal' does not take an argument"],
  [['--dropout', '2', 'hi'], '--dropout must be a number from 0 to 1'], [['--train=1', 'hi'], "Option '--train'"],
  [['--seed', 'x', 'hi'], "--seed must be an integer 0 or more, got 'x'"], [['--seed', '', 'hi'], '--seed must be'],
  [['--seed', '1e17', 'hi'], '--seed must be'], [['--seed', '1', '--seed', '2', 'hi'], '--seed is given 2 times'],
  [['--seed'], "Option '--seed"], [['--top-k', '3', 'hi'], '--top-k belongs to generate, not to the stages of a sentence'],
  [[''], 'the text has no words'], [[], 'no sentence given'],
  [['inspect'], 'folder of a model is missing'], [['inspect', '/no/such/place'], "no file or folder '/no/such/place'"],
  [['inspect', '.', 'more'], "inspect takes one path, got also 'more'"],
  [['inspect', '.', '--seed', '3'], '--seed belongs to generate and train, not to inspect'],
  [['inspct', '.'], "no command 'inspct'; did you mean inspect?"],
  [['tokenize', '.', '--stage', 'ids', 'a'], '--stage belongs to the stages of a sentence, not to tokenize'],
  [['tokenize', '.'], 'no text to tokenize given'], [['generate', '.'], 'no text to generate given'],
  [['generate', '.', 'a', '--top-k', 'many'], '--top-k must be an integer 0 or more'],
  [['generate', '.', 'a', '--top-p', '7'], '--top-p must be a number from 0 to 1'],
  [['generate', '.', 'a', '--temperature', '-1'], '--temperature'], [['generate', '.', 'a', '--beams', '0'], '--beams must be'],
  [['generate', '.', 'a', '--max-new-tokens', '1.5'], '--max-new-tokens must be an integer'],
  [['generate', '.', 'a', '--seed', 'x'], '--seed must be'],
  [['generate', '.', 'a', '--maxNewTokens', '3'], 'did you mean --max-new-tokens?'],
  [['explain', '.'], 'no text to explain given'], [['explain', '.', 'a', '--top', '0'], '--top must be an integer'],
  [['explain', '.', 'a', '--against', 'b'], '--against must be an integer 0 or more'],
  [['explain', '.', 'a', '--method', 'lime'], '--method must be one of integratedGradients, gradientTimesInput, occlusion'],
  [['train'], 'a text file, a task or a link is missing'], [['train', 'a.txt', 'b.txt'], "got also 'b.txt'"],
  [['train', 'nope.txt'], "there is no file 'nope.txt'"], [['train', 'soup'], "nothing is known of 'soup'; the tasks are dates"],
  [['train', 'dates_soup-3'], "nothing is known of 'soup-3'"], [['train', 'dates_rate-x'], "nothing is known of 'rate-x'"],
  [['train', 'dates', '--steps', '0'], '--steps must be'], [['train', 'dates', '--until', '-1'], "Option '--until' argument is ambiguous"],
  [['train', 'dates', '--seed', '-1'], "Option '--seed' argument is ambiguous"], [['train', 'dates', '--rate', 'fast'], '--rate must be'],
  [['train', 'dates', '--batch', '0'], '--batch must be'], [['train', 'dates', '--layers', '0'], '--layers must be'],
  [['train', 'dates', '--heads', '5'], '--heads'], [['train', 'dates', '--d-model', '0'], '--d-model must be'],
  [['train', 'dates', '--dim-feedforward', '0'], '--dim-feedforward must be'],
  [['train', 'dates', '--unit', 'soup'], '--unit must be one of characters, pairs'],
  [['train', 'dates', '--size', '3'], '--size must be'], [['train', 'dates', '--length', '3'], '--length must be'],
  [['train', 'dates', '--text', 'nope'], "--text: there is no file 'nope'"],
  [['train', 'dates', '--text', 'package.json'], '--text belongs to the task text, not to dates'],
  [['train', 'dates', '--from', 'nope'], "--from: there is no file 'nope'"],
  [['train', 'dates', '--from', 'package.json'], "'package.json' is not a file of a training"],
  [['train', 'dates', '--start', 'nope'], "--start: there is no file 'nope'"],
  [['train', 'dates_start-given'], 'pass the file by --start'], [['train', 'dates', '--out'], "Option '-o, --out"],
  [['export'], 'export: --figure must name a room, such as weights'], [['export', 'weights'], "export takes only options, got 'weights'"],
  [['export', '--figure', 'weights'], 'export: --out must name a new .svg file'],
  [['export', '--figure', 'weights', '--out', 'a.png'], "--out must name a new .svg file, got 'a.png'"],
  [['export', '--model'], "Option '--model"], [['export', '--input'], "Option '--input"], [['export', '--settings'], "Option '--settings"],
  [['export', '--lang', 'fr'], "--lang must be one of en, ko, zh, got 'fr'"], [['export', '--theme', 'pink'], '--theme must be one of light, dark'],
  [['export', '--head', 'x'], '--head must be an integer'],
  [['serve', '/no/such/place'], "no file or folder '/no/such/place'"], [['serve', '.', 'more'], "serve takes one path, got also 'more'"],
  [['serve', '.', '--port', '70000'], "--port must be an integer from 0 to 65535, got '70000'"],
  [['serve', 'https://example.org/model/'], 'serve takes a folder or a file of this computer'],
  [['train', 'dates', '--json=1'], "Option '--json'"], [['--help=1'], "Option '-h, --help'"], [['--version=1'], "Option '--version'"]
]

test('invalid options exit with code 2, a reason and a hint to --help, before anything is done', () => {
  const named = new Set(MISUSED.flatMap(([args]) => args.filter(arg => arg.startsWith('--')).map(arg => arg.split('=')[0])))
  const all = Object.values(COMMANDS).flatMap(({ options }) => Object.keys(options).map(name => `--${name}`))
  assert.deepEqual(all.filter(name => !named.has(name)), [], 'options that no line is about')
  const called = spawnSync(process.execPath, [ONE_PROCESS, BUNDLED],
    { input: JSON.stringify(MISUSED.map(([args]) => args)), encoding: 'utf8', env: { ...process.env, COLUMNS: '' } })
  assert.equal(called.stderr, '')
  const answers = JSON.parse(called.stdout)
  assert.equal(answers.length, MISUSED.length)
  for (const [i, [args, reason]] of MISUSED.entries()) {
    const { status, stderr, stdout } = answers[i]
    assert.deepEqual([status, stdout], [2, ''], `${args}: ${stderr}`)
    assert.ok(stderr.startsWith('glassformer: ') && stderr.includes(reason), `${args}: ${stderr}`)
    assert.match(stderr, /try 'glassformer --help'\n$/)
  }
})

test('reads many lines of standard input and rejects endless input', () => {
  const many = spawnSync(process.execPath, [CLI, '--stage', 'tokens', '--json', '--d-model', '4', '--heads', '1'],
    { input: 'a\n'.repeat(130000), encoding: 'utf8', maxBuffer: 2 ** 28 })
  assert.equal(many.status, 0, many.stderr.slice(0, 300))
  const { status, stderr } = spawnSync('sh', ['-c', `yes | "${process.execPath}" "${CLI}"`], { encoding: 'utf8' })
  assert.equal(status, 2)
  assert.match(stderr, /^glassformer: standard input has more than 256 MB; give it in parts\n/)
})

test('exits quietly when the pipe is closed', () => {
  const command = `"${process.execPath}" "${CLI}" "a b c d e f g h" | head -1`
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  assert.equal(status, 0)
  assert.equal(stderr, '')
})
