// Controls Firefox through Marionette, its own protocol: JSON arrays, each after its length in bytes.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** The path of Firefox, or null. */
export function findFirefox() {
  if (process.env.FIREFOX) return process.env.FIREFOX
  for (const name of ['firefox-esr', 'firefox']) {
    try {
      return execFileSync('which', [name], { encoding: 'utf8', stdio: 'pipe' }).trim()
    } catch {
      // Try the next name.
    }
  }
  return null
}

export const findFreePort = () => new Promise(resolve => {
  const server = createServer().listen(0, '127.0.0.1', () => {
    const { port } = server.address()
    server.close(() => resolve(port))
  })
})

/** Connects as soon as Firefox listens. @param {number} port @param {number} maxTries */
async function waitForConnection(port, maxTries = 200) {
  for (let remaining = maxTries; remaining > 0; remaining--) {
    const socket = await new Promise(resolve => {
      const client = connect(port, '127.0.0.1').once('connect', () => resolve(client)).once('error', () => resolve(null))
    })
    if (socket) return socket
    await new Promise(resolve => { setTimeout(resolve, 100) })
  }
  throw new Error('Firefox does not listen')
}

/** Calls back with each complete message of a socket: a length, a colon, and so many bytes. */
function readMessages(socket, onMessage) {
  let buffer = Buffer.alloc(0)
  socket.on('data', part => {
    buffer = Buffer.concat([buffer, part])
    for (;;) {
      const colon = buffer.indexOf(58), length = Number(buffer.subarray(0, Math.max(colon, 0)))
      if (colon < 0 || buffer.length < colon + 1 + length) return
      onMessage(JSON.parse(buffer.subarray(colon + 1, colon + 1 + length)))
      buffer = buffer.subarray(colon + 1 + length)
    }
  })
}

/** Starts Firefox without a window. @param {string} path */
export async function launchFirefox(path) {
  const profile = mkdtempSync(join(tmpdir(), 'firefox-')), port = await findFreePort()
  writeFileSync(join(profile, 'user.js'), Object.entries({
    'marionette.port': port, 'datareporting.policy.dataSubmissionEnabled': false, 'app.update.enabled': false,
    'browser.shell.checkDefaultBrowser': false, 'toolkit.telemetry.enabled': false, 'intl.accept_languages': 'ko'
  }).map(([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});`).join('\n'))
  const child = spawn(path, ['--headless', '--marionette', '--no-remote', '--profile', profile], { stdio: 'ignore' })
  const exited = new Promise(resolve => { child.once('exit', resolve) })
  const socket = await waitForConnection(port), waiting = new Map()
  let serial = 0
  readMessages(socket, message => {
    if (!Array.isArray(message)) return
    const [, id, error, result] = message, request = waiting.get(id)
    waiting.delete(id)
    if (error) request.reject(new Error(`${error.error}: ${error.message}`))
    else request.resolve(result)
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
    /** Runs a function in the page with arguments that JSON can represent, and waits for its promise. */
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
      await exited
      rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
    }
  }
}
