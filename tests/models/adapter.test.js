// LoRA adapters of loaded models in PEFT's files: what they compute, round trips, merging, and what is refused.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertClose, plain } from '../lib/compare.js'
import { assertRejects, gf } from '../lib/engine.js'
import { cases, filesOf } from './golden_models.js'

const CONFIG = 'adapter_config.json', WEIGHTS = 'adapter_model.safetensors'
const load = async (item, options) => (await gf.models.load(filesOf(item), options)).model
const outputOf = (model, { inputs: { ids, ...options } }) => gf.tidy(() => {
  const { logits, hidden } = gf.noGrad(() => model.forward(ids, options))
  return plain(logits ?? hidden)
})
const trained = model => model.parameters().filter(p => p.requiresGrad)
/** An adapter as after some training. */
const withAdapter = async (item, options) => {
  const model = gf.models.addAdapter(await load(item), { r: 3, loraAlpha: 6, ...options })
  gf.manualSeed(7)
  for (const p of trained(model)) p.values.set(gf.randn(p.shape).mul(0.1).values)
  return model
}
const tensorsOf = files => gf.loadSafetensors(files[WEIGHTS]).tensors
const configOf = files => JSON.parse(files[CONFIG])
const all = ['gpt2', 'bert', 'llama', 't5', 'marian'].flatMap(type => cases(type))

for (const item of all) test(`${item.name}: saved and loaded again, and merged`, async () => {
  const model = await withAdapter(item), files = gf.models.saveAdapter(model), expected = outputOf(model, item)
  const other = await load(item), before = outputOf(other, item)
  assert.equal(await gf.models.loadAdapter(other, files), other)
  assert.deepEqual(outputOf(other, item), expected, 'the same bits')
  assert.notDeepEqual(before, expected)
  const again = gf.models.saveAdapter(other)
  assert.equal(again[CONFIG], files[CONFIG])
  assert.deepEqual(again[WEIGHTS], files[WEIGHTS])
  // T5 does not scale its scores, so that roundings grow.
  const { model: merged } = await gf.models.load(gf.models.save(model)), share = item.name.startsWith('t5') ? 3e-6 : 1e-6
  assertClose(outputOf(merged, item), expected, { tol: share * Math.max(1, ...expected.data.map(Math.abs)), name: 'merged' })
  for (const each of [model, other, merged]) each.dispose()
})

test('an adapter adds scaling × B A to the matrix, in the layout of the file', async () => {
  for (const [type, name, options, scaling, isTransposed] of [
    ['gpt2', 'h.0.attn.c_attn', {}, 2, true], ['gpt2', 'h.1.mlp.c_proj', { targetModules: ['mlp.c_proj'] }, 2, true],
    ['llama', 'model.layers.0.self_attn.v_proj', { useRslora: true }, 6 / Math.sqrt(3), false],
    ['llama', 'model.layers.1.mlp.down_proj', { targetModules: ['down_proj'], r: 2, loraAlpha: 1 }, 0.5, false]
  ]) {
    const [item] = cases(type), model = await withAdapter(item, options), files = gf.models.saveAdapter(model)
    const tensors = tensorsOf(files), changed = filesOf(item, { change: state => gf.tidy(() => {
      for (const [key, a] of Object.entries(tensors).filter(([key]) => key.includes('lora_A'))) {
        const path = key.replace('base_model.model.', '').replace('.lora_A.weight', '')
        const own = Object.keys(state).find(one => path.endsWith(one.replace('.weight', '')) && one.endsWith('.weight'))
        const delta = tensors[key.replace('lora_A', 'lora_B')].matmul(a).mul(scaling)
        state[own] = gf.engine.keep(state[own].add(isTransposed ? delta.t() : delta))
      }
      return state
    }) })
    assert.ok(Object.keys(tensors).some(key => key.includes(name)), name)
    assert.equal(configOf(files).fan_in_fan_out, isTransposed)
    const { model: expected } = await gf.models.load(changed)
    assertClose(outputOf(model, item), outputOf(expected, item), { tol: 4e-6, name })
  }
})

test('the files are those of PEFT', async () => {
  const files = gf.models.saveAdapter(await withAdapter(cases('gpt2')[1], { loraDropout: 0.1 }), { baseModel: 'gpt2' })
  assert.deepEqual(configOf(files), {
    alpha_pattern: {}, auto_mapping: null, base_model_name_or_path: 'gpt2', bias: 'none', fan_in_fan_out: true,
    inference_mode: true, init_lora_weights: true, layers_pattern: null, layers_to_transform: null, lora_alpha: 6,
    lora_dropout: 0.1, modules_to_save: null, peft_type: 'LORA', r: 3, rank_pattern: {}, revision: null,
    target_modules: ['c_attn'], task_type: 'CAUSAL_LM', use_dora: false, use_rslora: false
  })
  const shapes = Object.fromEntries(Object.entries(tensorsOf(files)).map(([key, { shape }]) => [key, [...shape]]))
  assert.deepEqual(shapes['base_model.model.transformer.h.0.attn.c_attn.lora_A.weight'], [3, 12])
  assert.deepEqual(shapes['base_model.model.transformer.h.0.attn.c_attn.lora_B.weight'], [36, 3])
})

test('names, whole names, patterns and all matrices', async () => {
  const [item] = cases('llama')
  const targets = async targetModules => {
    const files = gf.models.saveAdapter(gf.models.addAdapter(await load(item), { r: 1, targetModules }))
    return [configOf(files).target_modules, Object.keys(tensorsOf(files)).length / 2]
  }
  assert.deepEqual(await targets(['q_proj', 'up_proj']), [['q_proj', 'up_proj'], 4])
  assert.deepEqual(await targets(['layers.1.self_attn.o_proj']), [['model.layers.1.self_attn.o_proj'], 1])
  assert.deepEqual(await targets('.*\\.0\\..*(q|k)_proj'),
    [['model.layers.0.self_attn.q_proj', 'model.layers.0.self_attn.k_proj'], 2])
  assert.deepEqual((await targets('all-linear'))[1], 14)
  assertRejects(() => gf.models.addAdapter(model0, { targetModules: ['c_attn'] }), 'range', '["c_attn"]', 'q_proj, k_proj')
})
const model0 = await load(cases('llama')[0])

test('at first nothing changes; only the adapter is trained, beside weights of 8 bits, too', async () => {
  for (const item of [cases('gpt2')[0], cases('llama')[0]]) for (const dtype of ['float32', 'int8']) {
    const model = await load(item, { dtype }), before = outputOf(model, item)
    gf.models.addAdapter(model, { r: 2, loraDropout: 0.5 })
    assert.deepEqual(outputOf(model, item), before)
    const names = model.namedParameters().filter(([, p]) => p.requiresGrad).map(([name]) => name)
    assert.ok(names.length && names.every(name => /lora_[AB]\.weight$/.test(name)), String(names))
    const optimizer = new gf.optim.SGD(trained(model), { lr: 0.5 })
    model.train()
    for (let step = 0; step < 2; step++) gf.tidy(() => {
      model.forward(item.inputs.ids).logits.square().mean().backward()
      for (const p of trained(model)) assert.ok(p.grad)
      optimizer.step()
      optimizer.zeroGrad()
    })
    model.eval()
    const expected = outputOf(model, item), files = gf.models.saveAdapter(model)
    const other = await gf.models.loadAdapter(await load(item, { dtype }), files)
    assert.notDeepEqual(expected, before)
    assert.deepEqual(outputOf(other, item), expected)
  }
})

test('quantize leaves an adapter as it is, and trained', async () => {
  for (const item of [cases('gpt2')[0], cases('llama')[0]]) {
    const model = gf.models.addAdapter(await load(item), { r: 4 }), count = trained(model).length
    for (const p of trained(model)) gf.noGrad(() => p.add_(0.1))
    gf.quantize(model, { dtype: 'int8' })
    assert.equal(trained(model).length, count)
    const dtypes = model.namedParameters().filter(([, p]) => p.isMatrix).map(([name, { dtype }]) => [/lora/.test(name), dtype])
    assert.deepEqual(new Set(dtypes.map(String)), new Set(['true,float32', 'false,int8']))
    const later = await gf.models.loadAdapter(gf.quantize(await load(item), { dtype: 'int8' }), gf.models.saveAdapter(model))
    assert.deepEqual(outputOf(later, item), outputOf(model, item))
  }
})

test('ranks and factors by module, 16-bit files, shorter prefixes and other paths are understood', async () => {
  const [item] = cases('gpt2'), { manualSeed, randn } = gf
  manualSeed(3)
  const key = (n, side) => `base_model.model.h.${n}.attn.c_attn.lora_${side}.weight`
  const tensors = Object.fromEntries([2, 4].flatMap((r, n) =>
    [[key(n, 'A'), randn([r, 12])], [key(n, 'B'), randn([36, r])]]))
  const config = { peft_type: 'LORA', r: 2, lora_alpha: 4, target_modules: ['c_attn'], rank_pattern: { 'h.1.attn.c_attn': 4 },
    alpha_pattern: { '1.attn.c_attn': 1 }, some_new_setting: null }
  const files = { 'run/adapter_config.json': JSON.stringify(config),
    'run/adapter_model.safetensors': new Blob([gf.saveSafetensors(tensors, {}, { dtypes: 'BF16' })]) }
  const model = await gf.models.loadAdapter(await load(item), files)
  const saved = gf.models.saveAdapter(model), own = configOf(saved)
  assert.deepEqual([own.r, own.lora_alpha], [2, 4])
  assert.deepEqual([Object.values(own.rank_pattern), Object.values(own.alpha_pattern)], [[4], [1]])
  const other = await gf.models.loadAdapter(await load(item), saved)
  assert.deepEqual(outputOf(other, item), outputOf(model, item))
})

test('what is not understood is refused, and the model stays as it was', async () => {
  const [item] = cases('gpt2'), good = gf.models.saveAdapter(await withAdapter(item)), model = await load(item)
  const keys = Object.keys(model.stateDict()), before = outputOf(model, item)
  const refused = async (change, ...fragments) => {
    const files = { ...good, ...change }
    for (const [name, value] of Object.entries(files)) if (value === null) delete files[name]
    await assert.rejects(gf.models.loadAdapter(model, files), error => {
      assert.equal(error.name, 'GlassformerError', error.stack)
      for (const fragment of fragments) assert.ok(error.message.includes(fragment), error.message)
      return true
    })
    assert.deepEqual(Object.keys(model.stateDict()), keys)
  }
  const config = changes => ({ [CONFIG]: JSON.stringify({ ...configOf(good), ...changes }) })
  await refused(config({ peft_type: 'IA3' }), 'peft_type must be "LORA", got "IA3"')
  await refused(config({ use_dora: true }), 'use_dora', 'DoRA cannot be loaded')
  await refused(config({ modules_to_save: ['lm_head'] }), 'modules_to_save is ["lm_head"]', 'trained as a whole')
  await refused(config({ bias: 'all' }), 'bias is "all"')
  await refused(config({ init_lora_weights: 'pissa' }), 'init_lora_weights is "pissa"')
  await refused(config({ layer_replication: [[0, 2]] }), 'layer_replication')
  await refused(config({ r: 0 }), 'adapter_config.json: r')
  await refused(config({ r: 4 }), 'c_attn.lora_A.weight must have shape [4, 12], got [3, 12]')
  await refused({ [WEIGHTS]: null }, 'adapter_model.safetensors is missing among adapter_config.json')
  await refused({ [CONFIG]: null }, 'adapter_config.json is missing')
  const tensors = tensorsOf(good), [first] = Object.keys(tensors)
  const changed = change => ({ [WEIGHTS]: gf.saveSafetensors({ ...tensors, ...change }) })
  await refused(changed({ 'base_model.model.transformer.wte.lora_embedding_A': gf.ones([3, 11]) }), 'lora_embedding_A is not one of')
  await refused(changed({ 'base_model.model.h.7.attn.c_attn.lora_A.weight': gf.ones([3, 12]) }),
    'h.7.attn.c_attn is no matrix of this gpt2 model')
  const { [first]: _, ...rest } = tensors
  await refused({ [WEIGHTS]: gf.saveSafetensors(rest) }, first, 'is missing')
  assert.deepEqual(outputOf(model, item), before)
  await gf.models.loadAdapter(model, good)
  await assert.rejects(gf.models.loadAdapter(model, good), /has an adapter already/)
  assertRejects(() => gf.models.addAdapter(model), 'state', 'has an adapter already')
  assertRejects(() => gf.models.saveAdapter(model0), 'state', 'addAdapter')
  assertRejects(() => gf.models.addAdapter(model0, { targetModules: 'c_attn' }), 'range', 'no matrix is called "c_attn"', 'write ["c_attn"]')
  assertRejects(() => gf.models.saveAdapter(new gf.nn.Linear(2, 2)), 'type', 'must come from gf.models.load')
  for (const [options, code] of [[{ r: 0 }, 'range'], [{ loraAlpha: 'x' }, 'type'], [{ loraDropout: 2 }, 'range'], [{ rank: 3 }, 'type'],
    [{ targetModules: 3 }, 'type'], [{ targetModules: '(q' }, 'range']]) assertRejects(() => gf.models.addAdapter(model0, options), code, 'models.addAdapter')
})
