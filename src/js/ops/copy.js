import { record } from '../autograd.js'
import { cell, product, sumOf } from '../explain.js'
import { expectTensor } from './checks.js'

/** @typedef {import('../tensor.js').Tensor} Tensor */

/** What both say: the same cells. @type {Omit<import('../autograd.js').Operation, 'name'>} */
const same = {
  axes: ({ inputs: { x } }, of) => of(x),
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_accumulate(gradient(x), gradient(out), out.size)
  },
  explain: ({ inputs: { x } }, _, index) => sumOf('out = x', [product(cell(x, index, 'x'))]),
  explainGradient: ({ outputs: { out } }, _, index, d) => (
    { formula: 'dx = dout', terms: [product(d(out, index, 'dout'))] })
}
const cloned = { ...same, name: 'clone' }, detached = { ...same, name: 'detach', isView: true }

/**
 * A copy, through which gradients go: torch.Tensor.clone.
 * @param {Tensor} x @returns {Tensor}
 */
export function clone(x) {
  const { engine } = expectTensor('clone', 'x', x), out = engine.empty(x.shape, x.dtype)
  out.copyFrom(x)
  return record(engine, cloned, { x }, { out })
}

/**
 * The same values in the same memory, cut off from what they were computed from: torch.Tensor.detach.
 * @param {Tensor} x @returns {Tensor}
 */
export function detach(x) {
  const { engine } = expectTensor('detach', 'x', x)
  return engine.noGrad(() => record(engine, detached, { x }, { out: engine.view(x, x.shape) }))
}
