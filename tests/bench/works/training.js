// A training step: forward, backward and Adam, for 2 pre-norm blocks with a linear head and cross entropy.
// The peer is TensorFlow.js with its own gradients. It spends most of its time in products with a transposed operand,
// for which its wasm backend has only a simple loop. A version with custom gradients of linear layers, which use
// transposed copies, is reported, too, without a target.
import { integers } from '../../lib/numbers.js'
import { faster } from '../lib/claims.js'
import { F, gf, plainOf, random, toTensor } from '../lib/ours.js'
import { TFJS } from '../lib/peers.js'

const TFJS_BY_HAND = 'TensorFlow.js with gradients by hand'
const SIZES = { B: 64, T: 16, C: 64, H: 4 }
const FEED_FORWARD = 256, CLASSES = 64
const { B, T, C, H } = SIZES
const LEARNING_RATE = 1e-3
/** Number of losses that are compared; they agree only if gradients and optimizer agree. */
const CHECKED_STEPS = 5

function ourModel() {
  const options = { dimFeedforward: FEED_FORWARD, activation: 'gelu', normFirst: true, dropout: 0 }
  const layers = [1, 2].map(() => new gf.nn.TransformerEncoderLayer(C, H, options))
  return { layers, head: new gf.nn.Linear(C, CLASSES) }
}

/** A function that does one step and returns the loss before it. */
function ourStep({ layers, head }, x, target) {
  const parameters = [...layers, head].flatMap(module => module.parameters())
  const optimizer = new gf.optim.Adam(parameters, { lr: LEARNING_RATE })
  return () => gf.tidy(() => {
    const hidden = layers.reduce((h, layer) => layer.forward(h, { isCausal: true }), x)
    const loss = F.crossEntropy(head.forward(hidden).reshape(B * T, CLASSES), target)
    optimizer.zeroGrad()
    loss.backward()
    optimizer.step()
    return loss.item()
  })
}

function weightsOf({ layers, head }) {
  const modules = { head, 'layers.0': layers[0], 'layers.1': layers[1] }
  return Object.fromEntries(Object.entries(modules).flatMap(([prefix, module]) =>
    Object.entries(module.stateDict()).map(([name, tensor]) => [`${prefix}.${name}`, plainOf(tensor)])))
}

async function tfStep(weights, x, target, gradients) {
  const { tf, toTf } = await import('../lib/tfjs.js')
  const { model, products, toVariables } = await import('../lib/tfjs_transformer.js')
  const forward = model(toVariables(weights), SIZES, products[gradients])
  const input = toTf({ ...x, shape: [B * T, C] })
  const labels = tf.oneHot(tf.tensor1d(target, 'int32'), CLASSES)
  const optimizer = tf.train.adam(LEARNING_RATE, 0.9, 0.999, 1e-8)
  const loss = () => tf.losses.softmaxCrossEntropy(labels, forward(input))
  return () => tf.tidy(() => optimizer.minimize(loss, true).dataSync()[0])
}

const sideOf = step => ({
  run: () => void step(),
  result: () => Float64Array.from({ length: CHECKED_STEPS }, step)
})

async function prepare() {
  const modules = ourModel()
  const weights = weightsOf(modules)
  const x = random([B, T, C], 1)
  const target = Int32Array.from(integers([B * T], CLASSES, 2).data)
  return {
    sides: {
      ours: sideOf(ourStep(modules, toTensor(x), gf.tensor(target))),
      [TFJS]: sideOf(await tfStep(weights, x, target, 'builtIn')),
      [TFJS_BY_HAND]: sideOf(await tfStep(weights, x, target, 'byHand'))
    }
  }
}

export default [{
  twoThreads: 1,
  name: `training step, 2 blocks d = ${C}, batch ${B}, T = ${T}`,
  claims: [faster(TFJS, 8), faster(TFJS_BY_HAND)],
  prepare
}]
