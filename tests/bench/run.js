// npm run bench compares the library with its peers and with the limits of the machine. The results of each work
// (benchmark) are checked before it is timed.
//
//   --engine <name>   the engine: node (default), chromium, firefox, or the path of another Node
//   --seconds <n>     how long each side is measured (default 1)
//   --only <regex>    only the works whose names match
//   --threads <n>     ours and onnxruntime-web with n threads (default 1), and ours with one; in Node, and only the
//                     works that have a target for two
//   --compare <commit>  ours at that commit and in the working tree, alternating, in Node
//   --list            only lists the works
//   --sides           also prints the times of every side, such as each formulation of a peer
//   --no-csv          writes no record to tests/bench/results, for experiments
//
// To profile one work: node --cpu-prof tests/bench/run.js --no-csv --only '^matmul 512'
import { parseArgs } from 'node:util'
import { isMet } from './lib/claims.js'
import { compare } from './lib/compare.js'
import { engineOf } from './lib/engines.js'
import { save, sideLines, tableHead, tableRows } from './lib/report.js'

const { values: options } = parseArgs({
  options: {
    'engine': { type: 'string', default: 'node' },
    'seconds': { type: 'string', default: '1' },
    'threads': { type: 'string', default: '1' },
    'only': { type: 'string', default: '' },
    'compare': { type: 'string', default: '' },
    'list': { type: 'boolean', default: false },
    'sides': { type: 'boolean', default: false },
    'no-csv': { type: 'boolean', default: false }
  }
})

async function measureAll(engine, works) {
  const done = []
  const failed = []
  console.log(`${engine.name}\n${tableHead()}`)
  for (const { name } of works) {
    const { claims, stats, variant, error } = await engine.run(name, Number(options.seconds))
      .catch(({ stack }) => ({ error: stack }))
    if (error) failed.push(name)
    else done.push({ name, claims })
    if (!error && !options['no-csv']) save({ name, claims }, { variant, seconds: options.seconds, engine: engine.name })
    console.log(error ? `${name}: ABORTED\n${error}` : tableRows(name, claims))
    if (options.sides && Object.keys(stats ?? {}).length) console.log(sideLines(stats))
  }
  return { done, failed }
}

function printSummary({ done, failed }) {
  const targets = done.flatMap(({ claims }) => claims.map(isMet)).filter(met => met !== undefined)
  console.log(`\n${targets.filter(Boolean).length} of ${targets.length} targets met`)
  if (failed.length) console.log(`aborted: ${failed.join('; ')}`)
}

const isThreaded = Number(options.threads) > 1
process.env.BENCH_THREADS = options.threads
const engine = await engineOf(options.engine)
const selected = engine.works.filter(({ name, twoThreads }) => (
  new RegExp(options.only).test(name) && (!isThreaded || twoThreads !== undefined)))
if (options.list) {
  console.log(selected.map(({ name }) => name).join('\n'))
} else if (options.compare) {
  await compare(options.compare, selected.map(({ name }) => name), Number(options.seconds))
} else {
  const results = await measureAll(engine, selected)
  printSummary(results)
  if (results.failed.length) process.exitCode = 1
}
await engine.close()
