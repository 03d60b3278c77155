// Controls WebKitGTK, whose engine is Safari's, through WebDriver. It needs a display, which Xvfb is.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { findFreePort } from './firefox.js'

const TOOLS = ['WebKitWebDriver', 'Xvfb']

/** Whether both programs are installed: Debian's webkit2gtk-driver and xvfb. */
export function hasWebKit() {
  try {
    TOOLS.forEach(name => execFileSync('which', [name], { stdio: 'pipe' }))
    return true
  } catch {
    return false
  }
}

/** A display of its own, and the name of it. */
async function startDisplay() {
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1440x1000x24'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [number] = await once(createInterface(child.stdout), 'line')
  return { child, name: `:${number}` }
}

/** @param {string} address @param {'GET' | 'POST' | 'DELETE'} method @param {object} [body] */
async function send(address, method, body) {
  const response = await fetch(address, { method, body: body && JSON.stringify(body) })
  const { value } = await response.json()
  if (value?.error) throw new Error(`${value.error}: ${value.message}`)
  return value
}

/** Asks for a session until the driver listens. @param {string} address */
async function openSession(address, remaining = 100) {
  try {
    return await send(`${address}/session`, 'POST', { capabilities: {} })
  } catch (error) {
    if (remaining === 0 || !(error instanceof TypeError)) throw error
    await new Promise(resolve => { setTimeout(resolve, 100) })
    return openSession(address, remaining - 1)
  }
}

/** Starts WebKitGTK's small browser. */
export async function launchWebKit() {
  const port = await findFreePort(), display = await startDisplay()
  const env = { ...process.env, DISPLAY: display.name, LIBGL_ALWAYS_SOFTWARE: '1' }
  const driver = spawn('WebKitWebDriver', [`--port=${port}`], { stdio: 'ignore', env })
  const address = `http://127.0.0.1:${port}`, { sessionId, capabilities } = await openSession(address)
  const call = (path, body) => send(`${address}/session/${sessionId}/${path}`, 'POST', body)
  await call('timeouts', { script: 60000, pageLoad: 60000 })
  return {
    version: capabilities.browserVersion,
    goto: url => call('url', { url }),
    /** Runs a function in the page with arguments that JSON can represent, and waits for its promise. */
    async evaluate(fn, ...args) {
      const script = `const [args, done] = [[...arguments].slice(0, -1), arguments[arguments.length - 1]];
        (async () => (${fn})(...args))().then(value => done({ value }), error => done({ error: String(error) }))`
      const { value, error } = await call('execute/async', { script, args })
      if (error) throw new Error(error)
      return value
    },
    async close() {
      await send(`${address}/session/${sessionId}`, 'DELETE')
      for (const child of [driver, display.child]) {
        child.kill()
        await once(child, 'exit')
      }
    }
  }
}
