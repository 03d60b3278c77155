// The table of PyTorch's names in web/docs/pytorch.md says what is so.
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { test } from 'node:test'
import { DIFFERENT_NAMES, COMMON_EXPRESSIONS, renderApiTable, otherNames, rowsOf } from './lib/api_table.js'
import { gf } from './lib/engine.js'

const FILE = new URL('../web/docs/pytorch.md', import.meta.url), NAMES = new URL('../web/docs/torch_names.json', import.meta.url)
const torch = JSON.parse(await readFile(new URL('golden/torch_api.json', import.meta.url), 'utf8'))

test('every name in the table of differences exists in PyTorch', () => {
  for (const [part, entries] of Object.entries(DIFFERENT_NAMES)) for (const name of Object.keys(entries)) {
    const isNewer = part === 'torch.nn.functional' && name === 'scaled_dot_product_attention'
    assert.ok(isNewer || torch.names[part].includes(name), `${part}.${name}`)
  }
})

test('the first name that the table gives exists in the library', () => {
  const x = gf.tensor([[1]]), module = new gf.nn.Linear(1, 1), { nn, functional: F } = gf
  const roots = { gf, x, F, nn, module }
  for (const entries of Object.values(DIFFERENT_NAMES)) for (const [name, differs] of Object.entries(entries)) {
    const [, root, member] = /^(\w+)\.(\w+)/.exec(differs?.[0] ?? '') ?? []
    if (root && root in roots && member !== 'name') assert.ok(member in roots[root], `${name}: ${differs[0]}`)
  }
})

test("common PyTorch expressions give PyTorch's results", () => {
  const plain = value => (Array.isArray(value) ? value.map(plain) : value?.toArray?.() ?? value)
  for (const [python, here, value] of COMMON_EXPRESSIONS) {
    const x = gf.arange(12).reshape(3, 4).to('float32')
    assert.deepEqual(plain(new Function('x', 'gf', 'n', `return ${here}`)(x, gf, 2)), value, python)
  }
})

test('the API table matches the library', async () => {
  for (const [file, text] of [[FILE, renderApiTable(torch)], [NAMES, `${JSON.stringify(otherNames(torch), null, 1)}\n`]]) {
    if (process.env.UPDATE) await writeFile(file, text)
    assert.equal(await readFile(file, 'utf8'), text, 'run with UPDATE=1')
  }
})

test('all functions that a transformer needs exist', () => {
  const missing = rowsOf('torch.nn', ['Linear', 'Embedding', 'LayerNorm', 'Dropout', 'MultiheadAttention', 'Transformer',
    'GELU', 'CrossEntropyLoss', 'Sequential', 'ModuleList']).filter(({ status }) => status === 'not')
  assert.deepEqual(missing, [])
})

/** How many arguments a class takes, by which of too many is one too many; none where any number is taken. */
function getMaxConstructorArguments(Class) {
  for (let n = 1; n < 16; n++) {
    try {
      void new Class(...Array(n).fill(null))
    } catch ({ message }) {
      if (/: takes .*, but (also )?got /.test(message)) return n - 1
    }
  }
  return undefined
}

test('classes and functions limit the number of arguments', () => {
  const { nn } = gf, most = {
    BCELoss: 4, BCEWithLogitsLoss: 5, CosineSimilarity: 2, CrossEntropyLoss: 6, Dropout: 2, Embedding: 7, Flatten: 2,
    GELU: 1, KLDivLoss: 4, L1Loss: 3, LayerNorm: 6, LeakyReLU: 2, LearnedPositionalEncoding: 2, Linear: 5,
    LogSoftmax: 1, MSELoss: 3, ModuleDict: 1, ModuleList: 1, MultiheadAttention: 9, NLLLoss: 5, Parameter: 2,
    PositionalEncoding: 3, RMSNorm: 5, Softmax: 1, Softplus: 2, TransformerDecoder: 3, TransformerEncoder: 5
  }
  for (const [name, count] of Object.entries(most)) assert.equal(getMaxConstructorArguments(nn[name]), count, name)
  const functions = { flatten: 3, tril: 2, triu: 2, matmul: 2, cat: 2, where: 3 }
  for (const [name, count] of Object.entries(functions)) assert.equal(gf[name].length, count, name)
  assert.equal(gf.functional.slice.length, 5)
})
