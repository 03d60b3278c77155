// A thread of loops.js, which runs its loop each time that it is started.
import { workerData } from 'node:worker_threads'
import { MULTIPLY_ADD, multiplyAdd } from './limit.js'
import { FINISHED, STARTED } from './loops.js'

const { [MULTIPLY_ADD]: { run } } = await multiplyAdd()
let runs = 0
while (true) {
  Atomics.wait(workerData, STARTED, runs++)
  run()
  Atomics.add(workerData, FINISHED, 1)
}
