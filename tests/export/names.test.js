// Names that are valid in JavaScript but not in Python. An attribute keeps its key in the state dict, and no name can
// insert lines into a script. Whether Python runs such scripts is tested by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'
import { FunctionModule } from './modules.js'

const { nn } = gf

/** A module with a submodule of some name, and a parameter of that name with a 2. */
function withAttribute(name, submodule = new nn.Linear(3, 3)) {
  const model = new FunctionModule(x => model[name].forward(x).add(model[`${name}2`]))
  model[name] = submodule
  model[`${name}2`] = new nn.Parameter([1, 2, 3])
  return model
}

/** The lines of a script with HACKED outside of a string. */
const injectedLines = script => script.split('\n').filter(line => /HACKED/.test(line) && !/'[^']*HACKED/.test(line))

/** Names that cannot stand after a dot, and how Python writes them. */
const SPECIAL_NAMES = {
  'lambda': "'lambda'", 'class': "'class'", 'None': "'None'", '1': "'1'", 'a b': "'a b'", "it's": "'it\\'s'", '$x': "'$x'",
  '질문': "'질문'", '__own': "'__own'", 'a\nimport HACKED': "'a\\u000aimport HACKED'", 'back\\slash': "'back\\\\slash'",
  'a\r\u2028b': "'a\\u000d\\u2028b'", 'half\ud800': "'half\\ud800'", 'quote"': "'quote\"'"
}

for (const [name, written] of Object.entries(SPECIAL_NAMES)) test(`an attribute named ${JSON.stringify(name)}`, () => {
  const script = gf.toPyTorch(withAttribute(name), gf.ones([2, 3]))
  assert.ok(script.includes(`        setattr(self, ${written}, nn.Linear(3, 3))\n`), script)
  assert.ok(script.includes(`= getattr(self, ${written})(input)\n`))
  assert.deepEqual(injectedLines(script), [])
})

test('attributes that are plain in Python are written after a dot', () => {
  for (const name of ['match', 'print', '_x', 'aB', 'x1']) {
    const script = gf.toPyTorch(withAttribute(name), gf.ones([2, 3]))
    assert.ok(script.includes(`        self.${name} = nn.Linear(3, 3)\n`) && script.includes(`self.${name}(input)`), name)
  }
})

test('keys of a ModuleDict, names of outputs and inputs, classes, buffers and tied weights', () => {
  const key = "x'\n    import HACKED  # \\"
  const linear = new nn.Linear(3, 3)
  const model = new FunctionModule(x => ({ [key]: model.heads.get(key).forward(x).add(model['a b']), 'it\'s': model['if'].forward(x) }))
  model.heads = new nn.ModuleDict({ [key]: linear, other: new nn.Linear(3, 3) })
  model['if'] = new nn.Linear(3, 3)
  model['if'].weight = linear.weight
  model['else'] = model['if']
  model.registerBuffer('a b', gf.ones([3]))
  const written = "'x\\'\\u000a    import HACKED  # \\\\'", script = gf.toPyTorch(model, { "it's\nHACKED": gf.ones([2, 3]) })
  for (const line of [`            ${written}: nn.Linear(3, 3),\n`, `self.heads[${written}](input)`, 'def call(model, it_s_hacked):\n', `    ${written}: (1, torch`,
    "    'it\\'s': (1, torch", `named(output)[${written}]`, "        self.register_buffer('a b', torch.zeros((3,), dtype=torch.float32))\n",
    " + getattr(self, 'a b')\n", "    setattr(model, 'else', getattr(model, 'if'))\n",
    `    getattr(model, 'if').weight = model.heads[${written}].weight\n`]) assert.ok(script.includes(line), `${line}\n${script}`)
  assert.deepEqual(injectedLines(script), [])
})

test('classes do not take names of Python or of the script', () => {
  for (const name of ['None', 'lambda', 'F', 'nn', 'train', 'check', '1st', '가', 'causal']) {
    const Class = { [name]: class extends nn.Module {
      inner = new nn.Linear(3, 3)
      forward(x) { return this.inner.forward(x) }
    } }[name]
    const script = gf.toPyTorch(new Class(), gf.ones([2, 3])), [, own] = /^class (.*)\(nn\.Module\):$/m.exec(script)
    assert.match(own, /^[A-Za-z_]\w*$/)
    assert.ok(!['None', 'lambda', 'F', 'nn', 'train', 'check', 'causal'].includes(own), own)
    assert.ok(script.includes(`    model = ${own}()\n`))
  }
})

test('a constant does not take the name of a submodule', () => {
  const model = new FunctionModule(x => model.constant.forward(x).add(gf.tensor([1, 2, 3])))
  model.constant = new nn.Linear(3, 3)
  const script = gf.toPyTorch(model, gf.ones([2, 3]))
  assert.ok(script.includes("self.register_buffer('constant_2'") && script.includes('constant + self.constant_2\n'), script)
})

test('attribute names of nn.Module are refused', () => {
  for (const name of ['', 'half', 'named_children', '__dict__', 'register_buffer', '_modules']) {
    assertRejects(() => gf.toPyTorch(withAttribute(name), gf.ones([2, 3])), 'type', 'toPyTorch: FunctionModule has a submodule or tensor with',
      name ? JSON.stringify(name) : 'an empty name')
  }
  const model = new FunctionModule(x => model.heads.get('clear').forward(x))
  model.heads = new nn.ModuleDict({ clear: new nn.Linear(3, 3) })
  assertRejects(() => gf.toPyTorch(model, gf.ones([2, 3])), 'type', 'ModuleDict has a submodule or tensor with the name "clear"')
})

test('training predicts the next token if ids and logits belong to a text, otherwise it regresses numbers', () => {
  const table = new nn.Embedding(7, 7), narrow = new nn.Linear(7, 5)
  const targetOf = (fn, ids) => {
    const model = Object.assign(new FunctionModule(fn), { table, narrow })
    return /yield inputs, (.*)/.exec(gf.toPyTorch(model, [gf.tensor(ids, { dtype: 'int32' })]))[1]
  }
  const rows = [[1, 2, 3], [4, 5, 6]], numbers = /^torch\.randn\(/
  assert.equal(targetOf(ids => table.forward(ids), rows), 'inputs[-1]')
  assert.match(targetOf(ids => table.forward(ids), [[1], [4]]), numbers, 'a single token has no next one')
  assert.match(targetOf(ids => narrow.forward(table.forward(ids)), rows), numbers, 'fewer classes than ids')
  assert.match(targetOf(ids => table.forward(ids).narrow(1, 0, 2), rows), numbers, 'fewer rows than ids')
  assert.match(targetOf(ids => table.forward(ids).sum({ dim: 1 }), rows), numbers, 'one row for a sequence')
  assert.match(targetOf(ids => table.forward(ids), [1, 2, 3]), numbers, 'ids without a batch')
})
