/**
 * The theatre's trainings in Node, with the same bits: `node web/theatre/train.js LINK`, LINK being what stands after
 * `theatre=` in the address of the page. Options: --text FILE (of one's own, in UTF-8), --from FILE and --out FILE
 * (safetensors with moments, as the page saves them), --start FILE (weights to begin with, where the link says that
 * they were given), --until N (stop after that step).
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { load } from '../../src/js/index.js'
import { createPlayer } from './player.js'
import { problemsOf, read, write } from './settings.js'
import { pageFile } from './start.js'
import { TASKS } from './tasks/index.js'

const [FIRST] = Object.keys(TASKS)
const text = { type: /** @type {const} */ ('string') }
const { values: options, positionals: [link = FIRST] } = parseArgs({
  allowPositionals: true, options: { text, from: text, out: text, start: text, until: text }
})
const settings = read(link)
const wrong = Object.keys(problemsOf(settings))
if (wrong.length) {
  console.error(`cannot be trained: ${wrong.join(', ')}`)
  process.exit(2)
}
/** @param {string} path */
const bytesOf = path => new Uint8Array(readFileSync(path))
const given = settings.start === 'page' ? new URL(`../models/${settings.task}/${pageFile(settings)}`, import.meta.url).pathname
  : options.start ?? options.from
const player = createPlayer(await load(), settings, {
  ...(options.text && { text: readFileSync(options.text, 'utf8') }),
  ...(options.from && { file: bytesOf(options.from) }), ...(given && { start: bytesOf(given) })
})
const { session } = player
const until = Math.min(settings.steps, Number(options.until ?? settings.steps))
console.log(write(settings))
const started = Date.now(), first = session.done
let told = 0
while (session.done < until && player.step()) {
  for (const { step, loss, right } of session.history.looks.slice(told)) {
    const seconds = ((Date.now() - started) / 1000).toFixed(1)
    console.log(`step ${step}   loss ${session.history.loss[step - 1] ?? ''}   held out ${loss}   ` +
      `right ${(100 * right).toFixed(1)} %   ${seconds} s`)
  }
  told = session.history.looks.length
}
if (player.broken) {
  const { step, where } = player.broken
  console.error(`step ${step}: not a number, first in ${where?.name ?? '?'}; the weights are those of step ${step - 1}`)
  process.exitCode = 1
}
console.log(`${session.done - first} steps`)
if (options.out) writeFileSync(options.out, session.file(true))
