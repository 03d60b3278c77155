// The reference is read from the source: everything the library gives stands in it, and its examples run as they stand.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { collectReference } from '../../web/docs/collect.js'
import { run } from '../../web/docs/examples.js'
import { pageOf } from '../../web/docs/page.js'
import { parseSignature } from '../../src/js/interface/arguments.js'
import { FUNCTIONS } from '../../src/js/interface/signatures.js'
import { gf } from '../lib/engine.js'

const sections = collectReference()
const entries = sections.flatMap(section => section.entries), all = entries.flatMap(entry => [entry, ...entry.members])
const byId = new Map(all.map(entry => [entry.id, entry]))

/** Objects in the library, by the names their members have in the reference. */
const OBJECTS = {
  'gf.': gf, 'F.': gf.functional, 'gf.nn.': gf.nn, 'gf.nn.init.': gf.nn.init, 'gf.optim.': gf.optim,
  'gf.optim.lrScheduler.': gf.optim.lrScheduler, 'gf.data.': gf.data, 'gf.text.': gf.text, 'gf.models.': gf.models,
  'gf.decoding.': gf.decoding, 'gf.interpret.': gf.interpret, 'gf.autograd.': gf.autograd
}

test('everything that the running library has is in it, and nothing else', () => {
  const isSection = new Set(['gf.nn', 'gf.functional', 'gf.text', 'gf.data', 'gf.decoding', 'gf.interpret', 'gf.optim', 'gf.models', 'gf.autograd',
    'gf.nn.functional', 'gf.nn.init', 'gf.optim.lrScheduler', 'gf.engine'])
  const there = Object.entries(OBJECTS).flatMap(([prefix, object]) => Object.keys(object).map(name => prefix + name))
    .filter(id => !isSection.has(id))
  const told = entries.map(({ id }) => id).filter(id => /^(gf|F)\./.test(id))
  assert.deepEqual(told.sort(), there.sort())
  const { prototype } = Object.getPrototypeOf(gf.tensor(1).constructor)
  // What has no value is a mistake that is answered.
  const methods = Object.entries(Object.getOwnPropertyDescriptors(prototype))
    .filter(([name, { value }]) => value && name !== 'constructor').map(([name]) => name)
  assert.deepEqual(entries.filter(({ id }) => id.startsWith('x.')).map(({ name }) => name).sort(), methods.sort())
})

test('each has a text, a place in the source, and arguments with types', async () => {
  for (const { id, kind, text, source, params, call } of entries) {
    if (kind !== 'type') assert.ok(text, `${id} has no text`)
    assert.ok(source || id === 'gf.variant', `${id} has no source`)
    for (const { name, type } of params) assert.ok(type, `${id}: ${name}`)
    assert.ok(!/engine|import\(|\.\.\.args/.test(call), call)
  }
  for (const { id, call, params } of all) {
    for (const name of [call, ...params.flatMap(one => [one.name, ...(one.fields ?? []).map(field => field.name)])]) {
      assert.doesNotMatch(name, /\b__/, `${id} has a name that TypeScript made up`)
    }
  }
  const { source } = byId.get('F.crossEntropy'), [file, line] = source.split(':')
  const lines = (await readFile(new URL(`../../${file}`, import.meta.url), 'utf8')).split('\n')
  assert.match(lines[line - 1], /^export function crossEntropy/)
})

test('the reference has the defaults, errors and options of the source', () => {
  const forward = byId.get('gf.nn.MultiheadAttention.forward'), options = forward.params.at(-1)
  assert.match(options.fields.find(({ name }) => name === 'keyPaddingMask').text, /true hides a key/)
  assert.ok(forward.errors.some(error => error.includes("'shape' when tensors or masks do not fit")))
  const { params: [, , maker] } = byId.get('gf.nn.MultiheadAttention')
  assert.deepEqual(['dropout', 'kdim', 'vdim'].map(name => maker.fields.find(field => field.name === name).text),
    ['0, of the weights in training mode', ...Array(2).fill('embedDim, the channels of key and value')])
  assert.equal(byId.get('F.exp').text, 'exp(x), cell by cell: torch.exp(x).')
  assert.equal(byId.get('gf.nn.Linear').call, 'new gf.nn.Linear(inFeatures, outFeatures, { bias })')
  assert.match(byId.get('gf.nn.CrossEntropyLoss').text, /^crossEntropy as a module/)
  assert.equal(byId.get('x.narrow').text, byId.get('F.narrow').text)
})

test('functions take as many arguments as the reference lists, and reject one more', () => {
  const counted = entries.filter(({ id, call }) => id.startsWith('F.') && !call.includes('...'))
  assert.ok(counted.length > 70)
  for (const { name, params } of counted) {
    const fn = gf.functional[name], most = fn.length
    // Those in PyTorch's order; functions that are not PyTorch's take what the reference lists.
    const order = FUNCTIONS[name] && parseSignature(FUNCTIONS[name]).order
    assert.equal(most, (order ?? params).length, name)
    assert.throws(() => fn(...Array(most).fill(undefined), 1), { message: new RegExp(`^${name}: takes .* also got a [a-z]+( one)?: 1$`) })
  }
})

const examples = all.flatMap(({ id, examples: own }) => own.map(code => ({ id, code })))

test('the main functions have examples', () => {
  const with_ = new Set(examples.map(({ id }) => id))
  for (const id of ['gf.tensor', 'gf.trace', 'gf.observe', 'gf.grad', 'gf.tidy', 'F.softmax', 'F.crossEntropy',
    'F.scaledDotProductAttention', 'gf.nn.Linear', 'gf.nn.Module', 'gf.nn.MultiheadAttention', 'gf.optim.AdamW',
    'gf.text.trainBPE', 'gf.decoding.generate', 'gf.loadSafetensors', 'gf.autograd.Function']) assert.ok(with_.has(id), id)
})

for (const { id, code } of examples) test(`example of ${id}`, async () => {
  const seen = await run(gf, code)
  assert.ok(seen.length || !code.includes('//'), 'it says nothing')
  for (const { line, expected, got } of seen) assert.equal(got, expected, line)
})

test('the page has an anchor for every entry, and its links lead somewhere', async () => {
  const read = name => readFile(new URL(`../../web/docs/${name}`, import.meta.url), 'utf8')
  const shell = await read('reference.html'), torchNames = JSON.parse(await read('torch_names.json'))
  const html = pageOf(sections, shell, torchNames), anchors = new Set([...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
  for (const { id } of all) assert.ok(anchors.has(id), id)
  for (const [, id] of html.matchAll(/ href="#([^"]+)"/g)) assert.ok(anchors.has(id), id)
  assert.ok(!/>undefined|\[object|__@|__\d/.test(html), 'nothing came out wrong')
  assert.match(html, /data-name="torch\.Tensor\.tolist" hidden><p><code>torch\.Tensor\.tolist<\/code>: write <code>x\.toArray\(\)<\/code>/)
  for (const method of ['step', 'getLastLr', 'stateDict', 'loadStateDict']) assert.ok(anchors.has(`Scheduler.${method}`), method)
})
