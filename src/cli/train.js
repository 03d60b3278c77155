import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { formatBytes } from './models.js'
import { UsageError, toCamelCase } from './options.js'
import { expectNewFile, isFile } from './paths.js'

/** Training as in the page's theatre, bit for bit. */

/** Options that are not settings of the training. */
const COMMAND_OPTIONS = ['until', 'text', 'from', 'start', 'out', 'json']
/** Time between two updates of the progress, in milliseconds. */
const PROGRESS_INTERVAL = 250
const MINUTE = 60

/** @param {string} option @param {string | undefined} path @returns {Uint8Array | undefined} */
function readBytes(option, path) {
  if (path === undefined) return undefined
  if (!isFile(path)) throw new UsageError(`--${option}: there is no file '${path}'`)
  return new Uint8Array(readFileSync(path))
}

/** Formats a duration, such as '5 min'. @param {number} seconds */
export function formatDuration(seconds) {
  if (seconds < MINUTE) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`
  const minutes = Math.round(seconds / MINUTE)
  return minutes < MINUTE ? `${minutes} min` : `${Math.floor(minutes / MINUTE)} h ${minutes % MINUTE} min`
}

/** Overwrites the progress line, if standard error is a terminal. @param {string} text */
function showProgress(text) {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`)
}

/**
 * Reads the weights that the page has for a task; the npm package does not contain them.
 * @param {typeof import('../training/command.js')} theatre @param {any} settings
 */
function readPageWeights({ pageFile }, settings) {
  const file = new URL(`../../../web/models/${settings.task}/${pageFile(settings)}`, import.meta.url)
  if (!existsSync(file)) throw new UsageError('this link starts from weights of the page, which are not in the package; ' +
    'pass their file by --start')
  return new Uint8Array(readFileSync(file))
}

/**
 * Reads the settings, the text and the file to resume from.
 * @param {typeof import('../training/command.js')} theatre @param {string} what
 * @param {Record<string, any>} values
 */
function readSettings(theatre, what, values) {
  const from = readBytes('from', values.from), isPath = isFile(what)
  const bytes = isPath ? new Uint8Array(readFileSync(what)) : readBytes('text', values.text)
  const read = bytes ? theatre.textOf(bytes) : undefined
  if (read && 'problem' in read) throw new UsageError(`'${isPath ? what : values.text}' is not UTF-8 text`)
  const settingOptions = Object.entries(values).filter(([name]) => !COMMAND_OPTIONS.includes(name))
  const training = from && theatre.trainingIn(from)
  if (from && !training) throw new UsageError(`--from: '${values.from}' is not a file of a training`)
  const link = isPath ? training?.training ?? 'text' : what
  if (!isPath && /[./\\]/.test(link.split('_', 1)[0])) throw new UsageError(`there is no file '${what}'`)
  const { settings, problems } = theatre.settingsFrom(link, {
    ...(read && { mark: theatre.markOf(read.text) }),
    ...Object.fromEntries(settingOptions.map(([name, value]) => [toCamelCase(name), value]))
  }, read?.text)
  if (problems.length) throw new UsageError(problems.map(nameOptions).join('; '))
  if (bytes && settings.task !== 'text') throw new UsageError(`--text belongs to the task text, not to ${settings.task}`)
  if (settings.start === 'given' && !values.start && !from) throw new UsageError(
    'this link starts from weights of a file; pass the file by --start')
  return { settings, from, text: read?.text }
}

/** Replaces the name of a setting at the start of a problem by that of the option. @param {string} problem */
const nameOptions = problem => problem.replace(/^([a-z]+[A-Z]\w*|steps|rate|batch|layers|heads|unit|size|length|seed):/, name =>
  `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`)

/** The default of --out: a file in the current folder. @param {string} what */
const defaultOut = what =>
  `${basename(what, extname(what)).split('_', 1)[0]}.safetensors`

/**
 * Measures the time in seconds since the start and until the end.
 * @param {any} session @param {number} until the last step @param {number} started in milliseconds
 * @param {number} first the step that the run started from
 */
function measurePace({ done }, until, started, first) {
  const seconds = (Date.now() - started) / 1000
  return { seconds, left: done > first ? seconds / (done - first) * (until - done) : NaN }
}

/**
 * Trains a model and saves it.
 * @param {any} gf the library @param {string[]} positionals @param {Record<string, any>} values
 * @returns {Promise<AsyncGenerator<string>>} the lines to print, during the training
 */
export async function train(gf, [what, ...rest], values) {
  const theatre = await import('../training/command.js')
  if (what === undefined) throw new UsageError('train: a text file, a task or a link is missing')
  if (rest.length) throw new UsageError(`train takes one text file, task or link, got also '${rest[0]}'`)
  const { settings, from, text } = readSettings(theatre, what, values), out = values.out ?? defaultOut(what)
  expectNewFile(out, values.from)
  const start = settings.start === 'page' ? readPageWeights(theatre, settings) : readBytes('start', values.start) ?? from
  const player = theatre.createPlayer(gf, settings, { text, file: from, start })
  return runTraining(player, theatre.write(settings), out, values)
}

/**
 * @param {ReturnType<typeof import('../training/player.js').createPlayer>} player @param {string} link
 * @param {string} out @param {Record<string, any>} values @returns {AsyncGenerator<string>}
 */
async function* runTraining(player, link, out, { until: maxStep, json }) {
  const { session } = player, until = Math.min(session.settings.steps, maxStep ?? Infinity), first = session.done
  let isStopped = false, reported = session.history.evaluations.length, shownAt = 0
  const stop = () => { isStopped = true }
  process.once('SIGINT', stop)
  const count = session.named.reduce((/** @type {number} */ sum, [, tensor]) => sum + tensor.numel(), 0)
  if (!json) yield `${link}\n${count.toLocaleString('en')} parameters, ${until - first} steps; ctrl-c stops and saves\n`
  const started = Date.now()
  while (session.done < until && !isStopped && player.step()) {
    const { done, history } = session, { seconds, left } = measurePace(session, until, started, first)
    if (Date.now() - shownAt > PROGRESS_INTERVAL) {
      shownAt = Date.now()
      showProgress(`step ${done} of ${until}   loss ${history.loss[done - 1].toFixed(4)}   ${formatDuration(left)} left`)
    }
    for (const { step, loss, right } of history.evaluations.slice(reported)) {
      showProgress('')
      yield json ? `${JSON.stringify({ step, loss: history.loss[step - 1], heldOut: loss, right, seconds, left })}\n`
        : `step ${step}   loss ${history.loss[step - 1]?.toFixed(4)}   held out ${loss.toFixed(4)}   ` +
          `right ${(100 * right).toFixed(1)} %   ${formatDuration(seconds)}, ${formatDuration(left)} left\n`
    }
    reported = history.evaluations.length
    await new Promise(setImmediate)
  }
  process.off('SIGINT', stop)
  showProgress('')
  const bytes = session.file(true)
  writeFileSync(out, bytes)
  if (!json) yield `${session.done - first} steps; ${out}, ${formatBytes(bytes.length)}\n`
  if (!player.broken) return
  const { step, where } = player.broken
  process.stderr.write(`glassformer: step ${step}: not a number, first in ${where?.name ?? '?'}; ` +
    `the weights are those of step ${step - 1}\n`)
  process.exitCode = 1
}
