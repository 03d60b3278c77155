import { test } from 'node:test'
import { assertRejects, gf } from '../lib/engine.js'
import { testOp } from '../lib/op_tests.js'

testOp('relu', {
  run: ({ x }) => ({ y: gf.functional.relu(x) }),
  // Numbers are passed on or replaced by 0.
  bounds: () => ({ y: 0, x: 0 }),
  golden: { ops: ['relu'], special_values: ['relu'] }
})

test('relu: rejects invalid arguments', () => {
  assertRejects(() => gf.functional.relu([1, 2]), 'type', 'relu', 'x', 'tensor')
  assertRejects(() => gf.functional.relu(gf.tensor([true])), 'type', 'relu', 'x', 'bool')
})
