/**
 * Where the calling thread and its workers meet: integers in the shared memory, then the arguments of every part. The
 * parts of a call are counted down, and who counts one down does one, so a worker that is late, asleep or gone leaves
 * what it did not take to the others. The calling thread begins at the first part, workers at the last: the rows that a
 * kernel left in the cache of a core are those that the next one reads there.
 *
 * CALL says that there is something new, LEFT how many parts nobody has taken, DONE how many are finished of PARTS,
 * KERNEL what to call with ARGUMENTS numbers. Argument ROOM (-1: none) is a workspace, for worker n at
 * ROOMS + n * ROOM_BYTES. FAILED: a part was not done. TAKEN counts the parts that workers took,
 * ASLEEP the workers that have to be woken. LAST: parts from there on are taken by workers.
 */
export const CALL = 0, LEFT = 1, DONE = 2, PARTS = 3, KERNEL = 4, ARGUMENTS = 5, ROOM = 6, ROOMS = 7, ROOM_BYTES = 8,
  FAILED = 9, TAKEN = 10, ASLEEP = 11, LAST = 12
export const INTS = 16, MOST_PARTS = 64, MOST_ARGUMENTS = 16
export const MAILBOX_BYTES = 4 * INTS + 8 * MOST_PARTS * MOST_ARGUMENTS
/**
 * How often a worker looks for something new before it goes to sleep: for about half a millisecond, more than lies
 * between most kernels.
 */
const SPINS = 300_000

/**
 * What a worker runs, as text: no bundler has to know of a file, and none can change what it says.
 * It takes { module, memory, mailbox, names, stackEnd, worker } and never comes back.
 */
export const WORKER = `
async function work({ module, memory, mailbox, names, stackEnd, worker }, tell) {
  const env = { memory, emscripten_notify_memory_growth() {} }
  const { exports } = await WebAssembly.instantiate(module, { env })
  exports.gf_set_stack(stackEnd)
  const kernels = names.map(name => exports[name])
  const box = new Int32Array(memory.buffer, mailbox, ${INTS})
  const given = new Float64Array(memory.buffer, mailbox + ${4 * INTS}, ${MOST_PARTS * MOST_ARGUMENTS})
  const perform = part => {
    const count = box[${ARGUMENTS}], list = Array.from(given.subarray(part * count, (part + 1) * count))
    if (box[${ROOM}] >= 0) list[box[${ROOM}]] = (box[${ROOMS}] >>> 0) + worker * box[${ROOM_BYTES}]
    kernels[box[${KERNEL}]](...list)
  }
  tell('ready')
  for (let seen = 0; ;) {
    for (let n = 0; n < ${SPINS} && Atomics.load(box, ${CALL}) === seen; n++);
    if (Atomics.load(box, ${CALL}) === seen) {
      Atomics.add(box, ${ASLEEP}, 1)
      Atomics.wait(box, ${CALL}, seen)
      Atomics.sub(box, ${ASLEEP}, 1)
    }
    seen = Atomics.load(box, ${CALL})
    while (Atomics.sub(box, ${LEFT}, 1) > 0) {
      Atomics.add(box, ${TAKEN}, 1)
      try {
        perform(Atomics.sub(box, ${LAST}, 1) - 1)
      } catch {
        Atomics.store(box, ${FAILED}, 1)
      }
      if (Atomics.add(box, ${DONE}, 1) + 1 === box[${PARTS}]) Atomics.notify(box, ${DONE})
    }
  }
}
if (typeof postMessage === 'function') onmessage = ({ data }) => work(data, postMessage)
else {
  const { parentPort } = require('node:worker_threads')
  parentPort.once('message', data => work(data, said => parentPort.postMessage(said)))
}`
