// The two products of a backward pass: out = a b  =>  da = dout bᵀ, db = aᵀ dout. Ours calls the same function as
// backward. TensorFlow.js has flags for transposed operands, with which its wasm backend is several times slower than
// with a transposed copy: both are measured and the faster one counts.
import * as linear from '../../../src/reference/linear.js'
import { TRANSPOSE_A, TRANSPOSE_B } from '../../../src/js/engine/constants.js'
import { multiply } from '../../../src/js/ops/matmul.js'
import { faster, ofLimit } from '../lib/claims.js'
import { MULTIPLY_ADD, multiplyAdd } from '../lib/limit.js'
import { transposed } from '../lib/onnx.js'
import { gf, ourSide, random, toTensor } from '../lib/ours.js'
import { TFJS } from '../lib/peers.js'

async function tfSides(a, b, isA) {
  const { tf, tfSide, toTf } = await import('../lib/tfjs.js')
  const [left, right] = [toTf(a), toTf(b)]
  return {
    [`${TFJS}, flag`]: tfSide(() => tf.matMul(left, right, isA, !isA)),
    [`${TFJS}, transpose first`]:
      tfSide(() => (isA ? tf.matMul(tf.transpose(left), right) : tf.matMul(left, tf.transpose(right))))
  }
}

async function prepare(which, M, K, N) {
  const isA = which === 'a'
  const a = random(isA ? [K, M] : [M, K], 1)
  const b = random(isA ? [K, N] : [N, K], 2)
  const [left, right] = [toTensor(a), toTensor(b)]
  const forward = () => {
    const out = gf.engine.empty([M, N])
    multiply(gf.engine, out.dataPtr(), left.dataPtr(), right.dataPtr(),
      { M, N, K, flags: isA ? TRANSPOSE_A : TRANSPOSE_B })
    return out
  }
  return {
    sides: { ours: ourSide(forward), ...(await tfSides(a, b, isA)), ...(await multiplyAdd()) },
    expected: linear.forward({ x: isA ? transposed(a) : a, weight: isA ? transposed(b) : b }).y.data,
    work: 2 * M * K * N
  }
}

const sizes = [['b', 512, 512, 512], ['a', 512, 512, 512], ['b', 128, 3072, 768], ['a', 768, 128, 3072]]

export default sizes.map(([which, M, K, N]) => ({
  name: `matmul ${M} x ${K} x ${N}, ${which === 'a' ? 'aᵀ b' : 'a bᵀ'}`,
  claims: [faster(TFJS, 1.2), ofLimit(MULTIPLY_ADD, 80)],
  prepare: () => prepare(which, M, K, N)
}))
