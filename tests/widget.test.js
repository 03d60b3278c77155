// The Python side of the notebook widget, where Python and numpy are there: its bytes are safetensors.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gf } from './lib/engine.js'

const FOLDER = fileURLToPath(new URL('../web/widget/glassformer_widget', import.meta.url))
const PYTHON = process.env.PYTHON ?? '/usr/bin/python3'
const python = code => spawnSync(PYTHON, ['-B', '-c', `import sys; sys.path.insert(0, ${JSON.stringify(FOLDER)}); import weights\n${code}`])
const skip = python('').status === 0 ? false : `${PYTHON} has no numpy`

test('a state dict becomes safetensors; integers are left out', { skip }, async () => {
  const { stdout, stderr } = python(`
import numpy
class Model:
  config = {"model_type": "llama", "vocab_size": 7}
  def state_dict(self):
    return {"a.weight": numpy.arange(6, dtype="f8").reshape(2, 3).T, "mask": numpy.ones(3, dtype="i8"), "b": numpy.float32(0.1), "c": numpy.array([1.5], dtype="f2")}
data, text = weights.describe(Model())
assert text == '{"model_type": "llama", "vocab_size": 7}', text
sys.stdout.buffer.write(data)`)
  assert.equal(String(stderr), '')
  const { tensors: state } = await gf.loadSafetensors(stdout)
  assert.deepEqual(Object.keys(state).sort(), ['a.weight', 'b', 'c'])
  assert.deepEqual([state['a.weight'].shape, [...state['a.weight'].data]], [[3, 2], [0, 3, 1, 4, 2, 5]])
  assert.deepEqual([state.b.shape, state.b.item(), state.c.item()], [[], Math.fround(0.1), 1.5])
})

const hasTorch = !skip && python('import torch').status === 0
test('tensors of PyTorch too, also in 16 bits and transposed', { skip: hasTorch ? false : `${PYTHON} has no torch` }, async () => {
  const { stdout, stderr } = python(`
import torch
torch.manual_seed(0)
x = torch.rand(2, 3)
data, _ = weights.describe({"x": x.t(), "h": x.bfloat16(), "n": torch.nn.Parameter(x), "i": torch.arange(3)}, config="{}")
assert weights.as_ids(torch.tensor([[1, 2]])) == [1, 2]
sys.stdout.buffer.write(data)`)
  assert.equal(String(stderr), '')
  const { tensors: state } = await gf.loadSafetensors(stdout)
  gf.manualSeed(0)
  const x = gf.rand([2, 3])
  assert.deepEqual([...state.x.data], [...x.t().contiguous().data])
  assert.deepEqual([...state.n.data], [...x.data])
  assert.deepEqual([...state.h.data], [...x.to('bfloat16').to('float32').data])
  assert.deepEqual(Object.keys(state).sort(), ['h', 'n', 'x'])
})

test('wrong arguments are named', { skip }, () => {
  for (const [call, reason] of [
    ['weights.describe({"a": [1.0]})', 'TypeError: config is missing'], ['weights.to_safetensors([1])', 'TypeError: weights must be a state dict of tensors by name, got list'],
    ['weights.to_safetensors({})', 'ValueError: weights: the state dict has no floating-point tensors'],
    ['weights.as_ids([])', 'TypeError: ids must be a list of integers'], ['weights.as_ids([1.5])', 'TypeError: ids must be'], ['weights.as_ids([[1], [2]])', 'TypeError: ids must be']
  ]) {
    const { status, stderr } = python(call)
    assert.ok(status === 1 && String(stderr).includes(reason), `${call}: ${stderr}`)
  }
})
