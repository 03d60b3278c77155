/**
 * The build of the elements fetches a task with the first training of it, and the optimizers with any training: see
 * web/elements/worker_plugins.js. Elsewhere they are part of the worker.
 */

/** @type {(gf: any, task: string) => Promise<void>} */
export const loadTask = async () => {}
