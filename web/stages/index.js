/** All stages: the house, then from text to vectors, attention, the layer, and generation. */

import * as house from './house.js'
import * as tokens from './tokens.js'
import * as ids from './ids.js'
import * as embedding from './embedding.js'
import * as positions from './positions.js'
import * as sum from './sum.js'
import * as dropout from './dropout.js'
import * as qkv from './qkv.js'
import * as rotary from './rotary.js'
import * as relative from './relative.js'
import * as scores from './scores.js'
import * as mask from './mask.js'
import * as weights from './weights.js'
import * as heads from './heads.js'
import * as output from './output.js'
import * as pieces from './pieces.js'
import * as scale from './scale.js'
import * as cross from './cross.js'
import * as bpeMerges from './bpe_merges.js'
import * as bpeTraining from './bpe_training.js'
import * as wordpiece from './wordpiece.js'
import * as unigram from './unigram.js'
import * as syllables from './syllables.js'
import * as norm from './norm.js'
import * as linear from './linear.js'
import * as activation from './activation.js'
import * as sampling from './sampling.js'
import * as decoding from './decoding.js'
import * as cache from './cache.js'
import * as experts from './experts.js'
import * as labels from './labels.js'
import * as operation from './operation.js'
import * as shuffle from './shuffle.js'
import * as requirements from './requirements.js'
import * as waves from './waves.js'
import * as circle from './circle.js'
import * as firstIdeas from './first_ideas.js'
import * as twoSpellings from './two_spellings.js'
import * as layouts from './layouts.js'
import * as broadcasting from './broadcasting.js'
import * as rotation from './rotation.js'
import * as schemes from './schemes.js'
import * as extrapolation from './extrapolation.js'
import * as notebook from './notebook.js'
import * as attentionDropout from './attention_dropout.js'
import * as attribution from './attribution.js'
import * as patching from './patching.js'
import * as ablation from './ablation.js'
import * as headScores from './head_scores.js'
import * as residualStream from './residual_stream.js'
import * as weightBlocks from './weight_blocks.js'
import * as costs from './costs.js'
import { registerStages, stageOf } from '../lib/stage_registry.js'

/** @import { Stage } from '../types.d.ts' */

/** @type {Stage[]} */
export const stages = [
  house, tokens, ids, embedding, positions, sum, dropout, qkv, rotary, relative, scores, mask, weights, heads, output,
  pieces, bpeMerges, bpeTraining, wordpiece, unigram, syllables,
  scale, cross, norm, linear, activation, sampling, decoding, cache, attentionDropout, experts, labels, operation,
  attribution, patching, ablation, headScores, residualStream, weightBlocks, costs,
  shuffle, requirements, waves, circle, notebook,
  firstIdeas, twoSpellings, layouts, broadcasting, rotation, schemes, extrapolation
]

registerStages(stages)

export { stageOf }
