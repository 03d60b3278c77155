// One case in a process of its own: its memory is fresh, and another case's garbage does not fall into its time.
import { caseNamed } from '../works/index.js'
import { checkResults } from './check.js'
import { faster } from './claims.js'
import { measure } from './harness.js'
import { gf } from './ours.js'
import { ORT } from './peers.js'
import { ONE, THREADS, divided } from './threads.js'

const [name, seconds] = process.argv.slice(2)

/** What is claimed where there are several threads; what stands against one is no target then. */
const claimsOf = ({ sides }, target) =>
  [faster(ONE, target), ...Object.keys(sides).some(name => name.startsWith(ORT)) ? [faster(ORT)] : []]

async function run({ prepare, claims: usual, patience = 1, twoThreads }) {
  if (gf.threads.count < THREADS) throw new Error(`there are no ${THREADS} threads: ${gf.threads.reason}`)
  const prepared = { sides: {}, ...(await prepare()) }
  await checkResults(prepared)
  if (THREADS > 1) prepared.sides = divided(prepared, gf)
  const claims = THREADS > 1 ? claimsOf(prepared, twoThreads) : usual
  const stats = await measure(prepared.sides, patience * Number(seconds))
  return { claims: claims.map(claim => claim({ stats, ...prepared })), stats }
}

const report = await run(caseNamed(name)).then(
  measured => ({ ...measured, variant: THREADS > 1 ? `${gf.variant}, ${THREADS} threads` : gf.variant }),
  error => ({ error: error.stack })
)
process.send(report, () => process.exit())
