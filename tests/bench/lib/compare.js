// Ours at another commit and ours here, in turn: what a change of the library costs or gains.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { node } from './engines.js'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const ROUNDS = 3

/** A checkout of the commit with its own kernels; the packages are those of this one. @param {string} commit */
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
 * Prints the least times of both and their ratio.
 * @param {string} commit @param {string[]} names of works @param {number} seconds
 */
export async function compare(commit, names, seconds) {
  const { name: there, folder } = checkout(commit)
  const sides = [node(process.execPath, pathToFileURL(`${folder}/`)), node(process.execPath)]
  console.log(line('work', there, 'here', 'faster by'))
  for (const name of names) {
    const least = [Infinity, Infinity]
    for (let round = 0; round < ROUNDS; round++) for (const [i, side] of sides.entries()) {
      const { stats } = await side.run(name, seconds / ROUNDS)
      least[i] = Math.min(least[i], stats?.ours?.min ?? NaN)
    }
    const [then, now] = least
    console.log(Number.isNaN(then + now) ? `${name}: not in both` : line(name, milliseconds(then), milliseconds(now), (then / now).toFixed(3)))
  }
}
