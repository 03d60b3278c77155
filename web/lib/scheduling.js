/** Splits work into tasks, so that no single one blocks the page. While it is printed, nothing waits. */

let isPrinting = false
for (const type of ['beforeprint', 'afterprint']) {
  // Before those who draw for paper.
  globalThis.addEventListener?.(type, () => { isPrinting = type === 'beforeprint' }, true)
}

/** Ends the current task: code after `await nextTask()` runs in another one. */
export const nextTask = () => new Promise(resolve => { setTimeout(resolve) })

/** Resolves when the rendering so far has been painted; in a hidden page, at once. */
export const waitForPaint = () => new Promise(resolve => {
  if (document.hidden) resolve(undefined)
  // The second frame starts after the first has been committed.
  else requestAnimationFrame(() => requestAnimationFrame(resolve))
})

/**
 * Debounces work: calls before it has started are served by one execution.
 * @param {() => void} process
 */
export function debounce(process) {
  let isWaiting = false
  return async () => {
    if (isWaiting && !isPrinting) return
    isWaiting = true
    if (!isPrinting) await nextTask()
    isWaiting = false
    process()
  }
}

/** Milliseconds of each frame that are spent on pieces of work. */
const SLICE = 6

/**
 * Does pieces of work, as many per frame as fit into a time slice; a new list replaces the rest of the old one.
 * @template T
 * @param {(piece: T) => void} process @param {number} [slice] milliseconds; layout afterwards takes more
 * @returns {(pieces: T[]) => Promise<void>} resolves when all are done or have been replaced
 */
export function createSlicedWorker(process, slice = SLICE) {
  /** @type {T[]} */ let remaining = []
  let frameRequest = 0, finish = () => {}
  const runSlice = () => {
    frameRequest = 0
    const end = performance.now() + slice
    while (remaining.length && performance.now() < end) process(/** @type {T} */ (remaining.shift()))
    if (remaining.length) frameRequest = requestAnimationFrame(runSlice)
    else finish()
  }
  return pieces => new Promise(resolve => {
    finish()
    finish = resolve
    remaining = [...pieces]
    while (isPrinting && remaining.length) process(/** @type {T} */ (remaining.shift()))
    if (!remaining.length) finish()
    else if (!frameRequest) frameRequest = requestAnimationFrame(runSlice)
  })
}
