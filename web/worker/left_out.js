/** What stands for a function or class of the library that a worker's build leaves out: see web/build.js. */

/** @param {string} name */
export const leftOut = name => function () {
  throw new Error(`${name} is not in the worker: see web/build.js`)
}
