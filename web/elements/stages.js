/** The kinds of rooms, each loaded with the first figure that displays it. */

import { registerStages, stageOf } from '../lib/stage_registry.js'

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
  notebook: () => import('../stages/notebook.js'),
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

/** Loads what rooms display. @param {Room[]} rooms */
export async function loadAllStages(rooms) {
  const missing = [...new Set(rooms.map(({ stage }) => stage))].filter(id => !stageOf(id))
  if (missing.length === 0) return
  registerStages(/** @type {Stage[]} */ (await Promise.all(missing.map(id => STAGES[id]()))))
}

/** Loads what a room displays; the house displays pictures of other rooms. @param {Room} room @param {Room[]} rooms */
export const loadStages = (room, rooms) => (
  loadAllStages([room, ...(room.stage === 'house' ? rooms.filter(({ isFloor }) => isFloor) : [])]))

/** Whether everything that a room displays is loaded. @param {Room} room @param {Room[]} rooms */
export const areStagesLoaded = (room, rooms) => (
  Boolean(stageOf(room.stage)) && (room.stage !== 'house' || rooms.every(({ isFloor, stage }) => !isFloor || stageOf(stage))))
