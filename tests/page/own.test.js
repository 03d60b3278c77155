// Files of a reader's that do not belong together: what is said, and that the model before stays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { open, openIn } from '../../web/models/own/open.js'
import { run } from '../../web/models/own/run.js'
import { cases, filesOf } from '../models/drawn.js'
import { gf } from '../lib/engine.js'

const [llama] = cases('llama')
const blobs = files => Object.fromEntries(Object.entries(files).map(([name, content]) => [name, new Blob([content])]))

test('a tokenizer of another model is refused with both sizes, and the model before goes on', async () => {
  const before = await open(gf, blobs(filesOf(llama)), () => {})
  const ids = before.model.generate([1, 2, 3], { maxNewTokens: 4 })
  const other = gf.text.trainBPE('the bird and the boat', { vocabSize: 270, minFrequency: 2 })
  const files = { ...filesOf(llama), 'tokenizer.json': JSON.stringify(other) }
  await assert.rejects(open(gf, blobs(files), () => {}),
    /tokenizer has \d+ tokens, but the model knows 11: it is of another model; choose the tokenizer/)
  const now = await openIn(gf)
  assert.deepEqual(now.model.generate([1, 2, 3], { maxNewTokens: 4 }), ids)
})

for (const type of ['gpt2', 'bert', 'marian', 't5', 'llama']) test(
  `${type}: run after run, and after files that were refused, the engine holds what it held`, async () => {
    const [item] = cases(type)
    await open(gf, blobs(filesOf(item)), () => {})
    const held = async () => {
      run(gf, { beginning: '3 1 4' }, [], [await openIn(gf)]).run.dispose()
      const { tensors, bytes } = gf.memory()
      return { tensors, bytes }
    }
    const first = await held()
    assert.deepEqual(await held(), first)
    const other = gf.text.trainBPE('the bird and the boat', { vocabSize: 270, minFrequency: 2 })
    await assert.rejects(open(gf, blobs({ ...filesOf(item), 'tokenizer.json': JSON.stringify(other) }), () => {}), /another model/)
    assert.deepEqual(await held(), first)
  })

test('a weight that was edited has its own value again when the edit is gone, and its first one behind the next edit', async () => {
  const [item] = cases('gpt2')
  await open(gf, blobs(filesOf(item)), () => {})
  const opened = await openIn(gf), name = 'h.0.linear1.weight'
  const go = edits => {
    const made = run(gf, { beginning: '3 1 4' }, edits, [opened])
    assert.equal(made.before.get(`${name}:0,1`), edits.length ? first.value : undefined)
    const said = { value: made.run.tensor(name).values[1], loss: made.run.loss }
    made.run.dispose()
    return said
  }
  let first = null
  first = go([])
  const edited = go([{ name, index: [0, 1], value: 5 }])
  assert.equal(edited.value, 5)
  assert.notEqual(edited.loss, first.loss)
  assert.deepEqual(go([{ name, index: [null, 1], value: 5 }, { name, index: [0, 1], value: 7 }]).value, 7)
  assert.deepEqual(go([]), first)
})
