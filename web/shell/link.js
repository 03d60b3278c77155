/** The address follows the state, and so do the links to the rooms. */

import { doorsOf, toHash } from './state.js'

/** @import { State } from '../types.d.ts' */

const DELAY = 120

/**
 * Whoever leaves the window, for the address bar perhaps, finds the address written.
 * @param {(state: State) => State} addressed what has to be said of a state
 */
export function linked(addressed) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */ let timer
  /** What is still to be written. @type {State | null} */ let late = null
  const forget = () => {
    clearTimeout(timer)
    late = null
  }
  const flush = () => {
    if (late) history.replaceState(null, '', `#${toHash(addressed(late))}`)
    forget()
  }
  for (const leaving of ['blur', 'pagehide']) addEventListener(leaving, flush)
  return {
    /**
     * At once for a step that Back undoes, else at a pause, as writing it is slow.
     * @param {State} state @param {'push' | 'replace'} way
     */
    write(state, way) {
      if (way === 'push') {
        flush()
        history.pushState(null, '', `#${toHash(addressed(state))}`)
      } else {
        forget()
        late = state
        timer = setTimeout(flush, DELAY)
      }
    },
    /** What was still to be written is not: the reader has gone elsewhere. */
    forget
  }
}

/**
 * The links to the rooms, whole, since one that begins with `#` is taken for a place of this page.
 * @param {() => State} get
 */
export function roomLinks(get) {
  /** @type {{ state: State | null, to(room: string): string, page: string }} */
  let doors = { state: null, to: room => room, page: '' }
  /** @param {string} room */
  return room => {
    const state = get()
    if (doors.state !== state) doors = { state, to: doorsOf(state), page: location.href.split('#', 1)[0] }
    return `${doors.page}#${doors.to(room)}`
  }
}
