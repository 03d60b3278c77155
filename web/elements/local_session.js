/** A session without a worker: the only run is one that a program has observed, in the same thread. */

import { interpretCalls } from '../worker/interpret.js'
import { queryCalls } from '../worker/queries.js'
import { runCalls } from '../worker/run_calls.js'
import { messageOf } from '../worker/serialize_run.js'

/** @import { Session } from '../shell/engine.js' */
/** @import { Library, LibraryRun } from '../types.d.ts' */

/** @param {Library} gf @param {LibraryRun} run @returns {Session} */
export function createLocalSession(gf, run) {
  const modelRun = { run, valuesBeforeEdits: new Map() }
  /** @type {Record<string, (details: any) => unknown>} */
  const calls = { ...runCalls(() => modelRun), ...queryCalls(() => modelRun), ...interpretCalls(() => ({ gf, run })) }
  return {
    run: async (settings, signature) => (
      messageOf(gf, { ...modelRun, settings, hints: {}, isTrained: true }, { signature })),
    ask: /** @type {Session['ask']} */ (async (type, details) => {
      if (!calls[type]) throw new Error(`${type} needs a model of the page`)
      return calls[type](details)
    }),
    // The run belongs to the program.
    drop: async () => {}
  }
}
