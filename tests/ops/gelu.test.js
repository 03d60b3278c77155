import { test } from 'node:test'
import { boundsOf } from '../lib/bounds.js'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'
import { gelu } from '../../src/reference/index.js'

const F = gf.functional

testOp('gelu', {
  run: ({ x }, { approximate }) => ({ y: F.gelu(x, { approximate }) }),
  bounds: boundsOf(gelu),
  golden: { ops: ['gelu'], special_values: ['gelu'] }
})

testOp('gelu', {
  run: ({ x }) => ({ y: F.gelu(x, { approximate: 'tanh' }) }),
  bounds: boundsOf(gelu),
  golden: { ops: ['gelu_tanh'], special_values: ['gelu_tanh'] },
  examples: []
})

test('gelu: rejects invalid arguments', () => {
  assertRejects(() => F.gelu(3), 'type', 'gelu', 'x', 'tensor')
  assertRejects(
    () => F.gelu(gf.tensor([1]), { approximate: 'sigmoid' }),
    'range',
    'gelu',
    'approximate',
    'tanh',
    'sigmoid'
  )
})
