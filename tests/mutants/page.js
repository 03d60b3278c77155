// Whether the page's Check notices what could be wrong: `node tests/mutants/page.js [part of a file's name]` puts each
// fault of faults.js into a copy, runs the page's models in the copy, and applies the unchanged check of this working
// tree to their results. Takes minutes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createCopy, ROOT } from './copies.js'
import { FAULTS } from './faults.js'

const only = process.argv[2] ?? ''
// Warnings about unused code are off: a fault may cause them, and the check must notice it, not the compiler.
const { copyFolder, withChange } = createCopy('page', ['src', 'web', 'tests/lib', 'tests/models', 'tests/golden'],
  ['-Wno-unused', '-Wno-unused-parameter'])
const checkScript = fileURLToPath(new URL('run_check.js', import.meta.url))

/** The check's result for the copy: the number of wrong tensors and gradients, or the error if nothing runs. */
function verdict() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [checkScript, copyFolder, ROOT], { encoding: 'utf8', timeout: 120000 })
  if (status === 0) return JSON.parse(stdout)
  return { wrong: 0, runs: 0, error: stderr.split('\n').find(line => /Error/.test(line)) ?? `status ${status}` }
}

const baseline = verdict()
console.log(`without a fault: ${JSON.stringify(baseline)}`)
if (baseline.error || baseline.wrong) process.exit(1)

const unnoticed = [], broken = []
let count = 0
for (const [file, from, to] of FAULTS) {
  if (!file.includes(only)) continue
  const found = withChange(file, text => {
    if (!text.includes(from)) throw new Error(`${file} no longer contains: ${from}`)
    return text.replace(from, () => to)
  }, verdict)
  count += 1
  const line = `${file}: ${from.slice(0, 60)} -> ${to.slice(0, 60)}`
  if (found.error) broken.push(line)
  else if (!found.wrong) unnoticed.push(line)
  console.log(found.error ? 'does not run' : found.wrong ? 'noticed     ' : 'UNNOTICED   ', line, found.first ?? found.error ?? '')
}
console.log(`${count} faults, ${count - unnoticed.length - broken.length} noticed by the check, ` +
  `${broken.length} keep the page from running, ${unnoticed.length} unnoticed`)
for (const line of unnoticed) console.log(`  ${line}`)
process.exitCode = unnoticed.length ? 1 : 0
