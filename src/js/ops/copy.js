import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { expectTensor } from './checks.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** Both operations return the same cells. @type {Omit<import('../autograd/autograd.js').Operation, 'name'>} */
const identity = {
  axes: ({ inputs: { x } }, of) => of(x),
  backward({ inputs: { x }, outputs: { out } }, gradient) {
    out.engine.c.gf_accumulate(gradient(x), gradient(out), out.numel())
  },
  explain: ({ inputs: { x } }, _, index) => sumOf('out = x', [productTerm(cell(x, index, 'x'))]),
  explainGradient: ({ outputs: { out } }, _, index, d) => (
    { formula: 'dx = dout', terms: [productTerm(d(out, index, 'dout'))] })
}
const cloneOp = { ...identity, name: 'clone' }, detachOp = { ...identity, name: 'detach', isView: true }

/**
 * A copy with memory of its own; gradients flow through it: torch.Tensor.clone.
 * @param {Tensor} x @returns {Tensor}
 */
export function clone(x) {
  const { engine } = expectTensor('clone', 'x', x), out = engine.empty(x.shape, x.dtype)
  out.copyFrom(x)
  return record(engine, cloneOp, { x }, { out })
}

/**
 * A view of the same memory without its recorded computation: torch.Tensor.detach.
 * @param {Tensor} x @returns {Tensor}
 */
export function detach(x) {
  const { engine } = expectTensor('detach', 'x', x)
  return engine.noGrad(() => record(engine, detachOp, { x }, { out: engine.view(x, x.shape) }))
}
