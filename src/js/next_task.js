/** Resolves in a new task, so that other tasks run in between: for long work that can be aborted. */
export const nextTask = () => new Promise(resolve => setTimeout(resolve))
