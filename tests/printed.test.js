// Tensors, numbers and modules are printed as PyTorch prints them.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { formatValues } from '../src/js/tensor/print_tensor.js'
import { gf } from './lib/engine.js'

const golden = JSON.parse(await readFile(new URL('golden/printed.json', import.meta.url), 'utf8'))
const { nn } = gf

const NAMES = { 'nan': NaN, 'inf': Infinity, '-inf': -Infinity, 'True': true, 'False': false }
const toTensor = ({ shape, dtype, data, requiresGrad }) => {
  const values = data.map(text => (text in NAMES ? NAMES[text] : Number(text)))
  if (dtype === 'float16' || dtype === 'bfloat16') return gf.tensor(values, { shape }).to(dtype)
  return gf.tensor(dtype === 'bool' ? values.map(Number) : values, { shape, dtype, requiresGrad })
}

for (const item of golden.tensors) test(`tensor: ${item.name}`, () => {
  const x = toTensor(item)
  assert.equal(x.toString(), item.printed)
  assert.equal(inspect(x), item.printed)
  assert.equal(`${x}`, item.template)
})

for (const [code, printed] of Object.entries(golden.modules)) test(`module: ${code}`, () => {
  const module = new Function('nn', 'gf', `return ${code}`)(nn, gf)
  // Functions of PyTorch 2 print equal layers once.
  assert.equal(module.toString(), printed)
  assert.equal(inspect(module), printed)
})

test('equal layers are printed once, as in PyTorch 2', () => {
  const list = new nn.ModuleList([1, 2, 3].map(() => new nn.Linear(2, 2)))
  list.push(new nn.ReLU())
  assert.equal(`${list}`, `ModuleList(
  (0-2): 3 x Linear(in_features=2, out_features=2, bias=True)
  (3): ReLU()
)`)
  assert.equal(String(new nn.RMSNorm(4)), 'RMSNorm((4,), eps=None, elementwise_affine=True)')
  assert.equal(String(new nn.Softplus()), 'Softplus(beta=1.0, threshold=20.0)')
})

test('own modules print their class, and what extraRepr adds', () => {
  class Block extends nn.Module {
    attn = new nn.Linear(2, 4)
    act = new nn.GELU()
    extraRepr() { return 'heads=2' }
  }
  assert.equal(`${new Block()}`, `Block(
  heads=2
  (attn): Linear(in_features=2, out_features=4, bias=True)
  (act): GELU(approximate='none')
)`)
})

test('a tensor with a recorded computation names it, parameters say that they are', () => {
  const x = gf.ones([2], { requiresGrad: true })
  assert.equal(String(x.add(1)), 'tensor([2., 2.], grad_fn=<AddBackward0>)')
  assert.equal(`loss ${x.sum()}`, 'loss 2.0')
  assert.equal(String(new nn.Parameter([1.5])), 'Parameter containing:\ntensor([1.5000], requires_grad=True)')
  assert.equal(gf.zeros([2, 2]).to('int8').toString(), 'tensor([[0., 0.],\n        [0., 0.]], dtype=torch.int8)')
})

test('a disposed tensor says so, and large ones are printed from a few of their values', () => {
  const x = gf.ones([1])
  x.dispose()
  assert.equal(`${x}`, 'a disposed tensor')
  assert.match(String(gf.zeros([4000, 4000])), /^tensor\(\[\[0\., 0\., 0\., {2}\.\.\., 0\., 0\., 0\.\],\n/)
  const reads = new Set()
  formatValues([4000, 4000], i => reads.add(i) && 0, true, 0)
  assert.equal(reads.size, 36, 'three at both ends of both axes')
})

test('a trace prints a line for every tensor', () => {
  const layer = new nn.Linear(2, 1), { trace } = gf.trace(() => layer(gf.ones([3, 2])))
  assert.equal(inspect(trace), 'Trace\n  weight  float32 [1, 2]\n  bias  float32 [1]\n  input  float32 [3, 2]\n  output  float32 [3, 1]')
  trace.dispose()
})
