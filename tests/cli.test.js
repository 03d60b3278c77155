import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { load } from '../src/js/index.js'
import { runPipeline } from '../src/js/pipeline.js'

const CLI = fileURLToPath(new URL('../src/js/cli.js', import.meta.url))
const run = (args, input = '') => spawnSync(process.execPath, [CLI, ...args], { input, encoding: 'utf8' })
const gf = await load()

test('every stage is printed, with its shape', () => {
  const { stdout, status, stderr } = run(['I wonder what will come next', 'Hello, what is a basic split?'])
  assert.equal(status, 0, stderr)
  const titles = [
    'tokens [2]', 'ids [2, 6]', 'embedding [2, 6, 16]', 'positions [6, 16]', 'sum [2, 6, 16]', 'q [2, 6, 16]',
    'scores [2, 4, 6, 6]', 'mask [2, 4, 6, 6]', 'weights [2, 4, 6, 6]', 'heads [2, 6, 16]', 'output [2, 6, 16]'
  ]
  for (const title of titles) assert.ok(`\n${stdout}`.includes(`\n${title}\n`), title)
  assert.ok(stdout.includes('I | wonder | what | will | come | next'))
})

test('the numbers are those of the library', () => {
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

test('tables line up, Korean and emoji included', () => {
  const { stdout } = run(['--stage', 'weights', '--heads', '1', '나는 ab 👍'])
  const columns = line => [...line].reduce((n, ch) => n + (ch.codePointAt(0) > 0x1100 ? 2 : 1), 0)
  const rows = stdout.split('\n').slice(2, 6).map(columns)
  assert.equal(new Set(rows).size, 1, stdout)
})

test('standard input, one sentence a line', () => {
  const { stdout, status } = run(['--stage', 'tokens'], 'one two\r\n\nthree four five\n')
  assert.equal(status, 0)
  assert.equal(stdout, 'tokens [2]\n  0  one | two\n  1  three | four | five\n')
})

test('help and version', () => {
  assert.match(run(['--help']).stdout, /^usage: glassformer/)
  assert.match(run(['--version']).stdout, /^\d+\.\d+\.\d+\n$/)
})

test('mistakes: 2 for how it was called, 1 for what it was given, messages in its own words', () => {
  const cases = [
    [['--nonsense'], '', 2, '--nonsense'],
    [['--seed', 'x', 'hi'], '', 2, '--seed'],
    [['--stage', 'soup', 'hi'], '', 2, 'soup'],
    [['--heads', '3', 'hi'], '', 1, '--d-model must be divisible by --heads'],
    [[''], '', 1, 'no words'],
    [[], '', 1, 'no words'],
    [['--d-model=-4', 'hi'], '', 1, '--d-model'],
    [['--max-length', '2', 'a b c'], '', 1, '--max-length'],
    [['--base', '0', 'hi'], '', 1, '--base'],
    [['--dropout', '2', 'hi'], '', 1, '--dropout must be a number from 0 to 1'],
    [['--tokenizer', 'soup', 'hi'], '', 1, '--tokenizer']
  ]
  for (const [args, input, status, word] of cases) {
    const result = run(args, input)
    assert.equal(result.status, status, `${args}: ${result.stderr}`)
    assert.ok(result.stderr.startsWith('glassformer: ') && result.stderr.includes(word), `${args}: ${result.stderr}`)
    assert.equal(result.stdout, '')
  }
})

test('a closed pipe ends it quietly', () => {
  const command = `"${process.execPath}" "${CLI}" "a b c d e f g h" | head -1`
  const { status, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' })
  assert.equal(status, 0)
  assert.equal(stderr, '')
})
