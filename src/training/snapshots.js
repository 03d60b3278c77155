/**
 * Snapshots of a training within a memory limit, at equal distances, which double each time the limit is reached. The
 * initial state is always retained, so that every step can be recomputed.
 */

/** @typedef {import('./session.js').Snapshot} Snapshot */
/** @typedef {ReturnType<typeof createSnapshots>} Shelf */

/** @param {number} limit bytes @param {number} [distance] the initial number of steps between two snapshots */
export function createSnapshots(limit, distance = 10) {
  /** @type {Map<number, Snapshot>} */
  const snapshots = new Map()
  let interval = distance, bytes = 0

  /** @param {number} step */
  function drop(step) {
    bytes -= /** @type {Snapshot} */ (snapshots.get(step)).values.byteLength
    snapshots.delete(step)
  }
  function dropEverySecond() {
    while (bytes > limit && snapshots.size > 1) {
      interval *= 2
      for (const step of [...snapshots.keys()]) if (step % interval !== 0) drop(step)
    }
  }
  return {
    /** Whether the state after a step is to be retained. @param {number} step */
    shouldAdd: step => step % interval === 0 && !snapshots.has(step),
    /** @param {Snapshot} snapshot */
    add(snapshot) {
      snapshots.set(snapshot.step, snapshot)
      bytes += snapshot.values.byteLength
      dropEverySecond()
    },
    /** The last snapshot at or before a step. @param {number} step @returns {Snapshot} */
    before(step) {
      const at = Math.max(...[...snapshots.keys()].filter(snapshot => snapshot <= step))
      return /** @type {Snapshot} */ (snapshots.get(at))
    },
    /** All snapshots in order. */
    all: () => [...snapshots.values()].sort((a, b) => a.step - b.step),
    /** Facts about the snapshots as plain data. */
    get facts() {
      return { bytes, limit, count: snapshots.size, apart: interval }
    }
  }
}
