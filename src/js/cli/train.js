import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { UsageError, camel } from './options.js'
import { sizeText } from './models.js'
import { expectNewFile, isFile } from './paths.js'

/** Training as the page's theatre does it, with the same bits. */

/** Options that are no settings of a training. */
const OF_COMMAND = ['until', 'text', 'from', 'start', 'out', 'json']
/** Between two looks at the clock, in milliseconds. */
const PROGRESS = 250
const MINUTE = 60

/** @param {string} option @param {string | undefined} path @returns {Uint8Array | undefined} */
function bytesAt(option, path) {
  if (path === undefined) return undefined
  if (!isFile(path)) throw new UsageError(`--${option}: there is no file '${path}'`)
  return new Uint8Array(readFileSync(path))
}

/** Seconds as people say them. @param {number} seconds */
export function timeText(seconds) {
  if (seconds < MINUTE) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  const minutes = Math.round(seconds / MINUTE)
  return minutes < MINUTE ? `${minutes} min` : `${Math.floor(minutes / MINUTE)} h ${minutes % MINUTE} min`
}

/** A line of the terminal that is written over; nowhere else is it written at all. @param {string} text */
function progress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

/**
 * The weights that the page trained for a task: they lie beside the page, and not in the npm package.
 * @param {typeof import('../../../web/theatre/command.js')} theatre @param {any} settings
 */
function pageWeights({ pageFile }, settings) {
  const file = new URL(`../../../web/models/${settings.task}/${pageFile(settings)}`, import.meta.url)
  if (!existsSync(file)) throw new UsageError('this link begins with the page\'s own weights, which are not in the ' +
    'package; give their file by --start')
  return new Uint8Array(readFileSync(file))
}

/**
 * What is to be trained, on what.
 * @param {typeof import('../../../web/theatre/command.js')} theatre @param {string} what
 * @param {Record<string, any>} values
 */
function asked(theatre, what, values) {
  const from = bytesAt('from', values.from), isPath = isFile(what)
  const bytes = isPath ? new Uint8Array(readFileSync(what)) : bytesAt('text', values.text)
  const read = bytes ? theatre.textOf(bytes) : undefined
  if (read && 'problem' in read) throw new UsageError(`'${isPath ? what : values.text}' is not text in UTF-8`)
  const more = Object.entries(values).filter(([name]) => !OF_COMMAND.includes(name))
  const known = from && theatre.trainingIn(from)
  if (from && !known) throw new UsageError(`--from: '${values.from}' is no file of a training`)
  const link = isPath ? known?.training ?? 'text' : what
  if (!isPath && /[./\\]/.test(link.split('_', 1)[0])) throw new UsageError(`there is no file '${what}'`)
  const { settings, problems } = theatre.settingsFrom(link, {
    ...(read && { mark: theatre.markOf(read.text) }),
    ...Object.fromEntries(more.map(([name, value]) => [camel(name), value]))
  }, read?.text)
  if (problems.length) throw new UsageError(problems.map(inOptions).join('; '))
  if (bytes && settings.task !== 'text') throw new UsageError(`--text belongs to the task text, not to ${settings.task}`)
  if (settings.start === 'given' && !values.start && !from) throw new UsageError(
    'this link begins with weights that were given; give their file by --start')
  return { settings, from, text: read?.text }
}

/** Settings as options, in what is wrong with them. @param {string} problem */
const inOptions = problem => problem.replace(/^([a-z]+[A-Z]\w*|steps|rate|batch|layers|heads|unit|size|length|seed):/, name =>
  `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)

/** Where weights go if nothing is said: beside where one is. @param {string} what */
const defaultOut = what =>
  `${basename(what, extname(what)).split('_', 1)[0]}.safetensors`

/**
 * How far it is, in a few words. @param {any} session @param {number} until @param {number} started
 * @param {number} first
 */
function pace({ done }, until, started, first) {
  const seconds = (Date.now() - started) / 1000
  return { seconds, left: done > first ? seconds / (done - first) * (until - done) : NaN }
}

/**
 * @param {any} gf the library @param {string[]} words @param {Record<string, any>} values
 * @returns {Promise<AsyncGenerator<string>>} line by line, as it goes
 */
export async function train(gf, [what, ...rest], values) {
  const theatre = await import('../../../web/theatre/command.js')
  if (what === undefined) throw new UsageError('train: a text file, a task or a link is missing')
  if (rest.length) throw new UsageError(`train takes one text file, task or link, got also '${rest[0]}'`)
  const { settings, from, text } = asked(theatre, what, values), out = values.out ?? defaultOut(what)
  expectNewFile(out, values.from)
  const start = settings.start === 'page' ? pageWeights(theatre, settings) : bytesAt('start', values.start) ?? from
  return lines(theatre.createPlayer(gf, settings, { text, file: from, start }), theatre.write(settings), out, values)
}

/**
 * @param {ReturnType<typeof import('../../../web/theatre/player.js').createPlayer>} player @param {string} link
 * @param {string} out @param {Record<string, any>} values @returns {AsyncGenerator<string>}
 */
async function* lines(player, link, out, { until: wanted, json }) {
  const { session } = player, until = Math.min(session.settings.steps, wanted ?? Infinity), first = session.done
  let isStopped = false, told = session.history.looks.length, shown = 0
  const stop = () => { isStopped = true }
  process.once('SIGINT', stop)
  const count = session.named.reduce((/** @type {number} */ sum, [, { size }]) => sum + size, 0)
  if (!json) yield `${link}\n${count.toLocaleString('en')} parameters, ${until - first} steps; ctrl-c stops and keeps what is there\n`
  const started = Date.now()
  while (session.done < until && !isStopped && player.step()) {
    const { done, history } = session, { seconds, left } = pace(session, until, started, first)
    if (Date.now() - shown > PROGRESS) {
      shown = Date.now()
      progress(`step ${done} of ${until}   loss ${history.loss[done - 1].toFixed(4)}   ${timeText(left)} left`)
    }
    for (const { step, loss, right } of history.looks.slice(told)) {
      progress('')
      yield json ? `${JSON.stringify({ step, loss: history.loss[step - 1], heldOut: loss, right, seconds, left })}\n`
        : `step ${step}   loss ${history.loss[step - 1]?.toFixed(4)}   held out ${loss.toFixed(4)}   ` +
          `right ${(100 * right).toFixed(1)} %   ${timeText(seconds)}, ${timeText(left)} left\n`
    }
    told = history.looks.length
    await new Promise(setImmediate)
  }
  process.off('SIGINT', stop)
  progress('')
  const bytes = session.file(true)
  writeFileSync(out, bytes)
  if (!json) yield `${session.done - first} steps; ${out}, ${sizeText(bytes.length)}\n`
  if (!player.broken) return
  const { step, where } = player.broken
  process.stderr.write(`glassformer: step ${step}: not a number, first in ${where?.name ?? '?'}; ` +
    `the weights are those of step ${step - 1}\n`)
  process.exitCode = 1
}
