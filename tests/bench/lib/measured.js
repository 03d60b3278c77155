// One case from beginning to end: prepared, checked, timed, claimed.
import { checkResults } from './check.js'
import { faster, gains } from './claims.js'
import { measure } from './harness.js'
import { gf } from './ours.js'
import { ORT } from './peers.js'
import { ONE, THREADS, divided } from './threads.js'

/** What is claimed where there are several threads; what stands against one is no target then. */
function claimsOf({ sides }, target) {
  const ofPeer = Object.keys(sides).some(name => name.startsWith(ORT)) ? [faster(ORT)] : []
  return [faster(ONE, target), gains(ONE, THREADS, 100 * target / THREADS), ...ofPeer]
}

async function claimed({ prepare, claims: usual, patience = 1, twoThreads }, seconds) {
  if (gf.threads.count < THREADS) throw new Error(`there are no ${THREADS} threads: ${gf.threads.reason}`)
  const prepared = { sides: {}, ...(await prepare()) }
  await checkResults(prepared)
  if (THREADS > 1) prepared.sides = await divided(prepared, gf)
  const claims = THREADS > 1 ? claimsOf(prepared, twoThreads) : usual
  const stats = await measure(prepared.sides, patience * seconds)
  const variant = THREADS > 1 ? `${gf.variant}, ${THREADS} threads` : gf.variant
  return { claims: claims.map(claim => claim({ stats, ...prepared })), stats, variant }
}

/**
 * @param {object} work one case of works/index.js
 * @param {number} seconds
 * @returns {Promise<{ claims: object[], stats: object, variant: string } | { error: string }>}
 */
export const measured = (work, seconds) => claimed(work, seconds).catch(error => ({ error: error.stack ?? `${error}` }))
