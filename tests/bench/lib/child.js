// One case in a process of its own: its memory is fresh, and another case's garbage does not fall into its time.
import { caseNamed } from '../works/index.js'
import { checkResults } from './check.js'
import { measure } from './harness.js'
import { gf } from './ours.js'

const [name, seconds] = process.argv.slice(2)

async function run({ prepare, claims, patience = 1 }) {
  const prepared = { sides: {}, ...(await prepare()) }
  await checkResults(prepared)
  const stats = await measure(prepared.sides, patience * Number(seconds))
  return { claims: claims.map(claim => claim({ stats, ...prepared })), stats }
}

const report = await run(caseNamed(name)).then(
  measured => ({ ...measured, variant: gf.variant }),
  error => ({ error: error.stack })
)
process.send(report, () => process.exit())
