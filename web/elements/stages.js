/** The kinds of rooms, each loaded with the first figure that displays it. */

import { registerPictures, registerStages, stageOf } from '../lib/stage_registry.js'

/** @import { Room, Stage } from '../types.d.ts' */

/** @type {Record<string, () => Promise<unknown>>} */
const STAGES = {
  ablation: () => import('../stages/ablation.js'),
  activation: () => import('../stages/activation.js'),
  attention_dropout: () => import('../stages/attention_dropout.js'),
  attribution: () => import('../stages/attribution.js'),
  bpe_merges: () => import('../stages/bpe_merges.js'),
  bpe_training: () => import('../stages/bpe_training.js'),
  broadcasting: () => import('../stages/broadcasting.js'),
  cache: () => import('../stages/cache.js'),
  circle: () => import('../stages/circle.js'),
  costs: () => import('../stages/costs.js'),
  cross: () => import('../stages/cross.js'),
  decoding: () => import('../stages/decoding.js'),
  dropout: () => import('../stages/dropout.js'),
  embedding: () => import('../stages/embedding.js'),
  experts: () => import('../stages/experts.js'),
  extrapolation: () => import('../stages/extrapolation.js'),
  first_ideas: () => import('../stages/first_ideas.js'),
  head_scores: () => import('../stages/head_scores.js'),
  heads: () => import('../stages/heads.js'),
  house: () => import('../stages/house.js'),
  ids: () => import('../stages/ids.js'),
  labels: () => import('../stages/labels.js'),
  layouts: () => import('../stages/layouts.js'),
  linear: () => import('../stages/linear.js'),
  mask: () => import('../stages/mask.js'),
  norm: () => import('../stages/norm.js'),
  operation: () => import('../stages/operation.js'),
  output: () => import('../stages/output.js'),
  patching: () => import('../stages/patching.js'),
  pieces: () => import('../stages/pieces.js'),
  positions: () => import('../stages/positions.js'),
  qkv: () => import('../stages/qkv.js'),
  relative: () => import('../stages/relative.js'),
  requirements: () => import('../stages/requirements.js'),
  residual_stream: () => import('../stages/residual_stream.js'),
  rotary: () => import('../stages/rotary.js'),
  rotation: () => import('../stages/rotation.js'),
  sampling: () => import('../stages/sampling.js'),
  scale: () => import('../stages/scale.js'),
  schemes: () => import('../stages/schemes.js'),
  scores: () => import('../stages/scores.js'),
  shuffle: () => import('../stages/shuffle.js'),
  sum: () => import('../stages/sum.js'),
  syllables: () => import('../stages/syllables.js'),
  tokens: () => import('../stages/tokens.js'),
  two_spellings: () => import('../stages/two_spellings.js'),
  unigram: () => import('../stages/unigram.js'),
  waves: () => import('../stages/waves.js'),
  weight_blocks: () => import('../stages/weight_blocks.js'),
  weights: () => import('../stages/weights.js'),
  wordpiece: () => import('../stages/wordpiece.js')
}

/** Stages that display pictures of other rooms. */
const DISPLAYING_ROOMS = ['house', 'head_scores']

let hasPictures = false
/** Loads the pictures of all rooms. */
export async function loadPictures() {
  if (hasPictures) return
  registerPictures((await import('./pictures.js')).PICTURES)
  hasPictures = true
}

/** @param {string} id */
async function loadStage(id) {
  if (!stageOf(id)) registerStages(/** @type {Stage[]} */ ([await STAGES[id]()]))
}

/** Loads what a room displays. @param {Room} room */
export const loadRoom = ({ stage }) => (
  Promise.all([loadStage(stage), DISPLAYING_ROOMS.includes(stage) && loadPictures()]))

/** Whether everything that a room displays is loaded. @param {Room} room */
export const isRoomLoaded = ({ stage }) => Boolean(stageOf(stage)) && (hasPictures || !DISPLAYING_ROOMS.includes(stage))
