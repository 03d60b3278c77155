// One of the bare loops of loops.js: a thread that begins whenever it is sent off.
import { workerData } from 'node:worker_threads'
import { MULTIPLY_ADD, multiplyAdd } from './limit.js'
import { ENDED, SENT } from './loops.js'

const { [MULTIPLY_ADD]: { run } } = await multiplyAdd()
let sent = 0
while (true) {
  Atomics.wait(workerData, SENT, sent++)
  run()
  Atomics.add(workerData, ENDED, 1)
}
