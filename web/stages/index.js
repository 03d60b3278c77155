/** The stages in the order a sentence goes through them, and the wires between them. */

import * as tokens from './tokens.js'
import * as ids from './ids.js'
import * as embedding from './embedding.js'
import * as positions from './positions.js'
import * as sum from './sum.js'
import * as dropout from './dropout.js'
import * as qkv from './qkv.js'
import * as scores from './scores.js'
import * as mask from './mask.js'
import * as weights from './weights.js'
import * as heads from './heads.js'
import * as output from './output.js'

export const stages = [tokens, ids, embedding, positions, sum, dropout, qkv, scores, mask, weights, heads, output]

/** What flows into each stage; without an entry it is the stage before. */
export const inputs = { tokens: [], positions: [], sum: ['embedding', 'positions'], heads: ['weights', 'qkv'] }

/** The name of what a stage passes on, or undefined. @param {{ tensors: string[] }} stage */
export const outputOf = ({ tensors }) => tensors.find((name) => !/weight$|bias$|mask$/.test(name))

/** The stage a tensor is at home in, or undefined. @param {string} name */
export const homeOf = (name) => stages.find((stage) => stage.tensors.includes(name))?.id
