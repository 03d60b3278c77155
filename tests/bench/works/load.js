// The time from before the import to a first result in Node, each time in a new process.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { faster } from '../lib/claims.js'
import { ORT, TFJS } from '../lib/peers.js'

const script = fileURLToPath(new URL('../lib/first_result.js', import.meta.url))
const run = promisify(execFile)

const side = library => ({ time: async () => Number((await run(process.execPath, [script, library])).stdout) })

export default [{
  name: 'load() in Node, to the first result',
  claims: [faster(ORT, 25), faster(TFJS)],
  prepare: () => ({ sides: { ours: side('ours'), [ORT]: side('ort'), [TFJS]: side('tfjs') } })
}]
