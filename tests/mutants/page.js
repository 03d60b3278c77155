// Whether the page's Check notices what could be wrong: `node tests/mutants/page.js [part of a file's name]` puts each
// fault of faults.js into a copy, runs the page's models there, and asks the check as it is here. Takes minutes.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createCopy, ROOT } from './copies.js'
import { FAULTS } from './faults.js'

const only = process.argv[2] ?? ''
// A fault may leave something unused, and is to be noticed by the check, not by the compiler.
const { at, changed } = createCopy('page', ['src', 'web', 'tests/lib', 'tests/models', 'tests/golden'], ['-Wno-unused', '-Wno-unused-parameter'])
const asked = fileURLToPath(new URL('asked.js', import.meta.url))

/** What the check says of the copy: how many tensors and gradients are wrong, or that nothing runs at all. */
function verdict() {
  const { status, stdout, stderr } = spawnSync(process.execPath, [asked, at, ROOT], { encoding: 'utf8', timeout: 120000 })
  if (status === 0) return JSON.parse(stdout)
  return { wrong: 0, runs: 0, error: stderr.split('\n').find(line => /Error/.test(line)) ?? `status ${status}` }
}

const sound = verdict()
console.log(`without a fault: ${JSON.stringify(sound)}`)
if (sound.error || sound.wrong) process.exit(1)

const unnoticed = [], broken = []
let count = 0
for (const [file, from, to] of FAULTS) {
  if (!file.includes(only)) continue
  const found = changed(file, text => {
    if (!text.includes(from)) throw new Error(`${file} has no more: ${from}`)
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
