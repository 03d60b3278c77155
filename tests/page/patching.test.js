// The pairs of texts that models offer for a comparison, and what the worker measures of them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lengthOf, listDifferences } from '../../web/lib/patching.js'
import { READY, settingsOf, textField } from '../../web/models/index.js'
import { OTHERS, PAIRS } from '../../web/models/pairs.js'
import { defaults } from '../../web/models/state.js'
import { roomsOf } from '../../web/rooms/index.js'
import { describeText, patchTexts } from '../../web/worker/patching.js'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'

const TEXTS = READY.flatMap(model => [
  ...(PAIRS[model.id] ?? []).map(({ texts }) => ({ model, texts })),
  ...(OTHERS[model.id] ? model.examples.slice(0, 4) : [])
    .map(({ text }) => ({ model, texts: [text, OTHERS[model.id](text)] }))
])
const how = { signal: new AbortController().signal, onProgress() {} }

for (const { model, texts } of TEXTS) {
  test(`${model.id}: “${texts.join('” and “')}” can be compared`, async () => {
    const [here, there] = texts.map(text => {
      const { edits, ...settings } = settingsOf({ ...defaults(model.id), [textField(model)]: text })
      return pageRun(settings, edits)
    })
    const other = describeText(there.workerRun), differences = listDifferences(describeText(here.workerRun), other)
    assert.equal(other.length, lengthOf(here))
    assert.ok(differences.length > 0)
    const [{ step }] = differences, { rows, attentions } = roomsOf(here).find(({ id }) => id === 'patching').parts
    const query = { step, ids: here.decoding.steps.map(({ id }) => id), otherIds: other.steps.map(({ id }) => id) }
    const exit = rows.residual.at(-1).name
    const patched = await patchTexts(gf, here.workerRun, there.workerRun, { ...query, targets: [exit] }, how)
    // Each text prefers its own token, and the stream at the end decides alone.
    assert.ok(patched.here < 0 && patched.there > 0, `${patched.here}, ${patched.there}`)
    const [{ values }] = patched.rows
    values.forEach((value, at) => (
      assert.ok(Math.abs(value - patched[at === here.decoding.rows[step] ? 'there' : 'here']) < 1e-5, `${at}: ${value}`)))
    const heads = await patchTexts(gf, here.workerRun, there.workerRun, { ...query, targets: 'heads' }, how)
    assert.deepEqual(heads.rows.map(({ values: { length } }) => length), attentions.map(({ heads: count }) => count))
    assert.deepEqual(heads.rows.map(({ name }) => name), attentions.map(({ out }) => out))
    for (const run of [here, there]) run.dispose()
  })
}

test('a map that is no longer wanted stops', async () => {
  const [here, there] = PAIRS.dates[0].texts.map(source => pageRun({ ...defaults('dates'), source }, []))
  const controller = new AbortController(), ids = here.decoding.steps.map(({ id }) => id)
  const map = patchTexts(gf, here.workerRun, there.workerRun, { step: 5, ids, otherIds: there.decoding.steps.map(({ id }) => id), targets: 'heads' },
    { signal: controller.signal, onProgress: () => controller.abort(new Error('not wanted')) })
  await assert.rejects(map, /not wanted/)
  for (const run of [here, there]) run.dispose()
})
