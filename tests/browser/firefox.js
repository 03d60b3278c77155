// Debian's Firefox, driven by Marionette: the protocol it has of its own, lists of JSON with their length before them.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Where Firefox is, or null. */
export function firefox() {
  if (process.env.FIREFOX) return process.env.FIREFOX
  for (const name of ['firefox-esr', 'firefox']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8', stdio: 'pipe' }).trim()
    } catch {
      // The next name.
    }
  }
  return null
}

const freePort = () => new Promise(done => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => done(port))
  })
})

/** A connection, as soon as Firefox listens. @param {number} port @param {number} tries */
async function connected(port, tries = 200) {
  for (let left = tries; left > 0; left--) {
    const socket = await new Promise(done => {
      const one = connect(port, '127.0.0.1').once('connect', () => done(one)).once('error', () => done(null))
    })
    if (socket) return socket
    await new Promise(done => { setTimeout(done, 100) })
  }
  throw new Error('Firefox does not listen')
}

/** Whole messages of a stream: their length, a colon, and so many bytes. */
function receive(socket, take) {
  let rest = Buffer.alloc(0)
  socket.on('data', part => {
    rest = Buffer.concat([rest, part])
    for (;;) {
      const colon = rest.indexOf(58), length = Number(rest.subarray(0, Math.max(colon, 0)))
      if (colon < 0 || rest.length < colon + 1 + length) return
      take(JSON.parse(rest.subarray(colon + 1, colon + 1 + length)))
      rest = rest.subarray(colon + 1 + length)
    }
  })
}

/** Starts Firefox without a window. @param {string} path */
export async function launchFirefox(path) {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-')), port = await freePort()
  writeFileSync(join(profile, 'user.js'), Object.entries({
    'marionette.port': port, 'datareporting.policy.dataSubmissionEnabled': false, 'app.update.enabled': false,
    'browser.shell.checkDefaultBrowser': false, 'toolkit.telemetry.enabled': false, 'intl.accept_languages': 'ko'
  }).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`).join('\n'))
  const child = spawn(path, ['--headless', '--marionette', '--no-remote', '--profile', profile], { stdio: 'ignore' })
  const ended = new Promise(done => { child.once('exit', done) })
  const socket = await connected(port), waiting = new Map()
  let serial = 0
  receive(socket, message => {
    if (!Array.isArray(message)) return
    const [, id, error, result] = message, asked = waiting.get(id)
    waiting.delete(id)
    if (error) asked.reject(new Error(`${error.error}: ${error.message}`))
    else asked.resolve(result)
  })
  const call = (name, parameters = {}) => new Promise((resolve, reject) => {
    serial += 1
    waiting.set(serial, { resolve, reject })
    const text = JSON.stringify([0, serial, name, parameters])
    socket.write(`${Buffer.byteLength(text)}:${text}`)
  })
  await call('WebDriver:NewSession', { capabilities: {} })
  await call('WebDriver:SetTimeouts', { script: 120000, pageLoad: 60000 })
  return {
    goto: url => call('WebDriver:Navigate', { url }),
    /** Runs a function in the page with plain arguments, and waits for what it promises. */
    evaluate: async (fn, ...args) => {
      const script = `const [args, done] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]];
        (async () => (${fn})(...args))().then(value => done({ value }), error => done({ error: String(error) }))`
      const { value: { value, error } } = await call('WebDriver:ExecuteAsyncScript', { script, args })
      if (error) throw new Error(error)
      return value
    },
    resize: (width, height) => call('WebDriver:SetWindowRect', { width, height }),
    async close() {
      socket.end()
      child.kill()
      await ended
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
