import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'
import { withEdit, withoutEdit } from '../../web/edits.js'
import { runTranslation } from '../../web/model/run.js'

const file = (path) => readFile(new URL(`../../${path}`, import.meta.url))
const gf = await load({ wasm: await file('dist/glassformer.wasm') })
const weights = new Uint8Array(await file('web/model/date_translator.safetensors'))
const run = (edits) => {
  const made = runTranslation(gf, { model: 'trained', target: '2026년 11월 20일' }, edits, weights)
  made.dispose()
  return made
}
const bits = ({ data }) => new Int32Array(data.buffer, data.byteOffset, data.length)
const isSame = (one, other, name) => {
  const [a, b] = [one, other].map(({ tensors }) => bits(tensors.get(name)))
  return a.every((x, i) => x === b[i])
}

const WITHIN = ['scores', 'masked_scores', 'weights', 'heads']

/** What an attention makes of a tensor of its own. */
function later(name) {
  const [, stem, own] = /^(.*\.)(\w+)$/.exec(name) ?? []
  return WITHIN.includes(own) ? WITHIN.slice(WITHIN.indexOf(own) + 1).map((part) => stem + part) : []
}

/** Every tensor that is computed, at whatever distance, from this one. */
function downstream({ inputs }, name) {
  const reached = new Set([name, ...later(name)])
  const isNext = ([out, from]) => !reached.has(out) && Object.values(from).some((one) => reached.has(one))
  for (let grew = true; grew;) {
    const more = [...inputs].filter(isNext)
    more.forEach(([out]) => reached.add(out))
    grew = more.length > 0
  }
  return reached
}

const first = run([])
const middle = (tensor) => tensor.shape.map((side) => Math.floor(side / 2))
const editable = [...first.tensors.keys()].filter((name) => (
  first.inputs.has(name) || /weight$|bias$|\.pe$/.test(name)))

test('any number of any tensor can be changed, and nothing that does not follow from it changes', () => {
  assert.ok(editable.length > 150, `${editable.length}`)
  for (const name of editable) {
    const index = middle(first.tensors.get(name))
    const changed = run([{ name, index, value: 7.5 }])
    const tensor = changed.tensors.get(name)
    const at = index.reduce((sum, i, axis) => sum * tensor.shape[axis] + i, 0)
    assert.equal(tensor.data[at], 7.5, name)
    const follows = downstream(first, name)
    for (const other of first.tensors.keys()) {
      if (!follows.has(other) && !other.endsWith('.dots')) assert.ok(isSame(first, changed, other), `${name} changed ${other}`)
    }
  }
})

test('what follows from a score follows: weights, heads, and the logits', () => {
  const layer = 'transformer.encoder.layers.0.self_attn'
  const changed = run([{ name: `${layer}.scores`, index: [0, 1, 2, 3], value: 9 }])
  for (const name of [`${layer}.masked_scores`, `${layer}.weights`, `${layer}.heads`, 'output.output']) {
    const known = first.tensors.has(name) ? name : first.aliases.get(name) ?? 'output'
    assert.ok(!isSame(first, changed, known), known)
  }
  for (const name of [`${layer}.q`, `${layer}.k`, `${layer}.v`]) assert.ok(isSame(first, changed, name), name)
})

test('taking edits back one by one gives the same bits again', () => {
  const one = { name: 'transformer.decoder.layers.0.linear1.weight', index: [3, 1], value: -2 }
  const two = { name: 'transformer.encoder.layers.1.self_attn.weights', index: [0, 0, 1, 1], value: 1 }
  const both = withEdit(withEdit([], one), two)
  const [alone, together] = [run([one]), run(both)]
  const steps = [[withoutEdit(both, two), alone], [[], first], [both, together]]
  for (const [edits, expected] of steps) {
    const again = run(edits)
    for (const name of first.tensors.keys()) assert.ok(isSame(expected, again, name), name)
  }
})
