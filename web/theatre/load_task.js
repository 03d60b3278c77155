/**
 * The build of the elements fetches a task with its first training, and an optimizer with the first step of one: see
 * web/elements/worker_plugins.js. Elsewhere they are part of the worker.
 */

/** @type {(gf: any, settings: import('../../src/training/settings.js').TrainingState) => Promise<void>} */
export const loadTask = async () => {}

/** @type {typeof loadTask} */
export const loadOptimizer = async () => {}
