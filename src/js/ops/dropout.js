import { expectBoolean, expectOptions, expectProbability } from '../errors.js'
import { record } from '../autograd/autograd.js'
import { cell, productTerm, sumOf } from '../trace/explain.js'
import { expectFloatTensor } from './checks.js'

/** @typedef {import('../tensor/tensor.js').Tensor} Tensor */

/** @type {import('../autograd/autograd.js').Operation} */
const op = {
  name: 'dropout',
  kind: 'elementwise',
  recompute: ({ x }) => x,
  readsOutput: true,
  roles: { mask: 'dropout_mask' },
  from: ({ inputs: { x }, outputs: { mask } }, output) => (output === 'mask' ? {} : { x, mask }),
  parameters: ({ saved: { p } }) => ({ p }),
  backward({ inputs: { x }, outputs: { out, mask } }, gradient) {
    out.engine.c.gf_dropout_backward(gradient(x), gradient(out), mask.dataPtr(), x.numel())
  },
  explain({ inputs: { x }, outputs: { mask }, saved: { p } }, output, index) {
    if (output === 'mask') {
      const value = mask.at(...index)
      const formula = `0 with probability ${p}, else 1 / (1 − ${p})`
      return { formula, note: { name: 'drawn', values: { p } }, terms: [], steps: [{ label: 'drawn', value }],
        computed: value }
    }
    return sumOf('x × mask', [productTerm(cell(x, index, 'x'), cell(mask, index, 'mask'))])
  },
  explainGradient({ outputs: { out, mask } }, _, index, d) {
    return { formula: 'dx = dout × mask', terms: [productTerm(d(out, index, 'dout'), cell(mask, index, 'mask'))] }
  }
}

/**
 * A random mask of 0, with probability p, and 1 / (1 - p), from PyTorch's stream. p = 1 uses no random numbers.
 * @param {import('../engine/engine.js').Engine} engine @param {readonly number[]} shape @param {number} p
 */
export function dropoutMask(engine, shape, p) {
  if (p === 1) return engine.zeros(shape)
  const mask = engine.empty(shape)
  engine.c.gf_dropout_mask(mask.dataPtr(), engine.generator, mask.numel(), p)
  return mask
}

/**
 * In training mode, sets values to 0 with probability p and scales the rest by 1 / (1 - p):
 * torch.nn.functional.dropout.
 * @param {Tensor} x any shape
 * @param {{ p?: number, training?: boolean }} [options] p: 0.5; training: true; false returns x itself
 * @returns {Tensor} the same shape
 */
export function dropout(x, options) {
  const { p = 0.5, training = true } = expectOptions('dropout', options, ['p', 'training'])
  const { engine } = expectFloatTensor('dropout', 'x', x)
  expectProbability('dropout', 'p', p)
  if (!expectBoolean('dropout', 'training', training) || p === 0) return x
  const mask = dropoutMask(engine, x.shape, p), out = engine.empty(x.shape)
  engine.c.gf_dropout_forward(out.dataPtr(), x.dataPtr(), mask.dataPtr(), x.numel())
  return record(engine, op, { x }, { out, mask }, { p })
}
