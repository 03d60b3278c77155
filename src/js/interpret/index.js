import { inputAttribution } from './input_attribution.js'
import { logitAttribution } from './logit_attribution.js'
import { logitLens } from './logit_lens.js'

/**
 * gf.interpret for one engine: which token, head, layer and neuron made an answer. Runs come from `observe`.
 * @param {import('../engine/engine.js').Engine} _engine
 */
export const bindInterpret = _engine => ({
  inputAttribution, logitAttribution, logitLens
})
