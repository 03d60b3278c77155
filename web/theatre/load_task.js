/**
 * The build of the elements fetches a task and its optimizer with the first training of them: see
 * web/elements/worker_plugins.js. Elsewhere they are part of the worker.
 */

/** @type {(gf: any, settings: import('../../src/training/settings.js').TrainingState) => Promise<void>} */
export const loadTask = async () => {}
