/**
 * The memory by which the calling thread and its workers communicate: integers, then the arguments of every part. Each
 * thread decrements the number of unclaimed parts and then computes one, so the parts of a worker that is late, asleep
 * or gone are left to the others. The calling thread starts with the first part, workers with the last, so that each
 * core reads rows that the previous kernel left in its cache.
 *
 * CALL counts the calls. UNCLAIMED parts are left, DONE of PARTS are finished. KERNEL is called with ARGUMENTS numbers.
 * Argument WORKSPACE (-1: none) is the address of a workspace, for worker n WORKSPACES + n * WORKSPACE_BYTES. FAILED is
 * 1 if a part threw an error. CLAIMED counts the parts that workers took, ASLEEP the workers to be woken. Workers take
 * parts below LAST. If KERNEL is STOP, they leave the mailbox and wait for a message with other kernels.
 */
export const CALL = 0, UNCLAIMED = 1, DONE = 2, PARTS = 3, KERNEL = 4, ARGUMENTS = 5, WORKSPACE = 6, WORKSPACES = 7,
  WORKSPACE_BYTES = 8, FAILED = 9, CLAIMED = 10, ASLEEP = 11, LAST = 12
export const STOP = -1
export const INTS = 16, MAX_PARTS = 64, MAX_ARGUMENTS = 16
export const MAILBOX_BYTES = 4 * INTS + 8 * MAX_PARTS * MAX_ARGUMENTS
/**
 * How often a worker checks for a new call before it sleeps: for about half a millisecond, longer than the time between
 * most kernels.
 */
const SPINS = 300_000

/**
 * The code of a worker, as text, so that bundlers need not handle a separate file and cannot change it. It takes
 * { modules, memory, mailbox, names, stackEnd, worker }, where the first of the modules has the stack.
 */
export const WORKER = `
async function work({ modules, memory, mailbox, names, stackEnd, worker }, send) {
  const env = { memory, emscripten_notify_memory_growth() {} }
  const instances = await Promise.all(modules.map(module => WebAssembly.instantiate(module, { env })))
  const exports = Object.assign({}, ...instances.map(instance => instance.exports))
  exports.gf_set_stack(stackEnd)
  const kernels = names.map(name => exports[name])
  const box = new Int32Array(memory.buffer, mailbox, ${INTS})
  const args = new Float64Array(memory.buffer, mailbox + ${4 * INTS}, ${MAX_PARTS * MAX_ARGUMENTS})
  const perform = part => {
    const count = box[${ARGUMENTS}], list = Array.from(args.subarray(part * count, (part + 1) * count))
    if (box[${WORKSPACE}] >= 0) list[box[${WORKSPACE}]] = (box[${WORKSPACES}] >>> 0) + worker * box[${WORKSPACE_BYTES}]
    kernels[box[${KERNEL}]](...list)
  }
  let call = Atomics.load(box, ${CALL})
  send('ready')
  for (;;) {
    for (let n = 0; n < ${SPINS} && Atomics.load(box, ${CALL}) === call; n++);
    if (Atomics.load(box, ${CALL}) === call) {
      Atomics.add(box, ${ASLEEP}, 1)
      Atomics.wait(box, ${CALL}, call)
      Atomics.sub(box, ${ASLEEP}, 1)
    }
    call = Atomics.load(box, ${CALL})
    if (box[${KERNEL}] === ${STOP}) return
    while (Atomics.sub(box, ${UNCLAIMED}, 1) > 0) {
      Atomics.add(box, ${CLAIMED}, 1)
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
  parentPort.on('message', data => work(data, message => parentPort.postMessage(message)))
}`
