// What the tables of mistakes write with, and how a row is tried. The message is all that its writer has.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'

export const gf = await load(), F = gf.functional, { nn, optim } = gf
export const x = gf.ones([2, 3]), seq = gf.ones([1, 3, 4]), mask = [[false]]
export const lin = new nn.Linear(3, 2), layer = new nn.TransformerEncoderLayer(4, 2)
export const sgd = new optim.SGD(lin.parameters(), { lr: 0.1 }), file = gf.saveSafetensors(lin.stateDict())
export const twice = lin.forward(x).sum()
twice.backward()
export const gone = gf.ones([1])
gone.dispose()

export const NO_NUMBER = `a float32 tensor [2, 3] cannot be used with JavaScript's + - * / < > and Math; write a.add(b), ` +
  'a.sub(b), a.mul(b), a.div(b), a.lt(b), a.gt(b), a.exp() …, and a.item() for the value of a tensor of one'

/** A test for each row: what was written, and what the message says. @param {[() => unknown, string][]} mistakes */
export function tell(mistakes) {
  for (const [written, says] of mistakes) test(String(written).slice(6), async () => {
    await assert.rejects(async () => written(), error => {
      assert.equal(error.name, 'GlassformerError', error.stack)
      assert.equal(error.message, says)
      return true
    })
  })
}
