// Measures the library at another commit and in the working tree alternately, to see what a change costs or gains.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { node } from './engines.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ROUNDS = 3

/** Checks out a commit and builds its kernels; it shares the installed packages. @param {string} commit */
function checkout(commit) {
  const git = (...args) => execFileSync('git', args, { cwd: root, maxBuffer: 2 ** 30, stdio: ['ignore', 'pipe', 'pipe'] })
  const name = git('rev-parse', '--short', `${commit}^{commit}`).toString().trim(), folder = `${root}build/compare/${name}`
  if (!existsSync(folder)) {
    mkdirSync(folder, { recursive: true })
    execFileSync('tar', ['-x', '-C', folder], { input: git('archive', name) })
    for (const packages of ['node_modules', 'tests/bench/node_modules']) symlinkSync(root + packages, `${folder}/${packages}`)
  }
  execFileSync('./build.sh', ['wasm', 'bundle', 'bench_limit'], { cwd: folder, stdio: 'ignore' })
  return { name, folder }
}

const line = (name, ...cells) => name.padEnd(48) + cells.map(cell => cell.padStart(12)).join('')
const milliseconds = value => `${value < 1 ? value.toFixed(4) : value.toFixed(2)} ms`

/**
 * Prints the minimum times of both and their ratio.
 * @param {string} commit @param {string[]} names of works @param {number} seconds
 */
export async function compare(commit, names, seconds) {
  const { name: revision, folder } = checkout(commit)
  const sides = [node(process.execPath, pathToFileURL(`${folder}/`)), node(process.execPath)]
  console.log(line('work', revision, 'here', 'faster by'))
  for (const name of names) {
    const minTimes = [Infinity, Infinity]
    for (let round = 0; round < ROUNDS; round++) for (const [i, side] of sides.entries()) {
      const { stats } = await side.run(name, seconds / ROUNDS)
      minTimes[i] = Math.min(minTimes[i], stats?.ours?.min ?? NaN)
    }
    const [before, now] = minTimes
    console.log(Number.isNaN(before + now) ? `${name}: not in both`
      : line(name, milliseconds(before), milliseconds(now), (before / now).toFixed(3)))
  }
}
