// Path patching against a model that is computed by hand, part by part.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gf } from '../lib/engine.js'
import { createDecoder, createFunction } from './decoders.js'

const CLEAN = [[3, 1, 4, 1, 5]], CORRUPTED = [[3, 7, 4, 1, 9]], metric = logits => logits.at(0, 4, 2)
const F = gf.functional

/**
 * The decoder by hand. `change` may replace what an attention's heads give (z), what q, k and v are, and what a
 * sub-layer adds; it gets a name such as 'z1' and the values, and everything is noted in `seen`.
 */
function byHand(model, ids, change = {}) {
  const seen = {}, at = (name, tensor) => (seen[name] = change[name] ? change[name](tensor) : tensor)
  let x = model.embedding(ids).add(model.positions([[...ids[0].keys()]]))
  for (const [n, layer] of [...model.layers].entries()) {
    const mha = layer.self_attn, y = layer.norm1(x), C = 16
    const [q, k, v] = ['q', 'k', 'v'].map((name, i) => at(name + n,
      F.linear(y, mha.in_proj_weight.narrow(0, i * C, C), mha.in_proj_bias.narrow(0, i * C, C))))
    const split = t => t.reshape(1, 5, 4, 4).transpose(1, 2)
    const heads = F.scaledDotProductAttention(split(q), split(k), split(v), { isCausal: true })
    const z = heads.transpose(1, 2).reshape(1, 5, C)
    x = x.add(at(`attention${n}`, mha.out_proj(at(`z${n}`, z))))
    x = x.add(at(`feedForward${n}`, layer.linear2(layer.linear1(layer.norm2(x)).relu())))
  }
  return { value: metric(model.head(x)), seen }
}

/** A tensor with the channels of a head taken from another. */
const withHead = (other, head) => tensor => (
  gf.cat([0, 1, 2, 3].map(h => (h === head ? other : tensor).narrow(2, 4 * h, 4)), 2))

test('direct paths from head to head equal those computed by hand', async () => {
  const model = createDecoder().eval(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const clean = byHand(model, CLEAN).seen, base = byHand(model, CORRUPTED), close = (a, b, what) => {
    assert.ok(Math.abs(a - b) < 1e-5, `${what}: ${a}, not ${b}`)
  }
  const later = ['feedForward0', 'attention1', 'feedForward1']
  const frozen = Object.fromEntries(later.map(name => [name, () => base.seen[name]]))
  let largest = 0
  for (const head of [0, 3]) {
    const sent = { ...frozen, z0: withHead(clean.z0, head) }, sender = { layer: 0, head }
    for (const input of ['q', 'k', 'v']) for (const to of [1, 2]) {
      const { seen } = byHand(model, CORRUPTED, sent)
      const expected = byHand(model, CORRUPTED, { [`${input}1`]: withHead(seen[`${input}1`], to) }).value
      const { value } = await gf.interpret.pathPatch({ ...options, sender, receivers: { layer: 1, head: to, input } })
      close(value, expected, `${head} to ${input}${to}`)
      largest = Math.max(largest, Math.abs(expected - base.value))
    }
    const several = [{ layer: 1, head: 1, input: 'q' }, { layer: 1, head: 2, input: 'v' }]
    const { seen } = byHand(model, CORRUPTED, sent)
    const both = byHand(model, CORRUPTED, { q1: withHead(seen.q1, 1), v1: withHead(seen.v1, 2) }).value
    close((await gf.interpret.pathPatch({ ...options, sender, receivers: several })).value, both, 'two receivers')
    const direct = await gf.interpret.pathPatch({ ...options, sender, receivers: 'output' })
    close(direct.value, byHand(model, CORRUPTED, sent).value, 'output')
    // A feed-forward network as receiver: what it adds is computed anew, and the rest is held.
    const { feedForward1: _, ...others } = sent, read = byHand(model, CORRUPTED, others).seen.feedForward1
    const expected = byHand(model, CORRUPTED, { feedForward1: () => read }).value
    const network = await gf.interpret.pathPatch({ ...options, sender, receivers: { layer: 1, feedForward: true } })
    close(network.value, expected, 'feed-forward')
  }
  assert.ok(largest > 1e-3, 'paths have an effect')
})

test('several heads send together, each past the sub-layers between', async () => {
  const model = createDecoder().eval(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const clean = byHand(model, CLEAN).seen, base = byHand(model, CORRUPTED).seen
  const networks = { feedForward0: () => base.feedForward0, feedForward1: () => base.feedForward1 }
  const value = async (sender, receivers) => (await gf.interpret.pathPatch({ ...options, sender, receivers })).value
  const close = (a, b, what) => assert.ok(Math.abs(a - b) < 1e-5, `${what}: ${a}, not ${b}`)
  // Two heads of one layer, and heads of both layers: the other heads of layer 1 stay as they were.
  const two = { ...networks, z0: tensor => withHead(clean.z0, 3)(withHead(clean.z0, 0)(tensor)) }
  const pair = [{ layer: 0, head: 0 }, { layer: 0, head: 3 }]
  close(await value(pair, 'output'), byHand(model, CORRUPTED, { ...two, attention1: () => base.attention1 }).value, 'one layer')
  const both = { ...two, z1: () => withHead(clean.z1, 2)(base.z1) }, three = [...pair, { layer: 1, head: 2 }]
  const expected = byHand(model, CORRUPTED, both).value
  close(await value(three, 'output'), expected, 'both layers')
  const others = byHand(model, CORRUPTED, { ...two, z1: withHead(clean.z1, 2) }).value
  assert.ok(Math.abs(others - expected) > 1e-5, 'the other heads of layer 1 would matter')
  // A head of layer 1 reads what the first two send, not what the third, its neighbor, does.
  const { seen } = byHand(model, CORRUPTED, two), k1 = withHead(seen.k1, 1)
  const receivers = { layer: 1, head: 1, input: 'k' }, byKeys = byHand(model, CORRUPTED, { k1 }).value
  close(await value(three, receivers), byKeys, 'keys')
  assert.equal(await value([pair[0]], receivers), await value(pair[0], receivers))
})

test('without a sender there is a number for each head', async () => {
  const model = createDecoder(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const before = gf.memory().tensors, receivers = { layer: 1, head: 1, input: 'v' }
  const map = await gf.interpret.pathPatch({ ...options, receivers })
  assert.ok(gf.memory().tensors <= before)
  for (const head of [0, 1, 2, 3]) {
    const { value } = await gf.interpret.pathPatch({ ...options, receivers, sender: { layer: 0, head } })
    assert.equal(map.values[0][head], value)
    assert.ok(Number.isNaN(map.values[1][head]))
  }
  const output = await gf.interpret.pathPatch({ ...options, receivers: 'output', normalize: true })
  assert.deepEqual(output.values.map(({ length }) => length), [4, 4])
  assert.ok(output.values.flat().every(Number.isFinite))
})

test('the last head has no path but the direct one where nothing follows', async () => {
  // Its layer's feed-forward network is switched off in all runs, so that the direct effect is the whole effect.
  const model = createDecoder().eval()
  model.layers[1].linear2.weight.data.fill(0)
  const options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const direct = await gf.interpret.pathPatch({ ...options, receivers: 'output' })
  const whole = await gf.interpret.patch({ ...options, targets: 'heads', positions: 'all' })
  direct.values[1].forEach((value, head) => assert.ok(Math.abs(value - whole.values[1][head]) < 1e-6))
  assert.ok(direct.values[0].some((value, head) => Math.abs(value - whole.values[0][head]) > 1e-3))
})

test('tensors can be named where attention is made of single operations', async () => {
  const model = createFunction(), options = { model, clean: CLEAN, corrupted: CORRUPTED, metric }
  const receivers = { name: 'matmul:9', index: [null, null, null] }
  const { values } = await gf.interpret.pathPatch({ ...options, receivers })
  assert.ok(values[0].every(value => value !== undefined && Number.isFinite(value)))
  assert.ok(values[0].some(value => Math.abs(value - metric(model(CORRUPTED))) > 1e-4))
})

test('rejects senders and receivers that there are not', async () => {
  const options = { model: createDecoder(), clean: CLEAN, corrupted: CORRUPTED, metric, receivers: 'output' }
  for (const [change, code, message] of [
    [{ receivers: undefined }, 'type', /receivers must be given/],
    [{ receivers: [] }, 'type', /receivers must have one or more/],
    [{ receivers: ['output', { layer: 1, head: 0, input: 'q' }] }, 'type', /'output' only alone/],
    [{ receivers: { layer: 1, head: 0 } }, 'type', /receivers\[0\]\.input must be 'q', 'k' or 'v', got undefined/],
    [{ receivers: { layer: 2, head: 0, input: 'q' } }, 'range', /receivers\[0\]\.layer must be an integer from 0 to 1, got 2/],
    [{ receivers: { layer: 3, feedForward: true } }, 'index', /must have a feed-forward network, got 3/],
    [{ receivers: { name: 'nowhere', index: [0] } }, 'index', /nowhere/],
    [{ sender: { layer: 0, head: 4 } }, 'range', /sender\.head must be an integer from 0 to 3, got 4/],
    [{ receivers: { layer: 0, head: 0, input: 'k' } }, 'range', /receivers must be computed after a head/],
    [{ sender: 3 }, 'type', /sender\.layer must be an integer/],
    [{ sender: [] }, 'type', /sender must have one head or more/],
    [{ sender: [{ layer: 0, head: 1 }, { layer: 2, head: 1 }] }, 'range', /sender\[1\]\.layer must be an integer from 0 to 1/],
    [{ sender: { layer: 1, head: 0 }, receivers: { layer: 1, head: 0, input: 'q' } }, 'range', /sender must be computed before a receiver/]
  ]) await assert.rejects(gf.interpret.pathPatch({ ...options, ...change }), { code, message }, String(message))
  await assert.rejects(gf.interpret.pathPatch({
    ...options, model: createFunction(), receivers: { layer: 1, head: 0, input: 'q' }
  }), { code: 'state', message: /made of single operations; name a tensor/ })
})
