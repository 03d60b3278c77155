/** Splits work into tasks, so that no single one blocks the page. */

/** Ends the current task; what follows runs in another. */
export const nextTask = () => new Promise(resolve => { setTimeout(resolve) })

/** Resolves when the rendering so far has been painted; in a hidden page, at once. */
export const painted = () => new Promise(resolve => {
  if (document.hidden) resolve(undefined)
  // The second frame starts after the first has been committed.
  else requestAnimationFrame(() => requestAnimationFrame(resolve))
})

/**
 * Debounces work: requested again before it has started, it is done once.
 * @param {() => void} work
 */
export function debounce(work) {
  let isWaiting = false
  return async () => {
    if (isWaiting) return
    isWaiting = true
    await nextTask()
    isWaiting = false
    work()
  }
}

/** Milliseconds of each frame that are spent on pieces of work. */
const SLICE = 6

/**
 * Does pieces of work, as many per frame as fit into a time slice; a new list replaces the rest of the old one.
 * @template T
 * @param {(piece: T) => void} work @param {number} [slice] milliseconds; layout afterwards takes more
 * @returns {(pieces: T[]) => Promise<void>} resolves when all are done or have been replaced
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
