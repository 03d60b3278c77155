// The cost of the hooks for traces while no trace is recorded. The other side has the same modules without the hooks:
// `forward` as the class defines it instead of the one that looks for a trace, and a `tag` that does nothing. The cost
// of a recorded trace is reported, too, without a target, since a trace retains every intermediate.
import { costs } from '../lib/claims.js'
import { gf, ourSide, perturbWeights, random, toTensor } from '../lib/ours.js'

const BARE = 'without the hooks', TRACED = 'with a trace'

/** A copy of a module without the hooks of Module's constructor. */
function withoutHooks(module) {
  const copy = module.clone()
  for (const [, inner] of copy.namedModules()) {
    delete inner.forward
    inner.tag = (_, tensor) => tensor
  }
  return copy
}

const forwardOf = (layers, src) => () => layers.reduce((h, layer) => layer.forward(h, { isCausal: true }), src)

function tracedSide(forward) {
  return {
    run: () => gf.tidy(() => gf.noGrad(() => gf.trace(forward).trace.dispose())),
    result: () => gf.tidy(() => {
      const { output, trace } = gf.noGrad(() => gf.trace(forward))
      const values = output.data.slice()
      trace.dispose()
      return values
    })
  }
}

function prepare({ C, H, F, T }) {
  const options = { dimFeedforward: F, activation: 'gelu', normFirst: true }
  const layers = [1, 2].map(() => perturbWeights(new gf.nn.TransformerEncoderLayer(C, H, options)))
  const src = toTensor(random([1, T, C], 1))
  return {
    sides: {
      ours: ourSide(forwardOf(layers, src)),
      [BARE]: ourSide(forwardOf(layers.map(withoutHooks), src)),
      [TRACED]: tracedSide(forwardOf(layers, src))
    }
  }
}

/**
 * The size of the page's models, where the overhead of calls matters, and a larger one that still runs hundreds of
 * times.
 */
const works = [{ C: 64, H: 4, F: 256, T: 32 }, { C: 256, H: 4, F: 1024, T: 32 }]
/** Measured longer than usual, because the target of 2 % is close to the noise. */
const PATIENCE = 3

export default works.map(sizes => ({
  name: `trace not asked for, 2 blocks d = ${sizes.C}, T = ${sizes.T}`,
  claims: [costs('ours', BARE, 2), costs(TRACED, 'ours')],
  patience: PATIENCE,
  prepare: () => prepare(sizes)
}))
