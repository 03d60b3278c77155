// Objects that the tables of mistakes use, and the test of each row: the message is all that a user sees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { load } from '../../src/js/index.js'

export const gf = await load(), F = gf.functional, { nn, optim } = gf
export const x = gf.ones([2, 3]), seq = gf.ones([1, 3, 4]), mask = [[false]]
export const lin = new nn.Linear(3, 2), layer = new nn.TransformerEncoderLayer(4, 2)
export const sgd = new optim.SGD(lin.parameters(), { lr: 0.1 }), file = gf.saveSafetensors(lin.stateDict())
export const twice = lin.forward(x).sum()
twice.backward()
export const disposed = gf.ones([1])
disposed.dispose()

export const NO_NUMBER = `a float32 tensor [2, 3] cannot be used with JavaScript's + - * / < > and Math; write a.add(b), ` +
  'a.sub(b), a.mul(b), a.div(b), a.lt(b), a.gt(b), a.exp() …, and a.item() for the value of a tensor of one'

/** A test for each row: a mistaken call and its message. @param {[() => unknown, string][]} mistakes */
export function expectMessages(mistakes) {
  for (const [call, message] of mistakes) test(String(call).slice(6), async () => {
    await assert.rejects(async () => call(), error => {
      assert.equal(error.name, 'GlassformerError', error.stack)
      assert.equal(error.message, message)
      return true
    })
  })
}
