// What it costs that everything can be traced, when nobody asks. The other side is the same modules with the hooks
// taken out: `forward` as the class defines it instead of the one that looks for a trace, and `tag` that does nothing.
// What a trace costs when it is asked for is shown beside it; it keeps every intermediate, so it has no target.
import { costs } from '../lib/claims.js'
import { gf, ourSide, random, roughen, toTensor } from '../lib/ours.js'

const BARE = 'without the hooks', TRACED = 'with a trace'

/** A copy of a module without the hooks of Module's constructor. */
function bare(module) {
  const copy = module.clone()
  for (const [, inner] of copy.namedModules()) {
    delete inner.forward
    inner.tag = (_, tensor) => tensor
  }
  return copy
}

const passOf = (layers, src) => () => layers.reduce((h, layer) => layer.forward(h, { isCausal: true }), src)

function traced(forward) {
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
  const layers = [1, 2].map(() => roughen(new gf.nn.TransformerEncoderLayer(C, H, options)))
  const src = toTensor(random([1, T, C], 1))
  return {
    sides: {
      ours: ourSide(passOf(layers, src)),
      [BARE]: ourSide(passOf(layers.map(bare), src)),
      [TRACED]: traced(passOf(layers, src))
    }
  }
}

/** The page's size, where the overhead of a call shows, and a larger one that still repeats hundreds of times. */
const works = [{ C: 64, H: 4, F: 256, T: 32 }, { C: 256, H: 4, F: 1024, T: 32 }]
/** Two percent are hard to see: these are measured for longer. */
const PATIENCE = 3

export default works.map(sizes => ({
  name: `trace not asked for, 2 blocks d = ${sizes.C}, T = ${sizes.T}`,
  claims: [costs('ours', BARE, 2), costs(TRACED, 'ours')],
  patience: PATIENCE,
  prepare: () => prepare(sizes)
}))
