// models.save writes Hugging Face's keys and shapes, and weights that load with the same bits.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bertFiles, t5Files } from '../lib/imported_models.js'
import { loadGolden } from '../golden/index.js'
import { assertRejects, gf } from '../lib/engine.js'
import { assertClose } from '../lib/compare.js'
import { assertOutputs, cases, filesOf } from './golden_models.js'

const ALL = loadGolden('models').cases
const TYPES = ['gpt2', 'bert', 'marian', 't5', 'llama']
/** The prefixes of keys in Hugging Face's classes with a head. */
const PREFIXES = { gpt2: 'transformer.', bert: 'bert.', marian: 'model.', t5: '', llama: 'model.' }
const CLASSES = /^(GPT2LMHeadModel|Bert(ForMaskedLM|Model)|MarianMTModel|T5ForConditionalGeneration|LlamaForCausalLM)$/
const BARE = /^(lm_head|cls|final_logits_bias)/

/**
 * The keys and shapes of a file as Hugging Face writes it today. Some golden cases differ: keys without prefix, as of
 * the model without a head, TensorFlow's names of norms, or matrices of GPT-2 in nn.Linear's layout.
 */
function expectedOf({ config: { model_type: type, n_embd: channels }, tensors }) {
  const hasHead = type !== 'bert' || tensors.some(([key]) => key.startsWith('cls.'))
  const prefix = hasHead ? PREFIXES[type] : '', isGpt2 = type === 'gpt2'
  const hasLinearLayout = isGpt2 && tensors.find(([key]) => key.endsWith('h.0.attn.c_attn.weight'))[1][0] !== channels
  return Object.fromEntries(tensors.map(([key, shape]) => {
    const plain = key.replace('_orig_mod.', '').replace(/\.gamma$/, '.weight').replace(/\.beta$/, '.bias')
    const full = BARE.test(plain) || plain.startsWith(prefix) ? plain : prefix + plain
    return [full, hasLinearLayout && /\.c_\w+\.weight$/.test(key) ? [...shape].reverse() : shape]
  }).sort())
}

const shapesOf = bytes => Object.fromEntries(Object.entries(gf.loadSafetensors(bytes).tensors)
  .map(([key, { shape }]) => [key, [...shape]]).sort())
const bitsOf = model => Object.fromEntries(Object.entries(model.stateDict()).map(([key, { shape, bytes }]) =>
  [key, [...shape, ...bytes]]))

for (const item of ALL) test(`${item.name}: saves Hugging Face's keys and shapes, and loads the same bits`, async () => {
  const { model, config } = await gf.models.load(filesOf(item)), { tensors } = gf.memory()
  const files = gf.models.save(model)
  assert.equal(gf.memory().tensors, tensors, 'no tensor leaks')
  assert.deepEqual(Object.keys(files), ['config.json', 'model.safetensors'])
  assert.deepEqual(shapesOf(files['model.safetensors']), expectedOf(item))
  const { problems, missing, unused, parameters } = await gf.models.inspect(files)
  assert.deepEqual([problems, missing, unused], [[], [], []])
  assert.ok(parameters > 0)
  const reloaded = await gf.models.load(files)
  assert.deepEqual(bitsOf(reloaded.model), bitsOf(model))
  assertOutputs(reloaded.model, item, item.name)
  const savedConfig = JSON.parse(files['config.json'])
  for (const [name, value] of Object.entries(config)) assert.deepEqual(savedConfig[name], value, name)
  assert.equal(savedConfig.torch_dtype, 'float32')
  assert.match(savedConfig.architectures[0], CLASSES)
  const isTied = !('lm_head.weight' in expectedOf(item))
  if (/^(gpt2|llama|t5)/.test(item.name)) assert.equal(savedConfig.tie_word_embeddings, isTied)
  model.dispose()
  reloaded.model.dispose()
})

for (const type of TYPES) test(`${type}: saves 16-bit matrices in 16 bits, and int8 as float32`, async () => {
  const [item] = cases(type)
  for (const [dtype, code] of [['float16', 'float16'], ['bfloat16', 'bfloat16'], ['int8', 'float32']]) {
    const { model } = await gf.models.load(filesOf(item), { dtype }), files = gf.models.save(model)
    assert.equal(JSON.parse(files['config.json']).torch_dtype, code)
    assert.deepEqual(shapesOf(files['model.safetensors']), expectedOf(item))
    const reloaded = await gf.models.load(files, { dtype: code })
    const state = reloaded.model.stateDict()
    for (const [key, tensor] of Object.entries(model.stateDict())) {
      const plain = dtype === 'int8' && tensor.dtype === 'int8' ? tensor.to('float32') : tensor
      assert.deepEqual([...state[key].bytes], [...plain.bytes], key)
    }
    reloaded.model.dispose()
    model.dispose()
  }
})

test('changed weights are saved, also of a clone; other settings of the configuration are kept', async () => {
  const [item] = cases('gpt2')
  const { model } = await gf.models.load(filesOf(item, { config: { bos_token_id: 7, dtype: 'bfloat16' } }))
  const copy = model.clone()
  copy.wte.weight.data[3] = 42
  const files = gf.models.save(copy), { tensors } = gf.loadSafetensors(files['model.safetensors'])
  assert.equal(tensors['transformer.wte.weight'].data[3], 42)
  const { bos_token_id: begin, dtype, torch_dtype: older } = JSON.parse(files['config.json'])
  assert.deepEqual([begin, dtype, older], [7, 'float32', undefined])
})

test("llama2.c's interleaved rotary pairs are half a head apart in the model and where it is saved", async () => {
  const item = cases('llama')[1], size = item.config.head_dim, weight = llama => llama.layers.at(0).self_attn.k_proj.weight.toArray()
  const { model, config } = await gf.models.load(filesOf(item, { config: { rotary_layout: 'interleaved' } }))
  const files = gf.models.save(model)
  assert.ok(!('rotary_layout' in JSON.parse(files['config.json'])))
  const { model: unchanged } = await gf.models.load(filesOf(item)), { model: reloaded } = await gf.models.load(files)
  const rows = weight(model)
  weight(unchanged).forEach((row, i) =>
    assert.deepEqual(rows[i - i % size + (i % 2) * size / 2 + Math.floor(i % size / 2)], row))
  assert.deepEqual(weight(reloaded), rows)
  const logitsOf = llama => gf.noGrad(() => llama.forward(item.inputs.ids).logits).toArray()
  assert.deepEqual(logitsOf(reloaded), logitsOf(model))
  const own = { 'config.json': JSON.stringify(config), 'model.safetensors': gf.saveSafetensors(model.stateDict()) }
  assert.deepEqual(logitsOf((await gf.models.load(own)).model), logitsOf(model), 'written by hand')
})

test('the tokenizer is saved', async () => {
  for (const [files, text] of [[bertFiles(), 'the cat went home'], [t5Files(), 'the cat went home']]) {
    const { model, tokenizer } = await gf.models.load(files)
    const reloaded = await gf.models.load(gf.models.save(model, { tokenizer }))
    assert.deepEqual(reloaded.tokenizer.encode(text, { special: true }), tokenizer.encode(text, { special: true }))
  }
})

test('the files of the chat template are saved with the tokenizer', async () => {
  const files = { ...bertFiles(), 'tokenizer_config.json': '{"chat_template": "{{ sep_token }}", "sep_token": "[SEP]"}',
    'chat_template.jinja': '{{ messages[0].content }}{{ sep_token }}' }
  const { model, tokenizer } = await gf.models.load(files), saved = gf.models.save(model, { tokenizer })
  const reloaded = await gf.models.load(saved), chat = [{ role: 'user', content: 'the cat' }]
  assert.equal(await reloaded.tokenizer.applyChatTemplate(chat, { tokenize: false }), 'the cat[SEP]')
})

test('only models of gf.models.load can be saved', async () => {
  const { model } = await gf.models.load(filesOf(cases('llama')[0]))
  assert.throws(() => gf.models.save(new gf.nn.Linear(2, 2)),
    { code: 'type', message: /come from gf\.models\.load.*got .*Linear.*gf\.saveSafetensors/ })
  assert.throws(() => gf.models.save(model, { tokenizer: '{}' }), { code: 'type', message: /tokenizer.*gf\.text\.tokenizer/ })
  assert.throws(() => gf.models.save(model, { words: 1 }), { code: 'type', message: /words/ })
})

test('a replaced module is named, whether tensors are missing, of another shape or additional', async () => {
  const { nn } = gf, [item] = cases('llama')
  class LoRA extends nn.Module {
    constructor(base) {
      super()
      this.base = base
      this.down = new nn.Linear(base.inFeatures, 2, { bias: false })
    }
  }
  class GatedLinear extends nn.Linear {
    gate = new nn.Parameter([1])
  }
  const assertRefused = async (change, message) => {
    const { model } = await gf.models.load(filesOf(item))
    change(model)
    assert.throws(() => gf.models.save(model), { name: 'GlassformerError', code: 'state', message })
  }
  const attention = model => model.layers.at(0).self_attn
  await assertRefused(model => { attention(model).q_proj = new LoRA(attention(model).q_proj) },
    /layers\.0\.self_attn\.q_proj\.weight is missing: layers\.0\.self_attn\.q_proj is now a LoRA/)
  await assertRefused(model => { attention(model).q_proj = new GatedLinear(12, 12, { bias: false }) },
    /layers\.0\.self_attn\.q_proj\.gate has no key in Hugging Face's class: layers\.0\.self_attn\.q_proj is now a GatedLinear/)
  await assertRefused(model => { model.embed_tokens = new nn.Embedding(12, 12) },
    /embed_tokens\.weight must have shape \[11, 12\], as config\.json says, got \[12, 12\]/)
  await assertRefused(model => { attention(model).o_proj = null },
    /layers\.0\.self_attn\.o_proj\.weight is missing: layers\.0\.self_attn\.o_proj is now null/)
  const { model } = await gf.models.load(filesOf(item)), merged = new nn.Linear(12, 12, { bias: false })
  attention(model).q_proj = merged
  const { tensors } = gf.loadSafetensors(gf.models.save(model)['model.safetensors'])
  assert.deepEqual(tensors['model.layers.0.self_attn.q_proj.weight'].toArray(), merged.weight.toArray())
})

/** A layer with LoRA beside it, as in "Build a Large Language Model (From Scratch)". */
class LinearWithLoRA extends gf.nn.Module {
  constructor(linear, channels, rank, outputs = channels) {
    super()
    this.linear = linear
    this.A = new gf.nn.Parameter(gf.randn([channels, rank]))
    this.B = new gf.nn.Parameter(gf.randn([rank, outputs]).mul(0.1))
    this.dropout = new gf.nn.Dropout(0.5)
  }

  forward(x) {
    const change = this.dropout.forward(x).matmul(this.A).matmul(this.B).mul(2)
    return this.linear ? this.linear.forward(x).add(change) : change
  }
}
const logitsOf = (model, { inputs }, options) =>
  gf.tidy(() => gf.noGrad(() => model.forward(inputs.ids, options).logits.toArray().flat(2)))

test('a Linear that got LoRA is saved merged, and loads with the same outputs', async () => {
  for (const [type, change] of [
    ['llama', ({ layers }) => Object.assign(layers.at(0).self_attn, {
      q_proj: new LinearWithLoRA(layers.at(0).self_attn.q_proj, 12, 2)
    })],
    ['gpt2', ({ h }) => Object.assign(h.at(0), { linear1: new LinearWithLoRA(
      h.at(0).linear1, h.at(0).linear1.inFeatures, 3, h.at(0).linear1.outFeatures) })]
  ]) {
    const [item] = cases(type), { model } = await gf.models.load(filesOf(item)), before = logitsOf(model, item)
    change(model)
    model.eval()
    const expected = logitsOf(model, item)
    assert.notDeepEqual(expected, before)
    for (const isTraining of [false, true]) {
      model.train(isTraining)
      const { tensors } = gf.memory(), files = gf.models.save(model)
      assert.equal(gf.memory().tensors, tensors, 'no tensor leaks')
      assert.ok(model.namedModules().every(([, { training }]) => training === isTraining))
      assert.deepEqual(shapesOf(files['model.safetensors']), expectedOf(item))
      const { model: reloaded } = await gf.models.load(files)
      assertClose(logitsOf(reloaded, item), expected, { tol: 2e-5 })
      reloaded.dispose()
    }
  }
})

test('q, k and v of a joint projection are adapted one by one, trained and saved merged', async () => {
  const [item] = cases('gpt2'), { model } = await gf.models.load(filesOf(item)), attention = model.h.at(0).self_attn
  const C = attention.embedDim, frozen = bitsOf(model)
  model.requiresGrad_(false)
  attention.adapters = new gf.nn.ModuleDict({ q: new LinearWithLoRA(null, C, 2), v: new LinearWithLoRA(null, C, 2) })
  const trained = model.parameters().filter(p => p.requiresGrad), optimizer = new gf.optim.SGD(trained, { lr: 0.1 })
  assert.equal(trained.length, 4)
  gf.tidy(() => {
    model.forward(item.inputs.ids).logits.square().mean().backward()
    for (const p of trained) assert.ok(p.grad && p.grad.toArray().flat().some(value => value !== 0))
    optimizer.step()
  })
  model.eval()
  const expected = logitsOf(model, item), files = gf.models.save(model)
  const { model: merged } = await gf.models.load(files), bits = bitsOf(merged)
  assertClose(logitsOf(merged, item), expected, { tol: 2e-5 })
  const key = 'h.0.self_attn.in_proj_weight', rows = part => merged.stateDict()[key].toArray().slice(part * C, part * C + C)
  assert.deepEqual(rows(1), model.stateDict()[key].toArray().slice(C, 2 * C), 'k is as it was')
  for (const name of Object.keys(frozen)) if (name !== key) assert.deepEqual(bits[name], frozen[name], name)
})

test('a replacement that is not linear, or has a bias where there is none, is refused', async () => {
  const { nn } = gf, [item] = cases('llama')
  const reject = async (replacement, ...words) => {
    const { model } = await gf.models.load(filesOf(item)), attention = model.layers.at(0).self_attn
    attention.q_proj = replacement(attention.q_proj)
    assertRejects(() => gf.models.save(model), 'state', 'models.save', 'layers.0.self_attn.q_proj', ...words)
  }
  await reject(q => new nn.Sequential(q, new nn.GELU()), 'Sequential', 'not linear')
  await reject(() => new nn.Sequential(new nn.Linear(12, 12)), 'bias')
  await reject(() => new nn.Sequential(new nn.Linear(12, 11, { bias: false })), '12 outputs', '11')
})
