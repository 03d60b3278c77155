/** Work in tasks of its own, so that no single one keeps the page from answering. */

/** Ends the task that is running; what follows runs in another. */
export const nextTask = () => new Promise((resolve) => { setTimeout(resolve) })

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
