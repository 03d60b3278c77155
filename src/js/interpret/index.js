import { ablate } from './ablate.js'
import { activationHistogram } from './activation_histogram.js'
import { attributionPatch } from './attribution_patch.js'
import { ovCircuit, qkCircuit } from './circuits.js'
import { compositionScores } from './composition_scores.js'
import { attentionEntropy, headScores } from './head_scores.js'
import { hookNames } from './hook_names.js'
import { jacobianLens, tunedLens } from './fitted_lenses.js'
import { inputAttribution } from './input_attribution.js'
import { linearProbe } from './linear_probe.js'
import { logitAttribution } from './logit_attribution.js'
import { logitLens } from './logit_lens.js'
import { neuronLogits } from './neuron_logits.js'
import { patch } from './patch.js'
import { pathPatch } from './path_patch.js'
import { sparseAutoencoder } from './sparse_autoencoder.js'
import { steer, steeringVector } from './steering.js'
import { topActivations } from './top_activations.js'

/**
 * gf.interpret for one engine: which token, head, layer and neuron made an answer. Runs come from `observe`.
 * @param {import('../engine/engine.js').Engine} engine
 */
export const bindInterpret = engine => ({
  hookNames, inputAttribution, logitAttribution, logitLens, tunedLens, jacobianLens, ovCircuit, qkCircuit,
  compositionScores, neuronLogits,
  /**
   * The distribution of the activations of one place over inputs, and the channels that are always 0.
   * @param {Parameters<typeof activationHistogram>[1]} options
   */
  activationHistogram: options => activationHistogram(engine, options),
  /**
   * Ablation: the metric with one place set to zero, to a mean or to the values of other inputs, by layer (and head).
   * @param {import('./ablate.js').AblateOptions} options
   */
  ablate: options => ablate(engine, options),
  /**
   * Activation patching: the metric of the corrupted run with the values of one place of the clean run, by layer and
   * position (and head).
   * @param {import('./patch.js').PatchOptions} options
   */
  patch: options => patch(engine, options),
  /**
   * Attribution patching: the first-order estimate of patch, from one backward pass; compare: true measures its error.
   * @param {import('./attribution_patch.js').AttributionPatchOptions} options
   */
  attributionPatch: options => attributionPatch(engine, options),
  /**
   * Previous-token, duplicate-token and induction scores of all heads: of a model on repeated random tokens, or of a
   * run.
   * @param {Parameters<typeof headScores>[1]} model @param {Parameters<typeof headScores>[2]} [options]
   */
  headScores: (model, options) => headScores(engine, model, options),
  attentionEntropy,
  /**
   * A linear probe: softmax regression from activations to labels, with a held-out part and baselines.
   * @param {import('./linear_probe.js').LinearProbeOptions} options
   */
  linearProbe: options => linearProbe(engine, options),
  /**
   * Path patching: the effect of a head on receivers along the direct path; without a sender, of every head.
   * @param {import('./path_patch.js').PathPatchOptions} options
   */
  pathPatch: options => pathPatch(engine, options),
  /**
   * A sparse autoencoder on the activations of one place: directions of which few add up to each vector.
   * @param {Parameters<typeof sparseAutoencoder>[1]} options
   */
  sparseAutoencoder: options => sparseAutoencoder(engine, options),
  steer,
  /**
   * The mean output of a module for some inputs minus that for others, as a vector for steer.
   * @param {import('./steering.js').SteeringOptions} options
   */
  steeringVector: options => steeringVector(engine, options),
  /**
   * The inputs and positions with the largest activations of each channel of one place.
   * @param {Parameters<typeof topActivations>[1]} options
   */
  topActivations: options => topActivations(engine, options)
})
