/**
 * The meaning of the laboratory's numbers where their operation does not explain it: a formula in the page's language,
 * and labels along an axis. The sentence for it is the text `meanings.` plus the name.
 */

import { SCHEMES, TRAINING_LENGTH } from './extrapolation.js'

/** @import { Meaning } from '../../types.d.ts' */

/** The compared encodings and their measures, in the order of their tensors. */
const ENCODINGS = ['index', 'share', 'sinusoidal', 'random']
const MEASURES = ['most', 'nearest', 'shortest', 'longest', 'least', 'greatest']

/** @param {string[]} list @param {string} path */
const keys = (list, path) => list.map(name => ({ key: `${path}.${name}` }))
const encodings = keys(ENCODINGS, 'lab.requirements.schemes'), schemes = keys(SCHEMES, 'lab.extrapolation')
const waves = [{ text: 'sin' }, { text: 'cos' }]
const sides = ['within', 'past'].map(side => ({ key: `lab.extrapolation.${side}`, values: { trained: TRAINING_LENGTH } }))

/** The formula of each measure. */
const MEASURED = [
  '"max"_{k , c} | P_{k , c} |', '"min"_{j ≠ k} ‖ P_j − P_k ‖', '"min"_k ‖ P_{k + 1} − P_k ‖',
  '"max"_k ‖ P_{k + 1} − P_k ‖', '"min"_k ‖ P_k ‖', '"max"_k ‖ P_k ‖'
]

/** @type {Record<string, Meaning>} by the name of the tensor */
export const MEANINGS = {
  'requirements.encodings': { formula: () => 'P_{k , c}', places: [encodings] },
  'requirements.products': { formula: () => '( P P^T )_{j , k} = sum_c P_{j , c} · P_{k , c}', places: [encodings] },
  'requirements.distances': { formula: () => '‖ P_j − P_k ‖ = sqrt{sum_c ( P_{j , c} − P_{k , c} )^2}', places: [encodings] },
  'requirements.norms': { formula: () => '‖ P_k ‖ = sqrt{sum_c P_{k , c}^2}', places: [encodings] },
  'requirements.neighbours': { formula: () => '‖ P_{k + 1} − P_k ‖', places: [encodings] },
  'requirements.measures': {
    formula: ([, measure]) => MEASURED[measure], places: [encodings, keys(MEASURES, 'lab.requirements.measures')]
  },
  'circle.pairs': {
    formula: ([, , part]) => (part ? 'x = "cos" ( k · ω_i )' : 'y = "sin" ( k · ω_i )'), places: [null, null, waves]
  },
  'circle.radius': { formula: () => 'r = sqrt{x^2 + y^2}' },
  'extrapolation.shares': { formula: ([, place]) => (place ? 'p_k ( w_{k - 1} )' : '0'), places: [schemes] },
  'extrapolation.means': {
    formula: ([, side]) => (side ? `frac{1}{T - ${TRAINING_LENGTH}} sum_{k ≥ ${TRAINING_LENGTH}} p_k ( w_{k - 1} )`
      : `frac{1}{${TRAINING_LENGTH - 1}} sum_{0 < k < ${TRAINING_LENGTH}} p_k ( w_{k - 1} )`), places: [schemes, sides]
  },
  'broadcasting.batch': { formula: () => 'X_{b , k , c} = x_{k , c}' },
  'broadcasting.right': { formula: () => '( X_{b , k , c} + P_{k , c} ) − X_{b , k , c} ≈ P_{k , c}' },
  'broadcasting.wrong': { formula: () => '( X_{b , k , c} + P_{b , c} ) − X_{b , k , c} ≈ P_{b , c}' },
  'broadcasting.spread': { formula: () => '"max" | D_{b , k + 1 , c} − D_{b , k , c} |' },
  'first_ideas.norms': { formula: ([row]) => (row ? '‖ x_k + k ‖' : '‖ x_k ‖') },
  'layouts.interleaved': { formula: () => 'P_{k , c}' },
  'layouts.sorted': { formula: () => 'P_{k , "π" ( c )}' },
  'rotation.here': { formula: () => '"PE" ( k )' },
  'rotation.there': { formula: () => '"PE" ( k + r )' },
  'rotation.most': {
    formula: ([one]) => (one ? '"max" | M M^T − I |' : '"max" | "PE" ( k ) M − "PE" ( k + r ) |')
  },
  'shuffle.moved': { formula: () => 'x_{"π" ( k )}' },
  'shuffle.bare_there': { formula: () => '"π"^{- 1} ( "attn" ( "π" ( x ) ) )' },
  'shuffle.placed_there': { formula: () => '"π"^{- 1} ( "attn" ( "π" ( x ) + P ) )' },
  'shuffle.most': { formula: () => '"max" | Δ |' }
}
