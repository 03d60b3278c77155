// A GPT-2 from a folder of Hugging Face's files: node load_gpt2.js FOLDER "a beginning". Without a folder a small one
// of random weights is made up, with the same keys.
import { openAsBlob } from 'node:fs'
import { readFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { load } from 'glassformer'

const gf = await load()
const [folder, beginning = 'Once upon a time'] = process.argv.slice(2)

/** Texts are read, weights are opened: only what is needed of them is ever read. */
async function filesOf(path) {
  const names = (await readdir(path)).filter(name => /\.(json|txt|safetensors|model|bin)$/.test(name))
  const read = name => (/\.(safetensors|bin)$/.test(name) ? openAsBlob : file => readFile(file, 'utf8'))(join(path, name))
  return Object.fromEntries(await Promise.all(names.map(async name => [name, await read(name)])))
}

function madeUp() {
  gf.manualSeed(1)
  const C = 24, config = { model_type: 'gpt2', vocab_size: 257, n_positions: 64, n_embd: C, n_layer: 2, n_head: 4 }
  const normal = (...shape) => gf.normal(shape, { std: 0.1 }), norm = name => (
    { [`${name}.weight`]: gf.ones([C]), [`${name}.bias`]: gf.zeros([C]) })
  const layer = at => ({
    ...norm(`${at}.ln_1`), ...norm(`${at}.ln_2`),
    [`${at}.attn.c_attn.weight`]: normal(C, 3 * C), [`${at}.attn.c_attn.bias`]: gf.zeros([3 * C]),
    [`${at}.attn.c_proj.weight`]: normal(C, C), [`${at}.attn.c_proj.bias`]: gf.zeros([C]),
    [`${at}.mlp.c_fc.weight`]: normal(C, 4 * C), [`${at}.mlp.c_fc.bias`]: gf.zeros([4 * C]),
    [`${at}.mlp.c_proj.weight`]: normal(4 * C, C), [`${at}.mlp.c_proj.bias`]: gf.zeros([C])
  })
  const weights = gf.saveSafetensors({
    'wte.weight': normal(257, C), 'wpe.weight': normal(64, C), ...layer('h.0'), ...layer('h.1'), ...norm('ln_f')
  })
  const tokenizer = gf.text.trainBPE('once upon a time there was a time', { vocabSize: 257 })
  return {
    'config.json': JSON.stringify(config), 'model.safetensors': weights, 'tokenizer.json': JSON.stringify(tokenizer)
  }
}

const files = folder ? await filesOf(folder) : madeUp()
const { type, parameters, bytes, missing, problems } = await gf.models.inspect(files)
console.log(`${type}: ${parameters} parameters, ${bytes} bytes; missing ${missing.length}, problems ${problems.length}`)
const { model, tokenizer } = await gf.models.load(files)
if (!tokenizer) throw new Error('the folder has no tokenizer')
const ids = tokenizer.encode(beginning).ids
console.log(beginning + tokenizer.decode(model.generate(ids, { maxNewTokens: 8, end: [] })))
