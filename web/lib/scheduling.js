/** Work in tasks of its own, so that no single one keeps the page from answering. */

/** Ends the task that is running; what follows runs in another. */
export const nextTask = () => new Promise(resolve => { setTimeout(resolve) })

/** Until what has been drawn is seen; in a page that nobody sees, at once. */
export const painted = () => new Promise(resolve => {
  if (document.hidden) resolve(undefined)
  // The second frame begins when the first has been handed over.
  else requestAnimationFrame(() => requestAnimationFrame(resolve))
})

/**
 * A function that asks for a piece of work; asked for again before it has begun, it is done once.
 * @param {() => void} work
 */
export function later(work) {
  let isWaiting = false
  return async () => {
    if (isWaiting) return
    isWaiting = true
    await nextTask()
    isWaiting = false
    work()
  }
}

/** Milliseconds of a frame that go into pieces of work. */
const SLICE = 6

/**
 * A function that does pieces of work, as many a frame as fit a slice of it; what is given anew replaces what is left.
 * @template T
 * @param {(piece: T) => void} work @param {number} [slice] milliseconds; what is laid out afterwards takes more
 * @returns {(pieces: T[]) => Promise<void>} until all are done, or others have taken their place
 */
export function inSlices(work, slice = SLICE) {
  /** @type {T[]} */ let left = []
  let waiting = 0, finish = () => {}
  const go = () => {
    waiting = 0
    const end = performance.now() + slice
    while (left.length && performance.now() < end) work(/** @type {T} */ (left.shift()))
    if (left.length) waiting = requestAnimationFrame(go)
    else finish()
  }
  return pieces => new Promise(resolve => {
    finish()
    finish = resolve
    left = [...pieces]
    if (!left.length) finish()
    else if (!waiting) waiting = requestAnimationFrame(go)
  })
}
