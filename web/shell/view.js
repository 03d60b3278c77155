/** The view: the state, restricted to what the run has. */

import { downsample } from '../lib/large_tables.js'
import { batchSize, nullIfNotRetained } from '../lib/run.js'
import { withThumbnails } from '../lib/thumbnails.js'
import { pictureOf } from '../lib/stage_registry.js'

/** @import { Room, Run, State, View } from '../types.d.ts' */

/**
 * The view of a room; a shorter text must not leave a sentence or head out of range.
 * @param {State} state @param {Run | null} run @param {Room} room @param {Room[]} rooms
 * @returns {View}
 */
export function createView(state, run, room, rooms) {
  /** @param {number} value @param {number} count */
  const clamp = (value, count) => Math.max(Math.min(value, count - 1), -1)
  const steps = run?.decoding?.steps.length ?? 1
  /** @type {View} */
  const view = {
    ...state, room, rooms, step: clamp(state.step, steps), row: clamp(state.row, steps),
    sentence: run ? clamp(state.sentence, batchSize(run)) : state.sentence,
    head: clamp(state.head, room.parts.heads ?? state.head + 1),
    layer: clamp(state.layer, room.parts.layers?.length ?? state.layer + 1),
    picture(pictureRoom, changes) {
      // An answer is found by its tokens, which a thumbnail does not have.
      const source = run && (pictureRoom.stage === 'decoding' ? run : withThumbnails(run))
      const picture = source &&
        nullIfNotRetained(() => pictureOf(pictureRoom.stage)(source, { ...view, ...changes, room: pictureRoom }))
      return picture && { ...picture, part: downsample(picture.part) }
    }
  }
  return view
}
