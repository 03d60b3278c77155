// Measures one case: prepares its sides, checks their results, times them and computes the claims.
import { checkResults } from './check.js'
import { faster, gains } from './claims.js'
import { measure } from './harness.js'
import { gf } from './ours.js'
import { ORT } from './peers.js'
import { SINGLE_THREAD, THREADS, threadedSides } from './threads.js'

/** The claims of a work with several threads, which replace those for one thread. */
function threadClaims({ sides }, target) {
  const peerClaims = Object.keys(sides).some(name => name.startsWith(ORT)) ? [faster(ORT)] : []
  return [faster(SINGLE_THREAD, target), gains(SINGLE_THREAD, THREADS, 100 * target / THREADS), ...peerClaims]
}

async function measureSides({ prepare, claims: usualClaims, patience = 1, twoThreads }, seconds) {
  if (gf.threads.count < THREADS) throw new Error(`there are no ${THREADS} threads: ${gf.threads.reason}`)
  const prepared = { sides: {}, ...(await prepare()) }
  await checkResults(prepared)
  if (THREADS > 1) prepared.sides = await threadedSides(prepared, gf)
  const claims = THREADS > 1 ? threadClaims(prepared, twoThreads) : usualClaims
  const stats = await measure(prepared.sides, patience * seconds)
  const variant = THREADS > 1 ? `${gf.variant}, ${THREADS} threads` : gf.variant
  return { claims: claims.map(claim => claim({ stats, ...prepared })), stats, variant }
}

/**
 * Measures a case; an error becomes part of the report.
 * @param {object} work one case of works/index.js
 * @param {number} seconds
 * @returns {Promise<{ claims: object[], stats: object, variant: string } | { error: string }>}
 */
export const measureCase = (work, seconds) =>
  measureSides(work, seconds).catch(error => ({ error: error.stack ?? `${error}` }))
