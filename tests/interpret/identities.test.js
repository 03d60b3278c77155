// What must hold in every model, on random ones of odd shapes and on the page's trained ones: parts sum to the logit,
// everything from the clean run gives the clean answer, integrated gradients are complete, and a path that is patched
// gives what freezing everything else by hand does.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listEmbeddings } from '../../web/lib/input_attribution.js'
import { roomsOf } from '../../web/rooms/index.js'
import { inEvalMode } from '../../web/worker/cache_comparison.js'
import { gf } from '../lib/engine.js'
import { pageRun } from '../lib/page.js'
import { SHAPES, createRandom } from './random_decoder.js'

const { logitAttribution, inputAttribution, patch, pathPatch } = gf.interpret
const close = (a, b, what) => assert.ok(Math.abs(a - b) <= 2e-5 * Math.max(1, Math.abs(b)), `${what}: ${a}, not ${b}`)

/** The parts sum to the logit, but for the rounding of float32. */
function checkSum(run, options, name) {
  const { total, parts } = logitAttribution(run, options)
  const [sum, size] = [value => value, Math.abs].map(of => parts.reduce((all, { value }) => all + of(value), 0))
  assert.ok(Math.abs(total - sum) <= 2 ** -20 * size, `${name}: ${total}, and the parts ${sum}`)
  return parts
}

/** Integrated gradients are complete to a thousandth of the difference, or of 1. */
function checkComplete(run, options, name) {
  const { values, total, baseline } = inputAttribution(run, { method: 'integratedGradients', steps: 2000, ...options })
  const gap = total - baseline - values.reduce((sum, value) => sum + value, 0)
  assert.ok(Math.abs(gap) <= 1e-3 * Math.max(1, Math.abs(total - baseline)), `${name}: ${gap} of ${total - baseline}`)
}

const CLEAN = [[3, 1, 4, 1, 5, 2, 6]], CORRUPTED = [[3, 6, 4, 1, 0, 2, 6]], metric = logits => logits.at(0, 6, 2)

/** The cells of a block of channels from another tensor. */
const withBlock = (other, block, D) => tensor => gf.cat(Array.from({ length: tensor.shape[2] / D }, (_, i) => (
  (i === block ? other : tensor).narrow(2, i * D, D))), 2)

for (const name of Object.keys(SHAPES)) test(`${name}: all identities`, async () => {
  const model = createRandom(name), { sizes: { H, KV, D } } = model, layers = [...model.layers].length
  const run = gf.observe(() => model(CLEAN), { modules: { model } }), V = SHAPES[name].V
  for (const position of [0, 3, 6]) for (const token of [0, V >> 1, V - 1]) {
    const parts = checkSum(run, { position, token }, name)
    assert.equal(parts.filter(({ role }) => role === 'head').length, layers * H, name)
    assert.ok(!parts.some(({ role }) => ['other', 'attention'].includes(role)), name)
  }
  checkSum(run, { position: 5, token: 1, against: 2 }, name)
  for (const token of [0, V - 1]) checkComplete(run, { target: { position: 6, token } }, name)
  run.dispose()

  const options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const { values, clean, corrupted } = await patch({ ...options, positions: 'all' })
  assert.equal(values.length, layers)
  for (const value of values) assert.equal(value, clean, name)
  assert.ok(Math.abs(clean - corrupted) > 1e-3)

  const runByHand = (ids, change) => {
    const seen = {}
    return { value: metric(model.forward(ids, change, seen)), seen }
  }
  const { seen: own } = runByHand(CLEAN), { seen: base } = runByHand(CORRUPTED), last = layers - 1
  let largest = 0
  for (const head of [0, H - 1]) {
    const later = Array.from({ length: layers }, (_, n) => [`feedForward${n}`, ...(n ? [`attention${n}`] : [])]).flat()
    const frozen = Object.fromEntries(later.map(sub => [sub, () => base[sub]]))
    const sent = { ...frozen, z0: withBlock(own.z0, head, D) }, sender = { layer: 0, head }
    const found = runByHand(CORRUPTED, sent)
    close((await pathPatch({ ...options, sender, receivers: 'output' })).value, found.value, `${name}: to the output`)
    for (const input of ['q', 'k', 'v']) {
      const to = H - 1, block = input === 'q' ? to : Math.floor(to / (H / KV)), key = input + last
      const { value: expected } = runByHand(CORRUPTED, { [key]: withBlock(found.seen[key], block, D) })
      const { value } = await pathPatch({ ...options, sender, receivers: { layer: last, head: to, input } })
      close(value, expected, `${name}: ${head} to ${input}`)
      largest = Math.max(largest, Math.abs(expected - corrupted))
    }
  }
  assert.ok(largest > 1e-4, `${name}: paths have an effect, ${largest}`)
})

const PAGE_MODELS = {
  'dates': {}, 'dates, norm first': { normFirst: true }, 'particles': { model: 'particles' }, 'stories': { model: 'stories' },
  'text': { model: 'text' }, 'induction': { model: 'induction' },
  'stories, like a Llama': { model: 'stories', norm: 'rms', positions: 'rotary', activation: 'swiglu', kvHeads: 2 }
}

/** The cells of a head. */
function headCells({ shape }, head, heads) {
  if (shape.length === 4) return [null, head, null, null]
  const D = shape[2] / heads
  return [null, null, [head * D, (head + 1) * D]]
}

for (const [name, settings] of Object.entries(PAGE_MODELS)) test(`${name}: all identities of the trained model`, async () => {
  const page = pageRun(settings), rooms = roomsOf(page), { model, inputs } = page.workerRun.exportable
  const { rows, steps, first = 0 } = page.decoding, position = rows[rows.length >> 1], { id } = steps[rows.length >> 1]
  const { parts: { logits } } = rooms.find(({ stage }) => stage === 'attribution')
  for (const token of [id, 1]) checkSum(page.workerRun.run, { logits, position, token }, name)
  const clean = Object.values(inputs), again = gf.observe(() => inEvalMode(model, () => model.forward(...clean)))
  const target = { logits, position, token: id }
  for (const { out } of listEmbeddings(rooms)) checkComplete(again, { target, input: out }, name)
  again.dispose()

  // Another token in each text, before the row that is measured.
  const corrupted = clean.map(([[start, second, ...rest]]) => [[start, second === 5 ? 6 : 5, ...rest]])
  const own = output => output.at(0, position + first, id)
  const options = { model: ids => inEvalMode(model, () => model.forward(...ids)), clean, corrupted, metric: own }
  const { parts: { streams, spoken } } = rooms.find(({ stage }) => stage === 'residual_stream')
  const ends = streams.filter(({ tower }) => tower === spoken || streams.length > 1)
    .map(({ subs }) => subs[subs.length - 1].point)
  const { values, clean: answer, corrupted: other } = await patch({ ...options, targets: [ends.at(-1)], positions: 'all' })
  assert.equal(values[0], answer, name)
  assert.notEqual(answer, other, `${name}: the texts differ`)
  // Of an encoder with a decoder every layer of the encoder, where only its text differs.
  for (const { tower, subs } of streams) {
    const texts = streams.length > 1 && tower === 'encoder' ? [corrupted[0], clean[1]] : corrupted
    if (streams.length > 1 && tower !== 'encoder') continue
    const map = await patch({ ...options, corrupted: texts, targets: subs.map(({ point }) => point), positions: 'all' })
    for (const value of map.values) assert.equal(value, map.clean, name)
  }
  await checkPath(name, rooms, options)
  page.dispose()
})

/** The path from a head of the first layer to one of the last, against edits that freeze all that lies between. */
async function checkPath(name, rooms, options) {
  const { model, clean, corrupted, metric: own } = options
  const { parts: { streams, spoken } } = rooms.find(({ stage }) => stage === 'residual_stream')
  const { subs } = streams.find(({ tower }) => tower === spoken)
  const attentions = rooms.filter(({ stage, tower = 'model', block, layer }) => (
    stage === 'scores' && tower === spoken && block !== 'multihead_attn' && layer !== undefined))
  const [from, to] = [attentions[0], attentions.at(-1)], trace = (ids, edits = []) => (
    gf.trace(() => gf.noGrad(() => model(ids)), { edits }))
  const runs = [trace(clean), trace(corrupted)], [there, here] = runs.map(one => one.trace)
  // What follows the sender's attention in the stream.
  const at = subs.findIndex(({ layer, block }) => layer === from.layer && block === from.block)
  const frozen = subs.slice(at + 1).map(({ change }) => (
    { name: change, index: here.get(change).shape.map(() => null), from: here }))
  const sender = { layer: 0, head: 1 }, { out, heads } = from.parts
  const sent = trace(corrupted, [...frozen, { name: out, index: headCells(here.get(out), 1, heads), from: there }])
  close((await pathPatch({ ...options, sender, receivers: 'output' })).value, own(sent.output), `${name}: to the output`)
  for (const input of ['q', 'k', 'v']) {
    const tensor = to.parts[input], count = input === 'q' ? heads : to.parts.kvHeads, block = Math.floor(2 / (heads / count))
    const edits = [{ name: tensor, index: headCells(here.get(tensor), block, count), from: sent.trace }]
    const read = trace(corrupted, edits), receivers = { layer: to.layer, head: 2, input }
    close((await pathPatch({ ...options, sender, receivers })).value, own(read.output), `${name}: to ${input}`)
    read.trace.dispose()
  }
  for (const one of [sent.trace, there, here]) one.dispose()
}
