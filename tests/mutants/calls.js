// Imported before a test: writes down which functions of the kernels it calls, beside what V8 says of its JavaScript.
import { writeFileSync } from 'node:fs'
import { threadId } from 'node:worker_threads'

const folder = process.env.NODE_V8_COVERAGE, called = new Set()
const instantiate = WebAssembly.instantiate

/** The same functions, which note their names when they are called. */
const noting = exports => Object.fromEntries(Object.entries(exports).map(([name, own]) => [name,
  typeof own !== 'function' ? own : (...words) => {
    called.add(name)
    return own(...words)
  }]))

WebAssembly.instantiate = async (...words) => {
  const made = await instantiate(...words), { exports } = made.instance ?? made, instance = { exports: noting(exports) }
  return made.instance ? { ...made, instance } : instance
}
process.on('exit', () => (
  writeFileSync(`${folder}/calls-${process.pid}-${threadId}.json`, JSON.stringify([...called]))))
